/** The embedded broker with the rates of IoT Core: what happens to what is too much in a second. */
import { join } from 'node:path';
import fc from 'fast-check';
import mqtt, { type MqttClient } from 'mqtt';
import mqttPacket from 'mqtt-packet';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { topics } from '../shared/agent/topics.ts';
import { makeAgentKey } from '../test/agent-key.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { type Broker, startBroker } from './broker.ts';
import { type CertificateAuthority, openCertificateAuthority } from './certificate-authority.ts';
import { Allowance, type BrokerRates, IOT_CORE_RATES, LOCAL_RATES } from './connection-rate.ts';

const AGENT = 'local:home:main';
const INSTANCE = 'lr-local-0123456789abcdef';

const folder = makeTestFolder();
let authority: CertificateAuthority;
let identity: { cert: string; key: string };
let broker: Broker;
let stored: string[];
const clients: MqttClient[] = [];

beforeAll(async () => {
  authority = await openCertificateAuthority(join(folder.path, 'ca'), ['127.0.0.1']);
  const key = await makeAgentKey();
  identity = { cert: (await authority.issue(AGENT, key.csr)).certificate, key: key.key };
});
afterAll(() => folder.remove());
beforeEach(async () => {
  broker = await brokerWith(IOT_CORE_RATES);
});

async function brokerWith(rates: BrokerRates): Promise<Broker> {
  stored = [];
  const store = async (_agent: string, payload: Uint8Array) => void stored.push(Buffer.from(payload).toString());
  const ignore = async () => {};
  const ingest = { result: store, presence: ignore, sightings: store, measurements: store, connection: ignore };
  const log = pino({ level: 'silent' });
  return startBroker({ authority, host: '127.0.0.1', port: 0, rates, log, ingest: { local: ingest } });
}
afterEach(async () => {
  vi.useRealTimers();
  for (const client of clients.splice(0)) client.end(true);
  await broker.close();
});

function dial(clientId: string): MqttClient {
  const own = clientId === AGENT ? identity : { cert: authority.functions.certificate, key: authority.functions.key };
  const at = { protocol: 'mqtts', host: '127.0.0.1', port: broker.port, ca: authority.certificate } as const;
  const client = mqtt.connect({ ...at, ...own, clientId, protocolVersion: 4, reconnectPeriod: 0 });
  client.on('error', () => {});
  clients.push(client);
  return client;
}

async function connect(clientId: string): Promise<MqttClient> {
  const client = dial(clientId);
  await vi.waitUntil(() => client.connected, { timeout: 60_000 });
  return client;
}

/** What the client sends still arrives, but for the PUBACKs. A packet may be written in several pieces. */
function withholdAcknowledgements({ stream }: MqttClient): void {
  const write = stream.write.bind(stream) as (chunk: Uint8Array) => boolean;
  const parser = mqttPacket.parser();
  parser.on('packet', (packet) => void (packet.cmd === 'puback' || write(mqttPacket.generate(packet))));
  stream.write = ((chunk: Uint8Array) => {
    parser.parse(Buffer.from(chunk));
    return true;
  }) as typeof stream.write;
}

/** Time stands still for what the broker counts, however slow the machine is. */
const stopTime = () => vi.useFakeTimers({ toFake: ['performance'] });

test('the 101st message in a second is not acknowledged and not passed on, and the connection stays', async () => {
  const agent = await connect(AGENT);
  stopTime();
  let acknowledged = 0;
  for (let i = 0; i < 130; i++) {
    agent.publish(topics.sightings(AGENT), String(i), { qos: 1 }, (error) => void (error ?? acknowledged++));
  }
  await vi.waitUntil(() => acknowledged >= 100, { timeout: 60_000 });
  vi.advanceTimersByTime(1_000);
  await agent.publishAsync(topics.sightings(AGENT), 'later', { qos: 1 });
  expect(acknowledged).toBe(100);
  expect(agent.connected).toBe(true);
  await vi.waitUntil(() => stored.includes('later'), { timeout: 60_000 });
  expect(stored).toEqual([...Array.from({ length: 100 }, (_, i) => String(i)), 'later']);
});

test('what is more than 512 KiB in a second is read later', async () => {
  const agent = await connect(AGENT);
  stopTime();
  const sent = Promise.all(
    Array.from({ length: 12 }, () => agent.publishAsync(topics.sightings(AGENT), Buffer.alloc(100_000), { qos: 1 })),
  );
  await vi.waitUntil(() => stored.length >= 5, { timeout: 60_000 });
  expect(stored.length).toBeLessThan(12);
  vi.useRealTimers();
  await sent;
  await vi.waitUntil(() => stored.length === 12, { timeout: 60_000 });
});

test('a client that acknowledges nothing gets a hundred messages at most', async () => {
  const agent = await connect(AGENT);
  await agent.subscribeAsync(topics.allForAgent(AGENT), { qos: 1 });
  const received = { 0: 0, 1: 0, 2: 0 };
  agent.on('message', (_topic, _payload, { qos }) => void received[qos]++);
  withholdAcknowledgements(agent);
  stopTime();
  for (let second = 0; second < 3; second++) {
    const functions = await connect(`${INSTANCE.slice(0, -1)}${second}`);
    const sent = Array.from({ length: 60 }, (_, i) =>
      functions.publishAsync(topics.control(AGENT), `${second} ${i}`, { qos: 1 }),
    );
    await Promise.all(sent);
    vi.advanceTimersByTime(1_000);
  }
  // What is delivered late takes of what passes in the second of its delivery.
  await vi.waitUntil(() => received[1] === 100, { timeout: 60_000 });
  vi.advanceTimersByTime(1_000);
  const functions = await connect(INSTANCE);
  await functions.publishAsync(topics.control(AGENT), 'behind all others, and not to be acknowledged', { qos: 0 });
  await vi.waitUntil(() => received[0] === 1, { timeout: 60_000 });
  expect(received[1]).toBe(100);
});

test('a second attempt to connect by the same client id within a second is cut off without an answer', async () => {
  stopTime();
  const first = await connect(AGENT);
  const second = dial(AGENT);
  const answers: string[] = [];
  second.on('packetreceive', ({ cmd }) => void answers.push(cmd));
  await new Promise((resolve) => second.once('close', () => resolve(null)));
  expect([answers, first.connected]).toEqual([[], true]);
  vi.advanceTimersByTime(1_000);
  expect((await connect(AGENT)).connected).toBe(true);
});

test('on one machine a burst of an agent is slowed down to a hundred messages a second, and all of it arrives', async () => {
  await broker.close();
  broker = await brokerWith(LOCAL_RATES);
  const agent = await connect(AGENT);
  stopTime();
  const begunAt = performance.now();
  const texts = Array.from({ length: 400 }, (_, i) => String(i));
  const flood = Promise.all(texts.map((text) => agent.publishAsync(topics.sightings(AGENT), text, { qos: 1 })));
  // The messages of one read are let through before the rate is looked at.
  const more = flood.then(() => agent.publishAsync(topics.sightings(AGENT), 'more', { qos: 1 }));
  for (let isSent = false; !isSent; ) {
    isSent = await Promise.race([more.then(() => true), new Promise<false>((wait) => setTimeout(wait, 20, false))]);
    vi.advanceTimersByTime(100);
  }
  await vi.waitUntil(() => stored.length === 401, { timeout: 60_000 });
  expect(stored).toEqual([...texts, 'more']);
  expect(performance.now() - begunAt).toBeGreaterThanOrEqual(3_000); // Of the clock that is held.
  expect(agent.connected).toBe(true);
});

test('on one machine two hundred commands at once reach their agent', async () => {
  await broker.close();
  broker = await brokerWith(LOCAL_RATES);
  const agent = await connect(AGENT);
  await agent.subscribeAsync(topics.allForAgent(AGENT), { qos: 1 });
  stopTime();
  let received = 0;
  agent.on('message', () => void received++);
  const sent = Array.from({ length: 200 }, (_, i) => broker.publish(topics.control(AGENT), String(i)));
  await Promise.all(sent);
  await vi.waitUntil(() => received === 200, { timeout: 60_000 });
});

test('property: an allowance lets through what it holds and what flows off, and never more', () => {
  const steps = fc.array(fc.tuple(fc.nat(3_000), fc.nat(30)), { maxLength: 30 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), steps, (perSecond, steps) => {
      let now = 0;
      let taken = 0;
      const allowance = new Allowance(perSecond, () => now);
      for (const [pauseMs, attempts] of steps) {
        now += pauseMs;
        for (let i = 0; i < attempts; i++) if (allowance.take()) taken++;
        expect(taken).toBeLessThanOrEqual(perSecond + (now / 1_000) * perSecond + 1e-6);
      }
      now += 1_000;
      for (let i = 0; i < perSecond; i++) expect(allowance.take()).toBe(true);
    }),
  );
});
