import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLANK_DEVICE, type DeviceField } from '../../../shared/device.ts';
import {
  type Change,
  changeOf,
  decodeEntry,
  diffDevices,
  effectOf,
  encodeEntry,
  type JournalEntry,
} from './change-row.ts';
import type { StoredDevice } from './device-codec.ts';
import { Snapshot } from './snapshot.ts';

const KEYS = ['00:1E:06:00:00:01', '00:1E:06:00:00:02', '00:1E:06:00:00:03', 'Internet', '~1'];
const device = fc.record(
  {
    key: fc.constantFrom(...KEYS),
    record: fc
      .record({ devName: fc.string({ unit: 'binary' }), devPresentLastScan: fc.constantFrom(0 as const, 1 as const) })
      .map((fields) => ({ ...BLANK_DEVICE, ...fields })),
    sightings: fc.dictionary(
      fc.constantFrom('main', 'attic'),
      fc.record({ epoch: fc.nat(), n: fc.nat(), online: fc.boolean(), since: fc.nat() }),
      { minKeys: 1, noNullPrototype: true },
    ),
    byPerson: fc.constantFrom<DeviceField[][]>(['devName'], ['devName', 'devType']),
  },
  { requiredKeys: ['key', 'record'] },
);
const byKey = (devices: StoredDevice[]) =>
  [...new Map(devices.map((one) => [one.key, one])).values()].sort((a, b) => (a.key < b.key ? -1 : 1));
const collection = fc.array(device).map((all) => byKey(all));
const change = fc
  .record({ put: collection, remove: fc.uniqueArray(fc.constantFrom(...KEYS)) })
  .map(({ put, remove }): Change => ({ put, remove: remove.filter((key) => put.every((one) => one.key !== key)) }));

const ENTRY = { at: new Date('2026-11-01T08:15:00Z'), id: 'x', actor: 'a', cause: 'edit' as const, lags: null };

async function entryOf(base: Snapshot, planned: Change): Promise<JournalEntry> {
  const effect = await effectOf(base, planned);
  const counts = { put: effect.put.length, removed: effect.remove.length };
  const entry = { ...ENTRY, version: base.version + 1, devices: diffDevices(base, effect), counts };
  return decodeEntry(encodeEntry(base.site, entry) ?? expect.fail('too long'));
}

const changesOf = (entries: readonly JournalEntry[]) => entries.flatMap(({ devices }) => devices ?? []);

test('a snapshot with the stored entries is the collection after the changes, and its counts are right', async () => {
  await fc.assert(
    fc.asyncProperty(collection, fc.array(change, { maxLength: 5 }), async (before, changes) => {
      const base = new Snapshot('home', 1_763_800_000_000, before);
      let truth = base;
      const entries: JournalEntry[] = [];
      for (const planned of changes) {
        entries.push(await entryOf(truth, planned));
        truth = await truth.with(planned.put, planned.remove, truth.version + 1);
      }
      const { put, remove } = changeOf(base, changesOf(entries));
      const caughtUp = await base.with(put, remove, truth.version);
      expect(caughtUp.devices).toEqual(truth.devices);
      expect(caughtUp.counts).toEqual(new Snapshot('home', 1, truth.devices).counts);
    }),
    { numRuns: 100 },
  );
});

test('entries that a snapshot has in part already lead to the same collection', async () => {
  await fc.assert(
    fc.asyncProperty(collection, change, change, fc.array(fc.boolean()), async (before, first, second, loaded) => {
      const base = new Snapshot('home', 1, before);
      const between = await base.with(first.put, first.remove, 2);
      const truth = await between.with(second.put, second.remove, 3);
      const entries = [await entryOf(base, first), await entryOf(between, second)];
      // A load that goes on while changes are made sees some devices as they were and some as they will be.
      const mixed = KEYS.flatMap((key, i) => (loaded[i] === true ? truth : base).get(key) ?? []);
      const snapshot = new Snapshot('home', 1, byKey(mixed));
      const { put, remove } = changeOf(snapshot, changesOf(entries));
      expect((await snapshot.with(put, remove, 3)).devices).toEqual(truth.devices);
    }),
    { numRuns: 100 },
  );
});

test('an entry that is longer than a row may be is none', () => {
  const long = { ...BLANK_DEVICE, devComments: randomBytes(80_000).toString('base64') };
  const put = [{ key: 'Internet', record: long }];
  const base = new Snapshot('home', 1, []);
  const devices = diffDevices(base, { put, remove: [] });
  expect(encodeEntry('home', { ...ENTRY, version: 2, devices, counts: { put: 1, removed: 0 } })).toBeNull();
});
