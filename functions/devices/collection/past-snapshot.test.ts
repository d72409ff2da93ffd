import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLANK_DEVICE, type DeviceRecord } from '../../../shared/device.ts';
import { memoryTable } from '../../../test/test-table.ts';
import type { Item } from '../../table/table.ts';
import type { Change, Origin } from './change-row.ts';
import type { DeviceKey, StoredDevice } from './device-codec.ts';
import { openDeviceStore, SMALL_CHANGE } from './device-store.ts';
import { pastSnapshot } from './past-snapshot.ts';
import type { Snapshot } from './snapshot.ts';

const engine = memoryTable();
let sites = 0;

async function freshSite() {
  const site = `site-${++sites}`;
  let time = Date.UTC(2026, 10, 1);
  const store = openDeviceStore(engine.open(), () => new Date(time));
  await store.create(site, new Date(time));
  const moments: { at: Date; devices: StoredDevice[] }[] = [];

  /** Remembers what is there now, and lets time pass. */
  async function remember(seconds = 1): Promise<void> {
    moments.push({ at: new Date(time), devices: shown(await store.snapshot(site)) });
    time += seconds * 1000;
  }
  await remember();
  return {
    site,
    store,
    moments,
    remember,
    now: () => time,
    async change(by: Origin['cause'], change: Partial<Change> | ((snapshot: Snapshot) => Partial<Change>)) {
      const of = (snapshot: Snapshot) => (typeof change === 'function' ? change(snapshot) : change);
      const plan = (snapshot: Snapshot) => ({ put: [], remove: [], ...of(snapshot) });
      const { version } = await store.change(site, { actor: 'token-1', cause: by }, plan);
      await remember();
      return version;
    },
    at: async (at: Date) => shown(await pastSnapshot(store, await store.snapshot(site), at)),
  };
}

/** Without what agents said last, of which the journal does not have how it was before. */
const shown = ({ devices }: Snapshot) => devices.map(({ sightings, ...device }) => device);

const keyOf = (n: number) => `00:1E:06:00:00:${n.toString(16).toUpperCase().padStart(2, '0')}`;
const device = (n: number, record: Partial<DeviceRecord> = {}): StoredDevice => ({
  key: keyOf(n),
  record: { ...BLANK_DEVICE, devMac: keyOf(n), devName: `device ${n}`, ...record },
});

const Some = fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 4 });
const Action = fc.oneof(
  fc.record({
    do: fc.constant('write' as const),
    of: Some,
    name: fc.constantFrom('a', 'b', ''),
    flag: fc.constantFrom(0 as const, 1 as const),
    extra: fc.constantFrom({}, { rack: '7' }),
    byPerson: fc.constantFrom(['devName' as const], undefined),
    n: fc.nat(9),
    isEdit: fc.boolean(),
  }),
  fc.record({ do: fc.constant('delete' as const), of: Some }),
  fc.record({ do: fc.constant('delete many' as const) }),
  fc.record({ do: fc.constant('restore' as const), of: fc.nat(9) }),
);

test('what is undone is as it was, after every change', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(Action, { maxLength: 12 }), async (actions) => {
      const { site, store, moments, change, at } = await freshSite();
      const deletions: number[] = [];
      for (const action of actions) {
        if (action.do === 'write') {
          const { name, flag, extra, byPerson, n } = action;
          const sightings = { main: { epoch: 1, n, online: flag === 1, since: 1 } };
          const put = action.of.map((i) => ({
            ...device(i, { devName: name, devPresentLastScan: flag, devAlertDown: flag, extra: { ...extra } }),
            ...(byPerson === undefined ? {} : { byPerson }),
            sightings,
          }));
          await change(action.isEdit ? 'edit' : 'sighting', { put });
        } else if (action.do === 'delete') {
          const version = await change('delete', { remove: action.of.map(keyOf) });
          if (version !== null) deletions.push(version);
        } else if (action.do === 'delete many') {
          // Enough of them make a change of many devices.
          const twenty = (from: number) => Array.from({ length: 20 }, (_, i) => device(from + i));
          for (const from of [100, 120]) await change('sighting', { put: twenty(from) });
          await change('delete', ({ devices }) => ({ remove: devices.map(({ key }) => key) }));
        } else {
          const version = deletions[action.of];
          const entry = version === undefined ? null : await store.changeAt(site, version);
          const deleted = entry === null ? [] : await store.deletedBy(site, entry);
          await change('restore', (snapshot) => ({ put: deleted.filter(({ key }) => !snapshot.get(key)) }));
        }
      }
      for (const moment of moments) expect(await at(moment.at)).toEqual(moment.devices);
    }),
    { numRuns: 25 },
  );
});

test('what an agent saw counts from when it saw it, also when it is reported late', async () => {
  const { site, store, moments, change, at, now } = await freshSite();
  await change('sighting', { put: [device(1, { devPresentLastScan: 1 }), device(2)] });
  const cutOff = now();
  await change('edit', { put: [device(2, { devName: 'renamed' })] });
  const noticed = new Map<DeviceKey, number>([[keyOf(1), cutOff - 1_000]]);
  await change('sighting', { put: [device(1), device(2, { devName: 'renamed', devPresentLastScan: 1 })], noticed });
  const [empty = expect.fail(), begun = expect.fail(), renamed = expect.fail()] = moments;
  expect(await at(empty.at)).toEqual([]);
  expect(await at(begun.at)).toEqual([device(1), device(2)]);
  expect(await at(renamed.at)).toEqual([device(1), device(2, { devName: 'renamed' })]);
  expect(await at(new Date(now()))).toEqual(shown(await store.snapshot(site)));
});

test('a change of many is undone, and a deletion also when it cannot be brought back any more; what cannot be read is named', async () => {
  const { site, moments, remember, change, at } = await freshSite();
  await change('import', { put: Array.from({ length: SMALL_CHANGE + 1 }, (_, i) => device(i)) });
  const begun = moments.at(-1) ?? expect.fail();
  const [before = expect.fail()] = moments;
  expect(await at(before.at)).toEqual(before.devices);
  await change('delete', { remove: [keyOf(1)] });
  await remember(31 * 86_400);
  expect(await at(begun.at)).toEqual(begun.devices);
  const table = engine.open();
  const parts: Item[] = [];
  for await (const page of table.query(`S#${site}`, 'Y#')) parts.push(...page);
  for (const part of parts) await table.remove(part);
  const refusal = /cannot be shown as they were at 2026-11-01T00:00:00.000Z: the change \d+ in between cannot be read$/;
  await expect(at(before.at)).rejects.toMatchObject({ code: 'not_found', message: expect.stringMatching(refusal) });
});
