import { expect, test } from 'vitest';
import { type Check, failed, NotUndone, passed, runChecks, unclear } from './checks.ts';

const check = (title: string, run: Check<null>['run'], timeoutMs = 60_000): Check<null> => ({ title, timeoutMs, run });

test('each is run, whatever became of the one before', async () => {
  const shown: string[] = [];
  const checks = [
    check('throws', () => Promise.reject(new Error('no answer'))),
    check('cannot be tried', async () => unclear('no agent')),
    check('does not hold', async () => failed()),
    check('holds', async () => passed('quickly')),
  ];
  const results = await runChecks(checks, null, ({ title }) => shown.push(title));
  expect(results.map(({ outcome, facts }) => [outcome, facts])).toEqual([
    ['failed', ['no answer']],
    ['unclear', ['no agent']],
    ['failed', []],
    ['passed', ['quickly']],
  ]);
  expect(shown).toEqual(['throws', 'cannot be tried', 'does not hold', 'holds']);
});

test('at its deadline a check has failed, and its calls are aborted, also when it does not listen', async () => {
  let aborted: AbortSignal | undefined;
  const deaf = check(
    'deaf',
    (_, signal) => {
      aborted = signal;
      return new Promise(() => {});
    },
    20,
  );
  const [result] = await runChecks([deaf], null, () => {});
  expect(result).toMatchObject({ outcome: 'failed', facts: ['Not done within 0.02 s'] });
  expect(aborted?.aborted).toBe(true);
});

test('an interruption aborts the check that is running, waits until it has undone its changes, and leaves out the others', async () => {
  const interruption = new AbortController();
  const steps: string[] = [];
  const changing = check('changes something', async (_, signal) => {
    try {
      interruption.abort(new Error('Interrupted by SIGINT'));
      signal.throwIfAborted();
      return passed();
    } finally {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push('undone');
    }
  });
  const checks = [{ ...changing, undoMs: 60_000 }, check('is left out', async () => passed())];
  const results = await runChecks(checks, null, ({ title }) => steps.push(title), interruption.signal);
  expect(steps).toEqual(['undone', 'changes something']);
  expect(results).toMatchObject([{ outcome: 'failed', facts: ['Interrupted by SIGINT'] }]);
});

test('a change that could not be undone after an interruption is reported instead of the interruption', async () => {
  const interruption = new AbortController();
  const changing = check('changes something', async () => {
    interruption.abort(new Error('Interrupted by SIGINT'));
    throw new NotUndone('The console is still shut');
  });
  const results = await runChecks([{ ...changing, undoMs: 60_000 }], null, () => {}, interruption.signal);
  expect(results).toMatchObject([{ outcome: 'failed', facts: ['The console is still shut'] }]);
});
