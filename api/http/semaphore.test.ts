import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { openSemaphore } from './semaphore.ts';

afterEach(() => vi.useRealTimers());

const LIMITS = { atOnce: 3, each: 2, waiting: 4, waitMs: 1_000, refusal: 'too much at once' };

/** Semaphore, and somebody who takes some of them and decides when each is over. */
function players(limits = LIMITS) {
  const turns = openSemaphore(limits);
  const underWay: string[] = [];
  const finish = new Map<string, (error?: Error) => void>();
  const ended = new Map<string, Promise<string>>();
  async function take(name: string, holder = name): Promise<void> {
    const mine = turns.run({ site: holder, user: holder }, async () => {
      underWay.push(name);
      await new Promise<void>((resolve, reject) =>
        finish.set(name, (error) => (error === undefined ? resolve() : reject(error))),
      );
      return name;
    });
    ended.set(
      name,
      mine.finally(() => underWay.includes(name) && underWay.splice(underWay.indexOf(name), 1)),
    );
    mine.catch(() => {});
    ended.get(name)?.catch(() => {});
    await Promise.resolve();
  }
  async function end(name: string, error?: Error): Promise<void> {
    finish.get(name)?.(error);
    await ended.get(name)?.catch(() => {});
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

test('nobody has more than their share, so that others get in', async () => {
  const { take, end, underWay } = players();
  for (const name of ['a1', 'a2', 'a3', 'a4']) await take(name, 'a');
  await take('b1', 'b');
  expect(underWay).toEqual(['a1', 'a2', 'b1']);
  await take('b2', 'b');
  await end('b1'); // Those of a came before b2, but a has its share.
  expect(underWay).toEqual(['a1', 'a2', 'b2']);
  await end('a1');
  expect(underWay).toEqual(['a2', 'b2', 'a3']);
});

test('with fifty pieces of work of one, whoever comes is next but one at the latest, and there is room for them', async () => {
  const { take, end, ended, underWay } = players({ ...LIMITS, waiting: 90 });
  for (let n = 0; n < 50; n++) await take(`hostile ${n}`, 'hostile');
  await expect(ended.get('hostile 49')).rejects.toMatchObject({ code: 'busy' });
  expect(underWay).toEqual(['hostile 0', 'hostile 1']);
  // One begins at once, for nobody has more than two; those who come then wait for one end each.
  for (const name of ['a', 'b', 'c']) await take(name);
  expect(underWay).toEqual(['hostile 0', 'hostile 1', 'a']);
  for (const next of ['b', 'c']) {
    await end(underWay.at(-1) ?? '');
    expect(underWay).toEqual(['hostile 0', 'hostile 1', next]);
  }
  // With one at a time it is their turn behind one of the other's.
  const one = players({ ...LIMITS, atOnce: 1, each: 1, waiting: 90 });
  for (let n = 0; n < 20; n++) await one.take(`hostile ${n}`, 'hostile');
  for (const name of ['a', 'b']) await one.take(name);
  const served: string[] = [];
  for (let n = 0; n < 5; n++) {
    served.push(...one.underWay);
    await one.end(one.underWay[0] ?? '');
  }
  expect(served).toEqual(['hostile 0', 'hostile 1', 'a', 'b', 'hostile 2']);
});

test('when too many wait, and when the wait is too long, it is refused', async () => {
  vi.useFakeTimers();
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

test('whatever happens in whatever order, the limits hold and nobody is forgotten', async () => {
  const step = fc.oneof(
    fc.record({ take: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ end: fc.nat(10), fails: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { take, end, ended, underWay } = players({ ...LIMITS, waiting: 1_000 });
      let count = 0;
      for (const one of steps) {
        if ('take' in one) await take(`${one.take}${count++}`, one.take);
        else if (underWay.length > 0) {
          await end(underWay[one.end % underWay.length] ?? '', one.fails ? new Error('failed') : undefined);
        }
        expect(underWay.length).toBeLessThanOrEqual(3);
        for (const holder of ['a', 'b', 'c']) {
          expect(underWay.filter((name) => name.startsWith(holder)).length).toBeLessThanOrEqual(2);
        }
      }
      while (underWay.length > 0) await end(underWay[0] ?? '');
      expect((await Promise.allSettled(ended.values())).length).toBe(count);
    }),
  );
});
