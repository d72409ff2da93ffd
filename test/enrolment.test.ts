/** Agents that are replaced or revoked, as the broker and they themselves see it. */
import { expect, test } from 'vitest';
import type { Identity } from '../agent/identity/identity.ts';
import { ConnectError, endpointOf, tryConnection } from '../agent/link/session.ts';
import { admin } from '../shared/api/admin.ts';
import { clientIdOf } from '../shared/identity.ts';
import { clientOf, enrolAgent, startRealAgent, startStandIn } from './support/enrolled-agent.ts';
import { sharedSystem } from './support/shared-system.ts';

const system = sharedSystem();

const broker = () => system.system.parts.broker;

/** What the broker says to this identity; null when it lets it in. */
async function refusalOf(identity: Identity): Promise<string | null> {
  const endpoint = endpointOf(identity, `mqtts://127.0.0.1:${broker().port}`);
  try {
    await tryConnection(clientIdOf(identity.stage, identity.agent), endpoint, new AbortController().signal);
    return null;
  } catch (error) {
    if (error instanceof ConnectError) return error.message;
    throw error;
  }
}

async function agentsOf(site: string) {
  const { json } = await system.request('GET', `/sites/${site}/agents`);
  return admin.listAgents.response.parse(json).agents;
}

const invite = (site: string, body: object) => system.request('POST', `/sites/${site}/agents`, { body });
const revoke = (site: string) => system.request('DELETE', `/sites/${site}/agents/main`);
const enrolWith = async ({ json }: { json: unknown }) => {
  const { code } = json as { code: string };
  return system.request('POST', '/enrol', { token: null, body: { code, csr: (await system.makeCsr()).csr } });
};

test('a revoked agent is cut off at once, is not let in again and is listed no more', async () => {
  const site = await system.addSite();
  await using enrolled = await enrolAgent(system, site, 'main');
  await using _agent = await startStandIn(system, enrolled, broker().port);
  const early = await invite(site, { name: 'main', replace: true });

  const answer = await revoke(site);
  expect([answer.status, answer.json]).toEqual([200, { success: true }]);
  expect(broker().isConnected(clientOf(enrolled))).toBe(false);
  expect(await refusalOf(enrolled.identity)).toMatch(/not authorized/i);
  // Its last will has been said by now, too.
  expect(await agentsOf(site)).toEqual([]);
  const refused = await system.request('GET', '/nettools/interfaces', { site });
  expect([refused.status, refused.json]).toMatchObject([503, { code: 'agent_offline' }]);
  expect(await enrolWith(early)).toMatchObject({
    status: 403,
    json: { code: 'enrolment_refused', message: expect.stringContaining('has been revoked since') },
  });
  expect((await revoke(site)).status).toBe(404);

  await using again = await enrolAgent(system, site, 'main');
  expect(await refusalOf(again.identity)).toBeNull();
  expect(await refusalOf(enrolled.identity)).toMatch(/not authorized/i);
});

test('an agent is replaced only when that is requested, and then the other is cut off, and says so', async () => {
  const site = await system.addSite();
  const early = await invite(site, { name: 'main' });
  await using first = await enrolAgent(system, site, 'main');
  await using agent = await startRealAgent(system, first, broker().port);
  expect(await invite(site, { name: 'main' })).toMatchObject({
    status: 409,
    json: { code: 'conflict', message: expect.stringContaining('replace') },
  });
  expect(await enrolWith(early)).toMatchObject({
    status: 403,
    json: { message: expect.stringContaining('which this enrolment code does not replace') },
  });
  const made = await invite(site, { name: 'main', replace: true });
  expect(broker().isConnected(clientOf(first))).toBe(true);
  expect((await enrolWith(made)).status).toBe(201);
  const said = [
    'the connection to the broker has ended',
    expect.stringContaining('Was the agent revoked or replaced?'),
  ];
  await expect.poll(() => agent.logged().map(({ msg }) => msg)).toEqual(expect.arrayContaining(said));
  expect(await refusalOf(first.identity)).toMatch(/not authorized/i);
  // The name has an owner that nothing was heard of yet; that the other was online says nothing about it.
  expect(await agentsOf(site)).toMatchObject([{ id: first.id, state: 'enrolling' }]);
});
