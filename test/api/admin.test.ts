/** Tokens, sites and enrolment, as an operator and an intruder see them. */
import { afterEach, expect, test, vi } from 'vitest';
import { tokenId } from '../../functions/http/token.ts';
import { admin } from '../../shared/api/admin.ts';
import { MAX_DESCENDANTS } from '../../shared/api/records.ts';
import { SCOPES, siteOfAgent } from '../../shared/identity.ts';
import { enrolAgent, resultFor, type StandIn, standInAt, startStandIn } from '../support/enrolled-agent.ts';
import { startTestApi } from '../support/in-process.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();
afterEach(() => void vi.useRealTimers());

const HOUR_MS = 3_600_000;

/** Until the end of the test it is so much later than now, and time stands still. */
const moveClockBy = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms + 1 });

test('a token does what its scopes and sites say, until it is revoked or expires', async () => {
  const [mine, other] = [await system.addSite(), await system.addSite()];
  const made = await system.request('POST', '/tokens', {
    body: { name: 'dashboard', scopes: ['devices:read'], sites: [mine] },
  });
  expect(made.status).toBe(201);
  const { token, id, defaultSite } = admin.createToken.response.parse(made.json);
  expect(defaultSite).toBe(mine);

  const totals = (options: object) => system.request('GET', '/devices/totals', { token, ...options });
  expect((await totals({})).status).toBe(200);
  expect((await totals({ site: mine })).status).toBe(200);
  expect((await system.request('GET', `/devices/totals?site=${mine}`, { token })).status).toBe(200);
  const foreign = await totals({ site: other });
  const absent = await totals({ site: 'no-such-site' });
  expect([foreign.status, absent.status]).toEqual([403, 403]);
  const told = ({ json }: typeof foreign, site: string) => {
    const { requestId: _, message, ...rest } = json as { requestId: string; message: string };
    return { ...rest, message: message.replace(site, '…') };
  };
  expect(told(foreign, other)).toEqual(told(absent, 'no-such-site'));
  expect((await system.request('DELETE', '/devices', { token })).status).toBe(403);

  const listed = admin.listTokens.response.parse((await system.request('GET', '/tokens')).json).tokens;
  const row = listed.find((entry) => entry.id === id);
  expect(row).toMatchObject({ name: 'dashboard', scopes: ['devices:read'], sites: [mine], expiresAt: null });
  expect(row?.createdBy).toBe(tokenId(system.token));
  expect(row?.lastUsedAt).not.toBeNull();
  expect(JSON.stringify(listed)).not.toContain(token.slice(20));

  const revoked = await system.request('DELETE', `/tokens/${id}`);
  expect(revoked.json).toEqual({ success: true, running: [], truncated: false });
  expect((await totals({})).status).toBe(403);
  expect((await system.request('DELETE', `/tokens/${id}`)).status).toBe(404);

  const brief = await system.createToken({ expiresAt: new Date(Date.now() + HOUR_MS).toISOString() });
  moveClockBy(HOUR_MS);
  expect((await system.request('GET', '/tokens/self', { token: brief })).status).toBe(403);
});

test('every valid token may ask what it may do, whatever its scopes, and is told nothing that is secret', async () => {
  await using system = await startTestApi();
  const site = await system.addSite();
  const maker = await system.createToken({ sites: [site] });
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  for (const scope of SCOPES) {
    const wished = { name: `only ${scope}`, scopes: [scope], sites: [site], expiresAt };
    const token = await system.createToken(wished, maker);
    const id = tokenId(token);
    const own = await system.measured('GET', '/tokens/self', { token });
    expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { success, ...shown } = admin.getOwnToken.response.strict().parse(own.json);
    expect(success).toBe(true);
    expect(shown).toMatchObject({ ...wished, id, defaultSite: site, createdBy: tokenId(maker), lastUsedAt: null });
    // The token is read anyway; nothing else is.
    expect(own.consumed.readUnits).toBeLessThanOrEqual(1);
    // From then on it is what the list of tokens shows.
    const listed = admin.listTokens.response.parse((await system.request('GET', '/tokens')).json).tokens;
    const again = await system.request('GET', '/tokens/self', { token });
    expect(again.json).toEqual({ success: true, ...listed.find((one) => one.id === id) });
  }
});

test('a token for all sites that names no default inherits that of its creator', async () => {
  const token = await system.createToken({ sites: '*', defaultSite: undefined });
  expect((await system.request('GET', '/devices/totals', { token })).status).toBe(200);
});

test.each([
  [{ sites: ['Not A Site'] }, { status: 400, json: { errors: [{ path: 'sites' }] } }],
  [{ expiresAt: '2020-01-01T00:00:00.000Z' }, { status: 400, json: { errors: [{ path: 'expiresAt' }] } }],
  [{ defaultSite: 'elsewhere' }, { status: 403 }],
])('a token that makes no sense is not made: %j', async (wrong, refused) => {
  const body = { name: 'x', scopes: ['devices:read'], sites: ['home'], ...wrong };
  expect(await system.request('POST', '/tokens', { body })).toMatchObject(refused);
});

test('an administrator of one site gives away no more than that', async () => {
  const [mine, other] = [await system.addSite(), await system.addSite()];
  const token = await system.createToken({ scopes: ['admin', 'devices:read', 'nettools:run'], sites: [mine] });
  const make = (sites: unknown) =>
    system.request('POST', '/tokens', { token, body: { name: 'x', scopes: ['devices:read'], sites } });
  expect((await make([mine])).status).toBe(201);
  for (const sites of ['*', [other], [mine, other]]) expect((await make(sites)).status).toBe(403);
  expect((await system.request('POST', '/sites', { token, body: { id: 'new-site' } })).status).toBe(403);
  expect((await system.request('POST', `/sites/${other}/agents`, { token, body: { name: 'a' } })).status).toBe(403);
  expect((await system.request('GET', `/sites/${other}/agents`, { token })).status).toBe(403);
  for (const site of [other, 'no-such-site']) {
    const revoked = await system.request('DELETE', `/sites/${site}/agents/main`, { token });
    expect(revoked.json).toMatchObject({ code: 'site_forbidden' });
  }
  const { sites } = admin.listSites.response.parse((await system.request('GET', '/sites', { token })).json);
  expect(sites.map(({ id }) => id)).toEqual([mine]);
  const { tokens } = admin.listTokens.response.parse((await system.request('GET', '/tokens', { token })).json);
  expect(tokens.every((row) => row.sites !== '*' && row.sites.join() === mine)).toBe(true);
});

test('a token gives no scope that it has not itself', async () => {
  const token = await system.createToken({ scopes: ['admin', 'devices:read'] });
  const make = (scopes: string[]) =>
    system.request('POST', '/tokens', { token, body: { name: 'x', scopes, sites: ['home'] } });
  const { status, json } = await make(['devices:read', 'devices:write', 'admin', 'nettools:run']);
  expect([status, json]).toMatchObject([400, { code: 'validation_failed' }]);
  expect((json as { errors: unknown }).errors).toEqual([
    { path: 'scopes.1', message: expect.stringMatching(/^the token of this request lacks the scope devices:write/) },
    { path: 'scopes.3', message: expect.stringMatching(/^the token of this request lacks the scope nettools:run/) },
  ]);
  expect((await make(['admin', 'devices:read'])).status).toBe(201);
});

test('a token gives no longer life than it has itself: its own end is the default, and the latest', async () => {
  const end = new Date(Date.now() + HOUR_MS).toISOString();
  const token = await system.createToken({ expiresAt: end });
  const make = async (expiresAt?: string) => {
    const body = { name: 'x', scopes: ['devices:read'], sites: ['home'], expiresAt };
    const { status, json } = await system.request('POST', '/tokens', { token, body });
    return [status, json];
  };
  expect(await make()).toMatchObject([201, { expiresAt: end, createdBy: tokenId(token) }]);
  expect(await make(end)).toMatchObject([201, { expiresAt: end }]);
  const message = expect.stringMatching(`^expected ${end} or earlier`);
  const refused = await make(new Date(Date.parse(end) + 1).toISOString());
  expect(refused).toMatchObject([400, { errors: [{ path: 'expiresAt', message }] }]);
});

test('of a token that is limited to sites, no more than a hundred living ones descend, however long the chain', async () => {
  const scopes = ['admin', 'devices:read'];
  const site = await system.addSite();
  const make = async (token: string, more: object = {}) => {
    const body = { name: 'x', scopes, sites: [site], ...more };
    const { status, json } = await system.request('POST', '/tokens', { token, body });
    return { status, made: json as { token: string; id: string; message: string } };
  };
  const first = await system.createToken({ scopes, sites: [site] });
  const short = new Date(Date.now() + HOUR_MS).toISOString();
  const soonOver = (await make(first, { expiresAt: short })).made;
  // Each is made by the one before, so that none makes more than one.
  let maker = first;
  const chain: string[] = [soonOver.id];
  while (chain.length < MAX_DESCENDANTS) {
    const { status, made } = await make(maker);
    expect(status).toBe(201);
    chain.push(made.id);
    maker = made.token;
  }
  moveClockBy(HOUR_MS);
  expect((await make(maker)).status).toBe(201); // In the place of the one that has expired.
  for (const token of [maker, first]) {
    const { status, made } = await make(token);
    expect([status, made]).toMatchObject([409, { code: 'conflict' }]);
    expect(made.message).toContain(`100 living tokens descend from the token ${tokenId(first)}`);
  }
  // A token that was revoked makes room, wherever it stood; what it has made still counts.
  expect((await system.request('DELETE', `/tokens/${chain[50]}`)).status).toBe(200);
  expect((await make(first)).status).toBe(201);
  expect((await make(maker)).status).toBe(409);
  // The first of them counts only for those that it limits.
  expect((await make(system.token)).status).toBe(201);
});

test('a revocation names the commands of the token that go on, and no others', async () => {
  const [site, other] = [await system.addSite(), await system.addSite()];
  await using agent = await standInAt(system, site, 'stand-in');
  await using elsewhere = await standInAt(system, other, 'stand-in');
  const scan = async (by: StandIn, token: string) => {
    const headers = { prefer: 'respond-async' };
    const options = { site: siteOfAgent(by.id), token, headers, body: { scan: '127.0.0.1', mode: 'fast' } };
    const asked = system.request('POST', '/nettools/nmap', options);
    const request = await by.take();
    expect((await asked).status).toBe(202);
    return request;
  };
  const token = await system.createToken({ sites: [site, other] });
  const everywhere = await system.createToken({ sites: '*' });
  const over = await scan(agent, token);
  await agent.say(over.replyTo, resultFor(over));
  await agent.control('stored', over.id);
  const goingOn = [await scan(agent, token), await scan(agent, token), await scan(elsewhere, token)];
  const others = [await scan(agent, everywhere), await scan(elsewhere, everywhere)];

  for (const [revoked, expected] of [
    [token, goingOn],
    [everywhere, others],
  ] as const) {
    const { status, json } = await system.request('DELETE', `/tokens/${tokenId(revoked)}`);
    const { running, truncated } = admin.revokeToken.response.parse(json);
    expect([status, running.sort(), truncated]).toEqual([200, expected.map(({ id }) => id).sort(), false]);
  }
  const audit = admin.listAudit.response.parse((await system.request('GET', '/audit?limit=20')).json);
  const entry = audit.entries.find(({ detail }) => detail.id === tokenId(token) && detail.running !== undefined);
  expect(entry).toMatchObject({ action: 'token.revoke', detail: { running: 3 } });
});

test('a site is added once, and empty', async () => {
  const body = { id: 'cabin', name: 'Cabin by the lake' };
  const add = () => system.request('POST', '/sites', { body });
  expect(await add()).toMatchObject({ status: 201, json: { success: true, ...body } });
  expect(await add()).toMatchObject({ status: 409, json: { code: 'conflict' } });
  expect((await system.request('GET', '/devices', { site: 'cabin' })).json).toEqual({ success: true, devices: [] });
});

test('sites come in pages for whoever asks for pages, and all at once for everybody else', async () => {
  const made = [await system.addSite(), await system.addSite(), await system.addSite()].sort();
  const token = await system.createToken({ scopes: ['devices:read'], sites: made });
  const list = async (query: string) => {
    const answer = await system.request('GET', `/sites${query}`, { token });
    expect(answer.status).toBe(200);
    const { sites, nextCursor } = admin.listSites.response.parse(answer.json);
    return { ids: sites.map(({ id }) => id), nextCursor, link: answer.headers.get('link') };
  };
  expect(await list('')).toEqual({ ids: made, nextCursor: null, link: null });
  const link = `</sites?limit=2&cursor=${made[1]}>; rel="next"`;
  expect(await list('?limit=2')).toEqual({ ids: made.slice(0, 2), nextCursor: made[1], link });
  expect(await list(`?limit=2&cursor=${made[1]}`)).toMatchObject({ ids: made.slice(2), nextCursor: null });
  expect(await list(`?cursor=${made[0]}`)).toMatchObject({ ids: made.slice(1), nextCursor: null });
  const wrong = await system.request('GET', '/sites?cursor=No%20Site', { token });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('query.cursor')]);
});

test('one agent says what host it runs on, and when it is gone the service says how that came, until it is revoked', async () => {
  const site = await system.addSite();
  const agent = await enrolAgent(system, site, 'attic');
  type Shown = Exclude<Awaited<ReturnType<typeof ask>>, number>;
  const ask = async () => {
    const { status, json } = await system.request('GET', `/sites/${site}/agents/attic`);
    return status === 200 ? admin.getAgent.response.parse(json) : status;
  };
  expect(await ask()).toMatchObject({ state: 'enrolling', host: null, offlineReason: null, connections: [] });
  const host = { name: 'nuc', platform: 'Debian GNU/Linux 12', addresses: ['192.168.1.9'], startedAt: Date.now() };
  const standIn = await startStandIn(system, agent, undefined, undefined, () => ({ host }));
  await expect.poll(ask).toMatchObject({
    state: 'online',
    host: { ...host, startedAt: new Date(host.startedAt).toISOString() },
    connections: [{ to: null, end: null }],
  });
  // As the broker tells it, of a host whose clock is two minutes behind.
  const session = { clientId: standIn.client, versionNumber: 1 };
  const tell = (eventType: 'connected' | 'disconnected', timestamp: number, disconnectReason?: string) =>
    system.context.sites.recordConnectionEvent(agent.id, { ...session, eventType, timestamp, disconnectReason });
  await tell('connected', Date.now() + 120_000);
  const { clockOffSeconds } = (await ask()) as Shown;
  expect(Math.abs(clockOffSeconds! + 120)).toBeLessThan(60);
  await standIn[Symbol.asyncDispose]();
  await tell('disconnected', Date.now(), 'MQTT_KEEP_ALIVE_TIMEOUT');
  await expect
    .poll(ask)
    .toMatchObject({ state: 'offline', offlineReason: 'timed_out', connections: [{ end: 'timed_out' }] });
  const { certificateEndsAt, connections } = (await ask()) as Shown;
  expect(connections[0]?.to).not.toBeNull();
  moveClockBy(Date.parse(certificateEndsAt!) - Date.now());
  expect(await ask()).toMatchObject({ state: 'offline', offlineReason: 'certificate_ended' });
  vi.useRealTimers();
  await system.request('DELETE', `/sites/${site}/agents/attic`);
  expect(await ask()).toBe(404);
});
