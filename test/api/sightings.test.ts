/** Sightings on their way from an agent's message into the collection: through ingest and the stores, with the real engine. */
import { expect, test } from 'vitest';
import { eventsOf } from '../../functions/devices/events.ts';
import { openStores } from '../../functions/stores.ts';
import { withRequestCost } from '../../functions/table/request-cost.ts';
import { openCounters } from '../../local/counters.ts';
import type { Sighting } from '../../shared/agent/discovery.ts';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import type { DeviceEvent } from '../../shared/api/events.ts';
import { agentId } from '../../shared/identity.ts';
import { openIngest } from '../support/background-work.ts';
import { aroundCalls } from '../support/database-calls.ts';
import { macOf } from '../support/fixtures.ts';
import { NO_AGENTS, SILENT, sightingsMessage } from '../support/ingest-messages.ts';
import { storeAgent, storeSite } from '../support/stored-site.ts';
import { memoryTable } from '../test-table.ts';

const engine = memoryTable();

/** No other test here has as many of one agent. */
const CHANGES_AN_HOUR = 1_000;
let sites = 0;

/** A fresh site with enrolled agents, and an ingest of which one may break the table. */
async function freshSite(...names: string[]) {
  const site = `site-${++sites}`;
  const now = () => new Date();
  const stores = openStores(engine.open(), now);
  await storeSite(stores, site);
  const switchDiscovery = (enabled: boolean) =>
    stores.sites.change(site, ({ name, discovery }) => ({ name, discovery: { ...discovery, enabled } }));
  await switchDiscovery(true);
  for (const name of names) await storeAgent(stores, site, name);
  const sent: unknown[] = [];
  const warnings: unknown[] = [];
  const log = { ...SILENT, warn: (fields: object, message: string) => void warnings.push({ ...fields, message }) };
  const control = async (agent: string, message: object) => void sent.push({ agent, ...message });
  const counters = openCounters();
  const agents = { ...NO_AGENTS, control };
  const context = { ...stores, registry: {} as never, agents, now, counters, changesAnHour: CHANGES_AN_HOUR };
  const ingest = openIngest(context, log);
  const epoch = Date.now() - 60_000;
  const say = (name: string, sightings: Partial<Sighting>[], rest: object = {}) => {
    const all = sightings.map((one) => ({ since: epoch, seenAt: epoch + 1, ip: null, online: true, ...one }));
    const n = Math.max(0, ...all.map((one) => one.n ?? 0));
    return ingest.sightings(agentId(site, name), sightingsMessage({ epoch, n, sightings: all, ...rest }));
  };
  const snapshot = () => openStores(engine.open(), now).devices.snapshot(site);
  /** How many devices have come to each status. */
  const transitions = () => {
    const samples = counters.families().find(({ name }) => name === 'lanreach_device_transitions_total')?.samples ?? [];
    return Object.fromEntries(samples.map(({ labels, value }) => [labels?.to, value]));
  };
  const events = async () => {
    const all: DeviceEvent[] = [];
    for await (const page of stores.devices.changesBefore(await snapshot(), null, 500)) {
      for (const entry of page.found) all.push(...eventsOf(entry, () => '').reverse());
    }
    return all;
  };
  return { site, stores, sent, warnings, epoch, say, snapshot, transitions, switchDiscovery, events };
}

const sighted = (count: number, rest: Partial<Sighting> = {}, from = 0) =>
  Array.from({ length: count }, (_, i) => ({
    mac: macOf(from + i),
    n: i + 1,
    ip: `10.0.${i >> 8}.${i & 255}`,
    ...rest,
  }));

test('a message of 400 devices is one change, of which the journal says what became of each of them', async () => {
  const { site, say, snapshot, sent, epoch, events } = await freshSite('main');
  const { version } = await snapshot();
  await say('main', sighted(400, { name: { text: 'a-name.fritz.box', source: 'dns' }, vendor: 'A vendor of cards' }));
  const { devices, counts, version: after } = await snapshot();
  expect(devices).toHaveLength(400);
  expect(counts[1]).toBe(400);
  expect(after).toBe(version + 1);
  expect(new Set((await events()).map(({ type, device }) => `${type} ${device?.key}`)).size).toBe(400);
  expect(sent).toEqual([{ agent: `${site}:main`, v: PROTOCOL_VERSION, t: 'sighted', epoch, n: 400 }]);
});

test('a message whose writer is stopped at any call is stored once, and as a whole, when it comes again', async () => {
  const { site, stores, say, snapshot, events } = await freshSite('main');
  let stopAfter = 0;
  let calls = 0;
  const pass = aroundCalls(stores.table, ({ method }, go) => {
    if (method !== 'get' && method !== 'query' && ++calls > stopAfter) throw new Error('the process was stopped');
    return go();
  });
  for (stopAfter of [0, 1, 2]) {
    calls = 0;
    await expect(say('main', sighted(60))).rejects.toThrow('stopped');
  }
  pass();
  await openStores(engine.open(), () => new Date()).devices.snapshot(site);
  await say('main', sighted(60));
  expect((await snapshot()).size).toBe(60);
  expect((await events()).map(({ type }) => type)).toEqual(Array(60).fill('new'));
});

test('what the first look finds is one event, and what comes beside it is new', async () => {
  const { say, snapshot, events } = await freshSite('main');
  await say('main', [...sighted(50, { baseline: true }), { mac: macOf(50), n: 51 }]);
  expect(await events()).toMatchObject([
    { type: 'found', device: null, count: 50 },
    { type: 'new', device: { key: macOf(50) } },
  ]);
  expect((await snapshot()).devices.filter(({ record }) => record.devIsNew === 1)).toHaveLength(1);
});

test('after a cut of the uplink, events have the time at which the agent noticed them', async () => {
  const { say, events } = await freshSite('main');
  await say('main', sighted(2));
  const changedAt = Math.floor(Date.now() / 1000) * 1000 - 300_000;
  await say('main', [{ mac: macOf(0), n: 3, online: false, changedAt }]);
  const [event] = await events();
  expect(event).toMatchObject({ type: 'offline', at: new Date(changedAt).toISOString() });
  expect(Date.parse(event?.recordedAt ?? '')).toBeGreaterThan(changedAt + 250_000);
});

test('while discovery is off nothing is stored or confirmed, and one message says so to the agent', async () => {
  const { say, snapshot, sent, warnings, switchDiscovery } = await freshSite('main');
  await switchDiscovery(false);
  const { version } = await snapshot();
  for (let i = 0; i < 5; i++) await say('main', sighted(150));
  expect(await snapshot()).toMatchObject({ version, size: 0 });
  expect(sent).toMatchObject([{ t: 'settings', discovery: { enabled: false } }]);
  expect(warnings).toMatchObject([{ message: 'rejected sightings', problem: 'discovery of its site is off' }]);
  await switchDiscovery(true);
  await say('main', sighted(150));
  expect((await snapshot()).size).toBe(150);
});

test('an agent that makes up changes without end is limited: rows, events, its state and the log', async () => {
  const { site, say, snapshot, warnings, sent, events, stores } = await freshSite('main');
  const limitedUntil = async () => (await stores.sites.agents(site))[0]?.limitedUntil;
  const { version } = await snapshot();
  let n = 0;
  const lie = () => {
    const all = sighted(100, { ip: `10.9.${n % 250}.1` });
    for (const one of all) one.n = ++n;
    return say('main', all);
  };
  for (let message = 0; message < 10; message++) {
    expect(await limitedUntil()).toBeNull();
    await lie();
  }
  for (let message = 0; message < 200; message++) await lie();
  // Those of the hour, what was added to them meanwhile, and then one a minute.
  const journal = (await snapshot()).version - version;
  expect(journal).toBeGreaterThanOrEqual(10);
  expect(journal).toBeLessThan(30);
  expect(sent).toHaveLength(journal);
  expect(await events()).toHaveLength(journal * 100);
  expect(Date.parse((await limitedUntil()) ?? '')).toBeGreaterThan(Date.now());
  expect(warnings).toMatchObject([{ message: expect.stringContaining('changes too much') }]);
});

test('the agent learns which devices raise an alert when they go, so that none of them counts as asleep', async () => {
  const { site, stores, say, snapshot, sent } = await freshSite('main');
  await say('main', sighted(3));
  const { devices } = await snapshot();
  const put = devices
    .filter(({ key }) => key === macOf(1))
    .map((device) => ({ ...device, record: { ...device.record, devAlertDown: 1 as const } }));
  await stores.devices.change(site, { actor: 'somebody', cause: 'edit' }, () => ({ put, remove: [] }));
  await say('main', [
    { mac: macOf(1), n: 4 },
    { mac: macOf(2), n: 5 },
  ]);
  await say('main', [{ mac: macOf(2), n: 6 }]);
  expect(sent).toMatchObject([{ n: 3 }, { n: 5, alerts: [macOf(1)] }, { n: 6 }]);
  expect(sent[2]).not.toHaveProperty('alerts');
});

test.each<[string, Partial<Sighting>[], object, string?]>([
  ['a MAC address of a group', [{ mac: '01:00:5E:00:00:01', n: 1 }], {}],
  ['a name with a control character', [{ mac: macOf(1), n: 1, name: { text: 'a\nb', source: 'dns' } }], {}],
  ['a message of 100,000 sightings', sighted(100_000), {}],
  ['an epoch in the future', [{ mac: macOf(1), n: 1 }], { epoch: Date.now() + 3_600_000 }],
  ['another number than its sightings have', [{ mac: macOf(1), n: 1 }], { n: 2 ** 40 }],
  ['more sightings than a message may hold', sighted(401), {}],
  ['what an agent of an earlier protocol has seen', sighted(1), { v: PROTOCOL_VERSION - 1 }],
  ['what an agent of a later protocol has seen', sighted(1), { v: PROTOCOL_VERSION + 1 }],
  ['what an agent has seen that is no agent of the site any more', sighted(1), {}, 'attic'],
])('%s is refused, not confirmed, and logged', async (_, sightings, rest, agent = 'main') => {
  const { say, snapshot, sent, warnings } = await freshSite('main');
  await say(agent, sightings, rest);
  expect((await snapshot()).size).toBe(0);
  expect(sent).toEqual([]);
  expect(warnings).toHaveLength(1);
});

test('an agent that is enrolled and not connected keeps nobody online; one that is connected does', async () => {
  const { site, stores, say, snapshot } = await freshSite('main', 'attic');
  const isOnline = async () => (await snapshot()).devices[0]?.record.devPresentLastScan;
  expect((await stores.sites.agents(site)).map(({ state }) => state)).toEqual(['enrolling', 'enrolling']);
  await say('attic', [{ mac: macOf(0), n: 1 }]);
  await say('main', [{ mac: macOf(0), n: 1 }]);
  expect(await isOnline()).toBe(1);
  await say('main', [{ mac: macOf(0), n: 2, online: false }]);
  expect(await isOnline()).toBe(0);

  const presence = { v: PROTOCOL_VERSION, t: 'presence', state: 'online', session: Date.now() } as const;
  await stores.sites.recordPresence(agentId(site, 'attic'), presence);
  await say('main', [{ mac: macOf(0), n: 3 }]);
  await say('main', [{ mac: macOf(0), n: 4, online: false }]);
  expect(await isOnline()).toBe(1);
});

test('devices are counted that come to another status, in large batches too, and not those that are as they were', async () => {
  const { say, snapshot, transitions } = await freshSite('main');
  await say('main', sighted(60));
  expect(transitions()).toEqual({ online: 60, offline: 0, down: 0 });
  const before = await snapshot();
  await withRequestCost(async (consumed) => {
    await say('main', sighted(60)); // A batch that comes again changes nothing and writes nothing.
    expect(consumed.writeUnits).toBe(0);
  });
  expect(await snapshot()).toMatchObject({ version: before.version, devices: before.devices });
  await say('main', [{ mac: macOf(0), n: 61, ip: '10.0.9.9' }]);
  expect(transitions()).toEqual({ online: 60, offline: 0, down: 0 });
  await say('main', [{ mac: macOf(0), n: 62, online: false }]);
  await say('main', [{ mac: macOf(0), n: 63, online: true }]);
  expect(transitions()).toEqual({ online: 61, offline: 1, down: 0 });
});
