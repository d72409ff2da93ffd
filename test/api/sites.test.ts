import { afterEach, expect, test, vi } from 'vitest';
import { groups } from '../../functions/groups/list.ts';
import type { Point } from '../../shared/agent/measurements.ts';
import { packMeasurements, packResult } from '../../shared/agent/wire.ts';
import { admin } from '../../shared/api/admin.ts';
import type { Operation, Operations } from '../../shared/api/operation.ts';
import { DISCOVERY_OFF } from '../../shared/api/records.ts';
import { interfaces } from '../../shared/tools/interfaces.ts';
import { openIngest, upkeep } from '../support/background-work.ts';
import {
  becomes,
  clientOf,
  enrolAgent,
  resultFor,
  type StandIn,
  standInAt,
  startStandIn,
} from '../support/enrolled-agent.ts';
import { SILENT, sightingsMessage } from '../support/ingest-messages.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();
afterEach(() => void vi.useRealTimers());

const CSV = 'devName,devMAC,devStatus\na,1E:08:00:00:00:01,online\nb,1E:08:00:00:00:02,offline\n';
/** What the agent of a test is told to watch: nothing that it could reach. */
const NETWORKS = ['127.0.7.0/24'];

const patch = (site: string, body: object, more: object = {}) =>
  system.request('PATCH', `/sites/${site}`, { body, ...more });

async function settingsOf(site: string) {
  const { status, text, json } = await system.request('GET', `/sites/${site}`);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return admin.getSite.response.parse(json);
}

async function auditOf(site: string, action: string) {
  const { json } = await system.request('GET', '/audit?limit=500', { site });
  return admin.listAudit.response.parse(json).entries.filter((entry) => entry.action === action);
}

test('discovery is off in a new site; a change of one member leaves the others, and stands in the audit', async () => {
  const site = await system.addSite();
  const made = await settingsOf(site);
  expect(made).toMatchObject({ id: site, name: site, discovery: DISCOVERY_OFF, staleSince: null });

  const on = { enabled: true, networks: ['127.0.7.0/24'] };
  expect(await patch(site, { discovery: { enabled: true, networks: ['127.0.7.9/24'] } })).toMatchObject({
    status: 200,
    json: { name: site, discovery: { ...on, intervalSeconds: 60 } },
  });
  await patch(site, { discovery: { intervalSeconds: 300 } });
  await patch(site, { name: 'Attic' });
  const now = await settingsOf(site);
  expect(now).toMatchObject({ name: 'Attic', discovery: { ...on, intervalSeconds: 300 } });
  expect(now.revision).toBeGreaterThan(made.revision);
  expect(await auditOf(site, 'site.change')).toMatchObject([
    { detail: { name: 'Attic' } },
    { detail: { intervalSeconds: 300 } },
    { detail: { discovery: true, networks: '127.0.7.0/24' } },
  ]);

  // The same again is no change.
  await patch(site, { name: 'Attic', discovery: { enabled: true } });
  expect((await settingsOf(site)).revision).toBe(now.revision);
  expect(await auditOf(site, 'site.change')).toHaveLength(3);
});

test('changes of different members at the same time all hold, and each moves the revision on', async () => {
  const site = await system.addSite();
  const { revision } = await settingsOf(site);
  const bodies = [{ name: 'Attic' }, { discovery: { intervalSeconds: 90 } }, { discovery: { networks: NETWORKS } }];
  const answers = await Promise.all(bodies.map((body) => patch(site, body)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const now = await settingsOf(site);
  expect(now).toMatchObject({ name: 'Attic', discovery: { networks: NETWORKS, intervalSeconds: 90 } });
  expect(now.revision).toBeGreaterThanOrEqual(revision + 3);
});

/** What the answers about a site say of its staleness, each of which must say the same. */
async function staleSince(site: string): Promise<string | null> {
  const listed = admin.listSites.response.parse((await system.request('GET', '/sites')).json).sites;
  const headers: (string | null)[] = [];
  for (const path of ['/devices', '/devices?limit=1', '/devices/totals', '/devices/by-status?status=online']) {
    headers.push((await system.request('GET', path, { site })).headers.get('lanreach-stale-since'));
  }
  const { staleSince: shown } = await settingsOf(site);
  expect(headers).toEqual(headers.map(() => shown ?? 'none'));
  expect(listed.find(({ id }) => id === site)?.staleSince).toBe(shown);
  return shown;
}

test('a site is stale from when its last agent goes until one comes, and while discovery is on; agents get the settings', async () => {
  const site = await system.addSite(CSV);
  await using attic = await enrolAgent(system, site, 'attic');
  await using cellar = await enrolAgent(system, site, 'cellar');
  const totals = async () => (await system.measured('GET', '/devices/totals', { site })).consumed;
  await totals(); // What is made for the first answer is kept.
  const cost = await totals();
  const before = Date.now();
  await patch(site, { discovery: { enabled: true, networks: NETWORKS } });
  expect(Date.parse((await staleSince(site)) ?? '')).toBeGreaterThanOrEqual(before);
  expect(await totals()).toEqual(cost); // What answers say of it costs no read.

  const [first, second] = [await startStandIn(system, attic), await startStandIn(system, cellar)];
  const { revision, discovery } = await settingsOf(site);
  await expect.poll(() => first.discovery.at(-1)).toMatchObject({ t: 'settings', revision, discovery });
  await expect.poll(() => staleSince(site)).toBeNull();
  await first[Symbol.asyncDispose]();
  await becomes(system, attic.id, 'offline');
  expect(await staleSince(site)).toBeNull();
  const leftAt = Date.now();
  await second[Symbol.asyncDispose]();
  await expect.poll(() => staleSince(site)).not.toBeNull();
  const since = (await staleSince(site)) ?? '';
  expect(Date.parse(since)).toBeGreaterThanOrEqual(leftAt);
  // A change of something else is no news of the agents.
  await patch(site, { name: 'Attic' });
  expect(await staleSince(site)).toBe(since);
  const online = await system.request('GET', '/devices/by-status?status=online', { site });
  expect(online.json).toMatchObject([{ title: 'a' }]);

  const { headers } = await system.request('GET', '/devices', { site });
  await patch(site, { discovery: { enabled: false } });
  expect(await staleSince(site)).toBeNull();
  // A client that has the devices already learns it as well.
  const known = { site, headers: { 'if-none-match': headers.get('etag') ?? '' } };
  const { status, headers: again } = await system.request('GET', '/devices', known);
  expect([status, again.get('lanreach-stale-since')]).toEqual([304, 'none']);
  await patch(site, { discovery: { enabled: true } });
  expect(await staleSince(site)).not.toBeNull();
  await using third = await startStandIn(system, attic);
  await expect.poll(() => staleSince(site)).toBeNull();
  await expect.poll(() => third.discovery.at(-1)).toMatchObject({ discovery: { enabled: true } });
});

type Seen = Record<'devName' | 'devMac' | 'devLastConnection', string> & {
  watch: { state: string; since: string | null };
};

test('an online device was seen last in this minute while an agent watches, everywhere the same; then, until the agent went', async () => {
  const header = 'devName,devMAC,devIP,devStatus';
  const [near, gone] = ['near,1E:08:00:00:00:01,127.0.7.9,online', 'gone,1E:08:00:00:00:03,127.0.7.8,offline'];
  const site = await system.addSite([header, near, gone].join('\n'));
  await using attic = await enrolAgent(system, site, 'attic');
  await patch(site, { discovery: { enabled: true, networks: NETWORKS } });
  const ask = async (path: string) => (await system.request('GET', path, { site })).json;
  /** It is the first in each answer. */
  const first = async (path: string) => {
    const json = (await ask(path)) as Seen & { devices?: Seen[]; data?: Seen[] };
    return (json.devices ?? json.data ?? [json])[0];
  };
  const listed = () => first('/devices?fields=all');
  const everywhere = async () => {
    const paths = ['?fields=all', '?fields=all&limit=10', '?fields=all&text=near', '/1E:08:00:00:00:01'];
    const files = ['/export/json?columns=all', '/export/json?columns=netalertx'];
    const { text } = await system.request('GET', '/devices/export?columns=all', { site });
    const [names = [], cells = []] = text.split('\r\n').map((line) => line.split(','));
    const records = await Promise.all([...paths, ...files].map((path) => first(`/devices${path}`)));
    return [...records.map((record) => record?.devLastConnection), cells[names.indexOf('devLastConnection')]];
  };
  const agent = await startStandIn(system, attic, undefined, { state: 'on', networks: NETWORKS });
  await expect.poll(async () => (await listed())?.watch.state).toBe('watched');
  const textOf = (at: number) => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 90_000 });
  const minute = textOf(Math.floor(Date.now() / 60_000) * 60_000);
  expect(await everywhere()).toEqual(Array(7).fill(minute));
  expect(await ask('/devices/1E:08:00:00:00:03')).toMatchObject({ devLastConnection: '', lastSeenAt: null });
  vi.useRealTimers();

  await agent[Symbol.asyncDispose]();
  await expect.poll(async () => (await listed())?.watch.state).toBe('unwatched');
  const since = Date.parse((await listed())?.watch.since ?? '');
  expect(await everywhere()).toEqual(Array(7).fill(textOf(since)));
});

test('only what an agent watches is online, offline or down, with the same number everywhere; the rest is unknown, with since when', async () => {
  const site = await system.addSite(
    'devName,devMAC,devIP,devStatus\n' +
      'near,1E:08:00:00:00:01,127.0.7.9,online\n' +
      'behind the router,1E:08:00:00:00:02,127.0.9.9,online\n' +
      'gone,1E:08:00:00:00:03,127.0.7.8,offline\n',
  );
  await using attic = await enrolAgent(system, site, 'attic');
  await patch(site, { discovery: { enabled: true, networks: NETWORKS } });
  const list = async (query = '') => {
    const { json, headers } = await system.request('GET', `/devices?fields=all${query}`, { site });
    const { devices, total } = json as { total?: number; devices: Seen[] };
    const watches = devices.map(({ devName, watch }) => [devName, watch.state, watch.since]);
    return { etag: headers.get('etag'), total, watches };
  };
  const lastSeenAt = async (mac: string) =>
    ((await system.request('GET', `/devices/${mac}`, { site })).json as { lastSeenAt: string | null }).lastSeenAt;
  const unknown = async () => {
    const { json } = await system.request('GET', '/overview?limit=500');
    const shown = (json as { sites: { id: string }[] }).sites.find(({ id }) => id === site);
    const { json: facets } = await system.request('GET', '/devices/facets', { site });
    const { online, offline, down, unknown } = facets as Record<string, number>;
    // The same number everywhere: in the overview, in the facets, and in the list with all fields.
    expect(shown).toMatchObject({ unknown, devices: { my: 3, online, offline, down } });
    for (const [category, count] of Object.entries({ online, connected: online, offline, down })) {
      expect([category, (await list(`&status=${category}`)).watches.length]).toEqual([category, count]);
      expect([category, (await list(`&status=${category}&limit=1`)).total]).toEqual([category, count]);
    }
    // What the contract has counts every status.
    expect((await system.request('GET', '/devices/totals', { site })).json).toEqual([3, 2, 0, 0, 0, 0]);
    expect((await list('&status=online&watch=unknown')).watches.length).toBe(2 - (online ?? 0));
    return unknown;
  };
  const never = await list();
  expect(never.watches.map(([, state]) => state)).toEqual(['never-watched', 'never-watched', 'never-watched']);
  expect(await unknown()).toBe(3);
  expect(await lastSeenAt('1E:08:00:00:00:01')).toBeNull();

  const agent = await startStandIn(system, attic, undefined, { state: 'on', networks: NETWORKS });
  await expect.poll(async () => (await list()).watches[0]?.[1]).toBe('watched');
  const watched = await list();
  expect(watched.etag).not.toBe(never.etag);
  expect(watched.watches.map(([, state]) => state)).toEqual(['watched', 'never-watched', 'watched']);
  expect(await unknown()).toBe(1);
  expect((await list('&watch=unknown')).watches).toEqual([['behind the router', 'never-watched', null]]);
  const requestedAt = Date.now();
  expect(Date.parse((await lastSeenAt('1E:08:00:00:00:01')) ?? '')).toBeGreaterThanOrEqual(requestedAt);
  expect(await lastSeenAt('1E:08:00:00:00:03')).toBeNull();
  expect((await list('&sort=-lastConnection')).watches[0]?.[0]).toBe('near');
  // What was read while an agent watched is still what an edit is about when it has gone.
  const { headers } = await system.request('GET', '/devices/1E:08:00:00:00:01', { site });

  await agent[Symbol.asyncDispose]();
  await expect.poll(async () => (await list()).watches[0]?.[1]).toBe('unwatched');
  const since = (await settingsOf(site)).staleSince;
  expect((await settingsOf(site)).coverage).toEqual({ watched: [], unwatched: [{ network: NETWORKS[0], since }] });
  expect((await list()).watches.map(([, state, at]) => [state, at])).toEqual([
    ['unwatched', since],
    ['never-watched', null],
    ['unwatched', since],
  ]);
  expect(await unknown()).toBe(3);
  const tag = headers.get('etag') ?? '';
  const edit = { site, body: { devOwner: 'me' }, headers: { 'if-match': tag } };
  expect((await system.request('PATCH', '/devices/1E:08:00:00:00:01', edit)).status).toBe(200);
  expect((await system.request('PATCH', '/devices/1E:08:00:00:00:01', edit)).status).toBe(412);
  // The contract is as it was: the status is the last one known, and the totals count it.
  const { devices } = (await system.request('GET', '/devices', { site })).json as { devices: { devStatus: string }[] };
  expect(devices.map(({ devStatus }) => devStatus)).toEqual(['online', 'online', 'offline']);

  // Networks whose devices a source of an agent sees are monitored, also where its scans fail.
  const bySources = ['127.0.9.0/24'];
  await using _ = await startStandIn(system, attic, undefined, { state: 'failing', networks: NETWORKS, bySources });
  await expect.poll(async () => (await list()).watches.map(([, state]) => state)).toContain('watched');
  expect((await settingsOf(site)).coverage.watched).toEqual(bySources);
  expect((await list('&watch=unknown')).watches.map(([name]) => name)).toEqual(['near', 'gone']);
});

/** The id of a command that its agent has taken and does not end. */
async function runningJob(site: string, agent: StandIn): Promise<string> {
  const started = system.request('GET', '/nettools/interfaces', { site, headers: { prefer: 'respond-async' } });
  const request = await agent.take();
  expect((await started).status).toBe(202);
  return request.id;
}

async function remove(site: string, name = site) {
  return system.request('DELETE', `/sites/${site}?${new URLSearchParams({ confirm: name })}`);
}

const WEEK_MS = 7 * 86_400_000;
/** Agents of deleted sites are cut off, and hear nothing. */
const restore = (site: string) => system.request('POST', `/sites/${site}/restore`);

async function deleted(): Promise<unknown[]> {
  return admin.listSites.response.parse((await system.request('GET', '/sites?deleted=true')).json).sites;
}

test('a site is deleted when its name confirms that, and comes back as it was', async () => {
  const site = await system.addSite(CSV);
  await patch(site, { name: 'Cabin by the lake', discovery: { enabled: true, networks: NETWORKS } });
  const only = await system.createToken({ scopes: ['devices:read'], sites: [site] });
  await using agent = await standInAt(system, site, 'attic');
  const job = await runningJob(site, agent);
  const settings = await settingsOf(site);
  const devices = (await system.request('GET', '/devices', { site })).text;

  for (const wrong of ['', `?confirm=${site}`, '?confirm=cabin+by+the+lake']) {
    const message = expect.stringMatching(/query\.confirm/);
    expect(await system.request('DELETE', `/sites/${site}${wrong}`)).toMatchObject({ status: 400, json: { message } });
  }
  expect((await restore(site)).json).toMatchObject({ code: 'conflict', message: `The site "${site}" is not deleted` });

  const removed = await remove(site, 'Cabin by the lake');
  expect([removed.status, removed.json]).toMatchObject([200, { success: true }]);
  const { deletedAt, deletedBy, restorableUntil } = admin.removeSite.response.parse(removed.json);
  expect(Date.parse(restorableUntil) - Date.parse(deletedAt)).toBe(WEEK_MS);
  expect(await refusals(site, job)).toEqual([]);
  expect((await remove(site, 'Cabin by the lake')).status).toBe(403);
  const refused = await system.request('GET', '/devices/totals', { token: only });
  expect(refused.json).toMatchObject({ code: 'site_forbidden' });
  const deletion = { deletedAt, deletedBy, restorableUntil };
  expect(await deleted()).toMatchObject([{ id: site, name: 'Cabin by the lake', deletion }]);
  const again = await system.request('POST', '/sites', { body: { id: site } });
  const message = expect.stringContaining(`its id is free after ${restorableUntil}. To bring it back: lanreach site`);
  expect(again).toMatchObject({ status: 409, json: { message } });

  // Its agent is out, and stays out.
  expect(system.broker.isConnected(agent.client)).toBe(false);
  const certificates = await system.context.certificates.find(agent.id);
  expect(await system.context.registry.isActive(certificates?.certificateId ?? '')).toBe(false);

  const back = await restore(site);
  expect([back.status, back.json]).toMatchObject([200, { id: site, name: 'Cabin by the lake' }]);
  expect(await system.context.registry.isActive(certificates?.certificateId ?? '')).toBe(true);
  const { revision, staleSince: _, ...same } = await settingsOf(site);
  expect(same).toEqual({ ...settings, revision: undefined, staleSince: undefined });
  expect(revision).toBeGreaterThan(settings.revision);
  expect((await system.request('GET', '/devices', { site })).text).toBe(devices);
  expect((await system.request('GET', `/jobs/${job}`)).status).toBe(200);
  expect((await system.request('GET', '/devices/totals', { token: only })).status).toBe(200);
  expect(await deleted()).toEqual([]);
  expect((await restore(site)).status).toBe(409);
  for (const action of ['site.remove', 'site.restore'])
    expect(await auditOf('home', action)).toMatchObject([{ site: null, detail: { site, name: 'Cabin by the lake' } }]);
});

test('who may not use all sites, or is no administrator, neither deletes nor restores, nor sees what is deleted', async () => {
  const site = await system.addSite();
  const keeper = await system.createToken({ sites: [site] });
  const reader = await system.createToken({ scopes: ['devices:read'] });
  expect((await patch('home', { name: 'x' }, { token: keeper })).json).toMatchObject({ code: 'site_forbidden' });
  await remove(site);
  for (const token of [keeper, reader]) {
    for (const [method, path] of [
      ['GET', '/sites?deleted=true'],
      ['POST', `/sites/${site}/restore`],
      ['DELETE', `/sites/${site}?confirm=${site}`],
    ] as const)
      expect((await system.request(method, path, { token })).status).toBe(403);
  }
  expect((await system.request('POST', '/sites/nowhere/restore')).json).toMatchObject({ code: 'site_forbidden' });
  expect(await deleted()).toMatchObject([{ id: site }]);
  await restore(site);
});

test('after seven days a deleted site is removed, and one of the same id has nothing of it', async () => {
  const site = await system.addSite(CSV);
  const only = await system.createToken({ scopes: ['devices:read'], sites: [site] });
  const both = await system.createToken({ scopes: ['devices:read'], sites: [site, 'home'] });
  await using agent = await standInAt(system, site, 'attic');
  const job = await runningJob(site, agent);
  const devices = await system.request('GET', '/devices', { site });
  await remove(site);

  // By a clock that is held: nothing happens until the last moment.
  vi.useFakeTimers({ toFake: ['Date'] });
  const { deletion } = (await system.context.deletions.find(site)) ?? expect.fail('no site');
  vi.setSystemTime((deletion?.at ?? 0) + WEEK_MS - 1);
  await upkeep(system.context, SILENT, () => false, {});
  expect(await deleted()).toHaveLength(1);
  vi.setSystemTime((deletion?.at ?? 0) + WEEK_MS);
  const late = await restore(site);
  expect([late.status, late.json]).toMatchObject([409, { message: expect.stringContaining('removed for good') }]);
  const early = await system.request('POST', '/sites', { body: { id: site } });
  expect(early).toMatchObject({ status: 409, json: { message: expect.stringContaining('try again in an hour') } });
  await upkeep(system.context, SILENT, () => false, {});
  vi.useRealTimers();
  expect(await refusals(site, job)).toEqual([]);
  expect(await deleted()).toEqual([]);
  expect((await restore(site)).status).toBe(403);
  // Tokens that were for this site only are gone; others have lost it.
  expect((await system.request('GET', '/devices/totals', { token: only })).json).toMatchObject({ code: 'forbidden' });
  expect((await system.request('GET', '/sites', { token: both })).json).toMatchObject({ sites: [{ id: 'home' }] });
  expect((await system.request('POST', '/sites', { body: { id: site } })).status).toBe(201);
  expect(await settingsOf(site)).toMatchObject({ name: site, discovery: DISCOVERY_OFF });
  for (const path of ['devices', 'jobs', 'hooks', 'checks', 'schedules'])
    expect((await system.request('GET', `/${path}`, { site })).json).toMatchObject({ [path]: [] });
  expect((await system.request('GET', `/sites/${site}/agents`)).json).toMatchObject({ agents: [] });
  expect(await auditOf(site, 'devices.import')).toEqual([]);
  expect((await system.request('GET', '/devices', { site, token: both })).status).toBe(403);
  await system.importCsv('devName,devMAC\nc,1E:08:00:00:00:02\n', site);
  const { json, headers } = await system.request('GET', '/devices', { site });
  expect(json).toMatchObject({ devices: [{ devName: 'c', devMAC: '1E:08:00:00:00:02' }] });
  expect(headers.get('etag')).not.toBe(devices.headers.get('etag'));
});

test('of every operation, what it answers about a deleted site is what it answers about one that never was', async () => {
  const site = await system.addSite(CSV);
  await remove(site);
  const operations = Object.values(groups)
    .flatMap((group) => Object.values(group.routes))
    .flatMap((routes) => Object.entries(routes.operations as Operations))
    // These two are how a site comes to be there.
    .filter(([name]) => name !== 'restoreSite' && name !== 'applySite')
    .filter(([, { perSite, path }]) => perSite || path.includes('{site}'));
  expect(operations.length).toBeGreaterThan(60);
  const ask = async (id: string, { method, path, example, perSite }: Operation) => {
    const params: Record<string, string> = { ...example.params, site: id };
    const query = new URLSearchParams({ ...example.query, ...(perSite ? { site: id } : {}) });
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => params[name] ?? '');
    const { status, text } = await system.request(method, `${filled}?${query}`, { body: example.body });
    return `${status} ${text.replaceAll(id, 'SITE').replaceAll(/[0-9a-f-]{36}/g, 'ID')}`;
  };
  const wrong: string[][] = [];
  for (const [name, operation] of operations) {
    const [ofDeleted, ofNone] = [await ask(site, operation), await ask(`never-${site}`.slice(0, 40), operation)];
    if (ofDeleted !== ofNone || !ofDeleted.startsWith('403')) wrong.push([name, ofDeleted, ofNone]);
  }
  expect(wrong).toEqual([]);
  await restore(site);
});

test('agents of a deleted site are to rest: sightings are not confirmed; results and measurements that were under way are stored', async () => {
  const site = await system.addSite(CSV);
  await patch(site, { discovery: { enabled: true, networks: NETWORKS } });
  await using enrolled = await enrolAgent(system, site, 'attic');
  await using agent = await startStandIn(system, enrolled);
  const job = await runningJob(site, agent);
  const made = await system.request('POST', '/checks', { site, body: { kind: 'ping', host: '192.168.1.20' } });
  const { id: check } = made.json as { id: string };
  const { context } = system;
  const published: object[] = [];
  const confirmed: string[] = [];
  const agents = {
    confirmStored: async (_: string, id: string) => void confirmed.push(id),
    control: async (_: string, { t }: { t: string }) => void confirmed.push(t),
  };
  const ingest = openIngest({ ...context, agents }, SILENT);
  {
    using publish = vi.spyOn(context.registry, 'publish');
    publish.mockImplementation(async (to, message) => void published.push({ to, ...message }));
    using _ = vi.spyOn(context.registry, 'suspend').mockRejectedValue(new Error('not to be reached'));
    expect((await remove(site)).status).toBe(200);
  }
  expect(published).toMatchObject([
    { to: enrolled.id, t: 'settings', discovery: { enabled: false } },
    { to: enrolled.id, t: 'plan' },
  ]);
  // What the request could not do, the upkeep does.
  expect(system.broker.isConnected(clientOf(enrolled))).toBe(true);
  await upkeep(context, SILENT, () => false, {});
  await expect.poll(() => system.broker.isConnected(clientOf(enrolled)), { timeout: 60_000 }).toBe(false);

  const result = packResult(resultFor({ id: job }, { result: interfaces.example.result })) ?? expect.fail('too long');
  await ingest.sightings(enrolled.id, sightingsMessage({ epoch: Date.now(), n: 1, sightings: [] }));
  expect(confirmed).toEqual([]);
  await ingest.result(enrolled.id, result);
  const checks: [string, Point[]][] = [[check, [[0, 12, 5, 0, 0.1]]]];
  const points = { from: Math.floor(Date.now() / 300_000 - 6) * 300_000, before: null, checks };
  await ingest.measurements(enrolled.id, packMeasurements({ n: 1, changes: [], points }));
  expect(confirmed).toEqual([job, 'measured']);
  await restore(site);
  expect((await system.request('GET', `/jobs/${job}`)).json).toMatchObject({ state: 'succeeded' });
  const { json } = await system.request('GET', `/series?check=${check}`, { site });
  expect(json).toMatchObject({ series: [{ agent: 'attic', columns: [{ name: 'rttMs', values: [12] }, {}, {}] }] });
});

/** Requests that name no site in their path or query, and are not rejected as if it did not exist; and whether it is listed. */
async function refusals(site: string, job: string): Promise<string[]> {
  const requests: [method: string, path: string, expected: number, body?: object][] = [
    ['GET', '/devices', 403],
    ['GET', `/sites/${site}/agents`, 403],
    ['GET', '/nettools/interfaces', 403],
    ['GET', `/jobs/${job}`, 404],
    ['DELETE', `/jobs/${job}`, 404],
    ['POST', '/tokens', 403, { name: 'x', scopes: ['devices:read'], sites: [site] }],
  ];
  const wrong: string[] = [];
  for (const [method, path, expected, body] of requests) {
    const { status } = await system.request(method, path, { site, body });
    if (status !== expected) wrong.push(`${method} ${path}: ${status}`);
  }
  const sites = admin.listSites.response.parse((await system.request('GET', '/sites')).json).sites;
  return sites.some(({ id }) => id === site) ? [...wrong, 'listed'] : wrong;
}
