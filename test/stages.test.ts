/** Two stages at one broker, as in one region of an account: an agent of the same site and name in both. */
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rootTokenRow } from '../functions/access/first-access.ts';
import { type Context, closeContext, openContext } from '../functions/context.ts';
import { groups } from '../functions/groups/list.ts';
import { service } from '../functions/http/service.ts';
import { makeToken, tokenId } from '../functions/http/token.ts';
import { addSite } from '../functions/sites/sites.ts';
import { type Broker, startBroker } from '../local/broker.ts';
import {
  type CertificateAuthority,
  localAgentRegistry,
  openCertificateAuthority,
} from '../local/certificate-authority.ts';
import { startHttpServer } from '../local/http-server.ts';
import { PROTOCOL_VERSION } from '../shared/agent/messages.ts';
import { topics } from '../shared/agent/topics.ts';
import { clientIdOf, type Stage } from '../shared/identity.ts';
import { type ApiClient, openApiClient } from './api-client.ts';
import { openIngest } from './support/background-work.ts';
import {
  ackFor,
  type EnrolledAgent,
  enrolAgent,
  resultFor,
  type StandIn,
  startStandIn,
} from './support/enrolled-agent.ts';
import { makeTestFolder } from './support/test-folder.ts';
import { PATIENT_ACK_MS } from './test-system.ts';
import { memoryTable } from './test-table.ts';

const SITE = 'home';
const AGENT = 'home:main';
const STAGES = ['prod', 'test'] as const;
const log = pino({ level: 'silent' });

/** A deployment with a table, an API and an agent of its own; only the broker is shared. */
type Opened = { stage: Stage; context: Context; api: ApiClient };
type Deployment = Opened & { enrolled: EnrolledAgent; agent: StandIn };

const started: (() => Promise<unknown>)[] = [];
const folder = makeTestFolder();
let authority: CertificateAuthority;
let broker: Broker;
let deployments: [Deployment, Deployment];

beforeAll(async () => {
  authority = await openCertificateAuthority(join(folder.path, 'ca'), ['127.0.0.1']);
  const [first, second] = [await openStage(STAGES[0]), await openStage(STAGES[1])];
  broker = await startBroker({
    authority,
    host: '127.0.0.1',
    port: 0,
    log,
    ingest: { [first.stage]: openIngest(first.context, log), [second.stage]: openIngest(second.context, log) },
  });
  started.push(() => broker.close());
  deployments = [await enrolIn(first), await enrolIn(second)];
});
afterAll(async () => {
  for (const stop of started.reverse()) await stop();
  await folder.remove();
});

async function openStage(stage: Stage): Promise<Opened> {
  const context = openContext({
    version: 'test',
    corsOrigins: [],
    table: memoryTable().open(),
    broker: { stage, dial: () => ({ stream: broker.connectFunctions() }), ackWithinMs: PATIENT_ACK_MS },
    registry: localAgentRegistry(authority, stage, {
      url: 'mqtts://127.0.0.1:8883', // Agents of these tests are told the port.
      disconnect: (client) => broker.disconnect(client),
      publish: (topic, payload) => broker.publish(topic, payload),
    }),
    runQueue: { send: async () => {} },
    hookQueue: { send: async () => {} },
    log,
  });
  started.push(() => closeContext(context));
  const files = { openApiFile: '', consoleFolder: '' };
  const routes = Object.values(groups).flatMap((group) => Object.values(group.routes));
  const server = await startHttpServer(service({ ...context, ...files }, ...routes).fetch, '127.0.0.1', 0);
  started.push(() => server.close());
  const token = makeToken();
  const now = new Date();
  await addSite(context, { id: SITE, name: 'Home', createdAt: now.toISOString() });
  await context.tokens.add(tokenId(token) ?? '', rootTokenRow(token, 'test', now));
  return { stage, context, api: openApiClient(`http://127.0.0.1:${server.port}`, token) };
}

async function enrolIn(opened: Opened): Promise<Deployment> {
  const enrolled = await enrolAgent(opened.api, SITE, 'main');
  started.push(async () => enrolled[Symbol.asyncDispose]());
  const agent = await startStandIn({ ...opened.api, brokerPort: broker.port }, enrolled);
  started.push(async () => agent[Symbol.asyncDispose]());
  return { ...opened, enrolled, agent };
}

const trace = ({ api }: Deployment) =>
  api.request('POST', '/nettools/traceroute', { site: SITE, body: { devLastIP: '127.0.0.1' } });
const jobsOf = async ({ api }: Deployment) => (await api.request('GET', '/jobs', { site: SITE })).json;

test('each command reaches the agent of its own stage, and each result the ingest and the caller of its own stage', async () => {
  for (const { stage, enrolled } of deployments) {
    expect(enrolled.identity).toMatchObject({ agent: AGENT, stage });
    expect(broker.isConnected(clientIdOf(stage, AGENT))).toBe(true);
  }
  const sent = deployments.map(trace);
  for (const { stage, agent } of deployments) {
    const request = await agent.request();
    expect(request.replyTo).toMatch(new RegExp(`^lr-${stage}-`));
    await agent.say(request.replyTo, ackFor(request));
    await agent.say(request.replyTo, resultFor(request, { output: `as seen in ${stage}\n` }));
    await agent.control('stored', request.id);
  }
  for (const [i, deployment] of deployments.entries()) {
    const { status, json } = (await sent[i])!;
    expect([status, json]).toMatchObject([200, { output: `as seen in ${deployment.stage}\n` }]);
    const ids = deployment.agent.requests.map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
    expect(await jobsOf(deployment)).toMatchObject({ jobs: [{ id: ids[0], state: 'succeeded' }] });
    // Neither agent has heard anything about the command of the other one.
    expect(deployment.agent.controls.every(({ id }) => ids.includes(id))).toBe(true);
  }
});

test('an agent that goes offline, or is revoked, is so in its own stage alone', async () => {
  const [ours, theirs] = deployments;
  const state = async ({ api }: Deployment) => {
    const { json } = await api.request('GET', `/sites/${SITE}/agents`);
    return (json as { agents: { id: string; state: string }[] }).agents.map(({ id, state }) => `${id} ${state}`);
  };
  expect((await ours.api.request('DELETE', `/sites/${SITE}/agents/main`)).status).toBe(200);
  expect(await state(ours)).toEqual([]);
  expect(broker.isConnected(ours.agent.client)).toBe(false);
  expect(broker.isConnected(theirs.agent.client)).toBe(true);
  // A message of the agent that is left has been stored after those about the end of the other one.
  const presence = { v: PROTOCOL_VERSION, t: 'presence', state: 'draining', session: Date.now() };
  await theirs.agent.publish(topics.presence(theirs.agent.client), Buffer.from(JSON.stringify(presence)));
  await expect.poll(() => state(theirs)).toEqual([`${AGENT} draining`]);
});
