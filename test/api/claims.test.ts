/** Many agents with one key: who is let in, how often, from where, and what becomes of a claim when something goes wrong. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Claim, ClaimKey } from '../../shared/api/claims.ts';
import { makeAgentKey } from '../agent-key.ts';
import { aroundCalls } from '../support/database-calls.ts';
import { startStandIn } from '../support/enrolled-agent.ts';
import { eraseSite } from '../support/erase-site.ts';
import { startTestApi, type TestApi } from '../support/in-process.ts';
import { SIGN_IN, signedIn } from '../support/signed-in.ts';

const DAY_MS = 86_400_000;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ signIn: SIGN_IN });
});
afterAll(() => api.close());

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

/** A key of a site of its own, unless it says otherwise. */
async function makeKey(wanted: object = {}, token?: string) {
  const site = 'siteFrom' in wanted ? {} : { site: await api.addSite() };
  const body = { name: 'shops', uses: 5, expiresAt: inDays(7), ...site, ...wanted };
  const made = await api.request('POST', '/claim-keys', { body, ...(token === undefined ? {} : { token }) });
  return { ...made, ...(made.json as ClaimKey & { secret: string }) };
}

const keyOf = async (id: string) => {
  const { keys } = (await api.request('GET', '/claim-keys')).json as { keys: ClaimKey[] };
  return keys.find((key) => key.id === id)!;
};
const claimsOf = async (key: string, token?: string) => {
  const asked = token === undefined ? {} : { token };
  return ((await api.request('GET', `/claims?key=${key}`, asked)).json as { claims: Claim[] }).claims;
};
const decide = async (how: 'approve' | 'refuse', ids: string[], more: object = {}, token = api.token) =>
  (await api.request('POST', `/claims/${how}`, { body: { ids, ...more }, token })).json as {
    claims: Claim[];
    failed: { id: string; message: string }[];
  };

/** A host with a key of its own. */
async function newHost(name = 'till-7.example.net', networks = ['192.168.7.0/24'], from = '203.0.113.7') {
  const { csr, key } = await makeAgentKey();
  const host = { name, platform: 'test', addresses: ['192.168.7.2'], networks, version: '0.0.0' };
  const headers = { 'x-forwarded-for': from };
  return {
    key,
    csr,
    claim: (secret: string) =>
      api.request('POST', '/enrol/claims', { token: null, headers, body: { key: secret, csr, host } }),
    ask: (claim: string, asked = csr) =>
      api.request('POST', `/enrol/claims/${claim}`, { token: null, headers, body: { csr: asked } }),
  };
}

const messageOf = ({ json }: { json: unknown }) => (json as { message: string }).message;
const idOf = ({ json }: { json: unknown }) => (json as { claim: string }).claim;
const agentIn = ({ json }: { json: unknown }) => (json as { agent: string }).agent;
async function agentsOf(site: string) {
  const { json } = await api.request('GET', `/sites/${site}/agents`);
  return (json as { agents: { id: string; state: string }[] }).agents;
}

test('a host waits until a person approves it, and is an agent then; the audit says who let it in', async () => {
  const { id, secret, site } = await makeKey();
  const host = await newHost();
  const claimed = await host.claim(secret);
  expect(claimed).toMatchObject({ status: 202, json: { state: 'waiting', askAgainSeconds: 10 } });
  expect(claimed.headers.get('retry-after')).toBe('10');
  const claim = idOf(claimed);
  expect(await host.ask(claim)).toMatchObject({ status: 202 });
  expect(await claimsOf(id)).toMatchObject([
    { id: claim, state: 'waiting', sourceAddress: '203.0.113.7', host: { name: 'till-7.example.net' }, agent: null },
  ]);
  expect(await agentsOf(site!)).toEqual([]);

  expect(await decide('approve', [claim])).toMatchObject({ claims: [{ id: claim, state: 'approved' }], failed: [] });
  const enrolled = await host.ask(claim);
  expect(enrolled).toMatchObject({ status: 201, json: { agent: `${site}:till-7` } });
  const { certificate } = enrolled.json as { certificate: string };
  expect(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(host.key))).toBe(true);
  expect(await agentsOf(site!)).toMatchObject([{ id: `${site}:till-7`, state: 'enrolling' }]);
  expect(await claimsOf(id)).toMatchObject([{ state: 'enrolled', agent: `${site}:till-7` }]);

  const { json } = await api.request('GET', '/audit', { site: site! });
  const entries = (json as { entries: { action: string; actor: string; detail: object }[] }).entries;
  const seen = entries.map(({ action, actor }) => `${action} by ${actor}`).reverse();
  const me = api.token.slice(3, 19);
  const [claiming, enrolling] = ['agent.claim by enrolment', 'agent.claim by enrolment'];
  expect(seen.slice(-4)).toEqual([`claim-key.create by ${me}`, claiming, `claim.approve by ${me}`, enrolling]);
  expect(entries[1]).toMatchObject({ detail: { claim, host: 'till-7.example.net', key: 'shops' } });
  expect(JSON.stringify(json)).not.toContain(secret);
});

test('of twenty hosts that come at once with a key for ten, ten are taken; who comes again counts once', async () => {
  const { id, secret } = await makeKey({ uses: 10 });
  const hosts = await Promise.all(Array.from({ length: 20 }, (_, i) => newHost(`till-${i}`)));
  const persistent = async ({ claim }: (typeof hosts)[number]) => {
    for (;;) {
      const answer = await claim(secret);
      if (answer.status !== 409) return answer; // So many at once: try again, as an agent does.
    }
  };
  // Each of them twice at once, as if an answer had been lost.
  const answers = await Promise.all([...hosts, ...hosts].map(persistent));
  const taken = answers.filter(({ status }) => status === 202).map(idOf);
  const refused = answers.filter(({ status }) => status !== 202);
  expect(new Set(taken).size).toBe(10);
  expect(taken).toHaveLength(20);
  for (const one of refused) expect(one).toMatchObject({ status: 403, json: { code: 'enrolment_refused' } });
  expect(messageOf(refused[0]!)).toContain('used up');
  expect(await keyOf(id)).toMatchObject({ used: 10, state: 'used up' });
  expect(await claimsOf(id)).toHaveLength(10);
  // One that is refused has been a use nevertheless: strangers cannot try for ever.
  await decide('refuse', [taken[0]!]);
  expect(await (await newHost()).claim(secret)).toMatchObject({ status: 403 });
});

test('a claim is of use to the host alone that made it, and to it only until its agent has connected', async () => {
  const { secret, site } = await makeKey({ approve: 'at once' });
  const [host, other] = [await newHost('web'), await newHost('web')];
  const first = await host.claim(secret);
  expect(first).toMatchObject({ status: 201, json: { agent: `${site}:web` } });
  const claim = (await claimsOf((await keyList())[0]!.id))[0]!.id;
  for (const csr of [other.csr, `${host.csr}\n`]) {
    expect(await other.ask(claim, csr)).toMatchObject({ status: 403, json: { code: 'enrolment_refused' } });
  }
  // The answer was lost: the same agent, and the certificate that nobody has got is worthless.
  const again = await host.claim(secret);
  expect(again).toMatchObject({ status: 201, json: { agent: `${site}:web` } });
  const serialOf = ({ json }: typeof again) =>
    new X509Certificate((json as { certificate: string }).certificate).serialNumber;
  expect(await api.context.registry.isActive(serialOf(first))).toBe(false);
  expect(await api.context.registry.isActive(serialOf(again))).toBe(true);
  // Another host of its name is another agent.
  expect(agentIn(await other.claim(secret))).toBe(`${site}:web-2`);

  const identity = { ...(again.json as object), api: api.url, key: host.key } as never;
  const enrolled = { id: `${site}:web`, identity, folder: '', [Symbol.asyncDispose]: async () => {} };
  await using _agent = await startStandIn(api, enrolled);
  const late = await host.claim(secret);
  expect(late).toMatchObject({ status: 403, json: { code: 'enrolment_refused' } });
  expect(messageOf(late)).toContain('used already');
  expect(await api.context.registry.isActive(serialOf(again))).toBe(true);

  async function keyList() {
    const { keys } = (await api.request('GET', '/claim-keys')).json as { keys: ClaimKey[] };
    return keys.filter((key) => key.site === site);
  }
});

test('whichever call of the database a function was killed at, the host is one agent in the end, and one use', async () => {
  const { id, secret, site } = await makeKey({ approve: 'at once', uses: 500 });
  let used = 0;
  for (let killedAt = 1; ; killedAt++) {
    const host = await newHost(`host-${killedAt}`);
    let calls = 0;
    const restore = aroundCalls(api.context.table, async (_call, pass) => {
      if (++calls >= killedAt) throw new Error('killed');
      return pass();
    });
    const first = await host.claim(secret);
    restore();
    const answer = first.status === 201 ? first : await host.claim(secret);
    expect([killedAt, answer.status, agentIn(answer)]).toEqual([killedAt, 201, `${site}:host-${killedAt}`]);
    const { serialNumber } = new X509Certificate((answer.json as { certificate: string }).certificate);
    const known = await api.context.certificates.find(`${site}:host-${killedAt}`);
    expect(known?.certificateId).toBe(serialNumber);
    expect(await api.context.registry.isActive(serialNumber)).toBe(true);
    expect(await keyOf(id)).toMatchObject({ used: ++used });
    if (first.status === 201) break;
    expect(killedAt).toBeLessThan(60);
  }
  expect((await agentsOf(site!)).map(({ id: agent }) => agent)).toHaveLength(used);
});

test('a key holds only where it is meant to, and says so', async () => {
  const outside = await makeKey({ from: ['198.51.100.0/24', '2001:db8::/32'] });
  expect(messageOf(await (await newHost()).claim(outside.secret))).toContain('requests from 203.0.113.7');
  const inside = await newHost('a', [], '2001:db8::7');
  expect((await inside.claim(outside.secret)).status).toBe(202);
  expect(await keyOf(outside.id)).toMatchObject({ used: 1 });
  // Also whoever only asks what has become of a claim.
  const claim = idOf(await inside.claim(outside.secret));
  const elsewhere = { headers: { 'x-forwarded-for': '192.0.2.7' }, token: null, body: { csr: inside.csr } };
  expect(await api.request('POST', `/enrol/claims/${claim}`, elsewhere)).toMatchObject({ status: 403 });
  expect((await inside.ask(claim)).status).toBe(202);

  const attached = await makeKey({ networks: ['10.0.0.0/8'] });
  expect(messageOf(await (await newHost()).claim(attached.secret))).toContain('networks of this one');
  expect((await (await newHost('b', ['10.20.0.0/16'])).claim(attached.secret)).status).toBe(202);
  expect(messageOf(await (await newHost()).claim(`${attached.secret.slice(0, -1)}!`))).toContain('unknown');
});

test('a key that is revoked, over or of a removed site lets nobody in who has not been let in', async () => {
  const revoked = await makeKey();
  const host = await newHost();
  const claim = idOf(await host.claim(revoked.secret));
  expect((await api.request('DELETE', `/claim-keys/${revoked.id}`)).status).toBe(200);
  for (const answer of [await host.ask(claim), await (await newHost()).claim(revoked.secret)]) {
    expect([answer.status, messageOf(answer)]).toEqual([403, expect.stringContaining('has been revoked')]);
  }
  expect(await decide('approve', [claim])).toMatchObject({ claims: [], failed: [{ id: claim }] });
  expect((await api.request('DELETE', `/claim-keys/${revoked.id}`)).status).toBe(404);

  const over = await makeKey({ expiresAt: new Date(Date.now() + 1_500).toISOString() });
  const late = await newHost();
  const lateClaim = idOf(await late.claim(over.secret));
  await expect.poll(async () => messageOf(await late.ask(lateClaim)), { timeout: 60_000 }).toContain('come to its end');

  const gone = await makeKey();
  const orphan = await newHost();
  const orphaned = idOf(await orphan.claim(gone.secret));
  await decide('approve', [orphaned]);
  await eraseSite(api, api.context, gone.site!);
  await api.request('POST', '/sites', { body: { id: gone.site } });
  expect(messageOf(await orphan.ask(orphaned))).toContain('has been removed');
  expect(await agentsOf(gone.site!)).toEqual([]);

  const refused = await makeKey();
  const stranger = await newHost();
  const strange = idOf(await stranger.claim(refused.secret));
  await decide('refuse', [strange]);
  expect(messageOf(await stranger.ask(strange))).toContain('has been refused');
  expect(await decide('approve', [strange])).toMatchObject({
    claims: [],
    failed: [{ message: 'It has been refused' }],
  });
});

test('a key ends with the rights of whoever made it, and with their token, but not with their session', async () => {
  const site = await api.addSite();
  const ada = await signedIn(api, 'ada', [{ role: 'admin', sites: [site] }]);
  const set = (body: object) => api.request('PATCH', `/people/${ada.id}`, { body });
  const byAda = await makeKey({ site, approve: 'at once' }, ada.token);
  expect(byAda).not.toHaveProperty('maker');
  expect(JSON.stringify(await keyOf(byAda.id))).not.toContain(ada.id);
  const made = await api.request('POST', '/tokens', {
    token: ada.token,
    body: { name: 'script', scopes: ['admin', 'devices:read'], sites: [site], expiresAt: inDays(2) },
  });
  const script = made.json as { token: string; id: string; expiresAt: string };
  const byScript = await makeKey({ site, expiresAt: undefined }, script.token);
  expect(byScript.expiresAt).toBe(script.expiresAt);
  expect(await makeKey({ site, expiresAt: inDays(3) }, script.token)).toMatchObject({
    status: 400,
    json: { errors: [{ path: 'expiresAt' }] },
  });

  await api.request('DELETE', '/tokens/self', { token: ada.token });
  expect((await (await newHost()).claim(byAda.secret)).status).toBe(201);
  const host = await newHost();
  const waiting = idOf(await host.claim(byScript.secret));
  const locked = [{ isDisabled: true }, { isDisabled: false, grants: [{ role: 'operator', sites: [site] }] }];
  for (const body of locked) {
    expect((await set(body)).status).toBe(200);
    const answers = [
      await (await newHost()).claim(byAda.secret),
      await host.ask(waiting),
      await host.claim(byScript.secret),
    ];
    for (const answer of answers) {
      expect([answer.status, messageOf(answer)]).toEqual([403, expect.stringContaining('Whoever made the claim key')]);
    }
    expect(await decide('approve', [waiting])).toMatchObject({ claims: [], failed: [{ id: waiting }] });
  }
  await set({ grants: [{ role: 'admin', sites: [site] }] });
  // A secret that was replaced makes nothing that holds longer than itself.
  const rotated = await api.request('POST', `/tokens/${script.id}/rotate`, {
    token: script.token,
    body: { overlapHours: 1 },
  });
  expect(rotated.status).toBe(200);
  expect((await makeKey({ site, expiresAt: undefined }, script.token)).status).toBe(409);
  expect((await makeKey({ site, expiresAt: undefined }, (rotated.json as typeof script).token)).status).toBe(201);
  expect((await (await newHost()).claim(byAda.secret)).status).toBe(201);
  expect((await host.ask(waiting)).status).toBe(202);
  expect((await api.request('DELETE', `/tokens/${script.id}`)).status).toBe(200);
  expect((await host.ask(waiting)).status).toBe(403);
  expect((await (await newHost()).claim(byAda.secret)).status).toBe(201);
});

test('a claim is one site, however often it is made at once, and whichever call a function was killed at', async () => {
  const { secret } = await makeKey({ siteFrom: 'host name', tags: ['fleet'], approve: 'at once', uses: 500 });
  const fleet = async () => {
    const { json } = await api.request('GET', '/sites?sites=tag:fleet');
    return (json as { sites: { id: string; name: string }[] }).sites;
  };
  const many = await newHost('Till\u200b\u{e0041}\u001b[2J.example');
  const answers = await Promise.all(Array.from({ length: 20 }, () => many.claim(secret)));
  expect(answers.map(({ status }) => status)).toContain(201);
  expect(await fleet()).toMatchObject([{ name: 'Till\ufffd[2J.example' }]);
  for (let killedAt = 1; ; killedAt++) {
    const host = await newHost(`booth${killedAt}`);
    let calls = 0;
    const restore = aroundCalls(api.context.table, async (_call, pass) => {
      if (++calls >= killedAt) throw new Error('killed');
      return pass();
    });
    const first = await host.claim(secret);
    restore();
    const answer = first.status === 201 ? first : await host.claim(secret);
    expect(agentIn(answer)).toBe(`booth${killedAt}:main`);
    expect(await fleet()).toHaveLength(1 + killedAt);
    if (first.status === 201) break;
    expect(killedAt).toBeLessThan(60);
  }
});

test('each host gets a site of its own, named after it, with the tags of the key and what their templates say', async () => {
  const template = { tags: ['shops'], settings: { timeZone: 'Europe/Berlin' } };
  expect((await api.request('PUT', '/templates/shops', { body: template })).status).toBe(200);
  const { id, secret } = await makeKey({ siteFrom: 'host name', tags: ['shops'], approve: 'at once' });
  const names = ['Shop_12.example.net', 'shop-12', 'shop-12', '…'];
  const agents: string[] = [];
  for (const name of names) agents.push(agentIn(await (await newHost(name)).claim(secret)));
  expect(agents).toEqual(['shop-12:main', 'shop-12-2:main', 'shop-12-3:main', 'host:main']);
  expect((await api.request('GET', '/sites/shop-12')).json).toMatchObject({
    name: 'Shop_12.example.net',
    tags: ['shops'],
    timeZone: 'Europe/Berlin',
  });
  expect(await claimsOf(id)).toHaveLength(4);
  // A person may say otherwise.
  const byHand = await makeKey({ siteFrom: 'host name' });
  const host = await newHost('elsewhere');
  const claim = idOf(await host.claim(byHand.secret));
  await decide('approve', [claim], { site: 'shop-12', name: 'attic' });
  expect(agentIn(await host.ask(claim))).toBe('shop-12:attic');
});

test('who may use one site decides about its hosts, and knows of no others', async () => {
  const [mine, other] = [await makeKey(), await makeKey()];
  const everywhere = await makeKey({ siteFrom: 'host name' });
  const token = await api.createToken({ sites: [mine.site] });
  const claims: string[] = [];
  for (const { secret } of [mine, other, everywhere]) claims.push(idOf(await (await newHost()).claim(secret)));
  const { keys } = (await api.request('GET', '/claim-keys', { token })).json as { keys: ClaimKey[] };
  expect(keys.map(({ id }) => id)).toEqual([mine.id]);
  expect((await claimsOf(mine.id, token)).map(({ id }) => id)).toEqual([claims[0]]);
  expect(await claimsOf(other.id, token)).toEqual([]);
  const decided = await decide('approve', claims, {}, token);
  expect(decided.claims.map(({ id }) => id)).toEqual([claims[0]]);
  expect(decided.failed).toEqual([claims[1], claims[2]].map((id) => ({ id, message: 'It does not exist' })));
  expect((await api.request('DELETE', `/claim-keys/${other.id}`, { token })).status).toBe(404);
  expect((await makeKey({ site: other.site }, token)).status).toBe(403);
  expect((await makeKey({ siteFrom: 'host name' }, token)).status).toBe(403);
  expect(
    await api.request('POST', '/claims/approve', { token, body: { ids: [claims[0]], site: other.site } }),
  ).toMatchObject({
    status: 403,
  });
});

test('what no key can be', async () => {
  for (const wrong of [
    { uses: 0 },
    { uses: 10_001 },
    { expiresAt: inDays(31) },
    { expiresAt: inDays(-1) },
    { from: ['everywhere'] },
    { approve: 'never' },
    { siteFrom: 'host name', site: 'home' },
    { site: undefined },
    { tags: ['shops'] },
  ]) {
    const { status } = await makeKey({ site: 'home', ...wrong });
    expect([wrong, status]).toEqual([wrong, 400]);
  }
});
