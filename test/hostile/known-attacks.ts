/**
 * Attacks that were found, or tried in vain, when LanReach was reviewed. What each of them does to one part has tests
 * beside that part; here they hit the server as a whole, one after the other.
 */
import { randomBytes } from 'node:crypto';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { type IClientOptions, type MqttClient, connect as mqttConnect } from 'mqtt';
import { endpointOf } from '../../agent/link/session.ts';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { BROKER_LIMITS, topics } from '../../shared/agent/topics.ts';
import { MAX_RESULT_BYTES } from '../../shared/agent/wire.ts';
import { StreamError } from '../../shared/errors.ts';
import { type AgentId, clientIdOf, LOCAL_STAGE } from '../../shared/identity.ts';
import type { ApiClient } from '../api-client.ts';
import { ackFor, type EnrolledAgent, type StandIn } from '../faults/enrolled-agent.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Loot } from './attacks.ts';
import { type Answer, exchange, type Header, headOf, type Wire } from './raw-http.ts';
import { codeOf, outcomeOf } from './verdict.ts';
import { worstRequests } from './worst-requests.ts';

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
  'the worst requests of the benchmark, two at a time': theWorstRequests,
  'half-sent bodies of 10 MB on 40 connections': halfSentUploads,
  '600 connections that say nothing': silentConnections,
  'guesses of tokens and codes from one address': guesses,
  'HEAD on streams of events and on commands': headRequests,
  'streams of events that are cut, and that nobody reads': manyStreams,
  'a token that is revoked while a stream is open': revokedStream,
  'a site that the token may not use': foreignSite,
  'gzip bombs from an agent, for commands that wait, have ended, or never were': bombs,
  'results of the commands of others': foreignResults,
  'results from the future, and that are no results': malformedResults,
  'presence messages that lie': hostilePresence,
  'last wills and subscriptions that an agent has no right to': foreignTopics,
  'broken packets and half handshakes at the broker': brokenPackets,
  'an agent that connects again and again': flapping,
  'a flood of small messages from an agent': smallMessages,
} as const satisfies Record<string, (world: World) => Faults>;
export type KnownAttack = keyof typeof KNOWN_ATTACKS;
/** The one that waits for most of its time: the others go on beside it. */
export const SLOW_ATTACK: KnownAttack = 'a token that is revoked while a stream is open';

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

async function theWorstRequests(world: World): Faults {
  const faults: string[] = [];
  const next = worstRequests().values();
  async function work(): Promise<void> {
    for (const { name, method, path, body, contentType, status } of next) {
      const headers: Header[] = [bearer(world.loot.token), ['content-type', contentType]];
      const answer = await answerTo(world, wire(method, path, headers, body));
      if (answer.status === status && (status < 400 || codeOf(answer) !== null)) continue;
      faults.push(`${name}: expected ${status}, got ${outcomeOf(answer)} ${answer.body.slice(0, 300)}`);
    }
  }
  await Promise.all([work(), work()]);
  return faults;
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

async function searchWorks(world: World): Faults {
  const request = wire('POST', '/devices/search', [bearer(world.loot.token), JSON_BODY], '{"query":"nas"}');
  const answer = await answerTo(world, request);
  return answer.status === 200 ? [] : [`a search meanwhile: ${outcomeOf(answer)} ${answer.body}`];
}

async function guesses(world: World): Faults {
  const from = '127.250.0.1';
  const faults: string[] = [];
  const count = { refused: 0, slowed: 0 };
  for (let round = 0; round < 24; round++) {
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, i) => {
        const guess = `guessed-${randomBytes(12).toString('hex')}`;
        const request =
          i % 5 === 0
            ? wire('POST', '/enrol', [JSON_BODY], JSON.stringify({ code: `lre_${guess}`, csr: CSR }))
            : wire('GET', '/devices', [bearer(guess)]);
        return answerTo(world, { ...request, from });
      }),
    );
    for (const answer of answers) {
      if (answer.status === 403) count.refused++;
      else if (codeOf(answer) === 'too_many_requests' && answer.headers.has('retry-after')) count.slowed++;
      else faults.push(`${outcomeOf(answer)} ${answer.body}`);
    }
  }
  if (count.slowed < 100) faults.push(`600 guesses: only ${count.slowed} were slowed down`);
  const known = await answerTo(world, { ...wire('GET', '/devices/totals', [bearer(world.loot.token)]), from });
  if (known.status !== 200) faults.push(`a good token from the same address: ${outcomeOf(known)}`);
  return faults;
}

const CSR = `-----BEGIN CERTIFICATE REQUEST-----\n${'A'.repeat(64)}\n-----END CERTIFICATE REQUEST-----\n`;

async function headRequests(world: World): Faults {
  const paths = [`/jobs/${world.loot.job}/events`, '/nettools/interfaces', '/nettools/speedtest', '/devices/export'];
  const before = await commandsOf(world, 'home');
  const faults: string[] = [];
  for (let round = 0; round < 40; round++) {
    const accept: Header = ['accept', 'text/event-stream'];
    const answers = await Promise.all(
      paths.map((path) => answerTo(world, wire('HEAD', path, [bearer(world.loot.token), accept]))),
    );
    for (const [i, answer] of answers.entries()) {
      const expected = paths[i]?.startsWith('/nettools') ? 405 : 200;
      if (answer.status !== expected) faults.push(`HEAD ${paths[i]}: ${answer.status}`);
    }
  }
  const after = await commandsOf(world, 'home');
  return before === after ? faults : [...faults, `HEAD has run commands: the newest was ${before}, is ${after}`];
}

/** Id of the newest command of a site. */
async function commandsOf({ api }: World, site: string): Promise<string | undefined> {
  const { json } = await api.request('GET', '/jobs?limit=1', { site });
  return (json as { jobs: { id: string }[] }).jobs[0]?.id;
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
  await rogue.agent.publish(topics.result(replyTo, rogue.agent.client), resultPayload(id, resultJson({})));
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

async function revokedStream(world: World): Faults {
  const { api, rogue } = world;
  const command = await runningCommand(world);
  const wanted = { name: 'to be revoked', scopes: ['nettools:run'], sites: [rogue.site] };
  const made = (await api.request('POST', '/tokens', { body: wanted })).json as { id: string; token: string };
  const streams = await Promise.all(
    Array.from({ length: 10 }, () => api.stream('GET', `/jobs/${command.id}/events`, { token: made.token })),
  );
  await api.request('DELETE', `/tokens/${made.id}`);
  const errors = await Promise.all(streams.map((stream) => stream.first('error')));
  await Promise.all(streams.map(({ ended }) => ended));
  return errors.map(({ data }) => StreamError.parse(data).code).filter((code) => code !== 'forbidden');
}

async function foreignSite(world: World): Faults {
  const { loot, rogue } = world;
  const requests: [string, string, string?][] = [
    ['GET', '/devices?site=calm'],
    ['DELETE', '/devices?site=calm'],
    ['GET', '/jobs?site=home'],
    ['GET', `/jobs/${loot.job}`],
    ['GET', `/jobs/${loot.job}/events`],
    ['DELETE', `/jobs/${loot.job}`],
    ['GET', '/audit?site=home'],
    ['GET', '/nettools/interfaces?site=home'],
    ['POST', '/sites', '{"id":"taken"}'],
    ['GET', '/sites/home/agents'],
    ['POST', '/sites/home/agents', '{"name":"main","replace":true}'],
    ['DELETE', '/sites/home/agents/main'],
    ['POST', '/tokens', '{"name":"more","scopes":["admin"],"sites":["home"]}'],
    ['POST', '/tokens', '{"name":"more","scopes":["admin"],"sites":"*"}'],
  ];
  const faults: string[] = [];
  for (const [method, path, body] of requests) {
    const answer = await answerTo(world, wire(method, path, [bearer(rogue.token), JSON_BODY], body));
    if (![403, 404].includes(answer.status) && codeOf(answer) !== 'agent_offline') {
      faults.push(`${method} ${path}: ${outcomeOf(answer)} ${answer.body}`);
    }
  }
  return faults;
}

/* ---- Agents ----------------------------------------------------------------------------------------------------- */

const resultJson = (changes: object) =>
  JSON.stringify({
    state: 'succeeded',
    reason: null,
    message: null,
    output: '',
    truncated: false,
    result: {},
    startedAt: 1,
    endedAt: Date.now(),
    ...changes,
  });

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

async function foreignResults(world: World): Faults {
  const { api, loot, rogue } = world;
  const victim = clientIdOf(LOCAL_STAGE, world.victim);
  const before = (await api.request('GET', `/jobs/${loot.job}`)).text;
  const own = await runningCommand(world);
  for (const id of [loot.job, 'home.01890000-0000-7000-8000-000000000002']) {
    const payload = resultPayload(id, resultJson({ output: 'from the rogue agent' }));
    await rogue.agent.publish(topics.result(own.replyTo, rogue.agent.client), payload);
  }
  await endCommand(world, own);
  // In the name of another agent: the broker cuts the connection, and the agent comes back by itself.
  await rogue.agent
    .publish(topics.result(own.replyTo, victim), resultPayload(loot.job, resultJson({})))
    .catch(() => {});
  await endCommand(world, await runningCommand(world));
  const after = (await api.request('GET', `/jobs/${loot.job}`)).text;
  const withoutId = (text: string) => text.replace(/"requestId":"[^"]*"/, '');
  return withoutId(before) === withoutId(after) ? [] : [`the command of another agent was ${before}, is ${after}`];
}

async function malformedResults(world: World): Faults {
  const { api, rogue } = world;
  const results = [
    resultJson({ endedAt: 9_007_199_254_740_991 }),
    resultJson({ startedAt: 8.64e15, endedAt: 8.64e15 }),
    resultJson({ startedAt: -1, endedAt: 0 }),
    resultJson({ result: { eth0: { name: 'eth0' } } }),
    resultJson({ message: '\u001b[2J\n\u202e'.repeat(10_000), state: 'failed', reason: 'tool_failed' }),
    resultJson({ output: '\u0000\ud800\r\ndata: x\n\nevent: error\n\n'.repeat(1_000) }),
    '{"__proto__":{"state":"succeeded"}}',
    `${'['.repeat(100_000)}`,
    '1e999',
    '<html>',
    Buffer.from('no gzip'),
    Buffer.alloc(0),
  ];
  for (const content of results) {
    const { id, replyTo } = await runningCommand(world);
    await rogue.agent.publish(topics.result(replyTo, rogue.agent.client), resultPayload(id, content));
    await rogue.agent.control('stored', id);
  }
  const faults: string[] = [];
  for (const path of ['/jobs', '/jobs?limit=500', '/audit', '/audit?limit=500']) {
    const { status, text, json } = await api.request('GET', path, { site: rogue.site });
    const { unreadable = null } = json as { unreadable?: unknown[] };
    if (status !== 200 || unreadable?.length !== 0) faults.push(`GET ${path}: ${status} ${text.slice(0, 500)}`);
  }
  return faults;
}

async function hostilePresence(world: World): Faults {
  const { api, rogue } = world;
  const session = Date.now();
  const presence = (changes: object) => ({ v: PROTOCOL_VERSION, t: 'presence', state: 'online', session, ...changes });
  const messages: (string | Buffer)[] = [
    '',
    '{',
    Buffer.from([0xff, 0xfe, 0x00]),
    '['.repeat(50_000),
    JSON.stringify(presence({ session: 9e15 })),
    JSON.stringify(presence({ session: -1 })),
    JSON.stringify(presence({ version: 'x'.repeat(100_000) })),
    JSON.stringify(presence({ networks: ['0.0.0.0/0', '::/0', '999.1.1.1/99', '\u0000'] })),
    JSON.stringify(presence({ networks: Array(5_000).fill('10.0.0.0/8') })),
    JSON.stringify(presence({ load: { running: -5, queued: 1e308 } })),
    JSON.stringify(presence({ tools: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`t${i}`, 'x'])) })),
    '{"v":1,"t":"presence","state":"online","session":1e999,"__proto__":{"state":"online"}}',
  ];
  for (const message of messages) {
    await rogue.agent.publish(topics.presence(rogue.agent.client), Buffer.from(message));
    await rogue.agent.publish(topics.sightings(rogue.agent.client), Buffer.from(message));
  }
  await endCommand(world, await runningCommand(world)); // It can still be reached.
  const { status, text } = await api.request('GET', `/sites/${rogue.site}/agents`);
  return status === 200 ? [] : [`GET /sites/${rogue.site}/agents: ${status} ${text}`];
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
