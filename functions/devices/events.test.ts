import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DeviceEvent } from '../../shared/api/events.ts';
import { BLANK_DEVICE, DEVICE_FIELDS, type DeviceField, type DeviceRecord, statusOf } from '../../shared/device.ts';
import { type Cause, type Change, diffDevices, effectOf, type JournalEntry } from './collection/change-row.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import { Snapshot } from './collection/snapshot.ts';
import { eventsOf } from './events.ts';

const KEYS = ['00:1E:06:AA:BB:01', '00:1E:06:AA:BB:02', 'Internet', '~5f1c'];
const MAC = '00:1E:06:AA:BB:01';

function device(key: string, record: Partial<DeviceRecord> = {}): StoredDevice {
  return { key, record: { ...BLANK_DEVICE, devMac: key.startsWith('~') ? '' : key, ...record } };
}

async function entryOf(base: Snapshot, change: Change, cause: Cause = 'edit'): Promise<JournalEntry> {
  const effect = await effectOf(base, change);
  return {
    version: base.version + 1,
    at: new Date('2026-11-01T08:15:00.000Z'),
    id: 'x',
    actor: 'token-1',
    cause,
    devices: diffDevices(base, effect),
    lags: null,
    counts: { put: effect.put.length, removed: effect.remove.length },
  };
}

async function eventsBetween(before: StoredDevice[], after: StoredDevice[], cause: Cause = 'edit') {
  const base = new Snapshot('home', 7, before);
  const kept = new Set(after.map(({ key }) => key));
  const remove = before.map(({ key }) => key).filter((key) => !kept.has(key));
  return eventsOf(await entryOf(base, { put: after, remove }, cause), (key) => base.get(key)?.record.devName ?? '');
}

/** The types of the events when these fields of a device change. */
async function typesOf(before: Partial<DeviceRecord>, after: Partial<DeviceRecord>, cause: Cause = 'edit') {
  const events = await eventsBetween([device(MAC, before)], [device(MAC, { ...before, ...after })], cause);
  return events.map(({ type }) => type);
}

test('each kind of change has its type, and one device can have several events', async () => {
  expect(await typesOf({}, { devPresentLastScan: 1, devLastIP: '10.0.0.1' })).toEqual(['online', 'ip-changed']);
  expect(await typesOf({}, { devName: 'nas', devOwner: 'me' })).toEqual(['renamed', 'edited']);
  const seen = { devLastConnection: '2026-11-01 08:15:00' };
  expect(await typesOf({}, { ...seen, devPresentLastScan: 1 }, 'sighting')).toEqual(['online']);
  expect(await typesOf({}, seen, 'sighting')).toEqual([]);
});

test('what people have set, and what agents say, is no event by itself', async () => {
  const sightings = { main: { epoch: 1, n: 7, online: true, since: 5 } };
  expect(await eventsBetween([device(MAC)], [{ ...device(MAC), byPerson: ['devName'], sightings }])).toEqual([]);
});

test('that a device claims what another one claims too is an event, and so is its end', async () => {
  const devConflict = '192.168.1.40 is also claimed by 00:1E:06:00:00:01';
  expect(await typesOf({}, { devConflict }, 'sighting')).toEqual(['conflict']);
  expect(await typesOf({ devConflict }, { devConflict: '' }, 'sighting')).toEqual(['conflict']);
  expect(await eventsBetween([], [device(MAC, { devConflict, devIsNew: 1 })], 'sighting')).toMatchObject([
    { type: 'new' },
    { type: 'conflict', changes: { devConflict: { from: '', to: devConflict } } },
  ]);
});

test('addresses that a host makes up each day are no news', async () => {
  const seen = { devAddresses: '10.0.0.1,2001:db8::1', devPrimaryIPv4: '10.0.0.1', devPrimaryIPv6: '2001:db8::1' };
  expect(await typesOf({}, { ...seen, devRandomMAC: 1 }, 'sighting')).toEqual([]);
  const moves = { ...seen, devLastIP: '10.0.0.1' };
  expect(await typesOf({ devLastIP: '10.0.0.2' }, moves, 'sighting')).toEqual(['ip-changed']);
});

test('what is learnt of a device in its first day is part of its appearance, and later only what replaces something', async () => {
  const [young, old] = ['2026-10-31 08:15:01', '2026-10-31 08:15:00'].map((devFirstConnection) => ({
    devFirstConnection,
  }));
  const learnt = (devName: string, devType: string, devVendor: string, devModel: string, devParentMAC = '') => {
    return { devName, devType, devVendor, devModel, devParentMAC };
  };
  const guess = learnt('host', 'PC', 'Acme', 'X', KEYS[1]);
  const better = learnt('nas', 'NAS', 'Synology', 'DS920+', KEYS[2]);
  for (const cause of ['sighting', 'observation'] as const) {
    for (const unknown of ['', '(unknown)', '(name not found)']) {
      const before = { ...old, devName: unknown, devLastIP: '' };
      expect(await typesOf(before, { ...guess, devLastIP: '10.0.0.1' }, cause)).toEqual([]);
    }
    expect(await typesOf({ ...young, ...guess }, better, cause)).toEqual([]);
    expect(await typesOf({ ...old, ...guess }, better, cause)).toEqual(['renamed', 'edited']);
    const moves = { ...better, devLastIP: '10.0.0.2', devPresentLastScan: 1 as const };
    expect(await typesOf({ ...young, ...guess, devLastIP: '10.0.0.1' }, moves, cause)).toEqual([
      'online',
      'ip-changed',
    ]);
  }
  expect(await typesOf({ ...young, devName: '(unknown)' }, { ...better, devLastIP: '10.0.0.1' })).toEqual([
    'ip-changed',
    'renamed',
    'edited',
  ]);
});

const flag = fc.constantFrom(0 as const, 1 as const);
const record = fc.record({
  devName: fc.constantFrom('', 'nas', 'tv'),
  devLastIP: fc.constantFrom('', '10.0.0.1', '10.0.0.2'),
  devOwner: fc.constantFrom('', 'me'),
  devIsArchived: flag,
  devAlertDown: flag,
  devPresentLastScan: flag,
  devLastConnection: fc.constantFrom('', '2026-11-01 08:15:00'),
});
const collection = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), record), { selector: ([key]) => key })
  .map((all) => all.map(([key, values]) => device(key, values)).sort((a, b) => (a.key < b.key ? -1 : 1)));

test('every difference between two collections is in exactly one event, and the events are no more than that', async () => {
  await fc.assert(
    fc.asyncProperty(collection, collection, async (before, after) => {
      const events = await eventsBetween(before, after);
      expect(events.map(({ id }) => id)).toEqual(events.map((_, i) => `8.${i}`));
      for (const event of events) DeviceEvent.parse(event);
      for (const key of KEYS) {
        const was = before.find((one) => one.key === key)?.record;
        const is = after.find((one) => one.key === key)?.record;
        const mine = events.filter((event) => event.device?.key === key);
        const types = mine.map(({ type }) => type);
        if (was === undefined || is === undefined) {
          expect(types).toEqual(was === is ? [] : [was === undefined ? 'new' : 'deleted']);
          continue;
        }
        const expected: [DeviceField, object][] = DEVICE_FIELDS.filter(
          (field) => was[field] !== is[field] && !isHidden(field, was, is),
        ).map((field) => [field, { from: was[field], to: is[field] }]);
        const changes = mine.flatMap(({ changes }) => Object.entries(changes));
        expect(changes.sort()).toEqual(expected.sort());
        // The word for a device's state moves exactly when an event says so.
        const presence = types.filter((type) => ['online', 'offline', 'down'].includes(type));
        const moved = was.devPresentLastScan !== is.devPresentLastScan && is.devIsArchived === 0;
        expect(presence).toEqual(moved ? [statusOf(is)] : []);
      }
    }),
    { numRuns: 150 },
  );
});

/** The presence of an archived device makes no event. */
function isHidden(field: DeviceField, was: DeviceRecord, is: DeviceRecord): boolean {
  return (
    is.devIsArchived === 1 &&
    was.devPresentLastScan !== is.devPresentLastScan &&
    (field === 'devPresentLastScan' || field === 'devLastConnection')
  );
}
