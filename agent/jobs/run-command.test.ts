import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { END_WITHIN_MS } from '../../shared/agent/timing.ts';
import { TOOL_CONTEXT } from '../../test/support/agent/tool-settings.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { Stop } from './outcomes.ts';
import { type RunAnyTool, runCommand } from './run-command.ts';

/** Runs a made-up tool. */
function runTool(tool: RunAnyTool, limitMs = 5_000, stop = new AbortController()) {
  const defects: unknown[] = [];
  const outcome = runCommand(tool, { tool: 'internetinfo' }, TOOL_CONTEXT, {
    limitMs,
    stop: stop.signal,
    onDefect: (error) => defects.push(error),
  });
  return { outcome, defects, stop };
}

const info = { ip: '192.0.2.1', city: 'Here', country: 'XX', organisation: 'None', at: '2026-01-01T12:00:00.000Z' };
const forever: RunAnyTool = async (_command, { signal }) => {
  await sleep(60_000, undefined, { signal });
  throw new Error('unreachable');
};

test('nothing listens to the signal of a command that has ended: Node would keep it for ever', async () => {
  let seen: AbortSignal | undefined;
  const { outcome } = runTool(async (_command, { signal }) => {
    seen = signal;
    return { output: '', truncated: false, result: info };
  });
  await outcome;
  expect(seen && getEventListeners(seen, 'abort')).toEqual([]);
});

test('a failure of a tool keeps its reason, its sentence and what was printed', async () => {
  const { outcome, defects } = runTool(async () => {
    throw new ToolFailure('tool_failed', 'It went wrong', { output: 'so far', truncated: true });
  });
  const said = { message: 'It went wrong', output: 'so far', truncated: true };
  expect(await outcome).toMatchObject({ state: 'failed', reason: 'tool_failed', ...said });
  expect(defects).toEqual([]);
});

const oops = () => {
  throw new TypeError('oops');
};

test.each([
  ['rejects', async () => oops()],
  ['throws at once', oops],
])('a defect in a tool that %s is reported without its details', async (_how, tool) => {
  const { outcome, defects } = runTool(tool);
  const ended = await outcome;
  expect(ended).toMatchObject({ state: 'failed', reason: 'internal_error', output: '' });
  expect(JSON.stringify(ended)).not.toContain('oops');
  expect(defects).toHaveLength(1);
});

test('a tool that outlives the limit has timed out', async () => {
  const { outcome } = runTool(forever, 50);
  expect(await outcome).toMatchObject({ state: 'failed', reason: 'timed_out' });
});

test('a tool that is stopped and says nothing more has printed what it printed', async () => {
  const { outcome, stop } = runTool(async (_command, { signal, onOutput }) => {
    onOutput('one\n');
    onOutput('two\n');
    return forever({ tool: 'internetinfo' }, { ...TOOL_CONTEXT, signal });
  });
  stop.abort(new Stop('cancelled', 'enough'));
  expect(await outcome).toMatchObject({ state: 'cancelled', output: 'one\ntwo\n' });
});

test('the output begins with what was shown, also when the tool ends with another text or with none', async () => {
  const answers = ['shown\nand more\n', 'something else', ''];
  const outputs = answers.map(async (output) => {
    const { outcome } = runTool(async (_command, { onOutput }) => {
      onOutput('shown\n');
      if (output === '') throw new ToolFailure('tool_failed', 'It went wrong');
      return { output, truncated: false, result: info };
    });
    return (await outcome).output;
  });
  expect(await Promise.all(outputs)).toEqual(['shown\nand more\n', 'shown\n', 'shown\n']);
});

test('a tool that does not stop is left behind', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { outcome, stop } = runTool(() => new Promise(() => {}));
  stop.abort(new Stop('cancelled', 'enough'));
  await vi.advanceTimersByTimeAsync(END_WITHIN_MS);
  expect(await outcome).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
});

test('output is cut at a million characters, never within one', async () => {
  const { outcome } = runTool(async () => ({ output: `a${'😀'.repeat(600_000)}`, truncated: false, result: info }));
  const { output, truncated } = await outcome;
  expect([output.length, truncated]).toEqual([999_999, true]);
  expect(Buffer.from(output).toString()).toBe(output);
});
