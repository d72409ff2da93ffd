/** The Lambda functions: size of their bundles, and time of a cold start until the first answer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PROTOCOL_VERSION, type Presence } from '../shared/agent/messages.ts';
import { topics } from '../shared/agent/topics.ts';
import { clientIdOf } from '../shared/identity.ts';
import { type Cloud, FUNCTIONS, type FunctionName, HOME, modeOf, STAGE, startCloud } from '../test/lambda/cloud.ts';
import { type Instance, startInstance } from '../test/lambda/function-process.ts';
import { proxyEvent, readAnswer, wholeOf } from '../test/lambda/gateway.ts';
import { MessageQueue } from '../test/lambda/queue.ts';
import { queued } from '../test/lambda/rules.ts';
import type { LambdaRuntime } from '../test/lambda/runtime.ts';
import { csvOf, generateDevices } from './devices.ts';
import { type Figure, figure, single } from './report.ts';
import { inTurn, sampleOf } from './sampling.ts';

const STARTS = { warmUp: 1, count: 21 };
const WARM = { warmUp: 50, count: 300 };
const DEVICES = 100;

/** Most milliseconds from the loading of the file until the first answer. */
const GOALS: Partial<Record<FunctionName, number>> = { devices: 150, nettools: 200 };

export async function measureFunctions(
  root: string,
  runtime: LambdaRuntime,
  say: (text: string) => void,
): Promise<Figure[]> {
  say('starting a database and a broker');
  await using cloud = await startCloud(root, runtime);
  const content = Buffer.from(csvOf(generateDevices(DEVICES))).toString('base64');
  await cloud.atHome.request('POST', '/devices/import', { body: { content } });
  const names = Object.keys(REQUESTS) as (keyof typeof REQUESTS)[];

  say(`starting ${STARTS.count} instances of each function`);
  const loading = new Map(names.map((name) => [name, [] as number[]]));
  const first = await inTurn(names, STARTS, async (name, round) => {
    await using instance = await startInstance(cloud.optionsOf(name));
    const ms = await askMs(name, instance, cloud);
    if (round >= STARTS.warmUp) loading.get(name)?.push(instance.initMs);
    return instance.initMs + ms;
  });

  say('asking instances that have answered before');
  const instances = new Map<string, Instance>();
  try {
    for (const name of names) instances.set(name, await startInstance(cloud.optionsOf(name)));
    const warm = await inTurn(names, WARM, (name) => askMs(name, instances.get(name)!, cloud));
    return [
      ...(Object.keys(FUNCTIONS) as FunctionName[]).map((name) => sizeOf(name, cloud)),
      ...names.flatMap((name, i) => [
        figure(`${name}: loaded`, 'ms', null, [sampleOf(loading.get(name) ?? [])]),
        figure(`${name}: loaded and answered`, 'ms', atMost(GOALS[name]), first.slice(i, i + 1)),
        figure(`${name}: a further answer`, 'ms', null, warm.slice(i, i + 1)),
      ]),
    ];
  } finally {
    for (const instance of instances.values()) await instance[Symbol.asyncDispose]();
  }
}

function sizeOf(name: FunctionName, cloud: Cloud): Figure {
  const file = readFileSync(join(cloud.optionsOf(name).folder, 'index.mjs'));
  return single(`${name}: size, gzip`, 'KB', null, [gzipSync(file).length / 1_000]);
}

function atMost(value: number | undefined) {
  return value === undefined ? null : { atMost: value };
}

/** A request for each function. All but that of the console need the table. */
const REQUESTS = {
  devices: (token: string) => event('GET', '/devices', token),
  nettools: (token: string) => event('GET', '/jobs', token),
  admin: (token: string) => event('GET', '/sites', token),
  mcp: (token: string) => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_devices', arguments: {} } };
    return event('POST', '/mcp', token, call);
  },
  console: (token: string) => event('GET', '/console/', token),
  ingest: () => {
    const presence: Presence = { v: PROTOCOL_VERSION, t: 'presence', state: 'online', session: Date.now() };
    const queue = new MessageQueue({ name: 'q', visibilityMs: 1, maxReceives: 1 });
    queue.send(queued(topics.presence(clientIdOf(STAGE, `${HOME}:main`)), Buffer.from(JSON.stringify(presence))));
    return queue.receive();
  },
} satisfies Partial<Record<FunctionName, (token: string) => object>>;

function event(method: string, path: string, token: string, json?: object): object {
  const headers: [string, string][] = [
    ['Authorization', `Bearer ${token}`],
    ['Accept', 'application/json, text/event-stream'],
    ['Accept-Encoding', 'gzip'],
    ...(json === undefined ? [] : [['Content-Type', 'application/json'] as [string, string]]),
  ];
  const body = json === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(json));
  return proxyEvent({ method, path, query: new URLSearchParams(), headers, body }, { stage: STAGE });
}

/** From before the event until the last byte of the answer. A wrong answer ends the run. */
async function askMs(name: keyof typeof REQUESTS, instance: Instance, { token }: Cloud): Promise<number> {
  const asked = REQUESTS[name](token);
  const startedAt = performance.now();
  const answered = await instance.invoke(asked);
  if (name === 'ingest') {
    const text = (await wholeOf(answered.body)).toString();
    if (text !== '{"batchItemFailures":[]}') throw new Error(`ingest answered ${text}`);
    return performance.now() - startedAt;
  }
  const { status, body } = await readAnswer(answered, modeOf(name));
  await wholeOf(body);
  const ms = performance.now() - startedAt;
  if (status !== 200) throw new Error(`${name} answered ${status}`);
  return ms;
}
