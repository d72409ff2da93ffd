/** Attacks of reviews on the server as a whole; what each does to one part has tests beside that part. */
import { randomBytes } from 'node:crypto';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { type IClientOptions, type MqttClient, connect as mqttConnect } from 'mqtt';
import { endpointOf } from '../../../agent/link/session.ts';
import { PROTOCOL_VERSION } from '../../../shared/agent/messages.ts';
import { BROKER_LIMITS, topics } from '../../../shared/agent/topics.ts';
import { MAX_RESULT_BYTES } from '../../../shared/agent/wire.ts';
import { type AgentId, clientIdOf, LOCAL_STAGE } from '../../../shared/identity.ts';
import type { ApiClient } from '../../api-client.ts';
import { ackFor, type EnrolledAgent, type StandIn } from '../../support/enrolled-agent.ts';
import { ENDED } from '../../support/made-up-result.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Loot } from './attacks.ts';
import { type Answer, exchange, type Header, headOf, type Wire } from './raw-http.ts';
import { outcomeOf } from './verdict.ts';

export interface World {
  port: number;
  brokerPort: number;
  /** With the token that may do everything. */
  api: ApiClient;
  loot: Loot;
  /** An agent that has fallen into the wrong hands, with a site of its own, and a token for that site. */
  rogue: { enrolled: EnrolledAgent; agent: StandIn; site: string; token: string };
  /** The agent of this machine. */
  victim: AgentId;
}

/** What went wrong; empty when nothing did. */
type Faults = Promise<string[]>;

export const KNOWN_ATTACKS = {
  'half-sent bodies of 10 MB on 40 connections': halfSentUploads,
  '600 connections that say nothing': silentConnections,
  'the link of a share, guessed, and taken for a token': sharesAsTokens,
  'streams of events that are cut, and that nobody reads': manyStreams,
  'gzip bombs from an agent, for commands that wait, have ended, or never were': bombs,
  'last wills and subscriptions that an agent has no right to': foreignTopics,
  'broken packets and half handshakes at the broker': brokenPackets,
  'an agent that connects again and again': flapping,
  'a flood of small messages from an agent': smallMessages,
} as const satisfies Record<string, (world: World) => Faults>;
export type KnownAttack = keyof typeof KNOWN_ATTACKS;

/* ---- HTTP ------------------------------------------------------------------------------------------------------- */

function wire(method: string, path: string, headers: readonly Header[], body?: Buffer | string): Wire {
  const length: Header[] = body === undefined ? [] : [['content-length', String(Buffer.byteLength(body))]];
  const head = headOf(method, path, [['host', 'x'], ['connection', 'close'], ...headers, ...length]);
  return { pieces: [Buffer.from(head, 'latin1'), ...(body === undefined ? [] : [body])], isHead: method === 'HEAD' };
}

const bearer = (token: string): Header => ['authorization', `Bearer ${token}`];
const JSON_BODY: Header = ['content-type', 'application/json'];

/** The one answer to a request. */
async function answerTo({ port }: Pick<World, 'port'>, request: Wire): Promise<Answer> {
  const { answers, end } = await exchange(port, request);
  return answers[0] ?? { status: 0, headers: new Map(), body: `the connection was ${end}` };
}

/** What is open is closed again at the end. */
async function withSockets(count: number, open: () => Socket, use: (sockets: Socket[]) => Faults): Faults {
  const sockets = Array.from({ length: count }, open);
  for (const socket of sockets) socket.on('error', () => {});
  try {
    return await use(sockets);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function halfSentUploads(world: World): Faults {
  const head = headOf('POST', '/devices/import?dryRun=true', [
    ['host', 'x'],
    bearer(world.loot.token),
    JSON_BODY,
    ['content-length', String(10 * 1024 * 1024)],
  ]);
  const half = Buffer.alloc(5 * 1024 * 1024, 'x');
  return withSockets(
    40,
    () => connectTcp(world.port, '127.0.0.1'),
    async (sockets) => {
      for (const socket of sockets) socket.resume().write(head);
      for (const socket of sockets) socket.write(half);
      await sleep(500);
      return searchWorks(world);
    },
  );
}

async function silentConnections(world: World): Faults {
  return withSockets(
    600,
    () => connectTcp(world.port, '127.0.0.1'),
    () => searchWorks(world),
  );
}

async function sharesAsTokens(world: World): Faults {
  const { api, loot } = world;
  const made = await api.request('POST', '/shares', { body: { name: 'attacked', of: loot.sites.read } });
  const { token = '' } = made.json as { token?: string };
  const faults: string[] = [];
  const send = async (expected: number[], method: string, path: string, secret: string, body?: string) => {
    const headers = [bearer(secret), ...(body === undefined ? [] : [JSON_BODY])];
    const { status } = await answerTo(world, wire(method, path, headers, body));
    if (!expected.includes(status)) faults.push(`${method} ${path}: ${status}`);
  };
  for (let i = 0; i < 60; i++)
    await send([403, 429], 'GET', '/shared', `${token.slice(0, 20)}${randomBytes(32).toString('base64url')}`);
  const refused = [401, 403, 429];
  for (const path of ['/devices', '/devices?fields=all', '/tokens/self', '/events', '/overview'])
    await send(refused, 'GET', path, token);
  await send(refused, 'DELETE', '/devices', token, '{}');
  await send(refused, 'POST', '/shares', token, JSON.stringify({ name: 'x', of: loot.sites.read }));
  await send(refused, 'GET', '/shared', loot.token);
  await send([200], 'GET', '/shared', token);
  return faults;
}

async function searchWorks(world: World): Faults {
  const request = wire('POST', '/devices/search', [bearer(world.loot.token), JSON_BODY], '{"query":"nas"}');
  const answer = await answerTo(world, request);
  return answer.status === 200 ? [] : [`a search meanwhile: ${outcomeOf(answer)} ${answer.body}`];
}

/**
 * A command that the rogue agent has taken and does not answer. Where its connection has been cut or taken over, it
 * connects again by itself, and until then a command may be refused or get lost. What is sent to it twice, because its
 * word was late, it takes twice.
 */
async function runningCommand({ api, rogue }: World): Promise<{ id: string; replyTo: string }> {
  const giveUpAt = performance.now() + WAIT_MS;
  for (;;) {
    const answered = new AbortController();
    const options = { site: rogue.site, token: rogue.token, headers: { prefer: 'respond-async' } };
    const sent = api.request('GET', '/nettools/interfaces', options).finally(() => answered.abort());
    const next = () => rogue.agent.request(answered.signal).catch(() => null);
    for (let request = await next(); request !== null; request = await next()) {
      await rogue.agent.say(request.replyTo, ackFor(request));
    }
    const { status, text } = await sent;
    const taken = rogue.agent.requests.find(({ id }) => text.includes(id));
    if (status === 202 && taken !== undefined) return taken;
    if (performance.now() > giveUpAt) throw new Error(`a command for the rogue agent: ${status} ${text}`);
    await sleep(100);
  }
}

async function endCommand({ rogue }: World, { id, replyTo }: { id: string; replyTo: string }): Promise<void> {
  await rogue.agent.publish(topics.result(replyTo, rogue.agent.client), resultPayload(id, RESULT));
  await rogue.agent.control('stored', id);
}

async function manyStreams(world: World): Faults {
  const { port, rogue } = world;
  const command = await runningCommand(world);
  const head = headOf('GET', `/jobs/${command.id}/events`, [
    ['host', 'x'],
    bearer(rogue.token),
    ['accept', 'text/event-stream'],
  ]);
  const faults: string[] = [];
  for (let round = 0; round < 2; round++) {
    let begun = 0;
    const use = async (sockets: Socket[]) => {
      for (const socket of sockets) {
        socket.once('data', () => {
          begun++;
          socket.pause(); // From here on nobody reads.
        });
        socket.write(head);
      }
      await waitFor('every stream to begin', () => begun === sockets.length, WAIT_MS);
      const text = 'x'.repeat(1_000);
      for (let i = 0; i < 50; i++) {
        const output = { v: PROTOCOL_VERSION, t: 'output', id: command.id, at: i * text.length, text } as const;
        await rogue.agent.say(command.replyTo, output);
      }
      return searchWorks(world);
    };
    faults.push(...(await withSockets(150, () => connectTcp(port, '127.0.0.1'), use)));
  }
  await endCommand(world, command);
  return faults;
}

/* ---- Agents ----------------------------------------------------------------------------------------------------- */

const RESULT = JSON.stringify({ ...ENDED, result: {} });

/** What an agent publishes as the result of a job: with this text as its JSON, or with this as its gzip. */
function resultPayload(id: string, content: string | Buffer): Buffer {
  const header = JSON.stringify({ v: PROTOCOL_VERSION, t: 'result', id });
  return Buffer.concat([Buffer.from(`${header}\n`), typeof content === 'string' ? gzipSync(content) : content]);
}

async function bombs(world: World): Faults {
  const { rogue } = world;
  const objects = gzipSync(`{"result":[${'{},'.repeat(MAX_RESULT_BYTES / 3 - 20)}{}]}`);
  const beyond = gzipSync(Buffer.alloc(90 * 1024 * 1024)); // Above every limit when it is unpacked.
  const waiting = await runningCommand(world);
  const ended = await runningCommand(world);
  await endCommand(world, ended);
  const invented = `${rogue.site}.01890000-0000-7000-8000-000000000001`;
  for (let i = 0; i < 60; i++) {
    for (const id of [invented, ended.id, world.loot.job]) {
      const instance = i % 2 === 0 ? ended.replyTo : 'lr-local-00000000';
      await rogue.agent.publish(
        topics.result(instance, rogue.agent.client),
        resultPayload(id, i % 3 === 0 ? beyond : objects),
      );
    }
  }
  await rogue.agent.publish(topics.result(waiting.replyTo, rogue.agent.client), resultPayload(waiting.id, beyond));
  await rogue.agent.control('stored', waiting.id);
  const job = await world.api.request('GET', `/jobs/${waiting.id}`);
  const { state, reason } = job.json as { state: string; reason: string };
  return state === 'failed' && reason === 'malformed_result' ? [] : [`the command that waited: ${job.text}`];
}

/** What became of an attempt at the broker. */
interface Attempt {
  connected: boolean;
  granted: number[];
  received: string[];
}

/** Connects as the rogue agent once more, does something, and leaves. */
async function attempt(
  { brokerPort, rogue }: World,
  options: IClientOptions,
  act: (client: MqttClient) => Promise<number[]> = async () => [],
): Promise<Attempt> {
  const { identity, id } = rogue.enrolled;
  const endpoint = endpointOf(identity, `mqtts://127.0.0.1:${brokerPort}`);
  const client = mqttConnect({ clientId: id, reconnectPeriod: 0, connectTimeout: 5_000, ...endpoint, ...options });
  const received: string[] = [];
  client.on('message', (topic) => received.push(topic));
  client.on('error', () => {});
  const over = new Promise<null>((resolve) => client.once('close', () => resolve(null)));
  const connected = await Promise.race([
    new Promise<true>((resolve) => client.once('connect', () => resolve(true))),
    over,
  ]);
  const granted =
    connected === null ? null : await Promise.race([act(client), over, sleep(5_000, null, { ref: false })]);
  client.end(true);
  await over;
  return { connected: connected === true, granted: granted ?? [], received };
}

async function foreignTopics(world: World): Faults {
  const { rogue } = world;
  const victim = clientIdOf(LOCAL_STAGE, world.victim);
  const payload = Buffer.from('{"v":1,"t":"presence","state":"offline","session":1}');
  const will = { topic: topics.presence(rogue.agent.client), payload, qos: 0, retain: false } as const;
  const wills = [
    { ...will, topic: topics.presence(victim) },
    { ...will, topic: topics.request(victim) },
    { ...will, topic: `lr/v1/local/r/+/${rogue.agent.client}` },
    { ...will, topic: '#' },
    { ...will, topic: topics.connection('disconnected', victim) },
    { ...will, retain: true },
    { ...will, qos: 2 as const },
  ];
  const faults: string[] = [];
  for (const one of wills) {
    const { connected } = await attempt(world, { will: one });
    if (connected) faults.push(`the last will was accepted: ${JSON.stringify({ ...one, payload: '' })}`);
  }
  for (const clientId of [victim, 'lr-local-00000000', '', 'x'.repeat(1_000), `${rogue.agent.client}\u0000`]) {
    const { connected } = await attempt(world, { clientId });
    if (connected) faults.push(`the client id was accepted: ${clientId}`);
  }
  const filters = [
    '#',
    '+/+/#',
    topics.allForAgent(victim),
    '$SYS/#',
    '$share/a/#',
    'lr/v1/local/r/#',
    'lr/v1/local/p/+',
  ];
  const listening = await attempt(world, {}, async (client) => {
    const { loot, api } = world;
    const subscribe = (filter: string) =>
      new Promise<number>((resolve) => client.subscribe(filter, (error) => resolve(error === null ? 0 : 128)));
    const granted = await Promise.all(filters.map(subscribe));
    await api.request('GET', '/nettools/interfaces', { site: loot.sites.read });
    return granted;
  });
  if (listening.granted.some((qos) => qos < 128)) faults.push(`subscriptions were granted: ${listening.granted}`);
  if (listening.received.length > 0) faults.push(`it was sent what it has no right to: ${listening.received}`);
  await endCommand(world, await runningCommand(world));
  return faults;
}

async function brokenPackets(world: World): Faults {
  const { brokerPort, rogue } = world;
  const { identity } = rogue.enrolled;
  const tcp = () => connectTcp(brokerPort, '127.0.0.1');
  const tls = () =>
    connectTls({ ...endpointOf(identity, `mqtts://127.0.0.1:${brokerPort}`), servername: 'localhost' } as object);
  const packets = [
    Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]), // CONNECT with 256 MB to come
    Buffer.from([0x10, 0xff, 0xff, 0xff, 0xff, 0xff]), // a length without end
    Buffer.from([0x30, 0x05, 0x00, 0x03, 0x61, 0x2f, 0x62]), // PUBLISH before CONNECT
    Buffer.from([0x00, 0x00]), // a type that does not exist
    Buffer.from([0x10, 0x0c, 0x00, 0x04, 0x4d, 0x51, 0x54, 0x54, 0x04, 0xff, 0x00, 0x3c, 0xff, 0xff]), // reserved flags
    Buffer.from([0x82, 0x00]), // SUBSCRIBE to nothing
    Buffer.concat([Buffer.from([0x30, 0x80, 0x80, 0x80, 0x01]), Buffer.alloc(BROKER_LIMITS.packetBytes * 2)]),
    randomBytes(2_000),
    Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  ];
  const hello = Buffer.from([0x16, 0x03, 0x01, 0x40, 0x00, 0x01, 0x00, 0x3f, 0xfc, 0x03, 0x03]);
  return withSockets(200, tcp, async (sockets) => {
    for (const [i, socket] of sockets.entries())
      socket.write(i % 3 === 0 ? hello : i % 3 === 1 ? randomBytes(500) : '\r\n');
    return withSockets(packets.length * 3, tls, async (secured) => {
      let closed = 0;
      for (const [i, socket] of secured.entries()) {
        socket.resume().once('close', () => closed++);
        socket.write(packets[i % packets.length]!);
      }
      await waitFor('broken packets to end their connections', () => closed === secured.length, WAIT_MS);
      await endCommand(world, await runningCommand(world));
      return [];
    });
  });
}

async function flapping(world: World): Faults {
  for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 3 }, () => attempt(world, {})));
  await endCommand(world, await runningCommand(world));
  return [];
}

async function smallMessages(world: World): Faults {
  const { rogue } = world;
  const payload = Buffer.from('{"v":1,"t":"ack"}');
  const published = Array.from({ length: 3_000 }, (_, i) => {
    const topic =
      i % 2 === 0 ? topics.reply('lr-local-00000000', rogue.agent.client) : topics.presence(rogue.agent.client);
    return rogue.agent.publish(topic, payload).catch(() => {}); // Its link refuses what is too much at once.
  });
  await Promise.all(published);
  await endCommand(world, await runningCommand(world));
  return [];
}

const WAIT_MS = 60_000;
