import { expect, test } from 'vitest';
import type { Identity } from '../agent/identity/identity.ts';
import { ConnectError, endpointOf, tryConnection } from '../agent/link/session.ts';
import { admin } from '../shared/api/admin.ts';
import { clientIdOf } from '../shared/identity.ts';
import { clientOf, enrolAgent, startRealAgent } from './support/enrolled-agent.ts';
import { sharedSystem } from './support/shared-system.ts';
import { makeTestFolder } from './support/test-folder.ts';
import { startTestSystem, type TestSystem } from './test-system.ts';

const system = sharedSystem();

const brokerPort = (of: TestSystem) => of.system.parts.broker.port;

/** What the broker says to this identity; null when it lets it in. */
async function refusalOf(identity: Identity, of = system): Promise<ConnectError | null> {
  const endpoint = endpointOf(identity, `mqtts://127.0.0.1:${brokerPort(of)}`);
  try {
    await tryConnection(clientIdOf(identity.stage, identity.agent), endpoint, new AbortController().signal);
    return null;
  } catch (error) {
    if (error instanceof ConnectError) return error;
    throw error;
  }
}

async function agentsOf(site: string, of = system) {
  const { json } = await of.request('GET', `/sites/${site}/agents`);
  return admin.listAgents.response.parse(json).agents;
}

const invite = (site: string, body: object, token?: string) =>
  system.request('POST', `/sites/${site}/agents`, { body, token });
const revoke = (site: string, name: string, token?: string) =>
  system.request('DELETE', `/sites/${site}/agents/${name}`, { token });
const enrolWith = (code: unknown, csr: string) =>
  system.request('POST', '/enrol', { token: null, body: { code, csr } });

test('a revoked agent is cut off at once, is not let in again and is listed no more', async () => {
  const site = await system.addSite();
  await using enrolled = await enrolAgent(system, site, 'main');
  await using agent = await startRealAgent(system, enrolled, brokerPort(system));
  expect((await system.request('GET', '/nettools/interfaces', { site })).status).toBe(200);
  const early = (await invite(site, { name: 'main', replace: true })).json as { code: string };

  const answer = await revoke(site, 'main');
  expect([answer.status, answer.json]).toEqual([200, { success: true }]);
  expect(system.system.parts.broker.isConnected(clientOf(enrolled))).toBe(false);
  const told = [
    'the connection to the broker has ended',
    expect.stringContaining('Was the agent revoked or replaced?'),
  ];
  await expect.poll(() => agent.logged().map(({ msg }) => msg)).toEqual(expect.arrayContaining(told));
  expect((await refusalOf(enrolled.identity))?.message).toMatch(/not authorized/i);
  // Its last will has been said by now, too.
  expect(await agentsOf(site)).toEqual([]);
  const refused = await system.request('GET', '/nettools/interfaces', { site });
  expect([refused.status, refused.json]).toMatchObject([503, { code: 'agent_offline' }]);

  const { csr } = await system.makeCsr();
  expect(await enrolWith(early.code, csr)).toMatchObject({
    status: 403,
    json: { code: 'enrolment_refused', message: expect.stringContaining('has been revoked since') },
  });
  expect((await revoke(site, 'main')).status).toBe(404);
  expect(await agentsOf(site)).toEqual([]);

  const { entries } = admin.listAudit.response.parse((await system.request('GET', '/audit', { site })).json);
  const revocations = entries.filter(({ action }) => action === 'agent.revoke');
  expect(revocations).toMatchObject([{ actor: system.token.slice(3, 19), detail: { agent: enrolled.id } }]);

  await using again = await enrolAgent(system, site, 'main');
  expect(await refusalOf(again.identity)).toBeNull();
  expect((await refusalOf(enrolled.identity))?.message).toMatch(/not authorized/i);
});

test('only an administrator of the site may revoke its agents, and foreign sites look like absent ones', async () => {
  const [mine, other] = [await system.addSite(), await system.addSite()];
  await using enrolled = await enrolAgent(system, other, 'main');
  const token = await system.createToken({ sites: [mine] });
  const weak = await system.createToken({ scopes: ['devices:write', 'nettools:run'], sites: [other] });
  expect((await revoke(other, 'main', token)).json).toMatchObject({ code: 'site_forbidden' });
  expect((await revoke('no-such-site', 'main', token)).json).toMatchObject({ code: 'site_forbidden' });
  expect((await revoke(other, 'main', weak)).json).toMatchObject({ code: 'forbidden' });
  expect((await revoke(mine, 'main', token)).json).toMatchObject({ code: 'not_found' });
  expect((await revoke(mine, 'Not a name', token)).status).toBe(400);
  expect((await invite(other, { name: 'spy' }, token)).json).toMatchObject({ code: 'site_forbidden' });
  expect(await refusalOf(enrolled.identity)).toBeNull();
});

test('an agent is replaced only when that is asked for, and then the other is cut off', async () => {
  const site = await system.addSite();
  const early = (await invite(site, { name: 'main' })).json as { code: string };
  await using first = await enrolAgent(system, site, 'main');
  await using agent = await startRealAgent(system, first, brokerPort(system));
  const refused = await invite(site, { name: 'main' });
  expect(refused).toMatchObject({
    status: 409,
    json: { code: 'conflict', message: expect.stringContaining('replace') },
  });
  const { csr } = await system.makeCsr();
  expect(await enrolWith(early.code, csr)).toMatchObject({
    status: 403,
    json: { message: expect.stringContaining('which this enrolment code does not replace') },
  });
  expect(system.system.parts.broker.isConnected(clientOf(first))).toBe(true);

  const made = await invite(site, { name: 'main', replace: true });
  expect(made.status).toBe(201);
  expect(system.system.parts.broker.isConnected(clientOf(first))).toBe(true);
  expect((await enrolWith((made.json as { code: string }).code, csr)).status).toBe(201);
  await expect.poll(agent.stderr).toMatch(/not authorized/i);
  expect((await refusalOf(first.identity))?.message).toMatch(/not authorized/i);
  // The name has an owner that nothing was heard of yet; that the other was online says nothing about it.
  expect(await agentsOf(site)).toMatchObject([{ id: first.id, state: 'enrolling' }]);
});

test('what was revoked stays so after a restart, the agent of this machine too', async () => {
  await using folder = makeTestFolder();
  const first = await startTestSystem({ LANREACH_DATA: folder.path });
  const site = await first.addSite();
  await using enrolled = await enrolAgent(first, site, 'main');
  expect(await refusalOf(enrolled.identity, first)).toBeNull();
  for (const path of [`/sites/${site}/agents/main`, '/sites/home/agents/main']) {
    expect((await first.request('DELETE', path)).status).toBe(200);
  }
  expect(await first.system.isAgentOnline()).toBe(false);
  await first.system.close();

  await using second = await startTestSystem({ LANREACH_DATA: folder.path });
  expect((await refusalOf(enrolled.identity, second))?.message).toMatch(/not authorized/i);
  expect(await agentsOf(site, second)).toEqual([]);
  expect(await agentsOf('home', second)).toEqual([]);
  expect((await second.request('GET', '/nettools/interfaces')).status).toBe(503);
});
