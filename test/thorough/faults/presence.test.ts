/** What a caller is told of a site that cannot be reached, and from what it is known. */
import mqtt from 'mqtt';
import { expect, test } from 'vitest';
import { endpointOf } from '../../../agent/link/session.ts';
import { PROTOCOL_VERSION, type Presence } from '../../../shared/agent/messages.ts';
import { ACK_WITHIN_MS } from '../../../shared/agent/timing.ts';
import { topics } from '../../../shared/agent/topics.ts';
import { jobs } from '../../../shared/api/jobs.ts';
import { becomes, clientOf, type EnrolledAgent, enrolAgent, startRealAgent } from '../../support/enrolled-agent.ts';
import { ownSystem } from '../../support/shared-system.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

const system = ownSystem({ LOG_LEVEL: 'info' }, { ackWithinMs: ACK_WITHIN_MS });

/** What a call to the site is answered with. */
async function call(site: string) {
  const { status, json, headers } = await system.request('GET', '/nettools/interfaces', { site });
  const { code, message } = json as { code?: string; message?: string };
  return { status, code, message, retryAfter: Number(headers.get('retry-after')) };
}

/** Calls the site until it answers: on a machine that stands still the agent may count as silent for a moment. */
async function works(site: string): Promise<void> {
  await expect.poll(() => call(site)).toMatchObject({ status: 200 });
}

async function jobsOf(site: string): Promise<string[]> {
  const { json } = await system.request('GET', '/jobs?limit=500', { site });
  return jobs.listJobs.response.parse(json).jobs.map(({ id }) => id);
}

test('an agent that has gone, and said so or been cut off: 503 without a try', async () => {
  const site = await system.addSite();
  await using enrolled = await enrolAgent(system, site, 'gone');
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await using agent = await startRealAgent(system, enrolled, system.system.parts.broker.port);
    await works(site);
    agent.child.kill(signal);
    await agent.ended;
    await becomes(system, enrolled.id, 'offline');
    const before = await jobsOf(site);
    const { status, code, message, retryAfter } = await call(site);
    expect([status, code]).toEqual([503, 'agent_offline']);
    expect(message).toContain('No agent of site'); // One that was tried is "not connected any more".
    expect(retryAfter).toBeGreaterThan(0);
    expect(await jobsOf(site)).toEqual(before);
  }
});

test('an agent that fell silent and counts as connected: 503 while it is silent, and nothing is run later', async () => {
  const site = await system.addSite();
  await using enrolled = await enrolAgent(system, site, 'silent');
  await using network = await startTcpProxy(() => system.system.parts.broker.port);
  await using agent = await startRealAgent(system, enrolled, network.port);
  await works(site);
  const before = await jobsOf(site);
  network.blackHole();
  agent.child.kill('SIGSTOP');
  for (let i = 0; i < 3; i++) {
    const { status, code, retryAfter } = await call(site);
    expect([status, code]).toEqual([503, 'agent_silent']);
    expect(retryAfter).toBeGreaterThan(0);
  }
  const unanswered = (await jobsOf(site)).filter((id) => !before.includes(id));
  expect(unanswered).toHaveLength(3);
  agent.child.kill('SIGCONT');
  network.resetAll();
  await works(site); // Over another connection: what had come over the first one would have been started before.
  const started = agent.logged().flatMap(({ msg, jobId }) => (msg === 'command started' ? [jobId] : []));
  for (const id of unanswered) expect(started).not.toContain(id);
});

/** What the broker has told of an agent's connections, as far as it was news. */
function toldOf({ id }: EnrolledAgent) {
  const lines = system.logged.filter(({ msg, agentId }) => msg === 'connection' && agentId === id);
  return lines.map(({ event, reason }) => [event, reason]);
}

/** Connects with an agent's identity and without a last will, and says that it is there. */
async function startLiar({ identity }: EnrolledAgent) {
  const { port } = system.system.parts.broker;
  const clientId = clientOf({ identity });
  const client = await mqtt.connectAsync({
    ...endpointOf(identity, `mqtts://127.0.0.1:${port}`),
    clientId,
    protocolVersion: 4,
    reconnectPeriod: 0,
  });
  client.on('error', () => {});
  const presence: Presence = { v: PROTOCOL_VERSION, t: 'presence', state: 'online', session: Date.now() };
  const details = { version: '0.0.0', programs: {}, capabilities: [], networks: [], load: { running: 0, queued: 0 } };
  await client.publishAsync(topics.presence(clientId), JSON.stringify({ ...presence, ...details }), { qos: 1 });
  return client;
}

test('an agent that leaves no last will and vanishes is offline all the same, and comes back as any other', async () => {
  const site = await system.addSite();
  await using enrolled = await enrolAgent(system, site, 'liar');
  const client = await startLiar(enrolled);
  await becomes(system, enrolled.id, 'online');
  client.stream.destroy();
  await becomes(system, enrolled.id, 'offline');
  expect(await call(site)).toMatchObject({ status: 503, code: 'agent_offline' });
  await using agent = await startRealAgent(system, enrolled, system.system.parts.broker.port);
  await works(site);
  agent.child.kill('SIGKILL');
  await agent.ended;
  await becomes(system, enrolled.id, 'offline');
  await expect
    .poll(() => toldOf(enrolled))
    .toEqual([
      ['connected', undefined],
      ['disconnected', 'CONNECTION_LOST'],
      ['connected', undefined],
      ['disconnected', 'CONNECTION_LOST'],
    ]);
});

test('an agent whose broker is started again is told to have gone, and is online again afterwards', async () => {
  const site = await system.addSite();
  await using enrolled = await enrolAgent(system, site, 'patient');
  await using _agent = await startRealAgent(system, enrolled, system.system.parts.broker.port);
  await system.system.parts.restartBroker();
  await becomes(system, enrolled.id, 'online');
  await works(site);
  await expect
    .poll(() => toldOf(enrolled))
    .toEqual([
      ['connected', undefined],
      ['disconnected', 'SERVER_INITIATED_DISCONNECT'],
      ['connected', undefined],
    ]);
});
