/** A release of the agent comes to the agents of a deployment: who is told when, what is said of it, and what it costs. */
import { afterEach, expect, test } from 'vitest';
import { advanceForAgent, type RollOutContext } from '../../functions/sites/agents/releases/roll-out.ts';
import { openStores } from '../../functions/stores.ts';
import { PROTOCOL_VERSION, type Presence } from '../../shared/agent/messages.ts';
import type { Plan } from '../../shared/agent/plan.ts';
import type { UpdateState } from '../../shared/agent/release.ts';
import { unpackPlan } from '../../shared/agent/wire.ts';
import { admin } from '../../shared/api/admin.ts';
import type { ListedAgent } from '../../shared/api/records.ts';
import { updates } from '../../shared/api/updates.ts';
import { agentId } from '../../shared/identity.ts';
import { isStopped } from '../hooks/processes.ts';
import { advanceRollOut } from '../support/background-work.ts';
import { aroundCalls } from '../support/database-calls.ts';
import { type StandIn, standInAt } from '../support/enrolled-agent.ts';
import { storeAgent, storeSite } from '../support/stored-site.ts';
import { testApi } from '../support/test-api.ts';
import { waitFor } from '../support/wait-for.ts';
import { memoryTable } from '../test-table.ts';

const OLD = '0.3.0';
/** What is handed out. A test begins with one of its own. */
let version = OLD;
const releases = {
  current: async () => ({ version, protocol: PROTOCOL_VERSION, node: '20.19.0', files: [] }),
  open: async () => null,
};

const system = testApi({ releases, updateSettlesMs: 0 });
const started: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of started.splice(0)) await one[Symbol.asyncDispose]();
});

interface Updating extends AsyncDisposable {
  standIn: StandIn;
  /** What its plans have said of updates, one after the other. */
  planned(): (string | null)[];
  /** It has become the release, or it has failed. */
  ends(state: 'done' | 'failed', reason?: string): Promise<void>;
}

async function startUpdating(site: string, name: string, update: UpdateState = { able: true, last: null }) {
  let says = { version: OLD, update };
  const standIn = await standInAt(system, site, name, undefined, (plans) => {
    return { ...says, plan: plans.findLast((message) => message.t === 'plan')?.revision };
  });
  const planned = () =>
    standIn.plans.flatMap((message) =>
      message.t === 'plan' ? [unpackPlan(message.plan).update?.version ?? null] : [],
    );
  const updating: Updating = {
    standIn,
    planned,
    async ends(state, reason) {
      const last = { version, state, reason: reason ?? null, at: Date.now() };
      says = { version: state === 'done' ? version : says.version, update: { able: true, last } };
      await standIn.announce();
    },
    async [Symbol.asyncDispose]() {
      await standIn[Symbol.asyncDispose]();
    },
  };
  started.push(updating);
  return updating;
}

async function autoSite(window: Plan['schedules'] | object | null = null): Promise<string> {
  const site = await system.addSite();
  const { status } = await system.request('PATCH', `/sites/${site}`, { body: { updates: { mode: 'auto', window } } });
  expect(status).toBe(200);
  return site;
}

async function listed(site: string): Promise<Map<string, ListedAgent>> {
  const { json } = await system.request('GET', `/sites/${site}/agents`);
  return new Map(admin.listAgents.response.parse(json).agents.map((agent) => [agent.id, agent]));
}

async function rollOut() {
  const { json } = await system.request('GET', '/updates');
  return updates.getUpdates.response.parse(json).rollOut ?? expect.fail('no roll-out');
}

/** Those that are told to become the release and have not, when it is so many. */
async function told(all: readonly Updating[], count: number): Promise<Updating[]> {
  const of = () => all.filter(({ planned }) => planned().at(-1) === version);
  return waitFor(`${count} agents that are to update`, () => of().length === count && of());
}

test('over three rings to twelve agents of three sites, and to none of a fourth that is only to be told', async () => {
  const sites = [await autoSite(), await autoSite(), await autoSite()];
  const other = await system.addSite();
  const all: Updating[] = [];
  for (let i = 0; i < 12; i++) all.push(await startUpdating(sites[i % 3]!, `a${i}`));
  // The last one: when it is there, what the others have said first is done.
  const onlyTold = await startUpdating(other, 'main');
  version = '0.4.0';
  await all[3]!.standIn.announce(); // The same as before, and so nothing is sent.
  await advanceRollOut(system.context, (agent, message) => system.context.registry.publish(agent, message));

  const [canary, ...none] = await told(all, 1);
  expect(none).toEqual([]);
  const early = await listed(canary!.standIn.id.split(':')[0]!);
  expect(early.get(canary!.standIn.id)).toMatchObject({ ring: 1, updateAvailable: '0.4.0', version: OLD });
  await canary!.ends('done');
  const second = await told(all, 2);
  expect(await rollOut()).toMatchObject({ version: '0.4.0', state: 'going', ring: 2, underWay: 2, failures: [] });
  await second[0]!.ends('done');
  await expect.poll(async () => (await rollOut()).underWay).toBe(1);
  await second[1]!.ends('done');
  const third = await told(all, 9);
  expect(await rollOut()).toMatchObject({ ring: 3, underWay: 9 });
  for (const one of third) await one.ends('done');
  await expect.poll(async () => (await rollOut()).underWay).toBe(0);

  // One message to begin, and one when it has come to its end.
  for (const { planned } of all) await expect.poll(planned).toEqual(['0.4.0', null]);
  expect(onlyTold.planned()).toEqual([]);
  const rings: number[] = [];
  for (const site of sites) {
    for (const agent of (await listed(site)).values()) {
      expect(agent).toMatchObject({ version: '0.4.0', updateAvailable: null });
      expect(agent.update).toMatchObject({ able: true, last: { version: '0.4.0', state: 'done', reason: null } });
      rings.push(agent.ring ?? 0);
    }
  }
  expect(rings.sort()).toEqual([1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3]);
  expect((await listed(other)).get(agentId(other, 'main'))).toMatchObject({ updateAvailable: '0.4.0', ring: null });
  const { text } = await system.request('GET', '/overview?limit=500');
  expect(text.match(/"updateAvailable":"0.4.0"/g)).toHaveLength(1);
  const metrics = (await system.request('GET', '/metrics')).text;
  expect(metrics).toContain(`lanreach_agents_by_version{site="${sites[0]}",version="0.4.0"} 4`);
  expect(metrics).toContain(`lanreach_agents_by_version{site="${other}",version="0.3.0"} 1`);

  // Whoever comes later finds the last ring open.
  const late = await startUpdating(sites[0]!, 'late');
  await expect.poll(late.planned).toEqual(['0.4.0']);
  await late.ends('done');
  await expect.poll(late.planned).toEqual(['0.4.0', null]);
  for (const site of sites) await system.request('PATCH', `/sites/${site}`, { body: { updates: { mode: 'off' } } });
});

test('a release that fails stops with its first agent; it is told with the reason, and an administrator decides', async () => {
  const site = await autoSite();
  version = OLD;
  const all: Updating[] = [];
  for (const name of ['attic', 'barn', 'cellar']) all.push(await startUpdating(site, name));
  await startUpdating(await system.addSite(), 'last'); // When it is there, what the others have said first is done.
  version = '0.5.0';
  await advanceRollOut(system.context, (agent, message) => system.context.registry.publish(agent, message));
  const [first] = await told(all, 1);
  const reason = 'it ended with code 1 after 3 s, and 0.3.0 was put back';
  await first!.ends('failed', reason);
  await expect.poll(async () => (await rollOut()).state).toBe('stopped');
  const { id } = first!.standIn;
  expect(await rollOut()).toMatchObject({ version: '0.5.0', ring: 1, failures: [{ agent: id, reason }] });
  await expect.poll(first!.planned).toEqual(['0.5.0', null]);

  const { json } = await system.request('GET', '/events?type=agent-update-failed', { site });
  const event = { type: 'agent-update-failed', device: null, cause: 'observation', subject: { kind: 'agent', id } };
  expect(json).toMatchObject({ events: [{ ...event, detail: { version: '0.5.0', reason } }] });
  // Nobody else is told, whatever they say and however often it is looked at.
  for (const { standIn } of all) await standIn.announce();
  for (let i = 0; i < 3; i++) await advanceRollOut(system.context, async () => expect.fail('nobody is told'));
  expect((await listed(site)).get(id)).toMatchObject({
    ...{ updateAvailable: '0.5.0', ring: 1 },
    update: { able: true, last: { version: '0.5.0', state: 'failed', reason } },
  });

  const change = (state: string, more: object = {}) =>
    system.request('PATCH', '/updates', { body: { version: '0.5.0', state, ...more } });
  expect((await change('going', { version: '0.4.9' })).status).toBe(409);
  const scoped = { token: await system.createToken({ sites: [site] }), body: { version: '0.5.0', state: 'going' } };
  const refusal = { status: 403, json: { code: 'site_forbidden' } };
  expect(await system.request('PATCH', '/updates', scoped)).toMatchObject(refusal);
  const home = await system.createToken({ scopes: ['devices:read'] });
  const elsewhere = updates.getUpdates.response.parse((await system.request('GET', '/updates', { token: home })).json);
  expect(elsewhere.rollOut).toMatchObject({ state: 'stopped', failures: [] });

  expect((await change('going')).json).toMatchObject({ rollOut: { state: 'going', ring: 1 } });
  await advanceRollOut(system.context, (agent, message) => system.context.registry.publish(agent, message));
  const [next] = await told(all, 1);
  expect(next!.standIn.id).not.toBe(id);
  expect((await change('given-up')).json).toMatchObject({ rollOut: { state: 'given-up', underWay: 0 } });
  await expect.poll(next!.planned).toEqual(['0.5.0', null]);
  expect((await system.request('GET', '/audit?limit=2')).text).toContain('"state":"given-up"');
  await system.request('PATCH', `/sites/${site}`, { body: { updates: { mode: 'off' } } });
});

test('the setting: what is left out stays', async () => {
  const site = await system.addSite();
  const set = async (body: object) => {
    const { status, json } = await system.request('PATCH', `/sites/${site}`, { body: { updates: body } });
    return [status, (json as { updates?: object }).updates];
  };
  expect((await system.request('GET', `/sites/${site}`)).json).toMatchObject({
    updates: { mode: 'notify', window: null },
  });
  const window = { from: '22:00', to: '06:00' };
  expect(await set({ mode: 'auto', window })).toEqual([200, { mode: 'auto', window }]);
  expect(await set({ mode: 'off' })).toEqual([200, { mode: 'off', window }]);
  expect(await set({ window: null })).toEqual([200, { mode: 'off', window: null }]);
});

async function storeAutoSite(stores: ReturnType<typeof openStores>, site: string, at: number) {
  await storeSite(stores, site, new Date(at));
  await stores.sites.change(site, () => ({ updates: { mode: 'auto', window: null } }));
}

/** In which this version is handed out. */
const contextOf = (stores: ReturnType<typeof openStores>, at: number, handedOut: string): RollOutContext => ({
  ...stores,
  releases: { current: async () => ({ ...(await releases.current()), version: handedOut }) },
  now: () => new Date(at),
});

test('what does not change costs nothing: an agent that has the release, and with it half a read unit for one that waits', async () => {
  const at = Date.now();
  const stores = openStores(memoryTable().open(), () => new Date(at));
  let calls: string[] = [];
  aroundCalls(stores.table, ({ method }, pass) => {
    calls.push(method);
    return pass();
  });
  await storeAutoSite(stores, 'home', at);
  const site = (await stores.sites.find('home'))!;
  const context = contextOf(stores, at, '0.6.0');
  const plans: string[] = [];
  const look = async (name: string, update: UpdateState | undefined, runs: string) => {
    const told = { v: PROTOCOL_VERSION, t: 'presence', state: 'online', session: at, version: runs } as const;
    const presence = { ...told, ...(update && { update }) };
    await stores.sites.recordPresence(`home:${name}`, presence);
    calls = [];
    await advanceForAgent(context, `home:${name}`, presence, site, async (id) => void plans.push(id));
    return calls;
  };
  for (const name of ['attic', 'cellar']) await storeAgent(stores, 'home', name, new Date(at));
  const able = { able: true, last: null };
  const last = { version: '0.6.0', state: 'done', reason: null, at: at - 48 * 3_600_000 } as const;
  expect(await look('attic', undefined, '0.5.0')).toEqual([]);
  expect(await look('attic', { able: false, last: null }, '0.5.0')).toEqual([]);
  expect(await look('attic', able, '0.6.0')).toEqual([]);
  expect(await look('attic', { able: true, last }, '0.6.0')).toEqual([]);
  await look('attic', able, '0.5.0');
  expect(plans).toEqual(['home:attic']);
  expect(await look('cellar', able, '0.5.0')).toEqual(['get']);
  expect(plans).toHaveLength(1);
});

const onlineSince = (session: number): Presence => ({
  ...{ v: PROTOCOL_VERSION, t: 'presence', state: 'online', session, version: OLD },
  update: { able: true, last: null },
});

test('an agent whose plan was not sent, because the process has ended, is sent it by the upkeep', async () => {
  const at = Date.now();
  const stores = openStores(memoryTable().open(), () => new Date(at));
  await storeAutoSite(stores, 'home', at);
  await storeAgent(stores, 'home', 'attic', new Date(at));
  const presence = onlineSince(at);
  await stores.sites.recordPresence('home:attic', presence);
  let stopAt = 1;
  for (let isDone = false; !isDone; stopAt++) {
    const fresh = openStores(stores.table, () => new Date(at));
    const context = contextOf(fresh, at, `0.7.${stopAt}`);
    let calls = 0;
    const plans: string[] = [];
    const tell = async (id: string) => void plans.push(id);
    const stop = stopAt;
    const find = async (id: string) => {
      if (++calls >= stop) throw new Error('stopped');
      return context.sites.find(id);
    };
    const stopped = { ...context, sites: { ...context.sites, find } };
    isDone = !(await isStopped(advanceRollOut(stopped, tell)));
    await advanceRollOut(context, tell);
    expect(plans.at(-1)).toBe('home:attic');
    const { rollOut } = await stores.rollOuts.read();
    expect(rollOut).toMatchObject({ version: `0.7.${stopAt}`, underWay: { 'home:attic': at } });
  }
  expect(stopAt).toBeGreaterThan(2);
});

test('a site for which no plans can be made holds up no other', async () => {
  const at = Date.now();
  const stores = openStores(memoryTable().open(), () => new Date(at));
  const presence = onlineSince(at);
  const underWay: Record<string, number> = {};
  for (const site of ['barn', 'cabin']) {
    await storeAutoSite(stores, site, at);
    const agent = await storeAgent(stores, site, 'main', new Date(at));
    await stores.sites.recordPresence(agent, presence);
    underWay[agent] = at;
  }
  const { write } = await stores.rollOuts.read();
  const third = { version: '0.9.0', state: 'going', ring: 3, since: at, size: 0, well: 0 } as const;
  expect(await write({ ...third, early: {}, failures: [], underWay })).toBe(true);
  const find: typeof stores.sites.find = (id) =>
    id === 'barn' ? Promise.reject(new Error('unreadable')) : stores.sites.find(id);
  const context = { ...contextOf(stores, at, '0.9.0'), sites: { ...stores.sites, find } };
  const plans: string[] = [];
  await expect(advanceRollOut(context, async (id) => void plans.push(id))).rejects.toThrow('unreadable');
  expect(plans).toEqual(['cabin:main']);
});
