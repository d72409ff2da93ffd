/** The Lambda functions: size of their bundles, and time of a cold start until the first response. */
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
import { processorMs, processorTimes } from './processes.ts';
import { type Figure, figure, sizeFigure } from './report.ts';
import { repeatInTurn, sampleOf } from './sampling.ts';

const STARTS = { warmUp: 1, count: 21 };
const WARM = { warmUp: 50, count: 300 };
const DEVICES = 100;

/** Maximum size of the file, and maximum time until the first response, if there is a goal. */
const GOALS: Partial<Record<FunctionName, { kb: number; firstMs?: number }>> = {
  devices: { kb: 500, firstMs: 120 },
  nettools: { kb: 800, firstMs: 180 },
};

export interface FunctionsOptions {
  /** Folder of the project. */
  root: string;
  runtime: LambdaRuntime;
  say(text: string): void;
}

export async function measureFunctions({ root, runtime, say }: FunctionsOptions): Promise<Figure[]> {
  say('starting a database and a broker');
  await using cloud = await startCloud(root, runtime);
  const content = Buffer.from(csvOf(generateDevices(DEVICES))).toString('base64');
  await cloud.atHome.request('POST', '/devices/import', { body: { content } });
  const names = Object.keys(REQUESTS) as (keyof typeof REQUESTS)[];
  const sizes = (Object.keys(FUNCTIONS) as FunctionName[]).flatMap((name) => sizesOf(name, cloud));

  say(`starting ${STARTS.count} instances of each function`);
  const loading: Record<string, number[]> = {};
  const answering: Record<string, number[]> = {};
  const computing: Record<string, number[]> = {};
  const first = await repeatInTurn(
    STARTS,
    mapped(names, (name) => async (round: number) => {
      await using instance = await startInstance(cloud.optionsOf(name));
      const before = processorTimes(instance.pid);
      const ms = await askMs(name, instance, cloud);
      const cpuMs = processorMs(before, processorTimes(instance.pid));
      if (round >= STARTS.warmUp) {
        loading[name] = [...(loading[name] ?? []), instance.initMs];
        answering[name] = [...(answering[name] ?? []), ms];
        computing[name] = [...(computing[name] ?? []), cpuMs];
      }
      return instance.initMs + ms;
    }),
  );

  const setup = await repeatInTurn(STARTS, {
    loaded: async () => {
      await using instance = await startInstance(cloud.optionsOf('setup'));
      return instance.initMs;
    },
  });

  say('asking instances that have answered before');
  const instances = new Map<string, Instance>();
  try {
    for (const name of names) instances.set(name, await startInstance(cloud.optionsOf(name)));
    const furtherCpu: Record<string, number[]> = {};
    const warm = await repeatInTurn(
      WARM,
      mapped(names, (name) => async (round: number) => {
        const instance = instances.get(name)!;
        const before = processorTimes(instance.pid);
        const ms = await askMs(name, instance, cloud);
        const cpuMs = processorMs(before, processorTimes(instance.pid));
        if (round >= WARM.warmUp) furtherCpu[name] = [...(furtherCpu[name] ?? []), cpuMs];
        return ms;
      }),
    );
    return [
      ...sizes,
      ...names.flatMap((name) => [
        figure(`${name}: loaded`, 'ms', null, sampleOf(loading[name] ?? [])),
        figure(`${name}: then the first answer`, 'ms', null, sampleOf(answering[name] ?? [])),
        figure(`${name}: loaded and answered`, 'ms', GOALS[name]?.firstMs ?? null, first[name]),
        figure(`${name}: a further answer`, 'ms', null, warm[name]),
        figure(`${name}: CPU of the first answer`, 'ms', null, sampleOf(computing[name] ?? [])),
        figure(`${name}: CPU of a further answer`, 'ms', null, sampleOf(furtherCpu[name] ?? [])),
      ]),
      figure('setup: loaded', 'ms', null, setup.loaded),
    ];
  } finally {
    for (const instance of instances.values()) await instance[Symbol.asyncDispose]();
  }
}

function sizesOf(name: FunctionName, cloud: Cloud): Figure[] {
  const file = readFileSync(join(cloud.optionsOf(name).folder, 'index.mjs'));
  return [
    sizeFigure(`${name}: size`, GOALS[name]?.kb ?? null, file.length / 1000),
    sizeFigure(`${name}: size, gzip`, null, gzipSync(file).length / 1000),
  ];
}

/** A request for each function. All but that of the console need the table. */
const REQUESTS = {
  devices: (token: string) => get('/devices', token),
  nettools: (token: string) => get('/jobs', token),
  admin: (token: string) => get('/sites', token),
  mcp: (token: string) => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_devices', arguments: {} } };
    return post('/mcp', token, call);
  },
  console: (token: string) => get('/console/', token),
  ingest: () => {
    const presence: Presence = { v: PROTOCOL_VERSION, t: 'presence', state: 'online', session: Date.now() };
    const queue = new MessageQueue({ name: 'q', visibilityMs: 1, maxReceives: 1 });
    queue.send(queued(topics.presence(clientIdOf(STAGE, `${HOME}:main`)), Buffer.from(JSON.stringify(presence))));
    return queue.receive();
  },
} satisfies Partial<Record<FunctionName, (token: string) => object>>;

function get(path: string, token: string): object {
  const headers: [string, string][] = [
    ['Authorization', `Bearer ${token}`],
    ['Accept-Encoding', 'gzip'],
  ];
  const request = { method: 'GET', path, query: new URLSearchParams(), headers, body: Buffer.alloc(0) };
  return proxyEvent(request, { stage: STAGE });
}

function post(path: string, token: string, body: object): object {
  const headers: [string, string][] = [
    ['Authorization', `Bearer ${token}`],
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json, text/event-stream'],
  ];
  const bytes = Buffer.from(JSON.stringify(body));
  const request = { method: 'POST', path, query: new URLSearchParams(), headers, body: bytes };
  return proxyEvent(request, { stage: STAGE });
}

/** From before the event until the last byte of the response. A wrong response ends the run. */
async function askMs(name: keyof typeof REQUESTS, instance: Instance, { token }: Cloud): Promise<number> {
  const event = REQUESTS[name](token);
  const startedAt = performance.now();
  const answered = await instance.invoke(event);
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

function mapped<Name extends string, Value>(
  names: readonly Name[],
  measureOf: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, measureOf(name)])) as Record<Name, Value>;
}
