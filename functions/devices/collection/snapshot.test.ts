import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLANK_DEVICE, inCategory, TOTALS_ORDER } from '../../../shared/device.ts';
import type { StoredDevice } from './device-codec.ts';
import { Snapshot } from './snapshot.ts';

const flag = fc.constantFrom(0 as const, 1 as const);
const device: fc.Arbitrary<StoredDevice> = fc
  .tuple(fc.nat(60), flag, flag, flag)
  .map(([n, devIsArchived, devPresentLastScan, devFavorite]) => ({
    key: `key ${n}`,
    record: { ...BLANK_DEVICE, devIsArchived, devPresentLastScan, devFavorite },
  }));
const devices = fc.uniqueArray(device, { selector: ({ key }) => key, maxLength: 40 });
const inOrder = (unordered: Iterable<StoredDevice>) =>
  [...unordered].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));

test('a changed snapshot has the devices of both in order, finds each by its key, and counts them', async () => {
  await fc.assert(
    fc.asyncProperty(devices, devices, fc.uniqueArray(fc.nat(60)), async (before, put, removed) => {
      const remove = removed.map((n) => `key ${n}`).filter((key) => put.every((one) => one.key !== key));
      const after = await new Snapshot('home', 1, inOrder(before)).with(put, remove, 2);
      const expected = new Map([...before, ...put].map((one) => [one.key, one]));
      for (const key of remove) expected.delete(key);
      expect(after.devices).toEqual(inOrder(expected.values()));
      for (let n = 0; n <= 61; n++) expect(after.get(`key ${n}`)).toBe(expected.get(`key ${n}`));
      const countOf = (category: (typeof TOTALS_ORDER)[number]) =>
        after.devices.filter(({ record }) => inCategory(category, record)).length;
      const counts = TOTALS_ORDER.map(countOf);
      expect(after.counts).toEqual(counts);
      expect(new Snapshot('home', 1, after.devices).counts).toEqual(counts);
    }),
  );
});

test('a value that has failed is made anew by the next who asks for it', async () => {
  const snapshot = new Snapshot('home', 1, []);
  const failing = () => Promise.reject(new Error('no memory'));
  await expect(snapshot.derive('any', failing)).rejects.toThrow('no memory');
  expect(await snapshot.derive('any', async () => 'made')).toBe('made');
  await expect(snapshot.deriveFromLast('other', failing)).rejects.toThrow('no memory');
  const next = await snapshot.with([], [], 2);
  expect(await next.deriveFromLast('other', async (_, last) => [last])).toEqual([undefined]);
});

test('a value is made from that of the last version that had one, and from no other', async () => {
  type Made = { of: number; from: number | undefined };
  const made = (snapshot: Snapshot) =>
    snapshot.deriveFromLast<Made>('any', async (_, last) => ({ of: snapshot.version, from: last?.of }));
  const first = new Snapshot('home', 1, []);
  expect(await made(first)).toEqual({ of: 1, from: undefined });
  const third = await (await first.with([], [], 2)).with([], [], 3);
  expect(await made(third)).toEqual({ of: 3, from: 1 });
  expect(await made(await third.with([], [], 4))).toEqual({ of: 4, from: 3 });
  expect(await made(await first.with([], [], 5))).toEqual({ of: 5, from: 1 });
});
