/** Totals, lists and events agree after any sequence of changes, also by processes other than the one that answers. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { openDeviceStore } from '../../functions/devices/collection/device-store.ts';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { ListedDevice } from '../../shared/api/device-list.ts';
import { devices as operations } from '../../shared/api/devices.ts';
import type { DeviceEvent } from '../../shared/api/events.ts';
import { DEVICE_FIELDS, type DeviceField, type DeviceRecord, UNKNOWN_NAMES } from '../../shared/device.ts';
import { isObserved } from '../../shared/event-text.ts';
import { agentId } from '../../shared/identity.ts';
import { openIngest } from '../support/background-work.ts';
import { macOf } from '../support/fixtures.ts';
import { NO_AGENTS, sightingsMessage } from '../support/ingest-messages.ts';
import { storeAgent } from '../support/stored-site.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

const WholeList = z.object({ devices: z.array(ListedDevice) });
const COUNT = 40;
const AGENTS = ['main', 'attic'];

const device = fc.nat(COUNT - 1);
const flag = fc.constantFrom<(0 | 1)[]>(0, 1);
const name = fc.constantFrom('nas', 'tv', 'Küche', 'a name that is longer than others', '=1+1');
const edit = fc.record(
  { devName: name, devFavorite: flag, devIsNew: flag, devIsArchived: flag, devAlertDown: flag, devOwner: name },
  { requiredKeys: [] },
);
const act = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('sight' as const),
      by: fc.constantFrom(...AGENTS),
      seen: fc.uniqueArray(
        fc.record({ device, online: fc.boolean(), ip: fc.nat(9), name: fc.option(name, { nil: undefined }) }),
        { selector: (one) => one.device, minLength: 1, maxLength: 35 },
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('edit' as const), device, edit }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('edit many' as const),
      devices: fc.uniqueArray(device, { minLength: 1, maxLength: COUNT }),
      edit,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('import' as const),
      replace: fc.boolean(),
      rows: fc.uniqueArray(
        fc.record({
          device,
          name,
          status: fc.constantFrom('online', 'offline', 'down', 'archived', 'new'),
          favorite: flag,
        }),
        { selector: (one) => one.device, minLength: 1, maxLength: 35 },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), device }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete many' as const), digit: fc.constantFrom('0', '1') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete all' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restore' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('connect' as const), by: fc.constantFrom(...AGENTS), online: fc.boolean() }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

const now = () => new Date();
/** Longer ago than what is learnt of a device is no news. */
const FIRST_SEEN = Date.now() - 2 * 86_400_000;

/** A fresh site: its users, who ask one process, and its agents, whose messages come to another one. */
async function openSite() {
  const { context } = system;
  const site = await system.addSite();
  for (const name of AGENTS) await storeAgent(context, site, name);
  await context.sites.change(site, ({ name, discovery }) => ({ name, discovery: { ...discovery, enabled: true } }));
  const log = { info() {}, warn: (fields: object) => expect.fail(JSON.stringify(fields)), error() {} };
  const otherProcess = { ...context, devices: openDeviceStore(context.table, now) };
  const ingest = openIngest({ ...otherProcess, agents: NO_AGENTS, now }, log);
  const epoch = Date.now() - 60_000;
  let n = 0;
  let session = Date.now();

  const ask = (method: string, path: string, body?: unknown) => system.request(method, path, { site, body });
  async function read<T>(path: string, schema: { parse(value: unknown): T }): Promise<T> {
    const { status, json } = await ask('GET', path);
    expect([path, status]).toEqual([path, 200]);
    return schema.parse(json);
  }

  /** What people see, after it has been compared with what else they see. */
  async function look(): Promise<Look> {
    const { devices: rows } = await read('/devices?fields=all', WholeList);
    for (const { key, devMac } of rows) expect(key).toBe(devMac);
    const devices = rows.map(({ key: _, watch: __, ...record }): DeviceRecord => record);
    const totals = await read('/devices/totals', operations.countDevices.response);
    const comparisons = CATEGORIES.map(async ([status, isIn], i) => {
      const wanted = devices.filter(isIn).map(({ devMac }) => devMac);
      const found = await read(`/devices/by-status?status=${status}`, operations.listByStatus.response);
      expect([status, totals[i], found.map(({ id }) => id)]).toEqual([status, wanted.length, wanted]);
    });
    await Promise.all(comparisons);
    // A process that has just started reads the rows themselves, and not the journal.
    const cold = await openDeviceStore(context.table, now).snapshot(site);
    expect(cold.devices.map(({ record }) => record)).toEqual(devices);
    expect((await otherProcess.devices.snapshot(site)).devices).toEqual(cold.devices);
    const { events } = await read('/events?limit=1000', operations.listEvents.response);
    return { devices: new Map(devices.map((one) => [one.devMac, one])), events: events.reverse() };
  }

  async function carryOut(act: Act): Promise<void> {
    const done = async (answer: ReturnType<typeof ask>, ...statuses: number[]) =>
      expect(statuses).toContain((await answer).status);
    switch (act.do) {
      case 'sight': {
        const at = Date.now();
        const sightings = act.seen.map((one) => ({
          mac: macOf(one.device),
          n: ++n,
          online: one.online,
          since: FIRST_SEEN,
          seenAt: at,
          changedAt: at,
          ip: `10.0.0.${one.ip}`,
          ...(one.name === undefined ? {} : { name: { text: one.name, source: 'dns' as const } }),
        }));
        return ingest.sightings(agentId(site, act.by), sightingsMessage({ epoch, n, sightings }));
      }
      case 'connect': {
        const state = act.online ? 'online' : 'offline';
        const message = {
          v: PROTOCOL_VERSION,
          t: 'presence',
          state,
          session: act.online ? ++session : session,
        } as const;
        await context.sites.recordPresence(agentId(site, act.by), message);
        return;
      }
      case 'edit':
        return done(ask('PATCH', `/devices/${macOf(act.device)}`, act.edit), 200, 400, 404);
      case 'edit many':
        return done(ask('PATCH', '/devices', { devices: act.devices.map(macOf), set: act.edit }), 200, 400);
      case 'import': {
        const first = new Date(FIRST_SEEN).toISOString().slice(0, 19);
        const lines = act.rows.map((row) => `${row.name},${macOf(row.device)},${row.status},${row.favorite},${first}`);
        const csv = `devName,devMAC,devStatus,devFavorite,devFirstConnection\n${lines.join('\n')}\n`;
        const content = Buffer.from(csv).toString('base64');
        return done(ask('POST', `/devices/import${act.replace ? '?mode=replace' : ''}`, { content }), 200);
      }
      case 'delete':
        return done(ask('DELETE', `/devices/${macOf(act.device)}`), 200, 404);
      case 'delete many':
        return done(ask('DELETE', '/devices', { macs: [`*:${act.digit}*`] }), 200);
      case 'delete all':
        return done(ask('DELETE', '/devices'), 200);
      case 'restore':
        return done(ask('POST', '/devices/restore'), 200, 404);
    }
  }
  return { look, carryOut };
}

interface Look {
  devices: ReadonlyMap<string, DeviceRecord>;
  /** All of them, the oldest first. */
  events: DeviceEvent[];
}

/** The categories in the order of the totals, as the contract defines them. */
const CATEGORIES: [status: string, isIn: (device: DeviceRecord) => boolean][] = [
  ['my', (device) => device.devIsArchived === 0],
  ['online', (device) => device.devIsArchived === 0 && device.devPresentLastScan === 1],
  ['favorites', (device) => device.devIsArchived === 0 && device.devFavorite === 1],
  ['new', (device) => device.devIsArchived === 0 && device.devIsNew === 1],
  ['down', (device) => device.devIsArchived === 0 && device.devPresentLastScan === 0 && device.devAlertDown === 1],
  ['archived', (device) => device.devIsArchived === 1],
];

/** What takes the place of nothing in these is learnt, which is no news. */
const LEARNT: readonly DeviceField[] = [
  ...(['devName', 'devType', 'devVendor', 'devModel', 'devParentMAC', 'devLastIP'] as const),
];
/** Fields that change without an event: a device was seen again, the icon of its type, an archived one is there. */
const isTold = (field: DeviceField, record: DeviceRecord) =>
  field !== 'devLastConnection' &&
  field !== 'devIcon' &&
  !(LEARNT.includes(field) && ['', ...UNKNOWN_NAMES].includes(String(record[field]))) &&
  !(field === 'devPresentLastScan' && record.devIsArchived === 1);

/** Replays what has happened since a look, and compares the result with what is there now. */
function replay(before: Look, after: Look): void {
  // What has happened stays as it was told, but for the names: an event that is not about a name shows the present one.
  const told = ({ events }: Look) =>
    events.map(({ device, members, ...event }) => ({
      ...{ ...event, key: device?.key },
      members: members?.map(({ key }) => key),
    }));
  expect(told(after).slice(0, before.events.length)).toEqual(told(before));
  // What is observed besides, such as that several are gone at once, changes no device.
  const events = after.events.slice(before.events.length).filter(({ type }) => !isObserved(type));
  const many = events.filter(({ device }) => device === null);
  if (many.length > 0) {
    // One change of many devices says only how many they were.
    expect(events).toHaveLength(1);
    const gone = [...before.devices.keys()].filter((mac) => !after.devices.has(mac));
    const written = [...after.devices].filter(
      ([mac, record]) => JSON.stringify(before.devices.get(mac)) !== JSON.stringify(record),
    );
    expect(many[0]?.deleted).toBe(gone.length);
    // A row counts also when nothing but who has set its fields is different, which the list does not show.
    expect(many[0]?.count).toBeGreaterThanOrEqual(gone.length + written.length);
    return;
  }
  const known = new Map<string, DeviceRecord | 'added'>(before.devices);
  const judged = new Map<string, DeviceEvent['type']>();
  for (const { type, device, changes } of events) {
    const { key = '', name } = device ?? {};
    const former = known.get(key);
    if (type === 'new' || type === 'imported' || type === 'restored') {
      expect([type, key, former]).toEqual([type, key, undefined]);
      known.set(key, 'added');
      continue;
    }
    expect([type, key, former]).not.toEqual([type, key, undefined]);
    if (type === 'deleted') {
      if (former !== 'added') expect(name).toBe(former?.devName);
      known.delete(key);
      continue;
    }
    if (former === 'added' || former === undefined) continue;
    const changed: Record<string, unknown> = { ...former };
    for (const [field, { from, to }] of Object.entries(changes)) {
      if (isTold(field as DeviceField, former)) expect([key, field, from]).toEqual([key, field, changed[field]]);
      changed[field] = to;
    }
    if (type === 'online' || type === 'offline' || type === 'down') judged.set(key, type);
    known.set(key, changed as DeviceRecord);
  }
  expect([...known.keys()].sort()).toEqual([...after.devices.keys()].sort());
  for (const [mac, record] of after.devices) {
    const type = record.devPresentLastScan === 1 ? 'online' : record.devAlertDown === 1 ? 'down' : 'offline';
    expect([mac, judged.get(mac) ?? type]).toEqual([mac, type]);
    const replayed = known.get(mac);
    if (replayed === undefined || replayed === 'added') continue;
    for (const field of DEVICE_FIELDS.filter(
      (each) => isTold(each, record) && isTold(each, before.devices.get(mac) ?? record),
    )) {
      expect([mac, field, replayed[field]]).toEqual([mac, field, record[field]]);
    }
  }
}

test('after whatever happens, totals are the lengths of the lists, and the events lead from each state to the next', async () => {
  const happened = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 20 }), async (acts: Act[]) => {
      const { look, carryOut } = await openSite();
      let before = await look();
      for (const each of acts) {
        await carryOut(each);
        const after = await look();
        replay(before, after);
        before = after;
      }
      for (const { type } of before.events) happened.add(type);
    }),
    { numRuns: 8, endOnFailure: true },
  );
  // Whatever was drawn, most of what can happen has happened.
  expect(happened.size).toBeGreaterThan(6);
});
