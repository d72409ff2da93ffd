/** Who has the next turn of a run. Nothing here depends on how long a turn lasts. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TurnContext } from '../functions/commands/runs/turn.ts';
import { deferred } from '../shared/async.ts';
import { runWorker } from './worker.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const silent = { info() {}, warn() {}, error() {} };

/** A runner whose turns end when the test says so. */
function open(unfinished: { id: string }[] = []) {
  const underWay = new Map<string, (nextMs: number | null | Error) => void>();
  const began: string[] = [];
  const running = (site: string | null) => (site === null ? unfinished : [{ id: `scan of ${site}` }]);
  const sites = { list: async () => (unfinished.length > 0 ? [{ id: 'home' }] : []) };
  const runner = runWorker({ runs: { running }, sites } as unknown as TurnContext, silent, ({ run }) => {
    began.push(run);
    const { promise, resolve, reject } = deferred<number | null>();
    underWay.set(run, (next) => (next instanceof Error ? reject(next) : resolve(next)));
    return promise.then((nextMs) => (nextMs === null ? null : new Date(Date.now() + nextMs)));
  });
  runner.start();
  const settle = async () => {
    await new Promise(setImmediate); // The runner looks at what was added.
    await vi.advanceTimersByTimeAsync(0);
  };
  return {
    runner,
    began,
    settle,
    running: () => [...underWay.keys()],
    async end(batch: string, nextMs: number | null | Error) {
      underWay.get(batch)?.(nextMs);
      underWay.delete(batch);
      await settle();
    },
  };
}

test('with more batches than places, the place that gets free is for the one that waits longest', async () => {
  const { runner, began, settle, end } = open();
  for (let i = 0; i < 12; i++) void runner.send({ run: `b${i}`, site: null }, new Date());
  await settle();
  expect(began).toHaveLength(8);
  await end('b0', 0);
  await end('b1', 0);
  expect(began.slice(8)).toEqual(['b8', 'b9']);
});

test('a turn is taken when it is due; one that fails is taken again later; one batch has one turn at a time', async () => {
  const { runner, began, settle, end } = open();
  void runner.send({ run: 'a', site: null }, new Date(Date.now() + 5_000));
  await settle();
  expect(began).toEqual([]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(began).toEqual(['a']);
  void runner.send({ run: 'a', site: null }, new Date()); // A caller stops it.
  await settle();
  expect(began).toEqual(['a']);
  await end('a', new Error('the database is away'));
  expect(began).toEqual(['a', 'a']);
  await end('a', new Error('the database is away'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(began).toEqual(['a', 'a', 'a']);
  await end('a', null);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(began).toHaveLength(3);
});

test('a start finds what earlier processes have left undone', async () => {
  const { began, settle } = open([{ id: 'x' }]);
  await settle();
  expect(began).toEqual(['x', 'scan of home']);
});
