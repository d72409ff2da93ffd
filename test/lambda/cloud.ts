/**
 * The cloud side as the stack puts it together, on this machine: the built functions under Lambda's own client behind a
 * gateway, with the embedded database for DynamoDB, the embedded broker behind signed URLs for IoT Core, and the rules
 * and the queue between it and ingest. Beside it, on the same data, the API as `npm start` serves it, to compare with.
 */
import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect } from 'vitest';
import { rootTokenRow } from '../../functions/access/first-access.ts';
import { type Context, closeContext, openContext } from '../../functions/context.ts';
import { background } from '../../functions/groups/background.ts';
import type { Group } from '../../functions/groups/group.ts';
import { groups } from '../../functions/groups/list.ts';
import { service } from '../../functions/http/service.ts';
import { makeToken, tokenId } from '../../functions/http/token.ts';
import { addSite } from '../../functions/sites/sites.ts';
import { startBroker } from '../../local/broker.ts';
import { localAgentRegistry, openCertificateAuthority } from '../../local/certificate-authority.ts';
import { IOT_CORE_RATES } from '../../local/connection-rate.ts';
import { startHttpServer } from '../../local/http-server.ts';
import { type ApiClient, openApiClient } from '../api-client.ts';
import { writeConsoleBuild } from '../support/console-build.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { PATIENT_ACK_MS } from '../test-system.ts';
import { emulatedTable } from '../test-table.ts';
import { bundledFunction } from './bundled-function.ts';
import { type Account, type DeployedFunction, deployFunction, type FunctionOptions } from './function-process.ts';
import { type Gateway, type Integration, STAGE, startGateway } from './gateway.ts';
import {
  type ControlPlane,
  type DataEndpoint,
  type RoleKeys,
  startControlPlane,
  startDataEndpoint,
} from './iot-core.ts';
import { ROOT, runtime } from './needed-runtime.ts';
import { follow, invokeForQueue, MessageQueue } from './queue.ts';
import { rulesTo } from './rules.ts';
import { startTaskQueue, type TaskQueueServer } from './task-queue.ts';

export const HOME = 'home';
/** Of an account that is no longer new. */
const ACCOUNT_CONCURRENCY = 1_000;
const POLICY = 'LanReach-prod-Agents';
/** As the stack has it. */
const INGEST_QUEUE = { visibilityMs: 120_000, maxReceives: 15 };
const INGEST_AT_A_TIME = 2;
const TASKS_AT_A_TIME = 2;

export const FUNCTIONS = { ...groups, ...background };
export type FunctionName = keyof typeof FUNCTIONS;
/** Whose pages may read what the API says. */
export const ORIGIN = 'https://dash.example.org';

export interface Cloud extends AsyncDisposable, ApiClient {
  /** The API under a base path of a domain of one's own. */
  underDomain: ApiClient;
  /** The same data, as `npm start` serves it. */
  atHome: ApiClient;
  gateway: Gateway;
  account: Account;
  functions: Record<FunctionName, DeployedFunction>;
  /** What a function is started with, for one more of it. */
  optionsOf(name: FunctionName): FunctionOptions;
  /** Which function answers under this first segment of a path. */
  integrationOf(segment: string): Integration & { name: FunctionName };
  /** Where agents connect to. */
  readonly brokerPort: number;
  /** The certificate by which they know the broker of these tests. */
  brokerAuthority: string;
  iot: { data: DataEndpoint; control: ControlPlane };
  context: Context;
  tasks: TaskQueueServer;
  /** Has the worker carry the tasks out, until it is disposed of. */
  working: AsyncDisposable;
}

/** @param environment variables of the functions, beside those that they need */
export async function startCloud(environment: Record<string, string> = {}): Promise<Cloud> {
  const started: (() => Promise<unknown> | unknown)[] = [];
  const dispose = async () => {
    for (let stop = started.pop(); stop !== undefined; stop = started.pop()) await stop();
  };
  try {
    const cloud = await assemble(environment, (stop) => void started.push(stop));
    return { ...cloud, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function assemble(
  environment: Record<string, string>,
  onStop: (stop: () => Promise<unknown> | unknown) => void,
): Promise<Omit<Cloud, typeof Symbol.asyncDispose>> {
  const { path: folder, remove } = makeTestFolder();
  onStop(remove);
  const table = await emulatedTable();
  onStop(() => table[Symbol.asyncDispose]());
  const tasks = await startTaskQueue();
  onStop(() => tasks[Symbol.asyncDispose]());
  const authority = await openCertificateAuthority(join(folder, 'ca'), ['127.0.0.1', 'localhost']);
  const authorityFile = join(folder, 'authority.pem');
  await writeFile(authorityFile, authority.certificate);
  const keys: RoleKeys = {
    accessKeyId: 'ASIAEXAMPLEEXAMPLE01',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    sessionToken: 'IQoJb3JpZ2luX2VjEExample+/=&token',
  };

  const control = await startControlPlane({ authority, keys: () => data.keys, policy: POLICY });
  onStop(() => control[Symbol.asyncDispose]());
  // An agent is let in when IoT Core would: with a certificate that is active, and attached to its thing and its policy.
  const ofFunctions = new X509Certificate(authority.functions.certificate).serialNumber;
  const checked = { ...authority, isRevoked: (serial: string) => serial !== ofFunctions && !control.isUsable(serial) };
  const functions = {} as Record<FunctionName, DeployedFunction>;
  const log = pino({ level: 'silent' });
  const queue = new MessageQueue({ name: 'LanReach-prod-BrokerQueue', ...INGEST_QUEUE });
  const sightings = new MessageQueue({ name: 'LanReach-prod-BrokerSightingsQueue', ...INGEST_QUEUE });
  const broker = await startBroker({
    authority: checked,
    host: '127.0.0.1',
    port: 0,
    rates: IOT_CORE_RATES,
    ingest: { [STAGE]: rulesTo(STAGE, queue, sightings) },
    log,
  });
  onStop(() => broker.close());
  const data = await startDataEndpoint({
    authority,
    keys,
    brokerPort: () => broker.port,
    disconnect(client) {
      const found = broker.isConnected(client);
      broker.disconnect(client);
      return found;
    },
    publish: (topic, payload) => broker.publish(topic, payload),
  });
  onStop(() => data[Symbol.asyncDispose]());

  const account: Account = { concurrency: ACCOUNT_CONCURRENCY, underWay: 0 };
  const optionsOf = (name: FunctionName): FunctionOptions => ({
    runtime: runtime ?? expect.fail('there is no runtime'),
    name: `LanReach-prod-${name}`,
    folder: join(folder, name),
    timeoutMs: FUNCTIONS[name].timeLimitS * 1000,
    environment: {
      TABLE_NAME: table.settings.tableName,
      STAGE,
      DYNAMODB_ENDPOINT: table.settings.endpoint,
      IOT_ENDPOINT: data.host,
      AGENT_BROKER: `mqtts://127.0.0.1:${broker.port}`,
      AGENT_POLICY: POLICY,
      CORS_ORIGINS: ORIGIN,
      TOKEN_REQUESTS_PER_MINUTE: 'off', // Tests make many requests with one token.
      VERSION: '0.0.0-test',
      AWS_ACCESS_KEY_ID: data.keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: data.keys.secretAccessKey,
      AWS_SESSION_TOKEN: data.keys.sessionToken,
      AWS_ENDPOINT_URL_IOT: control.url,
      TASK_QUEUE_URL: `${tasks.url}/tasks`,
      AWS_ENDPOINT_URL_SQS: tasks.url,
      NODE_EXTRA_CA_CERTS: authorityFile,
      ...environment,
    },
  });
  const consoleFolder = join(folder, 'console', 'console');
  for (const name of Object.keys(FUNCTIONS) as FunctionName[]) {
    bundledFunction(ROOT, name, join(folder, name));
    if (name === 'console') await writeConsoleBuild(consoleFolder);
    functions[name] = deployFunction(optionsOf(name), account);
    onStop(() => functions[name][Symbol.asyncDispose]());
  }
  const working = follow(tasks.queue, (event) => invokeForQueue(functions.worker, event), TASKS_AT_A_TIME);
  onStop(() => working[Symbol.asyncDispose]());
  for (const one of [queue, sightings]) {
    const ingesting = follow(one, (event) => invokeForQueue(functions.ingest, event), INGEST_AT_A_TIME);
    onStop(() => ingesting[Symbol.asyncDispose]());
  }

  const integrationOf = (segment: string) => {
    const all = Object.values<Group<never>>(groups);
    const found = all.find(({ routes }) =>
      Object.values(routes).some(({ operations }) =>
        Object.values(operations).some(({ path }) => path.split('/')[1] === segment),
      ),
    );
    const name = (found ?? all.find(({ catchesAll }) => catchesAll))?.name as FunctionName;
    return { name, function: functions[name], isCaught: found === undefined };
  };
  const gateway = await startGateway(STAGE, [ORIGIN], integrationOf);
  onStop(() => gateway[Symbol.asyncDispose]());

  const context = openContext({
    version: '0.0.0-test',
    corsOrigins: [ORIGIN],
    table: table.open(),
    broker: {
      stage: STAGE,
      ackWithinMs: PATIENT_ACK_MS,
      dial: () => ({
        protocol: 'mqtts',
        host: '127.0.0.1',
        port: broker.port,
        ca: authority.certificate,
        cert: authority.functions.certificate,
        key: authority.functions.key,
      }),
    },
    registry: localAgentRegistry(authority, STAGE, {
      url: `mqtts://127.0.0.1:${broker.port}`,
      disconnect: (client) => broker.disconnect(client),
      publish: (topic, payload) => broker.publish(topic, payload),
    }),
    runQueue: {
      send: async (task, at) =>
        tasks.queue.send(JSON.stringify(task), { delayMs: Math.max(0, at.getTime() - Date.now()) }),
    },
    hookQueue: { send: async () => {} },
    log,
  });
  onStop(() => closeContext(context));
  const files = { openApiFile: join(ROOT, 'docs', 'openapi.json'), consoleFolder };
  const routes = Object.values(groups).flatMap((group) => Object.values(group.routes));
  const app = service({ ...context, ...files }, ...routes);
  const server = await startHttpServer(app.fetch, '127.0.0.1', 0);
  onStop(() => server.close());

  const token = makeToken();
  const now = new Date();
  await addSite(context, { id: HOME, name: 'Home', createdAt: now.toISOString() });
  await context.tokens.add(tokenId(token)!, rootTokenRow(token, 'test', now));

  return {
    ...openApiClient(gateway.url, token),
    underDomain: openApiClient(gateway.urlOfDomain, token),
    atHome: openApiClient(`http://127.0.0.1:${server.port}`, token),
    gateway,
    account,
    functions,
    optionsOf,
    integrationOf,
    get brokerPort() {
      return broker.port;
    },
    brokerAuthority: authority.certificate,
    iot: { data, control },
    context,
    tasks,
    working,
  };
}
