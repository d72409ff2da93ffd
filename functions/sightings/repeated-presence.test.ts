/** A presence message whose handling was interrupted, and which the queue delivers again. */
import { expect, test } from 'vitest';
import { type DiscoveryControl, PROTOCOL_VERSION, type Presence } from '../../shared/agent/messages.ts';
import { type AgentId, agentId, siteOfAgent } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import { openIngest } from '../../test/support/background-work.ts';
import { aroundCalls } from '../../test/support/database-calls.ts';
import { storeAgent, storeSite } from '../../test/support/stored-site.ts';
import { memoryTable } from '../../test/test-table.ts';
import { openStores } from '../stores.ts';
import { withRequestCost } from '../table/request-cost.ts';

const LOG: Log = { info() {}, warn() {}, error() {} };

const table = memoryTable();

interface Options {
  /** The process is stopped at this call: of the database, or of the broker. */
  stopAt?: number;
  now?: () => Date;
}

/** The function that handles messages, as another process of it would be. */
function open({ stopAt = Number.POSITIVE_INFINITY, now = () => new Date() }: Options = {}) {
  const stores = openStores(table.open(), now);
  const sent: DiscoveryControl[] = [];
  let calls = 0;
  const countCall = () => {
    if (++calls >= stopAt) throw new Error('the process was stopped');
  };
  aroundCalls(stores.table, (_, pass) => {
    countCall();
    return pass();
  });
  const agents = {
    confirmStored: async () => {},
    async control(_: AgentId, message: DiscoveryControl) {
      countCall();
      sent.push(message);
    },
  };
  const registry = { retire: async () => {} };
  return { ...stores, sent, callsMade: () => calls, ingest: openIngest({ ...stores, agents, registry, now }, LOG) };
}

let made = 0;
/** A site that is to be watched, with an agent that has not been heard of. */
async function watchedSite(): Promise<AgentId> {
  const stores = open();
  const id = `site-${++made}`;
  await storeSite(stores, id);
  const agent = await storeAgent(stores, id, 'attic');
  await stores.sites.change(id, ({ name, discovery }) => ({ name, discovery: { ...discovery, enabled: true } }));
  await stores.sites.updateStaleness(id);
  return agent;
}

const payload = (state: Presence['state'], session = 1, rest: Partial<Presence> = {}) =>
  Buffer.from(JSON.stringify({ v: PROTOCOL_VERSION, t: 'presence', state, session, ...rest } satisfies Presence));

const succeeds = (work: Promise<void>) => work.then(() => true).catch(() => false);

async function isStale(agent: AgentId): Promise<boolean> {
  return (await open().sites.find(siteOfAgent(agent)))?.staleSince !== null;
}

test('an online message that is interrupted at any call is completed when it is repeated: the agent gets its settings', async () => {
  let stopAt = 1;
  for (let isDone = false; !isDone; stopAt++) {
    const agent = await watchedSite();
    const first = open({ stopAt });
    isDone = await succeeds(first.ingest.presence(agent, payload('online')));
    const second = open();
    if (!isDone) await second.ingest.presence(agent, payload('online'));
    expect([stopAt, await isStale(agent)]).toEqual([stopAt, false]);
    const { revision, discovery } = (await second.sites.find(siteOfAgent(agent))) ?? {};
    // Twice when it was stopped behind that: the settings are the same.
    const sent = [...first.sent, ...second.sent];
    expect(sent.length).toBeGreaterThan(0);
    for (const one of sent) expect(one).toMatchObject({ t: 'settings', revision, discovery });
  }
  // Calls: two for the presence, four before and two after the staleness is written to two rows, site, settings.
  expect(stopAt).toBeGreaterThan(8);
});

test('a last will that is interrupted at any call is completed when it comes again: the site is stale since then', async () => {
  let stopAt = 1;
  for (let isDone = false; !isDone; stopAt++) {
    const agent = await watchedSite();
    await open().ingest.presence(agent, payload('online'));
    isDone = await succeeds(open({ stopAt }).ingest.presence(agent, payload('offline')));
    const { sent, ingest } = open();
    if (!isDone) await ingest.presence(agent, payload('offline'));
    expect([stopAt, await isStale(agent), sent]).toEqual([stopAt, true, []]);
    expect((await open().devices.totals(siteOfAgent(agent))).staleSince).not.toBeNull();
  }
  expect(stopAt).toBeGreaterThan(7);
});

test('a message that comes again after all of it was done writes nothing; an overtaken one does nothing at all', async () => {
  const agent = await watchedSite();
  await open().ingest.presence(agent, payload('online', 2));
  const { ingest, sent, callsMade } = open();
  await withRequestCost(async (consumed) => {
    await ingest.presence(agent, payload('online', 2));
    expect(consumed.writeUnits).toBe(0);
  });
  expect(sent).toHaveLength(1);
  const calls = callsMade();
  await ingest.presence(agent, payload('offline', 1));
  expect([callsMade() - calls, sent.length, await isStale(agent)]).toEqual([1, 1, false]);
});

test('an agent that has the settings of its site gets them again only if it could hand messages to rules, and does not know so', async () => {
  const agent = await watchedSite();
  const { ingest, sent, sites } = open();
  const { revision = 0 } = (await sites.find(siteOfAgent(agent))) ?? {};
  const online = (direct?: boolean) => payload('online', 1, { settings: revision, direct });
  await ingest.presence(agent, online(false));
  expect(sent).toMatchObject([{ t: 'settings', direct: true }]);
  // The second is an agent of an earlier release, or one whose policy did not let it.
  for (const direct of [true, undefined]) await ingest.presence(agent, online(direct));
  expect(sent).toHaveLength(1);
});

test('an agent whose row cannot be read does not keep others from their settings, nor the site from being stale', async () => {
  const agent = await watchedSite();
  const { ingest, sent, table: rows } = open();
  const broken = `A#${agentId(siteOfAgent(agent), 'broken')}`;
  await rows.put({ pk: `S#${siteOfAgent(agent)}`, sk: broken, presence: 'dancing', certificate: 'other' });
  await ingest.presence(agent, payload('online'));
  expect([sent.length, await isStale(agent)]).toEqual([1, false]);
  await ingest.presence(agent, payload('offline'));
  expect(await isStale(agent)).toBe(true);
  await open().sites.resetPresence();
});
