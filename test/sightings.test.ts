/** Sightings on their way from an agent's message into the collection: through ingest and the stores, with the real engine. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { metered } from '../functions/dynamodb/capacity.ts';
import { openStores } from '../functions/dynamodb/stores.ts';
import { openIngest } from '../functions/ingest/ingest.ts';
import { openCounters } from '../local/counters.ts';
import type { Sighting } from '../shared/agent/discovery.ts';
import { PROTOCOL_VERSION } from '../shared/agent/messages.ts';
import { agentId } from '../shared/identity.ts';
import { startTable, type TestTable } from './test-table.ts';

let engine: TestTable;
beforeAll(async () => {
  engine = await startTable();
});
afterAll(() => engine[Symbol.asyncDispose]());

let sites = 0;
const macOf = (i: number) =>
  `00:1E:06:00:${[i >> 8, i & 255].map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':')}`;

/** A fresh site with enrolled agents, and an ingest of which one may break the table. */
async function freshSite(...names: string[]) {
  const site = `site-${++sites}`;
  const now = () => new Date();
  const stores = openStores(engine.settings, now);
  await stores.devices.create(site, now());
  for (const name of names) {
    const invitation = { agent: agentId(site, name), madeAt: now(), replaces: false };
    await stores.sites.enrolled(invitation as never, { certificateId: `certificate of ${name}`, key: 'key' });
  }
  const told: unknown[] = [];
  const warnings: unknown[] = [];
  const log = {
    info() {},
    warn: (fields: object, message: string) => warnings.push({ ...fields, message }),
    error() {},
  };
  const control = async (agent: string, message: object) => void told.push({ agent, ...message });
  const counters = openCounters();
  const ingest = openIngest({ ...stores, agents: { control, confirmStored: async () => {} }, now, counters }, log);
  const epoch = Date.now() - 60_000;
  const say = (name: string, sightings: Partial<Sighting>[], rest: object = {}) => {
    const all = sightings.map((one) => ({ since: epoch, seenAt: epoch + 1, ip: null, online: true, ...one }));
    const n = Math.max(0, ...all.map((one) => one.n ?? 0));
    const message = { v: PROTOCOL_VERSION, t: 'sightings', epoch, n, covers: null, sightings: all, ...rest };
    return ingest.sightings(agentId(site, name), Buffer.from(JSON.stringify(message)));
  };
  const snapshot = () => openStores(engine.settings, now).devices.snapshot(site);
  /** How many devices have come to each status. */
  const transitions = () => {
    const samples = counters.families().find(({ name }) => name === 'lanreach_device_transitions_total')?.samples ?? [];
    return Object.fromEntries(samples.map(({ labels, value }) => [labels?.to, value]));
  };
  return { site, stores, told, warnings, epoch, say, snapshot, transitions };
}

const sighted = (count: number, rest: Partial<Sighting> = {}, from = 0) =>
  Array.from({ length: count }, (_, i) => ({
    mac: macOf(from + i),
    n: i + 1,
    ip: `10.0.${i >> 8}.${i & 255}`,
    ...rest,
  }));

test('a first batch of 300 devices is in the collection, and the agent is told', async () => {
  const { site, say, snapshot, told, epoch } = await freshSite('main');
  await say('main', sighted(300));
  const { devices, counts } = await snapshot();
  expect(devices).toHaveLength(300);
  expect(counts[1]).toBe(300);
  expect(told).toEqual([{ agent: `${site}:main`, v: PROTOCOL_VERSION, t: 'sighted', epoch, n: 300 }]);
});

test('a batch that comes again, or is older, changes nothing and writes nothing', async () => {
  const { say, snapshot } = await freshSite('main');
  await say('main', sighted(30));
  await say('main', [{ mac: macOf(0), n: 31, online: false }]);
  const before = await snapshot();
  await metered(async (consumed) => {
    await say('main', sighted(30));
    await say('main', [{ mac: macOf(0), n: 31, online: false }]);
    expect(consumed.writeUnits).toBe(0);
  });
  const after = await snapshot();
  expect([after.version, after.devices]).toEqual([before.version, before.devices]);
});

test('what ten transitions among 1,000 devices cost: a write for each, and two for the batch', async () => {
  const { say } = await freshSite('main');
  for (let part = 0; part < 4; part++) {
    await say(
      'main',
      sighted(250, {}, part * 250).map((one, i) => ({ ...one, n: part * 250 + i + 1 })),
    );
  }
  const gone = sighted(10).map((one, i) => ({ ...one, n: 1001 + i, online: false }));
  await metered(async (consumed) => {
    await say('main', gone);
    expect(consumed.writeUnits).toBeLessThanOrEqual(10 + 4);
  });
});

test.each([
  ['a MAC address of a group', [{ mac: '01:00:5E:00:00:01', n: 1 }], {}],
  ['a name with a control character', [{ mac: macOf(1), n: 1, name: { text: 'a\nb', source: 'dns' as const } }], {}],
  ['a name of a megabyte', [{ mac: macOf(1), n: 1, name: { text: 'x'.repeat(2 ** 20), source: 'dns' as const } }], {}],
  ['a message of 100,000 sightings', sighted(100_000), {}],
  ['an epoch in the future', [{ mac: macOf(1), n: 1 }], { epoch: Date.now() + 3_600_000 }],
  ['another number than its sightings have', [{ mac: macOf(1), n: 1 }], { n: 2 ** 40 }],
  ['more sightings than a message may hold', sighted(401), {}],
])('%s is refused, and logged', async (_, sightings, rest) => {
  const { say, snapshot, told, warnings } = await freshSite('main');
  await say('main', sightings, rest);
  expect((await snapshot()).size).toBe(0);
  expect(told).toEqual([]);
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

test('what an agent says that is no agent of the site any more is not taken', async () => {
  const { say, snapshot, told, warnings } = await freshSite('main');
  await say('attic', [{ mac: macOf(1), n: 1 }]);
  expect([(await snapshot()).size, told]).toEqual([0, []]);
  expect(warnings).toMatchObject([{ problem: 'the agent has been revoked' }]);
});

test('devices are counted that come to another status, in large batches too, and not those that are as they were', async () => {
  const { say, transitions } = await freshSite('main');
  await say('main', sighted(60));
  expect(transitions()).toEqual({ online: 60, offline: 0, down: 0 });
  await say('main', sighted(60));
  await say('main', [{ mac: macOf(0), n: 61, ip: '10.0.9.9' }]);
  expect(transitions()).toEqual({ online: 60, offline: 0, down: 0 });
  await say('main', [{ mac: macOf(0), n: 62, online: false }]);
  await say('main', [{ mac: macOf(0), n: 63, online: true }]);
  expect(transitions()).toEqual({ online: 61, offline: 1, down: 0 });
});
