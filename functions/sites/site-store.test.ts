/** What the store adds to the rule of presence (`shared/agent/presence.ts`): all of it is stored, at what cost, also by concurrent writers. */
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { PROTOCOL_VERSION, type Presence } from '../../shared/agent/messages.ts';
import { NOTHING_KNOWN, nextPresence, type PresenceEvent, shownPresence } from '../../shared/agent/presence.ts';
import { type AgentId, agentId } from '../../shared/identity.ts';
import { aroundCalls, consumedBy } from '../../test/support/database-calls.ts';
import { storeAgent } from '../../test/support/stored-site.ts';
import { memoryTable } from '../../test/test-table.ts';
import { withRequestCost } from '../table/request-cost.ts';
import { rows } from '../table/rows.ts';
import { openSiteStore, type SiteStore } from './site-store.ts';

const SITE = 'home';
const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 1);
/** Later than every message. */
const NOW = START + 10_000 * 60 * MINUTE;
const DESCRIPTION = {
  version: '0.1.0',
  programs: { nmap: '7.93', traceroute: '2.1.2', speedtest: 'built in', nslookup: 'built in', wakeonlan: 'built in' },
  capabilities: ['raw-sockets', 'broadcast'],
  networks: ['192.168.1.0/24', '192.168.20.0/24', 'fd12:3456:789a::/64', 'fe80::/64'],
  load: { running: 0, queued: 0 },
};

const engine = memoryTable();

/** As another process has it. @param before called before each update */
function openSites(before = async () => {}): SiteStore {
  const table = engine.open();
  aroundCalls(table, async ({ method }, pass) => {
    if (method === 'update') await before();
    return pass();
  });
  return openSiteStore(table, () => new Date(NOW));
}

const sites = openSites();
beforeAll(async () => {
  await sites.add({ id: SITE, name: SITE, createdAt: new Date().toISOString() });
});

let made = 0;
const freshAgent = (site = SITE) => storeAgent({ sites }, site, `agent-${++made}`);

async function shown(agent: AgentId) {
  const [site = ''] = agent.split(':');
  return withRequestCost(async () => (await sites.agents(site)).find(({ id }) => id === agent));
}

/** A message about an agent, and what it is for the rule. */
interface Message {
  event: PresenceEvent;
  tell(agent: AgentId): Promise<unknown>;
}

function presenceOf(state: Presence['state'], session: number, running = 0): Presence {
  const details = state === 'offline' ? {} : { ...DESCRIPTION, load: { running, queued: 0 } };
  return { v: PROTOCOL_VERSION, t: 'presence', state, session: START + session, ...details };
}

function said(state: Presence['state'], session: number): Message {
  const presence = presenceOf(state, session);
  return { event: { source: 'agent', presence }, tell: (agent) => sites.recordPresence(agent, presence) };
}

function connection(eventType: 'connected' | 'disconnected', versionNumber: number, at: number): Message {
  const event = { eventType, versionNumber, timestamp: START + at };
  return { event: { source: 'broker', event }, tell: (agent) => sites.recordConnectionEvent(agent, event) };
}

async function tellAll(agent: AgentId, messages: readonly Message[]): Promise<void> {
  for (const message of messages) await message.tell(agent);
}

const FIRST = [connection('connected', 4, 0), said('online', 1)];
const LAST_WILL = said('offline', 1);
const FIRST_ENDS = connection('disconnected', 4, MINUTE);

const anyMessage = fc.oneof(
  fc
    .tuple(fc.constantFrom('online' as const, 'draining' as const, 'offline' as const), fc.integer({ min: 0, max: 3 }))
    .map(([state, session]) => said(state, session)),
  fc
    .tuple(
      fc.constantFrom('connected' as const, 'disconnected' as const),
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom(0, MINUTE, 20 * MINUTE),
    )
    .map(([type, version, at]) => connection(type, version, at)),
);

test('what is shown after any messages is what the rule makes of them: nothing of it is lost in the row', async () => {
  const property = fc.asyncProperty(fc.array(anyMessage, { minLength: 1, maxLength: 8 }), async (messages) => {
    const agent = await freshAgent(`any-${made}`);
    await tellAll(agent, messages);
    const stored = messages.reduce((known, { event }) => nextPresence(known, event, NOW) ?? known, NOTHING_KNOWN);
    const { state, since } = shownPresence(stored, NOW);
    expect(await shown(agent)).toMatchObject({ state, since: since === null ? null : new Date(since).toISOString() });
  });
  await fc.assert(property, { numRuns: 30 });
});

test.each([
  ['an older version', PROTOCOL_VERSION - 1, 'which is no longer understood; update it'],
  ['a newer version', PROTOCOL_VERSION + 1, 'which is not understood yet; update the service'],
])(
  'an agent that speaks %s is connected, counts as offline, and is named with what to update',
  async (_, v, problem) => {
    const agent = await freshAgent();
    const presence: Presence = { v, t: 'presence', state: 'online', session: START, ...DESCRIPTION };
    await sites.recordPresence(agent, presence);
    expect(await shown(agent)).toMatchObject({
      state: 'offline',
      offlineReason: 'incompatible',
      protocol: v,
      problem: `speaks protocol ${v}, ${problem}`,
    });
    const connected = (await sites.connected(SITE)).find((one) => one.agent === agent);
    expect(connected?.isConnected).toBe(false);
  },
);

test('an event about an agent that was removed, or never enrolled, creates no row', async () => {
  const missing = agentId(SITE, 'missing');
  expect(await connection('connected', 0, 0).tell(missing)).toBe(false);
  expect(await connection('disconnected', 0, MINUTE).tell(missing)).toBe(false);
  expect(await said('online', 1).tell(missing)).toBe('ignored');
  expect(await sites.agentIds(SITE)).not.toContain(missing);
});

test('the cost of a connection: a unit for each event', async () => {
  const agent = await freshAgent();
  const costs: number[] = [];
  for (const message of [...FIRST, LAST_WILL, FIRST_ENDS])
    costs.push((await consumedBy(() => message.tell(agent))).writeUnits);
  expect(costs).toEqual([1, 1, 1, 1]);
});

test('after a start of the broker no agent is connected, and its events restart, even with a clock that was set back', async () => {
  const site = 'restarted';
  await sites.add({ id: site, name: site, createdAt: new Date().toISOString() });
  const [here, cut, quiet] = [await freshAgent(site), await freshAgent(site), await freshAgent(site)];
  const future = 60_000 * MINUTE;
  await tellAll(here, [connection('connected', 900, future), said('online', future)]);
  await tellAll(cut, [...FIRST, FIRST_ENDS]);
  await sites.resetPresence();
  const found = new Map((await sites.agents(site)).map((agent) => [agent.id, agent]));
  expect([...found.values()].map(({ state }) => state)).toEqual(['offline', 'offline', 'enrolling']);
  expect(found.get(here)!.since).toBe(new Date(NOW).toISOString());
  expect(found.get(cut)!.since).toBe(new Date(START + MINUTE).toISOString());
  expect(found.get(quiet)!.since).toBeNull();
  await tellAll(here, [connection('connected', 3, 0), said('online', 1)]);
  expect((await shown(here))?.state).toBe('online');
});

test('a replaced agent leaves its connections to no successor, whatever late events arrive', async () => {
  const agent = await freshAgent();
  await tellAll(agent, FIRST);
  const replacing = { agent, replaces: true, madeAt: new Date() };
  await sites.recordEnrolment(replacing, { certificateId: 'of the successor', key: 'key' });
  const spans = async () => (await sites.findAgent(agent))?.history.spans;
  expect(await spans()).toEqual([]);
  await tellAll(agent, [said('draining', 1), FIRST_ENDS]);
  expect(await spans()).toEqual([]);
  await tellAll(agent, [connection('connected', 5, 2 * MINUTE), said('online', 2)]);
  expect(await spans()).toEqual([{ from: NOW, to: null, end: null }]);
});

const online = (session: number, running = 0) => presenceOf('online', session, running);
const lastWill = presenceOf('offline', 1);

test('a message that was overtaken between its read and its write is evaluated again, and changes nothing', async () => {
  const agent = await freshAgent();
  let overtaken = 0;
  const slow = openSites(async () => {
    if (overtaken++ === 0) await sites.recordPresence(agent, online(2, 7));
  });
  expect(await slow.recordPresence(agent, lastWill)).toBe('ignored');
  expect(overtaken).toBe(1);
  expect(await shown(agent)).toMatchObject({ state: 'online', load: { running: 7 } });
});

test('concurrent reports of the agent and events of the broker are all stored', async () => {
  const agent = await freshAgent();
  const reports = [online(1), lastWill, online(2, 3)].map((presence) => openSites().recordPresence(agent, presence));
  const events = [4, 5, 6].map((version) => connection('connected', version, 0).event);
  const stored = events.map(
    (event) => event.source === 'broker' && openSites().recordConnectionEvent(agent, event.event),
  );
  await Promise.all([...reports, ...stored]);
  const row = await engine.open().get(rows.agent(agent), { consistent: true });
  expect(row).toMatchObject({ presence: 'online', session: START + 2, link: 6, linkEnded: 0 });
});

test('the load that an agent reports in the same state is stored, although its state is not new', async () => {
  const agent = await freshAgent();
  expect(await sites.recordPresence(agent, online(1))).toBe('new');
  expect(await sites.recordPresence(agent, online(1, 5))).toBe('repeated');
  expect((await shown(agent))?.load).toEqual({ running: 5, queued: 0 });
});

test('an event that an enrolment overtakes stores no connection of the agent that is replaced', async () => {
  const agent = await freshAgent();
  await sites.recordPresence(agent, online(1));
  let overtaken = 0;
  const slow = openSites(async () => {
    if (overtaken++ > 0) return;
    const replacing = { agent, replaces: true, madeAt: new Date() };
    await sites.recordEnrolment(replacing, { certificateId: 'of the successor', key: 'key' });
  });
  await slow.recordPresence(agent, lastWill);
  expect(overtaken).toBeGreaterThan(0);
  expect((await sites.findAgent(agent))?.history.spans).toEqual([]);
  expect(await engine.open().get(rows.agent(agent), { consistent: true })).not.toHaveProperty('links');
});
