import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Command } from '../shared/agent/messages.ts';
import { runCommand, Stop } from './run-command.ts';
import { createRunProcess } from './run-process.ts';
import { type RunTool, type ToolContext, ToolFailure } from './tools/tool.ts';

const settings = { internetInfoUrl: null, speedtestServer: null, rawSockets: false };
const context = { run: createRunProcess(), settings, onOutput: () => {}, onProgress: () => {} };

/** Runs a made-up tool. */
function runTool(tool: RunTool<'internetinfo'>, limitMs = 5_000, stop = new AbortController()) {
  const defects: unknown[] = [];
  const run = (_command: Command, toolContext: ToolContext) => tool({ tool: 'internetinfo' }, toolContext);
  const outcome = runCommand(run, { tool: 'internetinfo' }, context, {
    limitMs,
    stop: stop.signal,
    onDefect: (error) => defects.push(error),
  });
  return { outcome, defects, stop };
}

const info = { ip: '192.0.2.1', city: 'Here', country: 'XX', organisation: 'None' };
const forever: RunTool<'internetinfo'> = async (_command, { signal }) => {
  await sleep(60_000, undefined, { signal });
  throw new Error('unreachable');
};
const stubborn: RunTool<'internetinfo'> = () => new Promise(() => {});

test('the answer of a tool is the outcome', async () => {
  const { outcome } = runTool(async () => ({ output: 'out\n', truncated: false, data: info }));
  expect(await outcome).toEqual({
    state: 'succeeded',
    reason: null,
    message: null,
    output: 'out\n',
    truncated: false,
    data: info,
  });
});

test('a failure of a tool keeps its reason, its sentence and what was printed', async () => {
  const { outcome, defects } = runTool(async () => {
    throw new ToolFailure('tool_failed', 'It went wrong', { output: 'so far', truncated: true });
  });
  expect(await outcome).toMatchObject({
    state: 'failed',
    reason: 'tool_failed',
    message: 'It went wrong',
    output: 'so far',
    truncated: true,
  });
  expect(defects).toEqual([]);
});

test.each([
  ['rejects', async () => Promise.reject(new TypeError('oops'))],
  [
    'throws at once',
    () => {
      throw new TypeError('oops');
    },
  ],
])('a defect in a tool that %s is told without its details', async (_how, tool) => {
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

test.each([
  ['cancelled', 'cancelled'],
  ['agent_restarted', 'interrupted'],
] as const)('a tool that is stopped because of %s ends as %s, with what it had printed', async (why, state) => {
  const { outcome, stop } = runTool(async (_command, { signal }) => {
    await sleep(60_000, undefined, { signal }).catch(() => {});
    throw new ToolFailure('cancelled', 'stopped', { output: 'half', truncated: false });
  });
  await sleep(20);
  stop.abort(new Stop(why, 'enough'));
  expect(await outcome).toMatchObject({ state, reason: why, message: 'enough', output: 'half' });
});

test('a tool that does not stop is left behind', async () => {
  const { outcome, stop } = runTool(stubborn);
  stop.abort(new Stop('cancelled', 'enough'));
  expect(await outcome).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
}, 15_000);

test('output is cut at a million characters, never within one', async () => {
  const { outcome } = runTool(async () => ({ output: `a${'😀'.repeat(600_000)}`, truncated: false, data: info }));
  const { output, truncated } = await outcome;
  expect([output.length, truncated]).toEqual([999_999, true]);
  expect(Buffer.from(output).toString()).toBe(output);
});
