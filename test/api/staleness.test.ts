/** Since when nobody watches a site: what is noted, whatever order its agents, its broker and its members act in. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openStores, type Stores } from '../../functions/stores.ts';
import { withRequestCost } from '../../functions/table/request-cost.ts';
import type { DiscoveryState } from '../../shared/agent/discovery.ts';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { networksOf } from '../../shared/coverage.ts';
import { agentId, type SiteId } from '../../shared/identity.ts';
import { aroundCalls } from '../support/database-calls.ts';
import { storeAgent, storeSite } from '../support/stored-site.ts';
import { memoryTable } from '../test-table.ts';

const table = memoryTable();

let sitesMade = 0;
async function makeSite(stores: Stores, agents: readonly string[]): Promise<SiteId> {
  const id = `site-${++sitesMade}`;
  await storeSite(stores, id);
  for (const name of agents) await storeAgent(stores, id, name);
  return id;
}

const open = () => openStores(table.open(), () => new Date());

async function setDiscovery({ sites }: Stores, site: SiteId, enabled: boolean): Promise<void> {
  await sites.change(site, ({ name, discovery }) => ({ name, discovery: { ...discovery, enabled } }));
  await sites.updateStaleness(site);
}

/** What an agent that is online tells of itself: each watches a network of its own. */
const details = (name: string, discovery: DiscoveryState = { state: 'on', networks: [networkOf(name)] }) => ({
  ...{ version: '1', programs: {}, capabilities: [], networks: [], load: { running: 0, queued: 0 } },
  discovery,
});
const networkOf = (name: string) => `10.0.${NAMES.indexOf(name)}.0/24`;

async function say({ sites }: Stores, site: SiteId, name: string, state: 'online' | 'offline', session: number) {
  const told = state === 'online' ? details(name) : {};
  await sites.recordPresence(agentId(site, name), { v: PROTOCOL_VERSION, t: 'presence', state, session, ...told });
  await sites.updateStaleness(site);
}

/** What is stored in the two rows that tell it; they must agree. */
async function stored({ sites, devices }: Stores, site: SiteId): Promise<string | null> {
  const { staleSince: inSite = null, coverage } = (await sites.find(site)) ?? {};
  const { staleSince, watch } = await devices.read(site);
  expect(staleSince).toBe(inSite);
  expect(networksOf(watch.coverage)).toEqual(coverage);
  return inSite;
}

const NAMES = ['attic', 'cellar', 'garage'];
type Act = { agent: number } | { discovery: boolean };
const Acts = fc.array(
  fc.oneof(fc.record({ agent: fc.nat(NAMES.length - 1) }), fc.record({ discovery: fc.boolean() })),
  { minLength: 1, maxLength: 8 },
);

test('agents that come and go while others switch discovery: in the end what is noted is true', async () => {
  await fc.assert(
    fc.asyncProperty(Acts, async (acts: Act[]) => {
      const processes = NAMES.map(open);
      const [first] = processes as [Stores, ...Stores[]];
      const site = await makeSite(first, NAMES);
      await setDiscovery(first, site, true);
      const online = NAMES.map(() => false);
      let enabled = true;
      let sessions = Date.now() - 60_000;
      // Each agent tells its own story in order; all of them, and the members, act at the same time.
      const stories = [...NAMES.map((): (() => Promise<void>)[] => []), []];
      for (const [i, act] of acts.entries()) {
        const by = processes[i % processes.length] as Stores;
        if ('agent' in act) {
          const isOnline = !online[act.agent];
          online[act.agent] = isOnline;
          const session = isOnline ? ++sessions : sessions;
          const name = NAMES[act.agent] as string;
          stories[act.agent]?.push(() => say(by, site, name, isOnline ? 'online' : 'offline', session));
        } else {
          enabled = act.discovery;
          stories.at(-1)?.push(() => setDiscovery(by, site, act.discovery));
        }
      }
      const live = async (story: readonly (() => Promise<void>)[]) => {
        for (const step of story) await step();
      };
      await Promise.all(stories.map(live));
      const since = await stored(first, site);
      expect(since !== null).toBe(enabled && !online.includes(true));
      const { watched, unwatched } = (await first.sites.find(site))?.coverage ?? {};
      expect(watched).toEqual(NAMES.filter((_, i) => enabled && online[i]).map(networkOf));
      expect(watched?.filter((network) => unwatched?.some((one) => one.network === network))).toEqual([]);
      // Nothing has changed since: it costs no write.
      const { writeUnits } = await withRequestCost(async (consumed) => {
        await first.sites.updateStaleness(site);
        return consumed;
      });
      expect(writeUnits).toBe(0);
    }),
    { numRuns: 25 },
  );
});

test('a network is watched by a connected agent whose discovery is on, and was until that ended', async () => {
  let time = Date.now();
  const stores = openStores(table.open(), () => new Date(time));
  const site = await makeSite(stores, ['attic', 'cellar']);
  await setDiscovery(stores, site, true);
  const tell = async (name: string, discovery?: DiscoveryState) => {
    const online = { v: PROTOCOL_VERSION, t: 'presence', state: 'online', session: 1 } as const;
    const presence = { ...online, ...details(name, discovery) };
    await stores.sites.recordPresence(agentId(site, name), presence);
    await stores.sites.updateStaleness(site);
    return (await stores.sites.find(site))?.coverage;
  };
  const [attic, cellar] = [networkOf('attic'), networkOf('cellar')];
  await tell('attic');
  expect(await tell('cellar')).toEqual({ watched: [attic, cellar], unwatched: [] });
  // One after the other, as an agent that is connected all the time tells it.
  for (const state of ['another-network', 'failing', 'not-allowed', 'off'] as const) {
    time += 60_000;
    const since = new Date(time).toISOString();
    const ended = { watched: [attic], unwatched: [{ network: cellar, since }] };
    expect(await tell('cellar', { state, networks: [cellar] })).toEqual(ended);
    time += 60_000;
    expect(await tell('cellar', { state, networks: [cellar] })).toEqual(ended);
    expect(await tell('cellar')).toEqual({ watched: [attic, cellar], unwatched: [] });
  }
  expect(await stored(stores, site)).toBeNull();
  time += 60_000;
  await setDiscovery(stores, site, false);
  const since = new Date(time).toISOString();
  expect((await stores.sites.find(site))?.coverage).toEqual({
    watched: [],
    unwatched: [attic, cellar].map((network) => ({ network, since })),
  });
});

test('the end of a connection without a last will counts, and a writer that was overtaken puts right what it wrote', async () => {
  const stores = open();
  const site = await makeSite(stores, ['attic']);
  await setDiscovery(stores, site, true);
  await say(stores, site, 'attic', 'online', Date.now());
  expect(await stored(stores, site)).toBeNull();
  const at = Date.now() + 1_000; // Later than all that was stored before.
  const event = { clientId: agentId(site, 'attic'), versionNumber: 1, timestamp: at };
  await stores.sites.recordConnectionEvent(event.clientId, { ...event, eventType: 'disconnected' });
  await stores.sites.updateStaleness(site);
  expect(await stored(stores, site)).toBe(new Date(at).toISOString());

  // It reads that nobody is connected; the agent comes back before it writes that.
  await stores.sites.recordConnectionEvent(event.clientId, { ...event, versionNumber: 2, eventType: 'connected' });
  await stores.sites.updateStaleness(site);
  await stores.sites.recordConnectionEvent(event.clientId, { ...event, versionNumber: 2, eventType: 'disconnected' });
  const slow = open();
  let isHeld = false;
  aroundCalls(slow.table, async ({ method }, pass) => {
    if (method === 'update' && !isHeld) {
      isHeld = true;
      await stores.sites.recordConnectionEvent(event.clientId, { ...event, versionNumber: 3, eventType: 'connected' });
      await stores.sites.updateStaleness(site);
    }
    return pass();
  });
  await slow.sites.updateStaleness(site);
  expect(isHeld).toBe(true);
  expect(await stored(stores, site)).toBeNull();
});

test('a time that a writer left in one of the two rows when it died is not taken for that of a later absence', async () => {
  let time = Date.now();
  const openAt = () => openStores(table.open(), () => new Date(time));
  const stores = openAt();
  const site = await makeSite(stores, ['attic']);
  await setDiscovery(stores, site, true);
  time += 60_000;
  const online = { v: PROTOCOL_VERSION, t: 'presence', state: 'online', session: time } as const;
  await stores.sites.recordPresence(agentId(site, 'attic'), online);
  const dying = openAt();
  let writes = 0;
  aroundCalls(dying.table, ({ method }, pass) => {
    if (method === 'update' && ++writes > 1) throw new Error('the process was stopped');
    return pass();
  });
  await expect(dying.sites.updateStaleness(site)).rejects.toThrow('stopped');
  time += 60_000;
  await say(stores, site, 'attic', 'offline', online.session);
  expect(await stored(stores, site)).toBe(new Date(time).toISOString());
});
