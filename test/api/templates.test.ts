/** Templates by the API: what the sites with a tag get and lose, what of people stays, and what a crash leaves. */
import { expect, test, vi } from 'vitest';
import { rows } from '../../functions/table/rows.ts';
import { unpackPlan } from '../../shared/agent/wire.ts';
import { admin } from '../../shared/api/admin.ts';
import type { Check } from '../../shared/api/checks.ts';
import type { Hook } from '../../shared/api/hooks.ts';
import type { Schedule } from '../../shared/api/schedules.ts';
import { templates } from '../../shared/api/templates.ts';
import type { RequestOptions } from '../api-client.ts';
import { upkeep } from '../support/background-work.ts';
import { standInAt } from '../support/enrolled-agent.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

const PARTS = {
  settings: { timeZone: 'Europe/Berlin', policy: { deny: ['speedtest'] }, discovery: { recognize: false } },
  schedules: [{ name: 'nightly', tool: 'interfaces', cron: '0 2 * * *' }],
  checks: [{ label: 'way out', kind: 'internet' }],
  hooks: [{ name: 'team', url: 'https://hooks.example.org/lan/7d0e5a1b3f9c', events: ['down'] }],
};

let made = 0;
/** A tag, and a template of its name, that no other test has. */
const freshTag = () => `tag-${++made}`;

const put = (name: string, body: object, options: RequestOptions = {}) =>
  system.request('PUT', `/templates/${name}`, { body: { tags: [name], ...body }, ...options });
async function putWell(name: string, body: object) {
  const { status, text, json } = await put(name, body);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return templates.putTemplate.response.parse(json);
}
async function shown(name: string) {
  const { json } = await system.request('GET', `/templates/${name}`);
  return templates.getTemplate.response.parse(json);
}
const tag = (site: string, ...tags: string[]) => system.request('PATCH', `/sites/${site}`, { body: { tags } });
async function siteOf(site: string) {
  return admin.getSite.response.parse((await system.request('GET', `/sites/${site}`)).json);
}
async function partsOf(site: string) {
  const read = async (path: string) => (await system.request('GET', path, { site })).json as Record<string, never[]>;
  return {
    schedules: (await read('/schedules')).schedules as Schedule[],
    checks: (await read('/checks')).checks as Check[],
    hooks: (await read('/hooks')).hooks as Hook[],
  };
}
const namesOf = ({ schedules, checks, hooks }: Awaited<ReturnType<typeof partsOf>>) => [
  ...schedules.map(({ name }) => name),
  ...checks.map(({ label }) => label),
  ...hooks.map(({ name }) => name),
];
const runUpkeep = () => upkeep(system.context, system.context.log, () => false);

test('a site that gets the tag gets all parts, and loses them with it; what people made stays', async () => {
  const name = freshTag();
  const answer = await putWell(name, PARTS);
  expect(answer.secrets.team).toMatch(/^whsec_/);
  expect(JSON.stringify(answer.hooks)).not.toContain('7d0e5a1b');
  const site = await system.addSite();
  await system.request('POST', '/schedules', { site, body: { name: 'my own', tool: 'interfaces', everySeconds: 900 } });
  expect((await tag(site, name)).status).toBe(200);

  const parts = await partsOf(site);
  expect(namesOf(parts).sort()).toEqual(['my own', 'nightly', 'team', 'way out']);
  expect(parts.schedules.find(({ name }) => name === 'nightly')).toMatchObject({
    ...{ origin: `template:${name}`, timeZone: 'Europe/Berlin', cron: '0 2 * * *' },
  });
  expect(await siteOf(site)).toMatchObject({
    timeZone: 'Europe/Berlin',
    policy: { deny: ['speedtest'], maxScanAddresses: null },
    discovery: { enabled: false, recognize: false },
  });
  expect((await shown(name)).sites).toEqual({ count: 1, made: 1, others: [], differing: [] });
  const { json } = await system.request('GET', '/audit', { site });
  const done = expect.stringContaining('+ schedule nightly, + check way out, + hook team, ~ timeZone');
  const entry = admin.listAudit.response.parse(json).entries.find(({ action }) => action === 'template.apply');
  expect(entry?.detail).toMatchObject({ templates: name, done });

  // It belongs to the template alone.
  expect((await system.request('DELETE', `/checks/${parts.checks[0]!.id}`, { site })).status).toBe(409);
  const paused = { site, body: { enabled: false } };
  expect((await system.request('PATCH', `/hooks/${parts.hooks[0]!.id}`, paused)).status).toBe(409);

  await tag(site);
  expect(namesOf(await partsOf(site))).toEqual(['my own']);
  const after = await siteOf(site);
  expect(after).toMatchObject({ timeZone: 'UTC', discovery: { enabled: false } });
  expect([after.policy, after.templates, after.discovery.recognize]).toEqual([undefined, undefined, undefined]);
});

test('a new site with the tag has the parts, and a change of the template changes them everywhere', async () => {
  const name = freshTag();
  await putWell(name, PARTS);
  const sites = [`${name}-a`, `${name}-b`];
  for (const id of sites) await system.request('POST', '/sites', { body: { id, tags: [name] } });
  const before = await partsOf(sites[0]!);
  expect(namesOf(before)).toHaveLength(3);

  const [schedule] = PARTS.schedules;
  const changed = await putWell(name, {
    ...PARTS,
    schedules: [{ ...schedule, cron: '0 3 * * *' }],
    checks: [{ label: 'router', kind: 'ping', host: '192.168.1.1', everySeconds: 300 }],
    hooks: [{ ...PARTS.hooks[0], events: ['down', 'new'] }],
    settings: { timeZone: 'Asia/Tokyo' },
  });
  expect([changed.secrets, changed.sites.made]).toEqual([{}, 2]);
  for (const site of sites) {
    const after = await partsOf(site);
    expect(after.schedules).toMatchObject([{ id: before.schedules[0]!.id, cron: '0 3 * * *' }]);
    expect(after.checks).toMatchObject([{ label: 'router', host: '192.168.1.1' }]);
    expect(after.hooks).toMatchObject([{ id: before.hooks[0]!.id, events: ['down', 'new'] }]);
    expect(await siteOf(site)).toMatchObject({ timeZone: 'Asia/Tokyo' });
  }
  // As an answer shows them, their URLs are not whole: the stored ones stay.
  const said = (await system.request('GET', `/templates/${name}`)).json as { hooks: object[] };
  expect(JSON.stringify(said.hooks)).not.toContain('7d0e5a1b');
  const hook = { ...said.hooks[0], events: ['new'] };
  await putWell(name, { ...PARTS, hooks: [hook], settings: { timeZone: 'Asia/Tokyo' } });
  const [kept] = (await system.context.hooks.list(sites[0]!)).hooks;
  expect([kept?.url, kept?.events]).toEqual([PARTS.hooks[0]!.url, ['new']]);
  // Nothing is another one when it is said again.
  await putWell(name, PARTS);
  await putWell(name, PARTS);
  expect(namesOf(await partsOf(sites[1]!)).sort()).toEqual(['nightly', 'team', 'way out']);

  const removed = await system.request('DELETE', `/templates/${name}`);
  expect([removed.status, removed.json]).toEqual([200, { success: true, isComplete: true }]);
  for (const site of sites) expect(namesOf(await partsOf(site))).toEqual([]);
});

test('what somebody has set at a site stays, and is told as different', async () => {
  const name = freshTag();
  const site = await system.addSite();
  await system.request('PATCH', `/sites/${site}`, { body: { timeZone: 'America/Lima' } });
  await tag(site, name);
  await putWell(name, { settings: { timeZone: 'Europe/Berlin', updates: { mode: 'auto' } } });
  expect(await siteOf(site)).toMatchObject({ timeZone: 'America/Lima', updates: { mode: 'auto' } });
  expect((await shown(name)).sites.differing).toEqual([
    { site, settings: [{ setting: 'timeZone', site: 'America/Lima', template: 'Europe/Berlin' }] },
  ]);

  // So does a dry run, but not of what another template decides.
  const dryRun = (template: string, timeZone: string) =>
    system.request('PUT', `/templates/${template}?dryRun=true`, { body: { tags: [name], settings: { timeZone } } });
  expect((await dryRun(name, 'Asia/Tokyo')).json).toMatchObject({
    steps: [
      { kind: 'template', name, fields: [{ field: 'timeZone', from: 'Europe/Berlin', to: 'Asia/Tokyo' }, {}] },
      { sign: '~', kind: 'site', site, fields: [{ field: 'updates.mode', from: 'auto' }] },
    ],
    sites: { differing: [{ site, settings: [{ setting: 'timeZone', site: 'America/Lima', template: 'Asia/Tokyo' }] }] },
  });
  expect((await dryRun(`a-${name}`, 'Asia/Tokyo')).json).toMatchObject({ sites: { differing: [] } });
  expect((await shown(name)).settings.timeZone).toBe('Europe/Berlin');
  expect((await put(name, { policy: { deny: [] } })).text).toContain('expected tags, settings, schedules');
});

test('after a crash in the middle the upkeep does the rest, and makes nothing twice', async () => {
  const name = freshTag();
  const sites = [await system.addSite(), await system.addSite()];
  for (const site of sites) await tag(site, name);
  // The process ends between the first part and the next one, at every site.
  const add = vi.spyOn(system.context.checks, 'add').mockRejectedValue(new Error('the process has ended'));
  expect((await put(name, PARTS)).status).toBe(202);
  add.mockRestore();
  expect(namesOf(await partsOf(sites[0]!))).toEqual(['nightly']);
  expect((await shown(name)).sites).toMatchObject({
    ...{ count: 2, made: 0, others: sites.map((site) => ({ site, problem: null })) },
  });
  await runUpkeep();
  for (const site of sites) expect(namesOf(await partsOf(site))).toEqual(['nightly', 'way out', 'team']);
  expect((await shown(name)).sites).toMatchObject({ count: 2, made: 2 });

  // The same with what is to go: the row of the template is gone, and nothing else.
  const remove = vi.spyOn(system.context.hooks, 'remove').mockRejectedValue(new Error('the process has ended'));
  expect((await system.request('DELETE', `/templates/${name}`)).status).toBe(202);
  remove.mockRestore();
  expect(namesOf(await partsOf(sites[0]!))).toEqual(['team']);
  await runUpkeep();
  for (const site of sites) expect(namesOf(await partsOf(site))).toEqual([]);
});

test('a template that cannot be read takes nothing away, and holds up no change of a site', async () => {
  const name = freshTag();
  const site = await system.addSite();
  await tag(site, name);
  await putWell(name, { ...PARTS, settings: { discovery: { enabled: true } } });
  const broken = { ...rows.template(freshTag()), d: 'nonsense', v: 1 };
  await system.context.table.put(broken);
  expect((await tag(site)).status).toBe(200);
  expect(namesOf(await partsOf(site))).toHaveLength(3);
  expect((await system.request('GET', '/templates')).json).toMatchObject({ unreadable: [{}] });
  await system.context.table.remove(broken);
  await runUpkeep();
  expect(namesOf(await partsOf(site))).toEqual([]);
  expect((await siteOf(site)).discovery).toMatchObject({ enabled: false });
});

test('what cannot be made at one site is told with the reason, tried again, and holds up no other', async () => {
  const name = freshTag();
  const [full, other] = [await system.addSite(), await system.addSite()];
  for (const site of [full, other]) await tag(site, name);
  const body = { url: 'https://hooks.example.org/own', events: ['new'] };
  for (let i = 0; i < 20; i++) await system.request('POST', '/hooks', { site: full, body });
  const [own] = (await partsOf(full)).hooks;
  const others = [{ site: full, problem: expect.stringMatching(/^hook team: .*20 hooks/) }];
  expect((await putWell(name, PARTS)).sites).toMatchObject({ count: 2, made: 1, others });
  expect(namesOf(await partsOf(full)).filter(Boolean)).toEqual(['nightly', 'way out']);
  expect(namesOf(await partsOf(other))).toHaveLength(3);
  await system.request('DELETE', `/hooks/${own?.id}`, { site: full });
  await runUpkeep();
  expect((await shown(name)).sites).toMatchObject({ made: 2, others: [] });
});

test('a template is refused that could be made nowhere, or is of sites that the token may not use', async () => {
  const name = freshTag();
  for (const [body, path] of [
    [
      { schedules: [{ name: 'x', tool: 'nmap', arguments: { scan: 'nonsense', mode: 'fast' }, cron: '0 2 * * *' }] },
      'schedules.0.arguments.scan',
    ],
    [{ checks: [{ label: 'x', kind: 'ping', device: '00:1E:06:AA:BB:01' }] }, 'checks.0.device'],
    [{ checks: [{ label: 'x', kind: 'site', toSite: 'nowhere' }] }, null],
    [{ checks: [PARTS.checks[0], PARTS.checks[0]] }, 'checks.1'],
    [{ hooks: [{ ...PARTS.hooks[0], url: 'http://10.0.0.1/' }] }, 'hooks.0.url'],
    [{ settings: { reachableAt: 'vpn.example.org' } }, 'settings'],
  ] as const) {
    const { status, json } = await put(name, body);
    const { errors = [] } = json as { errors?: { path: string }[] };
    expect([status, errors.map((one) => one.path)]).toEqual(path === null ? [403, []] : [400, [path]]);
  }
  const limited = await system.createToken({ sites: ['home', `tag:${name}`] });
  expect((await put(name, PARTS, { token: limited })).status).toBe(200);
  expect((await put(freshTag(), PARTS, { token: limited })).status).toBe(403);
  expect((await put(name, { tags: [name, 'others'] }, { token: limited })).status).toBe(403);
  const neighbour = await system.createToken({ sites: ['tag:mine'] });
  await put('theirs', { tags: ['secret'] });
  const hidden = await put('theirs', { tags: ['mine'] }, { token: neighbour });
  expect([hidden.status, hidden.text]).toEqual([403, expect.not.stringContaining('secret')]);
  const stranger = await system.createToken({ sites: ['home'] });
  expect((await system.request('GET', `/templates/${name}`, { token: stranger })).status).toBe(404);
  expect((await system.request('DELETE', `/templates/${name}`, { token: stranger })).status).toBe(404);
  const { json } = await system.request('GET', '/templates', { token: stranger });
  expect((json as { templates: unknown[] }).templates).toEqual([]);
});

test('what makes agents run something is made, changed and removed only by who may run it', async () => {
  const name = freshTag();
  const site = await system.addSite();
  await tag(site, name);
  const token = await system.createToken({ scopes: ['devices:read', 'devices:write', 'admin'], sites: '*' });
  const { settings, schedules, checks, hooks } = PARTS;
  const errors = [{ message: 'the token lacks the scope nettools:run' }];
  const lacking = { status: 403, json: { code: 'forbidden', errors } };
  for (const parts of [{ schedules }, { checks }]) expect(await put(name, parts, { token })).toMatchObject(lacking);
  expect(namesOf(await partsOf(site))).toEqual([]);
  expect((await put(name, { settings, hooks }, { token })).status).toBe(200);
  await putWell(name, { schedules, checks });
  // What others have run stays.
  expect(await put(name, { settings }, { token })).toMatchObject(lacking);
  expect(await system.request('DELETE', `/templates/${name}`, { token })).toMatchObject(lacking);
  expect(namesOf(await partsOf(site))).toEqual(['nightly', 'way out']);
});

test('with If-Match only the template that was read is changed, and so are the settings of a site', async () => {
  const name = freshTag();
  await putWell(name, PARTS);
  const read = await system.request('GET', `/templates/${name}`);
  const etag = read.headers.get('etag')!;
  expect((await put(name, PARTS, { headers: { 'if-match': etag } })).status).toBe(200);
  expect((await put(name, PARTS, { headers: { 'if-match': etag } })).status).toBe(412);
  expect((await put(freshTag(), PARTS, { headers: { 'if-match': etag } })).status).toBe(412);

  const site = await system.addSite();
  const { headers } = await system.request('GET', `/sites/${site}`);
  const change = (body: object) =>
    system.request('PATCH', `/sites/${site}`, { body, headers: { 'if-match': headers.get('etag')! } });
  expect((await change({ name: 'first' })).status).toBe(200);
  expect((await change({ name: 'second' })).status).toBe(412);
  expect(await siteOf(site)).toMatchObject({ name: 'first' });
});

test('agents are told: the policy with the settings, schedules and checks with their plan', async () => {
  const name = freshTag();
  const site = await system.addSite();
  await using standIn = await standInAt(system, site, 'main');
  await tag(site, name);
  await putWell(name, PARTS);
  const policy = expect.objectContaining({ deny: ['speedtest'] });
  await expect.poll(() => standIn.discovery).toContainEqual(expect.objectContaining({ t: 'settings', policy }));
  const plans = () => standIn.plans.flatMap((one) => (one.t === 'plan' ? [unpackPlan(one.plan)] : []));
  const wanted = { timeZone: 'Europe/Berlin', schedules: [expect.anything()], checks: [expect.anything()] };
  await expect.poll(plans).toContainEqual(expect.objectContaining(wanted));
});
