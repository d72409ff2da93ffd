/** Enrolment codes for one host and for many: how often, for how long, from where, and by whose right. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { tokenId } from '../../functions/http/token.ts';
import type { EnrolmentCode } from '../../shared/api/enrolment-codes.ts';
import { makeAgentKey } from '../agent-key.ts';
import type { TestApi } from '../support/in-process.ts';
import { SIGN_IN, signedIn } from '../support/signed-in.ts';
import { testApi } from '../support/test-api.ts';

const DAY_MS = 86_400_000;

const api = testApi({ signIn: SIGN_IN });

type Made = EnrolmentCode & { code: string };

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

/** A code for several hosts of a site of its own, unless it says otherwise. */
async function makeCode({ site, ...wanted }: { site?: string } & Record<string, unknown> = {}, token?: string) {
  const at = site ?? (await api.addSite());
  const body = { uses: 5, ...wanted };
  const made = await api.request('POST', `/sites/${at}/agents`, { body, token });
  return { ...made, ...(made.json as Made) };
}

async function openCodes(token?: string): Promise<EnrolmentCode[]> {
  const { json } = await api.request('GET', '/enrolment-codes', { token });
  return (json as { codes: EnrolmentCode[] }).codes;
}
const codeOf = async (id: string) => (await openCodes()).find((code) => code.id === id);

/** A host with a key of its own. */
async function newHost(name = 'till-7.example.net', from = '203.0.113.7') {
  const { csr, key } = await makeAgentKey();
  const headers = { 'x-forwarded-for': from };
  return {
    key,
    enrol: (code: string, as: object = { name }) =>
      api.request('POST', '/enrol', { token: null, headers, body: { code, csr, ...as } }),
  };
}

type Answer = Awaited<ReturnType<TestApi['request']>>;
const messageOf = ({ json }: Answer) => (json as { message: string }).message;
const agentIn = ({ json }: Answer) => (json as { agent: string }).agent;
const certificateIn = ({ json }: Answer) => new X509Certificate((json as { certificate: string }).certificate);
async function agentsOf(site: string) {
  const { json } = await api.request('GET', `/sites/${site}/agents`);
  return (json as { agents: { id: string; state: string }[] }).agents.map(({ id }) => id);
}

test('two hosts become agents by one code, named after themselves; the audit says by which, and who made it', async () => {
  const { code, id, site, agent, uses } = await makeCode();
  expect([agent, uses]).toEqual([null, 5]);
  const [first, second] = [await newHost(), await newHost('WEB_1.example.net')];
  const enrolled = await first.enrol(code);
  expect(enrolled).toMatchObject({ status: 201, json: { agent: `${site}:till-7` } });
  expect(certificateIn(enrolled).checkPrivateKey(createPrivateKey(first.key))).toBe(true);
  expect(agentIn(await second.enrol(code))).toBe(`${site}:web-1`);
  expect(await agentsOf(site)).toEqual([`${site}:till-7`, `${site}:web-1`]);
  expect(await codeOf(id)).toMatchObject({ used: 2, uses: 5, agent: null });
  const nameless = await (await newHost()).enrol(code, {});
  expect(nameless).toMatchObject({ status: 400, json: { errors: [{ path: 'name' }] } });

  expect((await api.request('DELETE', `/enrolment-codes/${id}`)).status).toBe(200);
  const { json } = await api.request('GET', '/audit', { site });
  const { entries } = json as { entries: { action: string; actor: string; detail: object }[] };
  const me = tokenId(api.token);
  expect(entries.map(({ action, actor, detail }) => ({ action, actor, detail })).slice(0, 4)).toEqual([
    { action: 'enrolment.revoke', actor: me, detail: { code: id } },
    { action: 'agent.enrol', actor: 'enrolment', detail: { agent: `${site}:web-1`, code: id, createdBy: me } },
    { action: 'agent.enrol', actor: 'enrolment', detail: { agent: `${site}:till-7`, code: id, createdBy: me } },
    { action: 'enrolment.create', actor: me, detail: expect.objectContaining({ code: id, uses: 5 }) },
  ]);
  for (const secret of [code, code.slice(4)]) expect(JSON.stringify([json, await openCodes()])).not.toContain(secret);
});

test('of ten hosts that come at once with a code for three, three become agents', async () => {
  const { code, id, site } = await makeCode({ uses: 3 });
  const hosts = await Promise.all(Array.from({ length: 10 }, (_, i) => newHost(`till-${i}`)));
  const answers = await Promise.all(hosts.map(({ enrol }) => enrol(code)));
  const taken = answers.filter(({ status }) => status === 201);
  expect(taken).toHaveLength(3);
  for (const one of answers.filter((answer) => !taken.includes(answer))) {
    expect(one).toMatchObject({ status: 403, json: { code: 'enrolment_refused' } });
  }
  expect(await agentsOf(site)).toEqual(taken.map(agentIn).sort());
  expect(await codeOf(id)).toBeUndefined();
});

test('a host that asks again with its key is the same agent and no further use; its former certificate is worthless', async () => {
  const { code, id, site } = await makeCode({ uses: 2 });
  const host = await newHost();
  const first = await host.enrol(code);
  const again = await host.enrol(code);
  expect(agentIn(again)).toBe(`${site}:till-7`);
  expect(await codeOf(id)).toMatchObject({ used: 1 });
  expect(await api.context.registry.isActive(certificateIn(first).serialNumber)).toBe(false);
  expect(await api.context.registry.isActive(certificateIn(again).serialNumber)).toBe(true);
  // Also after the last use, of any code; and nobody else is served then.
  expect((await (await newHost('other')).enrol(code)).status).toBe(201);
  expect((await host.enrol(code)).status).toBe(201);
  expect((await (await newHost('third')).enrol(code)).status).toBe(403);
  const single = await makeCode({ site, name: 'attic', uses: 1 });
  const attic = await newHost();
  // What is no CSR uses nothing up.
  const csr = '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n';
  expect((await attic.enrol(single.code, { csr })).status).toBe(400);
  expect((await attic.enrol(single.code)).json).toMatchObject({
    agent: `${site}:attic`,
    broker: expect.stringMatching(/^mqtts:\/\//),
  });
  expect((await attic.enrol(single.code)).status).toBe(201);
  expect((await (await newHost()).enrol(single.code)).status).toBe(403);
  expect((await (await newHost()).enrol('lre_unknown')).json).toMatchObject({ code: 'enrolment_refused' });
  // A host that was revoked is not let in by a code from before.
  await api.request('DELETE', `/sites/${site}/agents/till-7`);
  expect(messageOf(await host.enrol(code))).toContain('used');
});

test('a code with several uses replaces no agent, whatever a host is called', async () => {
  const { code, id, site } = await makeCode();
  const [first, second] = [await newHost('web'), await newHost('web')];
  const owner = await first.enrol(code);
  const refused = await second.enrol(code);
  expect([refused.status, messageOf(refused)]).toEqual([403, expect.stringContaining(`There is an agent ${site}:web`)]);
  expect(await codeOf(id)).toMatchObject({ used: 1 });
  expect(await api.context.registry.isActive(certificateIn(owner).serialNumber)).toBe(true);
  expect(agentIn(await second.enrol(code, { name: 'web-2' }))).toBe(`${site}:web-2`);
});

test('a code holds only for the networks that it names', async () => {
  const { code, id, networks } = await makeCode({ networks: ['198.51.100.9/24', '2001:db8::/32'] });
  expect(networks).toEqual(['198.51.100.0/24', '2001:db8::/32']);
  const outside = await (await newHost()).enrol(code);
  expect([outside.status, messageOf(outside)]).toEqual([403, expect.stringContaining('requests from 203.0.113.7')]);
  expect(await codeOf(id)).toMatchObject({ used: 0 });
  for (const [i, from] of ['2001:db8::7', '198.51.100.7', '::ffff:198.51.100.8'].entries()) {
    expect((await (await newHost(`host-${i}`, from)).enrol(code)).status).toBe(201);
  }
  expect(await makeCode({ networks: ['198.51.100.0/40'] })).toMatchObject({
    status: 400,
    json: { errors: [{ path: 'networks.0' }] },
  });
  const one = await makeCode({ name: 'attic', uses: 1, networks: ['198.51.100.0/24'] });
  expect((await (await newHost()).enrol(one.code)).status).toBe(403);
});

test.each([
  ['expiresAt', { expiresAt: inDays(31) }],
  ['expiresAt', { expiresAt: inDays(-1) }],
  ['uses', { uses: 0, name: 'attic' }],
  ['uses', { uses: 1_001 }],
  ['name', { uses: 2, name: 'attic' }],
  ['name', { uses: 1 }],
  ['replace', { replace: true }],
])('what is wrong with a code is said of its %s', async (path, wanted) => {
  expect(await makeCode(wanted)).toMatchObject({ status: 400, json: { errors: [{ path }] } });
});

test('a code holds for an hour, or as long as it says, 30 days at most', async () => {
  const { expiresAt } = await makeCode();
  expect(Math.abs(Date.parse(expiresAt) - Date.now() - 3_600_000)).toBeLessThan(60_000);
  expect((await makeCode({ expiresAt: inDays(29.9), uses: 1_000 })).status).toBe(201);
  const soon = await makeCode({ expiresAt: new Date(Date.now() + 1_500).toISOString() });
  await expect.poll(() => codeOf(soon.id), { timeout: 60_000 }).toBeUndefined();
  expect(messageOf(await (await newHost()).enrol(soon.code))).toContain('expired');
});

test('a code that is revoked, or of a removed site, enrols nobody; who may not use its site does not see it', async () => {
  const { code, id, site } = await makeCode();
  const token = await api.createToken({ scopes: ['admin'], sites: [await api.addSite()] });
  expect(await openCodes(token)).toEqual([]);
  expect((await api.request('DELETE', `/enrolment-codes/${id}`, { token })).status).toBe(404);
  expect((await api.request('DELETE', `/enrolment-codes/${id}`)).status).toBe(200);
  expect(messageOf(await (await newHost()).enrol(code))).toContain('has been revoked');
  expect((await api.request('DELETE', `/enrolment-codes/${id}`)).status).toBe(404);

  const other = await makeCode({ site });
  await api.request('DELETE', `/sites/${site}?confirm=${site}`);
  expect(messageOf(await (await newHost()).enrol(other.code))).toContain('has been removed');
  await api.request('POST', `/sites/${site}/restore`);
  expect(await agentsOf(site)).toEqual([]);
});

test('a code ends with the rights of whoever made it, and with their token, but not with their session', async () => {
  const site = await api.addSite();
  const ada = await signedIn(api, 'ada', [{ role: 'admin', sites: [site] }]);
  const set = (body: object) => api.request('PATCH', `/people/${ada.id}`, { body });
  const byAda = await makeCode({ site }, ada.token);
  expect(JSON.stringify([byAda.json, await codeOf(byAda.id)])).not.toContain(ada.id);
  const wanted = { scopes: ['admin', 'devices:read'], sites: [site], expiresAt: inDays(2) };
  const script = await api.createToken(wanted, ada.token);
  const byScript = await makeCode({ site }, script);
  expect(await makeCode({ site, expiresAt: inDays(3) }, script)).toMatchObject({
    status: 400,
    json: { errors: [{ path: 'expiresAt' }] },
  });

  await api.request('DELETE', '/tokens/self', { token: ada.token });
  expect((await (await newHost('first')).enrol(byAda.code)).status).toBe(201);
  expect((await (await newHost('second')).enrol(byScript.code)).status).toBe(201);
  const refusals = async (codes: Made[]) => {
    for (const { code } of codes) {
      const answer = await (await newHost('third')).enrol(code);
      expect([answer.status, messageOf(answer)]).toEqual([403, expect.stringContaining('The creator of the')]);
    }
  };
  const locked = [{ isDisabled: true }, { isDisabled: false, grants: [{ role: 'operator', sites: [site] }] }];
  for (const body of locked) {
    expect((await set(body)).status).toBe(200);
    await refusals([byAda, byScript]);
  }
  await set({ grants: [{ role: 'admin', sites: [site] }] });
  expect((await (await newHost('third')).enrol(byScript.code)).status).toBe(201);
  // A secret that was replaced makes nothing that holds longer than itself.
  const itself = `/tokens/${tokenId(script)}`;
  const rotated = await api.request('POST', `${itself}/rotate`, { token: script, body: { overlapHours: 1 } });
  expect(rotated.status).toBe(200);
  expect((await makeCode({ site }, script)).status).toBe(409);
  await api.request('DELETE', itself);
  await refusals([byScript]);
});
