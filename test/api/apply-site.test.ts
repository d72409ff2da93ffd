/** `PUT /sites/{site}`: what it adds, changes and removes, what it leaves alone, and where it stops. */
import { expect, test } from 'vitest';
import { rows } from '../../functions/table/rows.ts';
import { templates } from '../../shared/api/templates.ts';
import type { RequestOptions } from '../api-client.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

const put = (site: string, body: object, query = '', options: RequestOptions = {}) =>
  system.request('PUT', `/sites/${site}${query}`, { body, ...options });
async function putWell(site: string, body: object, query = '') {
  const { status, text, json } = await put(site, body, query);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return templates.applySite.response.parse(json);
}
const shortOf = ({ steps }: Awaited<ReturnType<typeof putWell>>) =>
  steps.map(({ sign, kind, name }) => [sign, kind, name].filter(Boolean).join(' '));
const list = async (path: string, site: string) =>
  (await system.request('GET', `/${path}`, { site })).json as Record<string, Record<string, unknown>[]>;

const ping = (label: string, host: string, more: object = {}) => ({ label, kind: 'ping', host, ...more });
const hook = { name: 'team', url: 'https://hooks.example.org/lan/7d0e5a1b3f9c', events: ['down'] };
const schedule = {
  name: 'nightly',
  tool: 'nmap',
  arguments: { scan: '2001:db8::/120', mode: 'fast' },
  cron: '0 2 * * *',
};

test('a site is added as it is wanted; said again, in whatever notation, nothing is to be done', async () => {
  const body = {
    ...{ name: 'Barn', tags: ['b', 'a', 'b'], settings: { discovery: { intervalSeconds: 90 }, reachableAt: null } },
    ...{ schedules: [schedule], checks: [ping('v6', 'FE80:0::1'), ping('nas', 'NAS.lan')], hooks: [hook] },
  };
  const planned = await putWell('barn', body, '?dryRun=true');
  expect((await system.request('GET', '/sites/barn')).status).toBe(403);
  const made = await putWell('barn', body);
  expect(made).toMatchObject({ steps: planned.steps, failed: null, isComplete: true });
  expect(shortOf(made)).toEqual(['+ site', '+ schedule nightly', '+ check v6', '+ check nas', '+ hook team']);
  expect([made.secrets.team, JSON.stringify(made.steps)]).toEqual([
    expect.stringMatching(/^whsec_/),
    expect.not.stringMatching(/7d0e5a1b|whsec_/),
  ]);
  const arguments_ = { ...schedule.arguments, scan: '2001:DB8:0::/120' };
  const again = { ...body, schedules: [{ ...schedule, arguments: arguments_, jitterSeconds: 60 }] };
  expect(await putWell('barn', again)).toMatchObject({ steps: [], secrets: {} });
  // Also what no answer shows is compared.
  const other = await putWell('barn', { hooks: [{ ...hook, url: hook.url.replace('7d0e', 'ffff') }] });
  expect([shortOf(other), other.secrets]).toEqual([['~ hook team'], {}]);
});

test('what the body does not name is left alone, also of templates; a list that is empty removes nothing', async () => {
  const site = await system.addSite();
  await putWell(site, { checks: [ping('one', '10.0.0.1'), ping('two', '10.0.0.2')], hooks: [hook] });
  await system.request('PUT', '/templates/pruned', {
    body: { tags: ['pruned'], checks: [ping('theirs', '10.0.0.9')] },
  });
  await putWell(site, { tags: ['pruned'] });
  await system.request('POST', '/checks', { site, body: ping('two', '10.0.0.3') });

  expect(shortOf(await putWell(site, { prune: ['checks'] }))).toEqual([]);
  expect(shortOf(await putWell(site, { checks: [], prune: ['checks'] }))).toEqual([]);
  // Of two with one name none is removed.
  const faster = [ping('one', '10.0.0.1', { everySeconds: 300 }), ping('new', '10.0.0.4')];
  expect(shortOf(await putWell(site, { checks: faster }))).toEqual(['~ check one', '+ check new']);
  // Another target is another check.
  expect(shortOf(await putWell(site, { checks: [ping('one', '10.0.0.7')] }))).toEqual(['- check one', '+ check one']);
  const pruned = await putWell(site, { checks: [ping('one', '10.0.0.7')], prune: ['checks', 'hooks'] });
  expect(shortOf(pruned).sort()).toEqual(['- check new', '- check two']);
  expect((await list('checks', site)).checks?.map(({ label }) => label).sort()).toEqual(['one', 'theirs', 'two']);
  expect((await list('hooks', site)).hooks).toHaveLength(1);
});

test('nothing is done where something is refused beforehand, and nothing after a step that is refused', async () => {
  const site = await system.addSite();
  for (const [body, path, query] of [
    [{ name: 'x', chekcs: [] }, '', ''],
    [{ name: 'x', schedules: [{ ...schedule, cron: '* * * * *' }] }, 'schedules.0.cron', '?dryRun=true'],
    [{ name: 'x', checks: [ping('a', '10.0.0.1'), ping('a', '10.0.0.2')] }, 'checks.1', ''],
    [{ name: 'x', checks: [ping('a', '169.254.169.254')] }, 'checks.0.host', ''],
    [{ name: 'x', checks: [{ label: 'a', kind: 'site', toSite: site }] }, 'checks.0.toSite', ''],
    [{ name: 'x', hooks: [{ ...hook, url: 'http://10.0.0.1/' }] }, 'hooks.0.url', ''],
    [{ name: 'x', prune: ['devices'] }, 'prune.0', ''],
  ] as const) {
    const { status, json } = await put(site, body, query);
    expect([status, (json as { errors: { path: string }[] }).errors.map((one) => one.path)]).toEqual([400, [path]]);
  }
  expect((await system.request('GET', `/sites/${site}`)).json).not.toMatchObject({ name: 'x' });

  const late = [ping('a', '10.0.0.1'), ping('b', '10.0.0.2', { agents: ['nobody'] }), ping('c', '10.0.0.3')];
  const stopped = await putWell(site, { checks: late, hooks: [hook] });
  expect([shortOf(stopped), stopped.failed, stopped.secrets]).toEqual([
    ['+ check a'],
    expect.stringMatching(/^check b: agents: expected agents of site/),
    {},
  ]);
  const row = { ...rows.check(site, '0123456789ab'), d: 'nonsense', v: 1 };
  await system.context.table.put(row);
  expect(await put(site, { checks: late }, '?dryRun=true')).toMatchObject({ status: 503 });
});

test('it needs the rights of what it does, and with If-Match the site that was read', async () => {
  const site = await system.addSite();
  const limited = await system.createToken({ sites: [site] });
  expect((await put(site, { name: 'mine' }, '', { token: limited })).status).toBe(200);
  expect((await put(site, { tags: ['x'] }, '', { token: limited })).status).toBe(403);
  for (const other of ['home', 'not-there'])
    expect((await put(other, { name: 'x' }, '?dryRun=true', { token: limited })).status).toBe(403);
  const idle = await system.createToken({ scopes: ['devices:read', 'admin'], sites: '*' });
  expect((await put(site, { checks: [ping('a', '10.0.0.1')] }, '', { token: idle })).status).toBe(403);

  const etag = (await put(site, {}, '?dryRun=true')).headers.get('etag')!;
  const headers = { 'if-match': etag };
  expect((await put(site, { name: 'first' }, '', { headers })).status).toBe(200);
  expect((await put(site, { name: 'second' }, '', { headers })).status).toBe(412);
  expect((await put('not-there', { name: 'x' }, '', { headers: { 'if-match': '*' } })).status).toBe(412);
  const none = (await put('not-there', {}, '?dryRun=true')).headers.get('etag')!;
  expect(
    (await put('not-there', { settings: { timeZone: 'UTC' } }, '', { headers: { 'if-match': none } })).status,
  ).toBe(200);
  expect((await put('not-there', { name: 'x' }, '', { headers: { 'if-match': none } })).status).toBe(412);
});
