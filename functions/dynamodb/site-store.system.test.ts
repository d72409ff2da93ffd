/** What is shown of an agent, whatever order its own messages and those of the broker about it arrive in. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROTOCOL_VERSION, type Presence } from '../../shared/agent/messages.ts';
import { type AgentId, agentId } from '../../shared/identity.ts';
import { startTable, type TestTable } from '../../test/test-table.ts';
import { metered } from './capacity.ts';
import { openSiteStore, type SiteStore } from './site-store.ts';

const SITE = 'home';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 1);
/** When all is told: nothing comes from later than that. */
const NOW = START + 10_000 * HOUR;
/** Agents that are told of at the same time; more would wait for a connection to the engine. */
const LANES = 8;
const DESCRIPTION = {
  version: '0.1.0',
  tools: { nmap: '7.93', traceroute: '2.1.2', speedtest: 'built in', nslookup: 'built in', wakeonlan: 'built in' },
  capabilities: ['raw-sockets', 'broadcast'],
  networks: ['192.168.1.0/24', '192.168.20.0/24', 'fd12:3456:789a::/64', 'fe80::/64'],
  load: { running: 0, queued: 0 },
};

let engine: TestTable;
let sites: SiteStore;
beforeAll(async () => {
  engine = await startTable();
  sites = openSiteStore(engine.open(), () => new Date(NOW));
  await sites.add({ id: SITE, name: SITE, createdAt: new Date().toISOString() });
});
afterAll(() => engine[Symbol.asyncDispose]());

let made = 0;
async function freshAgent(site = SITE): Promise<AgentId> {
  const agent = agentId(site, `agent-${++made}`);
  await sites.enrolled(
    { agent, replaces: false, madeAt: new Date() },
    { certificateId: `certificate of ${agent}`, key: 'key' },
  );
  return agent;
}

async function shown(agent: AgentId) {
  const [site = ''] = agent.split(':');
  return metered(async () => (await sites.agents(site)).find(({ id }) => id === agent));
}

/** Something that ingest is told of an agent; its name is for the reader of a failure. */
interface Message {
  name: string;
  tell(agent: AgentId): Promise<boolean>;
}

function said(state: Presence['state'], session: number): Message {
  const details = state === 'offline' ? {} : DESCRIPTION;
  const presence: Presence = { v: PROTOCOL_VERSION, t: 'presence', state, session: START + session, ...details };
  return { name: `${state} in session ${session}`, tell: (agent) => sites.recordPresence(agent, presence) };
}

function connection(eventType: 'connected' | 'disconnected', versionNumber: number, at: number): Message {
  const event = { eventType, versionNumber, timestamp: START + at };
  return {
    name: `${eventType} ${versionNumber} at ${at / SECOND} s`,
    tell: (agent) => sites.recordConnectionEvent(agent, { clientId: agent, ...event }),
  };
}

async function tellAll(agent: AgentId, messages: readonly Message[]): Promise<void> {
  for (const message of messages) await message.tell(agent);
}

/** Up to so many of them, other ones in each run. */
function atRandom<T>(values: readonly T[], most: number): T[] {
  if (values.length <= most) return [...values];
  return fc.sample(fc.shuffledSubarray([...values], { minLength: most, maxLength: most }), 1).flat();
}

function permutations<T>(values: readonly T[]): T[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((value, i) => permutations(values.toSpliced(i, 1)).map((rest) => [value, ...rest]));
}

const FIRST = [connection('connected', 4, 0), said('online', 1)];
const LAST_WILL = said('offline', 1);
const FIRST_ENDS = connection('disconnected', 4, MINUTE);
const SECOND_BEGINS = [connection('connected', 5, MINUTE + SECOND), said('online', MINUTE)];

/** All orders of five messages, and some of the 720 of six. */
const MOST_ORDERS = 120;

test.each<[string, Message[], string]>([
  ['an agent that is there', FIRST, 'online'],
  ['an agent that is gone', [...FIRST, LAST_WILL, FIRST_ENDS], 'offline'],
  ['an agent that is gone without a last will', [...FIRST, FIRST_ENDS], 'offline'],
  ['one that connected, said nothing and went', [connection('connected', 4, 0), FIRST_ENDS], 'offline'],
  ['an agent that came back', [...FIRST, LAST_WILL, FIRST_ENDS, ...SECOND_BEGINS], 'online'],
  ['an agent that came back, and whose last will was lost', [...FIRST, FIRST_ENDS, ...SECOND_BEGINS], 'online'],
])('%s is shown so, in whatever order the messages come', async (_, messages, state) => {
  const site = `every-order-${made}`;
  const orders = atRandom(permutations(messages), MOST_ORDERS);
  const agents = new Map<AgentId, string>();
  const waiting = orders.values();
  const lane = async () => {
    for (const order of waiting) {
      const agent = await freshAgent(site);
      agents.set(agent, order.map(({ name }) => name).join(', '));
      await tellAll(agent, order);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const found = await sites.agents(site);
  expect(found).toHaveLength(orders.length);
  expect(found.filter((agent) => agent.state !== state).map(({ id }) => agents.get(id))).toEqual([]);
});

test('an agent that changes its connection is online all the while; one that does not come back is not', async () => {
  let now = START;
  const later = openSiteStore(engine.open(), () => new Date(now));
  const stateOf = (agent: AgentId) =>
    metered(async () => (await later.agents(SITE)).find(({ id }) => id === agent)?.state);
  const agent = await freshAgent();
  await tellAll(agent, FIRST);
  await FIRST_ENDS.tell(agent);
  now = START + MINUTE + SECOND;
  expect(await stateOf(agent)).toBe('online');
  now = START + MINUTE + 10 * SECOND;
  expect(await stateOf(agent)).toBe('offline');

  for (const order of permutations([FIRST_ENDS, ...SECOND_BEGINS])) {
    now = START + MINUTE + 2 * SECOND;
    const moving = await freshAgent();
    await tellAll(moving, FIRST);
    for (const { name, tell } of order) {
      await tell(moving);
      expect([name, await stateOf(moving)]).toEqual([name, 'online']);
    }
    now += HOUR;
    expect(await stateOf(moving)).toBe('online');
  }
});

/** One connection of an agent, as it was. */
interface Stay {
  /** Since the one before ended; less than nothing when the next one began before. */
  awayMs: number;
  lastsMs: number;
  says: Presence['state'][];
  /** What is told of its end beside the broker's event. */
  will: boolean;
  versionStep: number;
  clocks: [connected: number, disconnected: number];
}

const skew = fc.oneof(fc.constantFrom(-2 * MINUTE, 2 * MINUTE), fc.integer({ min: -2 * MINUTE, max: 2 * MINUTE }));
const stay: fc.Arbitrary<Stay> = fc.record({
  awayMs: fc.oneof(
    fc.integer({ min: -SECOND, max: 30 * SECOND }),
    fc.integer({ min: 0, max: 55 * MINUTE }),
    fc.integer({ min: HOUR, max: HOUR + 2 * MINUTE }),
    fc.integer({ min: HOUR, max: 400 * HOUR }),
  ),
  lastsMs: fc.oneof(fc.integer({ min: 0, max: MINUTE }), fc.integer({ min: 0, max: 400 * HOUR })),
  says: fc.constantFrom<Presence['state'][]>(
    [],
    ['online'],
    ['online', 'draining'],
    ['draining'],
    ['online', 'offline'],
  ),
  will: fc.boolean(),
  versionStep: fc.integer({ min: 1, max: 3 }),
  clocks: fc.tuple(skew, skew),
});

/** What is told of these stays, and what must be shown when all of it has arrived. */
function story(stays: readonly Stay[], isThere: boolean): { messages: Message[]; state: string } {
  const messages: Message[] = [];
  let [at, version, session] = [0, -1, 0];
  let word = 'enrolling';
  for (const [i, { awayMs, lastsMs, says, will, versionStep, clocks }] of stays.entries()) {
    at += awayMs;
    session = Math.max(session + 1, at);
    version = i === 0 || awayMs >= HOUR ? 0 : version + versionStep;
    messages.push(connection('connected', version, at + clocks[0]));
    for (const state of says) {
      messages.push(said(state, session));
      word = state;
    }
    if (isThere && i === stays.length - 1) return { messages, state: word };
    at += lastsMs;
    if (will) {
      messages.push(said('offline', session));
      word = 'offline';
    }
    messages.push(connection('disconnected', version, at + clocks[1]));
  }
  return { messages, state: 'offline' };
}

test('whatever has happened: once everything has arrived, in any order and twice, the right state is shown', async () => {
  const told = fc
    .tuple(fc.array(stay, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([stays, isThere]) => story(stays, isThere))
    .chain(({ messages, state }) => {
      const numbers = messages.map((_, i) => i);
      return fc
        .array(fc.constantFrom(...numbers), { maxLength: 6 })
        .chain((again) => fc.shuffledSubarray([...numbers, ...again], { minLength: numbers.length + again.length }))
        .map((order) => ({ state, order: order.map((i) => messages[i]!) }));
    });
  const property = fc.asyncProperty(told, async ({ state, order }) => {
    const agent = await freshAgent(`story-${made}`);
    await tellAll(agent, order);
    expect((await shown(agent))?.state, order.map(({ name }) => name).join(', ')).toBe(state);
  });
  await fc.assert(property, { numRuns: 60 });
});

test('a connection whose number begins again after a long absence is the newer one, and an old event does not end it', async () => {
  const agent = await freshAgent();
  await tellAll(agent, [connection('connected', 17, 0), said('online', 1), connection('disconnected', 17, HOUR)]);
  const again = 3 * HOUR;
  await tellAll(agent, [connection('connected', 0, again), said('online', again)]);
  expect((await shown(agent))?.state).toBe('online');
  await tellAll(agent, [connection('disconnected', 17, HOUR), connection('connected', 17, 0)]);
  expect((await shown(agent))?.state).toBe('online');
  await tellAll(agent, [connection('disconnected', 0, again + 5 * SECOND)]);
  expect((await shown(agent))?.state).toBe('offline');
});

test('an agent that was cut off is shown to be so since then, with what it said of itself', async () => {
  const agent = await freshAgent();
  await tellAll(agent, [...FIRST, FIRST_ENDS]);
  const since = new Date(START + MINUTE).toISOString();
  expect(await shown(agent)).toEqual({ id: agent, state: 'offline', since, ...DESCRIPTION, discovery: null });
});

test('an event about an agent that was removed, or never enrolled, does not make one', async () => {
  const nobody = agentId(SITE, 'nobody');
  expect(await connection('connected', 0, 0).tell(nobody)).toBe(false);
  expect(await connection('disconnected', 0, SECOND).tell(nobody)).toBe(false);
  expect(await shown(nobody)).toBeUndefined();
});

test('what a connection costs: a unit for each time something is told, and its row is small', async () => {
  const agent = await freshAgent();
  const units = (message: Message) =>
    metered(async (consumed) => {
      await message.tell(agent);
      return consumed.writeUnits;
    });
  const costs: number[] = [];
  for (const message of [...FIRST, LAST_WILL, FIRST_ENDS]) costs.push(await units(message));
  expect(costs).toEqual([1, 1, 1, 1]);
});

test('after a start of the broker nobody is present, and its events begin anew, even with a clock that was put back', async () => {
  const site = 'restarted';
  await sites.add({ id: site, name: site, createdAt: new Date().toISOString() });
  const [here, cut, quiet] = [await freshAgent(site), await freshAgent(site), await freshAgent(site)];
  const future = 1_000 * HOUR;
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
