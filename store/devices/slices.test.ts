import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inSlices, merge, sortedInSlices } from './slices.ts';

/** How often others had their turn while this was being done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let working = true;
  const count = () => {
    turns++;
    if (working) setImmediate(count);
  };
  setImmediate(count);
  await work();
  working = false;
  return turns;
}

test('slices hold every item once, in order, and others have their turn behind each', async () => {
  const items = Array.from({ length: 2_250 }, (_, i) => i);
  const slices: (readonly number[])[] = [];
  const turns = await turnsDuring(async () => {
    for await (const slice of inSlices(items)) slices.push(slice);
  });
  expect(slices.flat()).toEqual(items);
  expect(slices.map(({ length }) => length)).toEqual([500, 500, 500, 500, 250]);
  expect(turns).toBeGreaterThanOrEqual(5);
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
  expect(turns).toBeGreaterThanOrEqual(6 + 3 + 2 + 1);
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
