import fc from 'fast-check';
import { expect, test } from 'vitest';
import { turnsDuring } from '../../test/support/event-loop.ts';
import { inSlices, merge, sortedInSlices, yieldToEventLoop } from './slices.ts';

test('slices hold every item once, in order, and others have their turn between two of them', async () => {
  const items = Array.from({ length: 450 }, (_, i) => i);
  const slices: (readonly number[])[] = [];
  const turns = await turnsDuring(async () => {
    for await (const slice of inSlices(items)) slices.push(slice);
  });
  expect(slices.flat()).toEqual(items);
  expect(slices.map(({ length }) => length)).toEqual([100, 100, 100, 100, 50]);
  expect(turns).toBeGreaterThanOrEqual(4);
});

interface Item {
  key: number;
  place: number;
}
const byKey = (a: Item, b: Item) => a.key - b.key;
const items = fc.array(fc.nat(20), { maxLength: 40 }).map((keys) => keys.map((key, place): Item => ({ key, place })));

test('sorting in slices is sorting', async () => {
  const long = Array.from({ length: 2_750 }, (_, place): Item => ({ key: (place * 7_919) % 1_000, place }));
  let sorted: Item[] = [];
  const turns = await turnsDuring(async () => {
    sorted = await sortedInSlices(long, byKey);
  });
  expect(sorted).toEqual([...long].sort(byKey));
  expect(turns).toBeGreaterThanOrEqual(5 + 3 + 2 + 1);
  expect(await sortedInSlices([], byKey)).toEqual([]);
});

test('merging two sorted lists is sorting both', () => {
  fc.assert(
    fc.property(items, items, (a, b) => {
      const [first, second] = [[...a].sort(byKey), [...b].sort(byKey)];
      expect(merge(first, second, byKey)).toEqual([...first, ...second].sort(byKey));
    }),
  );
});

test('of fifty long computations, each has its slice in turn, and what is ready is handled in between', async () => {
  const order: number[] = [];
  const compute = async (one: number) => {
    for (let slice = 0; slice < 4; slice++) {
      await yieldToEventLoop();
      order.push(one);
    }
  };
  const all = Array.from({ length: 50 }, (_, one) => one);
  const turns = await turnsDuring(() => Promise.all(all.map(compute)));
  expect(order).toEqual([...all, ...all, ...all, ...all]);
  expect(turns).toBeGreaterThanOrEqual(50 * 4);
});
