/**
 * Two regions on one table: what the stack has there, over the doubles of IoT Core. The first one goes, agents that were made
 * known in the second are let in there by its policy, and the term keeps them from the first when it is back.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { IoTClient } from '@aws-sdk/client-iot';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrol } from '../../../agent/identity/exchange-code.ts';
import { rootTokenRow } from '../../../api/access/first-access.ts';
import { openIotCoreRegistry } from '../../../api/access/iot-core-registry.ts';
import { addSite } from '../../../api/access/sites.ts';
import { closeContext, openContext } from '../../../api/context/context.ts';
import { groups } from '../../../api/groups/list.ts';
import { service } from '../../../api/http/service.ts';
import { type Ingest, openIngest } from '../../../api/sightings/ingest.ts';
import { registerCertificates } from '../../../cdk/standby-certificates.ts';
import { startBroker } from '../../../local/broker.ts';
import {
  type CertificateAuthority,
  localAgentRegistry,
  openCertificateAuthority,
} from '../../../local/certificate-authority.ts';
import { startHttpServer } from '../../../local/http-server.ts';
import type { Deployment } from '../../../shared/agent/place.ts';
import { makeToken, tokenId } from '../../../store/access/token.ts';
import { openMemoryTable } from '../../../store/memory.ts';
import { openStores } from '../../../store/stores.ts';
import { openApiClient } from '../../api-client.ts';
import { type ControlPlane, REGION, type RoleKeys, startControlPlane } from '../../lambda/iot-core.ts';
import { type AgentProcess, startAgentProcess } from '../../support/agent/agent-process.ts';
import { freePort } from '../../support/free-port.ts';
import { makeTestFolder } from '../../support/test-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const STAGE = 'prod';
const POLICY = 'AgentPolicy';
const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'dist', 'agent.js');
const NAMES = ['one', 'two', 'three'];
const SITE = 'cabin';
const log = pino({ level: 'silent' });
const keys: RoleKeys = { accessKeyId: 'ASIAEXAMPLEEXAMPLE01', secretAccessKey: 'secret', sessionToken: 'session' };

const folder = makeTestFolder();
const token = makeToken();
/** What DynamoDB keeps in both regions, some seconds apart. */
const rows = openMemoryTable();
const table = { ...rows, close: async () => {} };
const closes: (() => Promise<unknown>)[] = [];
let authority: CertificateAuthority;
let places: { api: string; broker: string }[];
let planes: ControlPlane[];
const before = { ...process.env };

beforeAll(async () => {
  authority = await openCertificateAuthority(join(folder.path, 'ca'), ['127.0.0.1']);
  const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  places = [0, 2].map((i) => ({ api: `http://127.0.0.1:${ports[i]}`, broker: `mqtts://127.0.0.1:${ports[i + 1]}` }));
  planes = await Promise.all([0, 1].map(() => startControlPlane({ authority, keys: () => keys, policy: POLICY })));
  process.env.AWS_ENDPOINT_URL_IOT = planes[0]!.url;
  process.env.AWS_REGION = REGION;
  process.env.AWS_ACCESS_KEY_ID = keys.accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = keys.secretAccessKey;
  process.env.AWS_SESSION_TOKEN = keys.sessionToken;
});
afterAll(async () => {
  for (const close of closes.reverse()) await close();
  for (const plane of planes) await plane[Symbol.asyncDispose]();
  process.env = before;
  await folder.remove();
});

/** A region as the stack has it. @param deployment null: it waits, and its policy lets nobody in */
async function startRegion(i: 0 | 1, deployment: Deployment | null) {
  const plane = planes[i]!;
  const place = places[i]!;
  const isUsable = (serial: string) => deployment !== null && plane.isUsable(serial);
  const agentRegistry = openIotCoreRegistry(
    { stage: STAGE, agentPolicy: POLICY, agentBroker: place.broker, iotEndpoint: 'unused.invalid' },
    log,
  );
  let isDead = false;
  let isClosed = false;
  const control = localAgentRegistry(authority, STAGE, {
    url: place.broker,
    disconnect: (client) => broker.disconnect(client),
    publish: (topic, payload) => broker.publish(topic, payload),
  });
  const context = openContext({
    version: '0.0.0-test',
    corsOrigins: [],
    table,
    ...(deployment === null ? { whyReadOnly: () => 'it waits' } : { deployment }),
    broker: { stage: STAGE, dial: () => ({ stream: broker.connectFunctions() }) },
    registry: {
      ...agentRegistry,
      publish: (agent, message) => control.publish(agent, message),
    },
    batchQueue: { send: async () => {} },
    log,
  });
  const broker = await startBroker({
    authority: { ...authority, isRevoked: (serial) => serial !== '' && !isUsable(serial) },
    host: '127.0.0.1',
    port: Number(new URL(place.broker).port),
    ingest: { [STAGE]: alive(openIngest(context, log), () => isDead) },
    log,
  });
  const routes = Object.values(groups).flatMap((group) => Object.values(group.routes));
  const app = service({ ...context, openApiFile: '', consoleFolder: '' }, ...routes);
  const server = await startHttpServer(app.fetch, '127.0.0.1', Number(new URL(place.api).port));
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await server.close();
    await broker.close();
    await closeContext(context);
  };
  closes.push(close);
  /** A region that fails says nothing of it. */
  const fail = async () => {
    isDead = true;
    await close();
  };
  return { context, broker, close, fail, ...openApiClient(place.api, token) };
}

/** What comes while it is alive. */
function alive(ingest: Ingest, isDead: () => boolean): Ingest {
  const pass = (kind: keyof Ingest) => async (agent: string, payload: Uint8Array) => {
    if (!isDead()) await ingest[kind](agent, payload);
  };
  const [result, presence, sightings] = [pass('result'), pass('presence'), pass('sightings')];
  return { result, presence, sightings, measurements: pass('measurements'), connection: pass('connection') };
}

const register = (pace = async () => {}) =>
  registerCertificates({
    stores: openStores(table, () => new Date()),
    stage: STAGE,
    from: new IoTClient({ endpoint: planes[0]!.url, region: REGION, credentials: keys }),
    to: new IoTClient({ endpoint: planes[1]!.url, region: REGION, credentials: keys }),
    policy: POLICY,
    pace,
    say: () => {},
  });

test('agents are in the second region within two minutes, and stay there', { timeout: 400_000 }, async () => {
  const first = await startRegion(0, { term: 1, standby: places[1]! });
  await first.context.tokens.add(tokenId(token)!, rootTokenRow(token, 'test', new Date()));
  await addSite(first.context, { id: SITE, name: 'Cabin', createdAt: new Date().toISOString() });
  const folders: string[] = [];
  for (const name of [...NAMES, 'revoked']) {
    const { json } = await first.request('POST', `/sites/${SITE}/agents`, { body: { name } });
    const own = join(folder.path, `${name}-${randomBytes(4).toString('hex')}`);
    await enrol((json as { code: string }).code, places[0]!.api, own);
    const file = join(own, 'identity.json');
    const stored = JSON.parse(await readFile(file, 'utf8'));
    stored.current.authority = authority.certificate; // On AWS, that of Amazon.
    await writeFile(file, JSON.stringify(stored), { mode: 0o600 });
    folders.push(own);
  }

  // Stopped in the middle, and run again.
  let calls = 0;
  const failing = async () => {
    if (++calls > 2) throw new Error('stopped');
  };
  await register(failing).catch(() => {});
  expect(await register()).toMatchObject({ agents: 4, failed: [] });
  expect(await register()).toMatchObject({ agents: 4, added: 0, switchedOff: 0, failed: [] });
  expect(planes[1]!.certificates.size).toBe(4);
  await first.request('DELETE', `/sites/${SITE}/agents/revoked`);
  expect(await register()).toMatchObject({ agents: 3, added: 0, switchedOff: 1 });
  const active = [...planes[1]!.certificates.values()].filter(({ serial }) => planes[1]!.isUsable(serial));
  expect(active).toHaveLength(3);

  const waiting = await startRegion(1, null);
  const agents: AgentProcess[] = [];
  for (const own of folders.slice(0, 3)) {
    const agent = startAgentProcess(PROGRAM, [], { PATH: process.env.PATH ?? '', LANREACH_AGENT_DATA: own });
    agents.push(agent);
    closes.push(() => Promise.resolve(agent[Symbol.asyncDispose]()));
  }
  const online = async (region: typeof first) => {
    const { json } = await region.request('GET', `/sites/${SITE}/agents`);
    const all = (json as { agents: { id: string; state: string }[] }).agents;
    return all.filter(({ id, state }) => state === 'online' && region.broker.isConnected(`${STAGE}:${id}`)).length;
  };
  await waitFor('the agents at the first', async () => (await online(first)) === NAMES.length);
  await waitFor('that they know of the second', () =>
    folders.slice(0, 3).every((own) => existsSync(join(own, 'places.json'))),
  );
  const events = async (region: typeof first) =>
    (await region.request('GET', '/events?limit=100', { site: SITE })).text.replace(/"nextCursor":"[^"]*"/, '');
  const told = await events(first);

  const goneAt = performance.now();
  await first.fail();
  expect((await waiting.request('POST', '/sites', { body: { id: 'other' } })).status).toBe(503);
  await waitFor('the agents try the second, which waits', () =>
    agents.every((a) => a.stderr().includes('refuses the agent')),
  );
  await waiting.close();
  const promotedAt = performance.now();
  const second = await startRegion(1, { term: 2, standby: places[0]! });
  await waitFor('the agents at the second', async () => (await online(second)) === NAMES.length, 120_000);
  const seconds = (from: number) => ((performance.now() - from) / 1000).toFixed(1);
  console.log(
    `agents in the second region ${seconds(promotedAt)} s after the promotion, ${seconds(goneAt)} s after the fault`,
  );
  for (const agent of agents) await waitFor('the new term', () => agent.stderr().includes('has taken over'));

  expect(await events(second), 'no event is invented').toBe(told);

  // The first is back, and knows nothing of it: nobody stays there, also when the second is away for a moment.
  const back = await startRegion(0, { term: 1, standby: places[1]! });
  for (const name of NAMES) second.broker.disconnect(`${STAGE}:${SITE}:${name}`);
  await waitFor('the agents at the second again', async () => (await online(second)) === NAMES.length, 120_000);
  expect(await online(back)).toBe(0);
});
