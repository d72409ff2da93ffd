/** What goes wrong at a site as a whole, from what agents say to events and hooks. */
import { expect, test } from 'vitest';
import { openStores } from '../../functions/stores.ts';
import type { Change } from '../../shared/agent/measurements.ts';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { topics } from '../../shared/agent/topics.ts';
import { packMeasurements } from '../../shared/agent/wire.ts';
import { devices } from '../../shared/api/devices.ts';
import { type DeviceEvent, EventType } from '../../shared/api/events.ts';
import { hooks } from '../../shared/api/hooks.ts';
import { observeConnections, openIngest, openTurns, upkeep } from '../support/background-work.ts';
import { enrolAgent, type StandIn, startStandIn } from '../support/enrolled-agent.ts';
import { macOf } from '../support/fixtures.ts';
import { SILENT } from '../support/ingest-messages.ts';
import { storeAgent, storeSite } from '../support/stored-site.ts';
import { testApi } from '../support/test-api.ts';
import { GATEWAY, ipOf, startWatchingAgent } from '../support/watching-agent.ts';
import { memoryTable } from '../test-table.ts';

const system = testApi();

/** The events of a site, the oldest first. */
async function eventsOf(site: string, ...types: EventType[]): Promise<DeviceEvent[]> {
  const { json } = await system.request('GET', `/events?limit=1000&type=${types.join(',')}`, { site });
  return devices.listEvents.response.parse(json).events.reverse();
}

test('the gateway goes with four others: one event and one message; they are back: one more with the length', async () => {
  const site = await system.addSite();
  await using agent = await startWatchingAgent(system.context, site);
  const gone = [1, 2, 3, 4].map(macOf);
  for (let i = 1; i <= 9; i++) agent.hosts.set(macOf(i), { ip: ipOf(i), name: `host-${i}` });
  for (let i = 0; i < 4; i++) await agent.cycle();
  const body = { url: 'https://hooks.example.org/lan', format: 'json', events: [...EventType.options] };
  const { json: hook } = await system.request('POST', '/hooks', { site, body });
  const queue = { send: async () => {} };
  const settings = { allowPrivate: true, resolve: async () => [] };
  let at = Date.now();
  const take = openTurns({ ...system.context, queue, settings, now: () => new Date(at), log: SILENT });

  for (const mac of [GATEWAY.mac, ...gone]) agent.hosts.delete(mac);
  for (let i = 0; i < 10; i++) await agent.cycle();
  const [outage, ...more] = await eventsOf(site, 'outage', 'outage-over');
  expect(more).toEqual([]);
  expect(outage).toMatchObject({
    device: null,
    count: 5,
    subject: { kind: 'outage' },
    detail: { cause: 'gateway', why: `the gateway ${GATEWAY.mac} is gone, and 4 devices behind it` },
    cause: 'sighting',
  });
  expect(outage?.members?.map(({ key }) => key).sort()).toEqual([GATEWAY.mac, ...gone].sort());
  const single = await eventsOf(site, 'offline');
  expect(single.map(({ outage }) => outage)).toEqual(Array.from({ length: 5 }, () => outage?.subject?.id));

  for (const [i, mac] of gone.entries()) agent.hosts.set(mac, { ip: ipOf(i + 1) });
  agent.hosts.set(GATEWAY.mac, { ip: GATEWAY.ip });
  for (let i = 0; i < 2; i++) await agent.cycle();
  const over = await eventsOf(site, 'outage-over');
  expect(over).toMatchObject([{ count: 5, members: [], subject: outage?.subject, detail: { back: 5, still: 0 } }]);
  // Gone after the last cycle that has seen them, back with the first that sees them again: eleven minutes.
  expect(Math.abs(Number(over[0]?.detail?.seconds) - 11 * 60)).toBeLessThanOrEqual(1);

  const { id } = hooks.addHook.response.parse(hook);
  // None arrives, so each is given up after a day.
  for (at = Date.now(); at < Date.now() + 7 * 86_400_000; at += 13 * 3_600_000) await take({ site, hook: id });
  const { json } = await system.request('GET', `/hooks/${id}/deliveries`, { site });
  const told = hooks.listDeliveries.response.parse(json).deliveries.map(({ event, device }) => [event, device]);
  expect(told.sort()).toEqual([
    ['outage', null],
    ['outage-over', null],
  ]);
});

test('what goes and comes while the agent is cut off has the events that it has otherwise, at the same times, and once', async () => {
  async function story(isCut: boolean) {
    const site = await system.addSite();
    await using agent = await startWatchingAgent(system.context, site);
    for (let i = 1; i <= 9; i++) agent.hosts.set(macOf(i), { ip: ipOf(i), name: `host-${i}` });
    for (let i = 0; i < 4; i++) await agent.cycle();
    if (isCut) agent.disconnect();
    const all = new Map(agent.hosts);
    for (const mac of [GATEWAY.mac, ...[1, 2, 3, 4, 5].map(macOf)]) agent.hosts.delete(mac);
    for (let i = 0; i < 10; i++) await agent.cycle();
    for (const mac of [GATEWAY.mac, ...[1, 2, 3, 4].map(macOf)]) agent.hosts.set(mac, { ip: all.get(mac)?.ip ?? '' });
    for (let i = 0; i < 2; i++) await agent.cycle();
    agent.hosts.delete(macOf(1));
    for (let i = 0; i < 10; i++) await agent.cycle();
    const before = agent.sent.length;
    const untold = await eventsOf(site, 'offline', 'online', 'outage', 'outage-over');
    expect(untold.length === 0).toBe(isCut);
    if (isCut) {
      agent.connect();
      // The digest comes twice, as after a confirmation that was lost.
      await agent.cycle();
      const agents = { control: async () => {}, confirmStored: async () => {} };
      const ingest = openIngest({ ...system.context, agents, now: () => new Date() }, SILENT);
      for (const message of agent.sent.slice(before))
        await ingest.sightings(agent.id, Buffer.from(JSON.stringify(message)));
    }
    const events = await eventsOf(site, 'offline', 'online', 'outage', 'outage-over');
    const first = Math.min(...events.map(({ at }) => Date.parse(at)));
    const minuteOf = (at: string) => Math.round((Date.parse(at) - first) / 60_000);
    return events
      .map(({ type, device, at, count, detail }) =>
        [minuteOf(at), type, device?.key ?? `${detail?.cause ?? detail?.back} ${count}`].join(' '),
      )
      .sort();
  }
  const told = await story(false);
  expect(told).toEqual(
    expect.arrayContaining([`5 offline ${GATEWAY.mac}`, `11 online ${GATEWAY.mac}`, '0 outage gateway 6']),
  );
  expect(told.filter((line) => line.endsWith(macOf(1)))).toHaveLength(3);
  expect(await story(true)).toEqual(told);
});

let messages = Date.now() - 60_000;
async function measure(agent: StandIn, ...changes: Change[]): Promise<void> {
  const n = ++messages;
  await agent.publish(topics.measurements(agent.client), packMeasurements({ n, changes, points: null }));
  await expect.poll(() => agent.plans.some((message) => message.t === 'measured' && message.n === n)).toBe(true);
}

async function watchedSite() {
  const site = await system.addSite();
  const body = { discovery: { enabled: true, networks: ['127.0.8.0/24'] } };
  await system.request('PATCH', `/sites/${site}`, { body });
  const enrolled = await enrolAgent(system, site, 'attic');
  const agent = await startStandIn(system, enrolled);
  const address = { t: 'address', at: Date.now(), address: '203.0.113.7', provider: 'AS64500 Example' } as const;
  await measure(agent, address);
  return { site, enrolled, agent };
}

test('an agent is lost, and its site dark with another one of its provider; it is back, with the length', async () => {
  const types = ['agent-lost', 'agent-back', 'site-dark', 'site-back'] as const;
  const [first, second] = [await watchedSite(), await watchedSite()];
  for (const { site, agent } of [first, second]) {
    await agent[Symbol.asyncDispose]();
    await expect.poll(async () => (await eventsOf(site, ...types)).length).toBe(2);
  }
  const alone = 'no other site has gone dark within 3 minutes, so it is its uplink, its power or the host of its agent';
  const together = '1 other site has gone dark within 3 minutes, all of the same provider, AS64500 Example';
  for (const [{ site, enrolled }, why] of [
    [first, alone],
    [second, together],
  ] as const) {
    expect(await eventsOf(site, ...types)).toMatchObject([
      { type: 'agent-lost', subject: { kind: 'agent', id: enrolled.id, name: 'attic' }, cause: 'observation' },
      { type: 'site-dark', subject: { kind: 'site', id: site }, detail: { why } },
    ]);
  }
  await using again = await startStandIn(system, first.enrolled);
  await expect.poll(async () => (await eventsOf(first.site, ...types)).length).toBe(4);
  expect((await eventsOf(first.site, ...types)).slice(2)).toMatchObject([
    { type: 'agent-back', subject: { id: again.id }, detail: { seconds: expect.any(Number) } },
    { type: 'site-back', detail: { seconds: expect.any(Number) } },
  ]);
  await first.enrolled[Symbol.asyncDispose]();
  await second.enrolled[Symbol.asyncDispose]();
});

test('that the internet was lost is told late, with its own times; another public address once', async () => {
  const { site, enrolled, agent } = await watchedSite();
  await using _ = agent;
  await using __ = enrolled;
  const check = '5f0c2a9b1d34';
  const at = Math.floor(Date.now() / 1000) * 1000;
  const lost = { t: 'internet', check, at: at - 3_600_000, ok: false, gateway: false } as const;
  const back = { t: 'internet', check, at: at - 60_000, ok: true, gateway: null } as const;
  const address = { t: 'address', at: at + 1_000, address: '203.0.113.9', provider: null } as const;
  for (let times = 0; times < 2; times++) await measure(agent, lost, back, address);
  const why = 'the gateway does not answer: the router, or the wire to it';
  const reasonCode = { code: 'router-or-wire' };
  expect(await eventsOf(site, 'internet-lost', 'internet-back', 'address-changed')).toMatchObject([
    { type: 'internet-lost', at: new Date(lost.at).toISOString(), detail: { why }, reasonCode, actor: agent.id },
    { type: 'internet-back', at: new Date(back.at).toISOString(), detail: { seconds: 3_540, why }, reasonCode },
    { type: 'address-changed', subject: { kind: 'internet', id: site }, detail: { to: '203.0.113.9' } },
  ]);
});

test('after a restart, agents that are back within three minutes are not told of; one that is not is lost', async () => {
  let at = Date.parse('2026-11-01T08:00:00Z');
  const stores = openStores(memoryTable().open(), () => new Date(at));
  await storeSite(stores, 'home', new Date(at));
  const context = { ...stores, registry: {} as never, now: () => new Date(at) };
  const say = async (name: string) => {
    const presence = { v: PROTOCOL_VERSION, t: 'presence', state: 'online', session: at } as const;
    await stores.sites.recordPresence(`home:${name}`, presence);
    await observeConnections(stores, 'home', new Date(at));
  };
  const told = async () => {
    const { entries } = await stores.devices.finalChanges('home', 0, 100);
    const all = entries.flatMap(({ occurrences = [] }) => occurrences);
    return all.map(({ type, subject }) => `${type} ${subject?.name}`);
  };
  for (const name of ['attic', 'cellar']) {
    await storeAgent(stores, 'home', name, new Date(at));
    await say(name);
  }
  at += 3_600_000;
  await stores.sites.resetPresence();
  at += 5_000;
  await say('attic');
  await upkeep({ ...context, hookQueue: { send: async () => {} } }, SILENT, () => false);
  expect(await told()).toEqual([]);
  at += 200_000;
  await upkeep({ ...context, hookQueue: { send: async () => {} } }, SILENT, () => false);
  expect(await told()).toEqual(['agent-lost cellar']);
  await say('cellar');
  expect(await told()).toEqual(['agent-lost cellar', 'agent-back cellar']);
});
