import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { deferred } from '../../shared/async.ts';
import { openSemaphore } from './semaphore.ts';

afterEach(() => vi.useRealTimers());

const LIMITS = { atOnce: 3, waiting: 4, waitMs: 1_000, refusal: 'too much at once' };

/** A semaphore, and callers that decide when their work is over. */
function players(limits = LIMITS) {
  const turns = openSemaphore(limits);
  const underWay: string[] = [];
  const work = new Map<string, ReturnType<typeof deferred<void>>>();
  const ended = new Map<string, Promise<string>>();
  async function take(name: string): Promise<void> {
    const mine = turns.run(async () => {
      underWay.push(name);
      work.set(name, deferred<void>());
      await work.get(name)?.promise.finally(() => underWay.splice(underWay.indexOf(name), 1));
      return name;
    });
    mine.catch(() => {});
    ended.set(name, mine);
    await Promise.resolve();
  }
  async function end(name: string, error?: Error): Promise<void> {
    if (error === undefined) work.get(name)?.resolve();
    else work.get(name)?.reject(error);
    await ended.get(name)?.catch(() => {});
    // Work that waited begins in a later turn of the event loop.
    for (let turn = 0; turn < 3; turn++) await setImmediate();
  }
  return { take, end, ended, underWay };
}

test('so many at once, the others in the order in which they came', async () => {
  const { take, end, ended, underWay } = players();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await take(name);
  expect(underWay).toEqual(['a', 'b', 'c']);
  await end('b');
  expect(underWay).toEqual(['a', 'c', 'd']);
  await end('a', new Error('failed'));
  expect(underWay).toEqual(['c', 'd', 'e']);
  await expect(ended.get('a')).rejects.toThrow('failed');
  expect(await ended.get('b')).toBe('b');
});

test('when too many wait, and when the wait is too long, it is refused', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { take, ended, end, underWay } = players();
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) await take(name);
  const refusal = { code: 'busy', message: 'too much at once', retryAfter: expect.any(Number) };
  await expect(ended.get('h')).rejects.toMatchObject(refusal);
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(ended.get('d')).rejects.toMatchObject(refusal);
  await take('i');
  await end('a');
  expect(underWay).toEqual(['b', 'c', 'i']);
});

test('in any order of events, the limits hold and no caller is forgotten', async () => {
  const step = fc.oneof(fc.record({ take: fc.constant(true) }), fc.record({ end: fc.nat(10), fails: fc.boolean() }));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { take, end, ended, underWay } = players({ ...LIMITS, waiting: 1_000 });
      let count = 0;
      for (const one of steps) {
        if ('take' in one) await take(String(count++));
        else if (underWay.length > 0) {
          await end(underWay[one.end % underWay.length] ?? '', one.fails ? new Error('failed') : undefined);
        }
        expect(underWay.length).toBeLessThanOrEqual(3);
      }
      while (underWay.length > 0) await end(underWay[0] ?? '');
      expect((await Promise.allSettled(ended.values())).length).toBe(count);
    }),
  );
});

test('work that answers at once does not keep the event loop: others have a turn between two pieces that waited', async () => {
  const { run } = openSemaphore({ ...LIMITS, atOnce: 1, waiting: 100 });
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns++) await setImmediate();
  })();
  const seen: number[] = [];
  const piece = async () => {
    const end = performance.now() + 3;
    while (performance.now() < end); // As an embedded database does, which answers without a wait.
    seen.push(turns);
  };
  await Promise.all(Array.from({ length: 20 }, () => run(piece)));
  isOver = true;
  await others;
  expect(new Set(seen).size).toBeGreaterThanOrEqual(19);
});
