/** `GET /overview`: what is told of every site, to whom, and what it costs. */
import { expect, test } from 'vitest';
import { observe } from '../../functions/monitoring/outages/observe.ts';
import { rows } from '../../functions/table/rows.ts';
import { overview } from '../../shared/api/overview.ts';
import type { Category } from '../../shared/device.ts';
import type { RequestOptions } from '../api-client.ts';
import { becomes, enrolAgent, startStandIn } from '../support/enrolled-agent.ts';
import { eraseSite } from '../support/erase-site.ts';
import { COLLECTION } from '../support/fixtures.ts';
import { startTestApi } from '../support/in-process.ts';
import { testApi } from '../support/test-api.ts';

const CATEGORIES: readonly Category[] = ['my', 'online', 'offline', 'down', 'new', 'favorites', 'archived'];
const NO_DEVICES = Object.fromEntries(CATEGORIES.map((category) => [category, 0]));

const system = testApi();

async function overviewFor(options: RequestOptions = {}, query = '') {
  const { status, text, json } = await system.request('GET', `/overview${query}`, options);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return overview.getOverview.response.parse(json);
}

/** The entry of one site, as somebody sees it who may use no other one. */
async function entryOf(site: string) {
  const token = await system.createToken({ scopes: ['devices:read'], sites: [site] });
  const { sites, unreadable } = await overviewFor({ token });
  expect(unreadable).toEqual([]);
  expect(sites.map(({ id }) => id)).toEqual([site]);
  return sites[0]!;
}

test('the numbers without an agent: none is online or down, and the totals of the contract keep what was imported', async () => {
  const site = await system.addSite(COLLECTION);
  const { devices } = await entryOf(site);
  expect(devices).toEqual({ my: 4, online: 0, offline: 0, down: 0, new: 1, favorites: 1, archived: 1 });
  expect((await system.request('GET', '/devices/totals', { site })).json).toEqual([4, 1, 1, 1, 1, 1]);
  for (const category of CATEGORIES) {
    const { json } = await system.request('GET', `/devices?fields=all&status=${category}`, { site });
    expect([category, (json as { devices: unknown[] }).devices.length]).toEqual([category, devices?.[category]]);
  }
});

test('the last change: none in a new site, nor in one that is made again; the time of a change of devices alone', async () => {
  const site = await system.addSite();
  expect(await entryOf(site)).toMatchObject({ devices: NO_DEVICES, lastChangeAt: null });
  const before = Date.now();
  await system.importCsv(COLLECTION, site);
  const { lastChangeAt } = await entryOf(site);
  expect(Date.parse(lastChangeAt ?? '')).toBeGreaterThanOrEqual(before);
  // Settings are no devices.
  await system.request('PATCH', `/sites/${site}`, { body: { name: 'Attic', discovery: { enabled: true } } });
  expect(await entryOf(site)).toMatchObject({ name: 'Attic', lastChangeAt, devices: { my: 4 } });

  await eraseSite(system, system.context, site, 'Attic');
  expect((await system.request('POST', '/sites', { body: { id: site } })).status).toBe(201);
  expect(await entryOf(site)).toMatchObject({ name: site, devices: NO_DEVICES, lastChangeAt: null });
  await system.importCsv('devName,devMAC\nx,02:A0:00:00:00:09\n', site);
  const again = await entryOf(site);
  expect(again.devices).toMatchObject({ my: 1, archived: 0 });
  expect(again.lastChangeAt).not.toBeNull();
});

test('a token sees its own sites, with devices:read alone', async () => {
  const [mine, other] = [await system.addSite(), await system.addSite()];
  // Named twice, and in no order.
  const sites = [other, mine, other, 'home'];
  const reader = await system.createToken({ scopes: ['devices:read'], sites });
  const { sites: seen } = await overviewFor({ token: reader });
  expect(seen.map(({ id }) => id)).toEqual([...new Set(sites)].sort());
  const listed = await system.request('GET', '/sites', { token: reader });
  for (const [i, site] of (listed.json as { sites: object[] }).sites.entries()) expect(seen[i]).toMatchObject(site);
  await system.request('DELETE', `/sites/${other}?confirm=${other}`);
  expect((await overviewFor({ token: reader })).sites.map(({ id }) => id)).toEqual(['home', mine]);
  expect((await overviewFor({ token: reader }, `?site=${mine}`)).sites.map(({ id }) => id)).toEqual([mine]);
  // One that is gone, and one that is there and not the token's, look the same.
  for (const site of [other, await system.addSite()]) {
    const { status, json } = await system.request('GET', `/overview?site=${site}`, { token: reader });
    expect([status, json]).toMatchObject([403, { code: 'site_forbidden' }]);
  }
});

test('a site that is deleted is not shown, whoever asks', async () => {
  const site = await system.addSite(COLLECTION);
  const token = await system.createToken({ scopes: ['devices:read'], sites: [site, 'home'] });
  const { table } = system.context;
  const mark = { set: { gone: 1 } };
  await table.update(rows.site(site), mark);
  for (const seen of [await overviewFor({ token }), await overviewFor()]) {
    expect(seen.sites.map(({ id }) => id)).not.toContain(site);
    expect(seen.sites.map(({ id }) => id)).toContain('home');
  }
  await table.update(rows.site(site), { remove: ['gone'] });
  // As somebody sees it who has read the row of the site before.
  await table.update(rows.collection(site), mark);
  expect((await overviewFor({ token })).sites.map(({ id }) => id)).toEqual(['home']);
});

test('agents: state, version and load while one is connected; since when nobody watches the site, when it has gone', async () => {
  const site = await system.addSite();
  const body = { discovery: { enabled: true, networks: ['127.0.8.0/24'] } };
  await system.request('PATCH', `/sites/${site}`, { body });
  const unwatched = await entryOf(site);
  expect([unwatched.agents, unwatched.staleSince]).toEqual([[], expect.any(String)]);
  expect(unwatched.unknown).toBe(unwatched.devices?.my);
  await using enrolled = await enrolAgent(system, site, 'attic');
  const agent = await startStandIn(system, enrolled);
  await expect.poll(() => entryOf(site)).toMatchObject({ staleSince: null, agents: [{ state: 'online' }] });
  const [connected] = (await entryOf(site)).agents;
  expect(connected).toMatchObject({ version: '0.0.0', load: { running: 0, queued: 0 } });
  await agent[Symbol.asyncDispose]();
  await becomes(system, enrolled.id, 'offline');
  await expect.poll(async () => (await entryOf(site)).staleSince).not.toBeNull();
  const { agents, staleSince } = await entryOf(site);
  expect(agents).toMatchObject([{ id: enrolled.id, state: 'offline', version: '0.0.0' }]);
  expect(staleSince).toBe(((await system.request('GET', `/sites/${site}`)).json as { staleSince: string }).staleSince);
});

test('outages that are not over, checks that fail and the internet, and 304 until one of them changes', async () => {
  const site = await system.addSite();
  const token = await system.createToken({ scopes: ['devices:read'], sites: [site] });
  const { headers } = await system.request('GET', '/overview', { token });
  const etag = headers.get('etag') ?? '';
  const again = () => system.request('GET', '/overview', { token, headers: { 'if-none-match': etag } });
  const same = await again();
  expect([same.status, same.text, same.headers.get('cache-control')]).toEqual([304, '', 'private, no-cache']);
  const sound = { darkSince: null, outages: { open: 0, devices: 0, since: null }, checksDown: 0 };
  expect(await entryOf(site)).toMatchObject({ ...sound, internet: { lostSince: null, address: null, speed: null } });
  const at = Date.parse('2026-11-01T08:00:00Z');
  const outage = { at, withinMs: 120_000, root: null, rootBackAt: null };
  await observe(system.context, site, null, (state) => ({
    state: {
      ...state,
      darkSince: at,
      internetLostSince: at,
      address: { address: '203.0.113.7', provider: 'AS64500 Example', since: at, agent: 'attic' },
      speeds: [{ at, agent: 'attic', down: 99, up: 10, ping: 12 }],
      slowSince: at,
      downSince: { '5f0c2a9b1d34': at },
      outages: [
        { ...outage, count: 5, overAt: null },
        { ...outage, at: at - 86_400_000, count: 9, overAt: at },
      ],
    },
    occurrences: [],
  }));
  const since = new Date(at).toISOString();
  const changed = await again();
  const shown = { darkSince: since, outages: { open: 1, devices: 5, since }, checksDown: 1 };
  const internet = {
    ...{ lostSince: since, address: '203.0.113.7', provider: 'AS64500 Example' },
    speed: { at: since, downMbps: 99, upMbps: 10, pingMs: 12, slowSince: since },
  };
  expect([changed.status, changed.json]).toMatchObject([200, { sites: [{ ...shown, internet }] }]);
  const metrics = (await system.request('GET', `/metrics?site=${site}`)).text;
  for (const name of ['outages', 'checks_down', 'internet_lost'])
    expect(metrics).toContain(`lanreach_${name}{site="${site}"} 1`);
});

test('in pages every site is told once, in the order of ids; those of a token for certain sites as well', async () => {
  const made: string[] = [];
  for (let i = 0; i < 5; i++) made.push(await system.addSite());
  const limited = await system.createToken({ scopes: ['devices:read'], sites: [...made].reverse() });
  for (const token of [limited, system.token]) {
    const { sites: whole } = await overviewFor({ token }, '?limit=500');
    const ids: string[] = [];
    for (let path: string | undefined = '/overview?limit=2'; path !== undefined; ) {
      const { headers, json } = await system.request('GET', path, { token });
      const page = overview.getOverview.response.parse(json);
      expect(page.sites.length).toBeLessThanOrEqual(2);
      ids.push(...page.sites.map(({ id }) => id));
      [, path] = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
    }
    expect(ids).toEqual(whole.map(({ id }) => id));
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(ids).toEqual(expect.arrayContaining(made));
  }
  const refused = await system.request('GET', '/overview?cursor=No+Site');
  expect([refused.status, refused.json]).toMatchObject([400, { message: expect.stringMatching(/query\.cursor/) }]);
});

test('what a site costs: two and a half read units, however many devices it has, and its row', async () => {
  await using system = await startTestApi();
  const many = Array.from({ length: 2_500 }, (_, i) => (0x1e0600000000 + i).toString(16).padStart(12, '0'));
  const large = await system.addSite(`devMAC\n${many.join('\n')}\n`);
  const sites = [large];
  for (let i = 0; i < 12; i++) sites.push(await system.addSite());
  const costFor = async (token: string, query = '') => {
    await system.request('GET', `/overview${query}`, { token }); // Records that the token is in use.
    return (await system.measured('GET', `/overview${query}`, { token })).consumed;
  };
  const limitedTo = (some: string[]) => system.createToken({ scopes: ['devices:read'], sites: some });
  // Half a unit for the token; for each site one for its row, one for the collection, one for the agents, and half
  // a one for its state.
  expect(await costFor(await limitedTo(sites.slice(0, 1)))).toEqual({ readUnits: 4, writeUnits: 0 });
  expect(await costFor(await limitedTo(sites))).toEqual({ readUnits: 0.5 + 3.5 * sites.length, writeUnits: 0 });
  // With a token for all sites their rows are read together.
  const all = await costFor(system.token, '?limit=10');
  expect(all.writeUnits).toBe(0);
  expect(all.readUnits).toBeLessThanOrEqual(0.5 + 10 * 2.65);
  // What has not changed costs no more.
  const token = await limitedTo([large]);
  const { headers } = await system.request('GET', '/overview', { token });
  const same = { token, headers: { 'if-none-match': headers.get('etag') ?? '' } };
  expect((await system.measured('GET', '/overview', same)).consumed).toEqual({ readUnits: 4, writeUnits: 0 });
});

test('rows that cannot be read are named: of an agent, of a collection and of a site; the others are shown', async () => {
  const [sound, noCounts, noRow] = [await system.addSite(COLLECTION), await system.addSite(), await system.addSite()];
  const { table } = system.context;
  await table.put({ pk: `S#${sound}`, sk: `A#${sound}:bad`, certificate: 'x', presence: 'busy', since: 1, d: '{}' });
  await table.update(rows.collection(noCounts), { set: { counts: '{' } });
  const row = await table.get(rows.site(noRow));
  await table.update(rows.site(noRow), { set: { d: '{"id":5}' } });
  const token = await system.createToken({ scopes: ['devices:read'], sites: ['home', sound, noCounts] });
  const limited = await overviewFor({ token });
  expect(limited.sites.map(({ id }) => id)).toEqual(['home', sound]);
  expect(limited.unreadable.map(({ id }) => id).sort()).toEqual([noCounts, `${sound}:bad`].sort());
  const all = await overviewFor({}, '?limit=500');
  expect(all.unreadable.map(({ id }) => id).sort()).toEqual([noCounts, noRow, `${sound}:bad`].sort());
  for (const { problem } of all.unreadable) expect(problem).not.toBe('');
  expect(all.sites.find(({ id }) => id === sound)).toMatchObject({ agents: [], devices: { my: 4 } });
  await table.update(rows.site(noRow), { set: { d: String(row?.d) } });
});
