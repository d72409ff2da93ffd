/** Shares: what a link shows, to whom, and how it ends. */
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { tokenId } from '../../functions/http/token.ts';
import { withoutAddresses } from '../../functions/status/shared-handlers.ts';
import { admin } from '../../shared/api/admin.ts';
import type { Operation } from '../../shared/api/operation.ts';
import { SharedPage, shared, shares } from '../../shared/api/shares.ts';
import { tables } from '../../shared/api/tables.ts';
import { startTestApi } from '../support/in-process.ts';
import { SIGN_IN, signedIn } from '../support/signed-in.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi({ signIn: SIGN_IN });
afterEach(() => void vi.useRealTimers());

const DAY_MS = 86_400_000;
const CSV = [
  'devName,devMAC,devIP,devType,devFavorite,devStatus,devParentMAC,devOwner,devLocation,devComments,devVendor',
  'router,02:AA:BB:CC:00:01,192.168.77.1,Router,1,online,,Anna,Cellar,secret note,Maker',
  'NAS 192.168.77.20,02:AA:BB:CC:00:02,192.168.77.20,NAS,1,offline,02:AA:BB:CC:00:01,,,,',
  'PC-192-168-77-21,02:AA:BB:CC:00:03,192.168.77.21,,0,offline,02:AA:BB:CC:00:01,,,,',
  '02:AA:BB:CC:00:04,02:AA:BB:CC:00:04,192.168.77.22,Phone,1,offline,02:AA:BB:CC:00:99,,,,',
  'laptop,02:AA:BB:CC:00:05,192.168.77.23,,0,archived,02:AA:BB:CC:00:01,,,,',
].join('\n');

type Share = ReturnType<typeof shares.createShare.response.parse>;

async function share(of: string, rest: object = {}, token = system.token): Promise<Share> {
  const answer = await system.request('POST', '/shares', { token, body: { name: 'Office', of, ...rest } });
  expect([answer.status, answer.status === 201 ? '' : answer.text]).toEqual([201, '']);
  return shares.createShare.response.parse(answer.json);
}

const read = (token: string | null, headers = {}) => system.request('GET', '/shared', { token, headers });

async function shown(token: string) {
  const answer = await read(token);
  expect([answer.status, answer.text.slice(0, answer.status === 200 ? 0 : 300)]).toEqual([200, '']);
  return shared.readShare.response.parse(answer.json);
}

test('a share shows names and states without an address in any byte; with addresses only where that was chosen', async () => {
  const site = await system.addSite(CSV);
  await system.request('PATCH', `/sites/${site}`, { body: { name: 'Main office' } });
  for (const view of ['status', 'map'] as const) {
    const { token } = await share(site, { view, devices: 'all' });
    const answer = await read(token);
    const bytes = JSON.stringify([answer.text, [...answer.headers]]);
    expect(bytes).not.toMatch(/(?:[0-9a-f]{2}[:-]){3}|192.168|AABBCC|Anna|Cellar|secret note|Maker/i);
    expect([answer.text.includes(site), answer.text.includes(token)]).toEqual([false, false]);
    expect(answer.headers.get('x-robots-tag')).toContain('noindex');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect((await read(token, { 'if-none-match': answer.headers.get('etag') ?? '' })).status).toBe(304);
  }
  const map = await shown((await share(site, { view: 'map' })).token);
  const [{ devices, ...office } = { devices: [] }] = map.sites;
  // No agent has ever been at this site.
  expect(office).toMatchObject({
    ...{ name: 'Main office', isMonitored: false, hasInternet: true, outages: 0, more: 0 },
    counts: { online: 0, offline: 0, down: 0, unmonitored: 4 },
  });
  const texts = ['router Router -', ' Phone -', 'NAS … NAS 0', 'PC-…  0'];
  expect(devices.map(({ name, type, parent = '-' }) => `${name} ${type} ${parent}`)).toEqual(texts);
  const favorites = await shown((await share(site)).token);
  expect(favorites.sites[0]?.devices.map(({ name, parent = '-' }) => `${name} ${parent}`)).toEqual([
    ...[' -', 'NAS … -', 'router -'],
  ]);
  const open = await shown((await share(site, { addresses: true })).token);
  expect(open.sites[0]?.devices.at(-1)).toMatchObject({ ip: '192.168.77.1', mac: '02:AA:BB:CC:00:01' });
});

test('an address is left out of a name in every notation, and other names stay', () => {
  const hex = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(hex, fc.constantFrom(':', '-', ''), fc.ipV4(), fc.ipV6(), (bytes, separator, v4, v6) => {
      const mac = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(separator);
      for (const address of [mac, mac.toUpperCase(), v4, v4.replaceAll('.', '-'), v6]) {
        const left = withoutAddresses(`x (${address}) y`);
        expect(left).not.toContain(address);
        expect(left).toMatch(/^x \(.*\) y$/);
        expect(withoutAddresses(address)).toBe('');
      }
    }),
  );
  for (const name of ['nas', 'Küche 2', 'HP LaserJet 4250n', 'TV: living room', 'rack-1-2-3', 'door 12:30'])
    expect(withoutAddresses(name)).toBe(name);
});

test('a share is a token for one request, which no other takes, and no other token is one', async () => {
  const site = await system.addSite(CSV);
  const { token, id } = await share(site);
  const refused: string[] = [];
  for (const { method, path, scope, example } of Object.values(tables).flatMap((of) => Object.values<Operation>(of))) {
    if (scope === null || path === '/shared') continue;
    const params: Record<string, string> = { site, id, ...example.params };
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? 'x'));
    const { status } = await system.request(method, target, { token, site, body: example.body });
    if (status !== 403) refused.push(`${method} ${target}: ${status}`);
  }
  expect(refused).toEqual([]);
  const mcp = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  expect((await system.request('POST', '/mcp', { token, body: mcp })).status).toBe(401);
  const revoke = { method: 'POST', body: new URLSearchParams({ token }) };
  expect((await system.service(new Request(`${system.url}/oauth/revoke`, revoke))).status).toBe(400);
  expect((await read(token)).status).toBe(200);
  expect((await system.request('POST', '/shared', { token, body: {} })).status).toBe(405);

  const wrong = `${token.slice(0, -4)}AAAA`;
  const reader = await system.createToken({ scopes: ['devices:read'], sites: [site] });
  for (const other of [null, wrong, 'lr_0123456789abcdef.x', system.token, reader])
    expect((await read(other)).status, String(other)).toBe(403);
  expect(JSON.stringify(system.logged)).not.toContain(token.slice(20));
});

test('a share is listed, used coarsely, revoked, and expires: within a year, by default after 30 days', async () => {
  const site = await system.addSite(CSV);
  const made = await share(site, { view: 'map' });
  const days = (time: string) => Math.round((Date.parse(time) - Date.now()) / DAY_MS);
  expect(days(made.expiresAt)).toBe(30);
  await shown(made.token);
  const list = async () => {
    const { json, text } = await system.request('GET', '/tokens');
    expect(text).not.toContain(made.token);
    return admin.listTokens.response.parse(json).tokens.find(({ id }) => id === made.id);
  };
  expect(await list()).toMatchObject({
    ...{ name: 'Office', purpose: 'share', sites: [site], createdBy: tokenId(system.token) },
    share: { view: 'map', devices: 'favorites', addresses: false },
    lastUsedAt: expect.any(String),
  });
  expect((await system.request('POST', `/tokens/${made.id}/rotate`)).status).toBe(409);
  expect((await system.request('DELETE', `/tokens/${made.id}`)).status).toBe(200);
  expect([(await read(made.token)).status, await list()]).toEqual([403, undefined]);

  const inDays = (count: number) => ({ expiresAt: new Date(Date.now() + count * DAY_MS).toISOString() });
  for (const [rest, field] of [
    [inDays(366), 'expiresAt'],
    [inDays(-1), 'expiresAt'],
    [{ view: 'everything' }, 'view'],
    [{ name: '' }, 'name'],
    [{ secret: 'x' }, ''],
  ] as const) {
    const { status, json } = await system.request('POST', '/shares', { body: { name: 'Office', of: site, ...rest } });
    expect([status, (json as { errors: { path: string }[] }).errors[0]?.path]).toEqual([400, field]);
  }
  for (const of of ['elsewhere', 'tag:nothing'])
    expect((await system.request('POST', '/shares', { body: { name: 'x', of } })).status).toBe(403);
  const brief = await share(site, inDays(1));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS + 1 });
  expect((await read(brief.token)).status).toBe(403);
});

test('a share ends with the token that made it, and no token shares what it may not read', async () => {
  const [site, other] = [await system.addSite(CSV), await system.addSite(CSV)];
  const maker = await system.createToken({ scopes: ['devices:read', 'admin'], sites: [site], expiresAt: soon(5) });
  const made = await share(site, {}, maker);
  expect(Date.parse(made.expiresAt)).toBe(Date.parse(soon(5)));
  for (const [token, body] of [
    [maker, { name: 'x', of: other }],
    [await system.createToken({ scopes: ['devices:read', 'devices:write'], sites: [site] }), { name: 'x', of: site }],
  ] as const)
    expect((await system.request('POST', '/shares', { token, body })).status).toBe(403);
  const longer = { token: maker, body: { name: 'x', of: site, expiresAt: soon(9) } };
  expect((await system.request('POST', '/shares', longer)).status).toBe(400);
  await shown(made.token);
  // The token that made it gets an earlier end.
  const { status } = await system.request('POST', `/tokens/${tokenId(maker)}/rotate`, { body: { expiresAt: soon(1) } });
  expect(status).toBe(200);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * DAY_MS });
  expect((await read(made.token)).status).toBe(403);
  vi.useRealTimers();
  await shown(made.token);
  await system.request('DELETE', `/tokens/${tokenId(maker)}`);
  expect((await read(made.token)).status).toBe(403);
});

const base = Date.now();
const soon = (days: number) => new Date(base + days * DAY_MS).toISOString();

test('a share of a person ends when they are demoted, disabled or lose the site, and with its tag', async () => {
  const site = await system.addSite(CSV);
  await system.request('PATCH', `/sites/${site}`, { body: { tags: ['shown'] } });
  const ada = await signedIn(system, 'ada of shares', [{ role: 'admin', sites: ['tag:shown'] }]);
  const set = (body: object) => system.request('PATCH', `/people/${ada.id}`, { body });
  const { token } = await share('tag:shown', {}, ada.token);
  await system.request('DELETE', '/tokens/self', { token: ada.token }); // The end of a session ends no share.
  const status = async () => (await read(token)).status;
  expect(await status()).toBe(200);
  for (const [lost, back] of [
    [{ grants: [{ role: 'operator', sites: '*' }] }, { grants: [{ role: 'admin', sites: ['tag:shown'] }] }],
    [{ isDisabled: true }, { isDisabled: false }],
    [{ grants: [{ role: 'admin', sites: ['home'] }] }, { grants: [{ role: 'admin', sites: '*' }] }],
  ] as const) {
    await set(lost);
    expect(await status(), JSON.stringify(lost)).toBe(403);
    await set(back);
    expect(await status()).toBe(200);
  }
  const later = await system.addSite(CSV);
  await system.request('PATCH', `/sites/${later}`, { body: { tags: ['shown'] } });
  expect((await shown(token)).sites).toHaveLength(2);
  for (const id of [site, later]) await system.request('PATCH', `/sites/${id}`, { body: { tags: [] } });
  expect(await status()).toBe(403);
});

test('a share is limited in its requests, alone', async () => {
  await using limited = await startTestApi({ tokenRequestsPerMinute: 20 });
  const made = await limited.request('POST', '/shares', { body: { name: 'Office', of: 'home' } });
  const { token } = shares.createShare.response.parse(made.json);
  const headers = { 'x-forwarded-for': '198.51.100.9' };
  const statuses = new Set<number>();
  for (let i = 0; i < 25; i++) statuses.add((await limited.request('GET', '/shared', { token, headers })).status);
  expect([...statuses]).toEqual([200, 429]);
  expect((await limited.request('GET', '/sites')).status).toBe(200);
});

test('a large site is cut, and says by how much', async () => {
  const rows = Array.from({ length: 1_000 }, (_, i) => `host ${i},02:00:00:00:${hex(i >> 8)}:${hex(i & 255)},1`);
  const site = await system.addSite(`devName,devMAC,devFavorite\n${rows.join('\n')}`);
  const page = SharedPage.parse(await shown((await share(site)).token));
  expect(page.sites[0]).toMatchObject({ more: 700, counts: { unmonitored: 1_000 } });
  expect(page.sites[0]?.devices).toHaveLength(300);
});

const hex = (byte: number) => byte.toString(16).padStart(2, '0');
