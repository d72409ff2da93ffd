import type { EventEmitter } from 'node:events';
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import fc from 'fast-check';
import mqtt, { type IClientOptions, MqttClient } from 'mqtt';
import mqttPacket from 'mqtt-packet';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Ingest } from '../functions/sightings/ingest.ts';
import { ConnectionEvent } from '../shared/agent/messages.ts';
import { topics } from '../shared/agent/topics.ts';
import type { AgentId, ClientId } from '../shared/identity.ts';
import { makeAgentKey } from '../test/agent-key.ts';
import { listenOnLoopback } from '../test/support/loopback.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { type Broker, startBroker } from './broker.ts';
import { type CertificateAuthority, type Identity, openCertificateAuthority } from './certificate-authority.ts';

const log = pino({ level: 'silent' });
const INSTANCE = 'lr-local-0123456789abcdef';
const AGENT = 'local:home:main';
const OTHER = 'local:home:attic';

const temporary = makeTestFolder();
let folder: string;
let authority: CertificateAuthority;
let stranger: CertificateAuthority;
let identities: Record<string, Identity & { serial: string }>;
let broker: Broker;
let stored: [kind: string, agent: AgentId, payload: string][];
let events: ({ agent: AgentId } & ConnectionEvent)[];
let storing: () => Promise<void>;
const clients: MqttClient[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  folder = temporary.path;
  const names = ['localhost', '127.0.0.1', '::1'];
  authority = await openCertificateAuthority(join(folder, 'ca'), names);
  stranger = await openCertificateAuthority(join(folder, 'stranger'), names);
  identities = {
    [AGENT]: await enrol(authority, AGENT),
    [OTHER]: await enrol(authority, OTHER),
    revoked: await enrol(authority, 'local:home:gone'),
    stranger: await enrol(stranger, AGENT),
    functions: { ...authority.functions, serial: '' },
    server: { ...authority.broker, serial: '' },
  };
  await authority.revoke(identities.revoked!.serial);
});
afterAll(() => temporary.remove());

beforeEach(async () => {
  stored = [];
  events = [];
  storing = async () => {};
  const store = (kind: string) => async (agent: AgentId, payload: Uint8Array) => {
    await storing();
    stored.push([kind, agent, Buffer.from(payload).toString()]);
  };
  broker = await start(0, {
    ...{ result: store('result'), presence: store('presence'), sightings: store('sightings') },
    connection: async (agent, payload) => {
      events.push({ agent, ...JSON.parse(Buffer.from(payload).toString()) });
    },
  });
});

function start(port: number, stores: Partial<Ingest>): Promise<Broker> {
  const ignore = async () => {};
  const unused = { result: ignore, presence: ignore, sightings: ignore, measurements: ignore, connection: ignore };
  const ingest = { local: { ...unused, ...stores } };
  return startBroker({ authority, host: '127.0.0.1', port, log, ingest });
}

afterEach(async () => {
  vi.useRealTimers();
  for (const client of clients.splice(0)) client.end(true);
  for (const socket of sockets.splice(0)) socket.destroy();
  await broker.close();
});

async function enrol(by: CertificateAuthority, client: ClientId) {
  const { key, csr } = await makeAgentKey();
  return { ...(await by.issue(client, csr)), key };
}

type SecureVersions = Pick<ConnectionOptions, 'minVersion' | 'maxVersion'>;

/** A client that may do anything: what stops it is the broker. */
function dial(identity: string, clientId: string, options: IClientOptions & SecureVersions = {}): MqttClient {
  const { certificate, key } = identities[identity] ?? {};
  const client = mqtt.connect({
    ...{ protocol: 'mqtts', host: '127.0.0.1', port: broker.port, ca: authority.certificate },
    ...(certificate === undefined ? {} : { cert: certificate, key }),
    ...{ clientId, protocolVersion: 4, clean: true, reconnectPeriod: 0, connectTimeout: 5_000 },
    ...options,
  } as IClientOptions);
  client.on('error', () => {});
  clients.push(client);
  return client;
}

async function connect(identity: string, clientId = identity, options: IClientOptions = {}): Promise<MqttClient> {
  const client = dial(identity, clientId, options);
  await next(client, 'connect');
  return client;
}

const lastWill = (text: string) =>
  ({ topic: topics.presence(AGENT), payload: Buffer.from(text), qos: 1, retain: false }) as const;

const isCut = (client: MqttClient) => vi.waitUntil(() => !client.connected, { timeout: 60_000 });

/** The arguments of the next event of a kind. Unlike `once` of node:events it does not reject for an `error` on the way. */
function next(client: MqttClient, event: string): Promise<unknown[]> {
  return new Promise((resolve) => (client as unknown as EventEmitter).once(event, (...args) => resolve(args)));
}

async function granted(client: MqttClient, filter: string | string[], qos: 0 | 1 | 2 = 1): Promise<number[]> {
  return new Promise<number[]>((resolve) => {
    client.subscribe(filter, { qos }, (_error, _grants, packet) => resolve((packet?.granted ?? []) as number[]));
  });
}

/* ---- Who may connect -------------------------------------------------------------------------------------------- */

test('no buffers are made in advance for all numbers of packets', () => {
  expect(mqttPacket.writeToStream.cacheNumbers).toBe(false);
});

test.each([
  ['without a certificate', 'nobody', AGENT],
  ['with a certificate of another authority', 'stranger', AGENT],
  ["with the broker's own certificate, which is for servers", 'server', AGENT],
  ['with a revoked certificate', 'revoked', 'local:home:gone'],
  ['with the client id of another agent', AGENT, OTHER],
  ['without a client id', 'functions', ''],
])('no client connects %s', async (_case, identity, clientId) => {
  const client = dial(identity, clientId);
  const connected = vi.fn();
  client.on('connect', connected);
  await next(client, 'close');
  expect(connected).not.toHaveBeenCalled();
  expect(broker.isConnected(AGENT)).toBe(false);
});

test.each<[string, IClientOptions]>([
  ['MQTT 5', { protocolVersion: 5 }],
  ['MQTT 3.1', { protocolVersion: 3, protocolId: 'MQIsdp' }],
  ['a session that is to be kept', { clean: false }],
  ['a last will on a foreign topic', { will: { ...lastWill('x'), topic: topics.presence(OTHER) } }],
  [
    'a last will in the name of the broker',
    { will: { ...lastWill('x'), topic: topics.connection('disconnected', AGENT) } },
  ],
  ...['+', '#'].map((wildcard): [string, IClientOptions] => [
    `a last will on a topic with ${wildcard}`,
    { will: { ...lastWill('x'), topic: `lr/v1/local/r/${wildcard}/${AGENT}` } },
  ]),
  ['a last will that is to be retained', { will: { ...lastWill('x'), retain: true } }],
  ['a last will of QoS 2', { will: { ...lastWill('x'), qos: 2 } }],
])('a connection with %s is refused', async (_case, options) => {
  const client = dial(AGENT, AGENT, options);
  const [error] = await next(client, 'error');
  expect(String(error)).toMatch(/Connection refused|Not authorized|onnection closed|hung up/);
  await isCut(client);
  expect(broker.isConnected(AGENT)).toBe(false);
});

test('TLS 1.1 is refused', async () => {
  const client = dial(AGENT, AGENT, { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' });
  await next(client, 'error');
  expect(client.connected).toBe(false);
});

test('a function of this process connects without TLS, and has the rights of the certificate', async () => {
  const connectHere = (clientId: string) => {
    const stream = broker.connectFunctions();
    const client = new MqttClient(() => stream, { clientId, protocolVersion: 4, clean: true, reconnectPeriod: 0 });
    client.on('error', () => {});
    clients.push(client);
    return client;
  };
  const asAgent = connectHere(AGENT);
  await next(asAgent, 'close');
  expect(asAgent.connected).toBe(false);

  const agent = await connect(AGENT);
  await granted(agent, topics.allForAgent(AGENT));
  const client = connectHere(INSTANCE);
  await next(client, 'connect');
  expect(await granted(client, topics.presence(AGENT))).toEqual([128]);
  const request = next(agent, 'message');
  await client.publishAsync(topics.request(AGENT), 'ping', { qos: 1 });
  expect(String((await request)[1])).toBe('ping');
  client.publish(topics.presence(AGENT), '{}', { qos: 1 });
  await isCut(client);
  expect(stored).toEqual([]);

  const last = connectHere(INSTANCE);
  await next(last, 'connect');
  await broker.close();
  await isCut(last);
  await next(connectHere(INSTANCE), 'close');
});

/** A TCP connection, from an address of this host, that says nothing. */
async function silentFrom(localAddress: string): Promise<Socket> {
  const socket = connectTcp({ host: '127.0.0.1', port: broker.port, localAddress });
  socket.on('error', () => {}).resume();
  sockets.push(socket);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

const closed = (socket: Socket) => vi.waitUntil(() => socket.closed, { timeout: 60_000 });

test('a connection that does not complete its handshake within ten seconds is ended, also one that dribbles', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const [still, dribbling] = [await silentFrom('127.0.0.1'), await silentFrom('127.0.0.1')];
  dribbling.write(Buffer.from([0x16])); // The first byte of a handshake.
  // The broker has taken both: it has answered one that came behind them.
  const behind = await silentFrom('127.0.0.1');
  behind.write('no TLS');
  await closed(behind);
  vi.advanceTimersByTime(9_000);
  dribbling.write(Buffer.from([0x03]));
  await new Promise((resolve) => setImmediate(resolve));
  expect([still.closed, dribbling.closed]).toEqual([false, false]);
  vi.advanceTimersByTime(1_000);
  await Promise.all([closed(still), closed(dribbling)]);
});

test('of an address with more than a hundred silent connections the oldest is ended, and its agents still connect', async () => {
  const others = await silentFrom('127.0.0.2');
  const first = await silentFrom('127.0.0.1');
  const rest = await Promise.all(Array.from({ length: 99 }, () => silentFrom('127.0.0.1')));
  await new Promise((resolve) => setImmediate(resolve));
  expect(first.closed).toBe(false);
  await silentFrom('127.0.0.1');
  await closed(first);
  await connect(AGENT);
  expect(broker.isConnected(AGENT)).toBe(true);
  // One made room for the agent.
  await expect.poll(() => rest.filter((socket) => socket.closed).length, { timeout: 60_000 }).toBe(1);
  expect(others.closed).toBe(false);
});

/* ---- What they may say ------------------------------------------------------------------------------------------ */

test.each<[string, string, string, { payload?: Buffer; qos?: 0 | 1 | 2; retain?: boolean }?]>([
  ["another agent's presence", AGENT, topics.presence(OTHER)],
  ['requests to itself', AGENT, topics.request(AGENT)],
  ["the broker's own topics", AGENT, '$SYS/x'],
  ['what goes past the broker straight to a rule', AGENT, `$aws/rules/Presence/${topics.presence(AGENT)}`],
  ['to a rule of another stage', AGENT, topics.direct('presence', 'prod:home:main').replace('prod:', 'local:')],
  ['QoS 2', AGENT, topics.sightings(AGENT), { qos: 2 }],
  ['a packet of over 128 KiB', AGENT, topics.sightings(AGENT), { payload: Buffer.alloc(129 * 1024) }],
  ['a topic with eight slashes', AGENT, `lr/v1/local/r/${INSTANCE}/a/b/c/d/${AGENT}`],
  ['a topic of over 256 bytes', AGENT, `lr/v1/local/r/${'x'.repeat(250)}/${AGENT}`],
  ['its presence, to be retained', AGENT, topics.presence(AGENT), { retain: true }],
  ['the presence of an agent, by a function', 'functions', topics.presence(AGENT)],
])(
  'who publishes %s is cut off, and nothing arrives',
  async (_case, identity, topic, { payload = '{}', ...options } = {}) => {
    const client = await connect(identity, identity === 'functions' ? INSTANCE : identity);
    const witness = await connect(OTHER);
    const heard: string[] = [];
    witness.on('message', (received) => heard.push(received));
    await granted(witness, topics.allForAgent(OTHER));
    client.publish(topic, payload, { qos: 1, ...options });
    await isCut(client);
    expect(heard).toEqual([]);
    expect(stored).toEqual([]);
  },
);

test('a packet just below 128 KiB passes', async () => {
  const client = await connect(AGENT);
  const payload = Buffer.alloc(131_072 - 100, 'x');
  await client.publishAsync(topics.result(INSTANCE, AGENT), payload, { qos: 1 });
  await vi.waitUntil(() => stored.length === 1, { timeout: 60_000 });
  expect(stored[0]![2].length).toBe(payload.length);
});

/* ---- What they may hear ----------------------------------------------------------------------------------------- */

test('what an agent or a function may not hear is refused, and the connection stays', async () => {
  const clients = { [AGENT]: await connect(AGENT), functions: await connect('functions', INSTANCE) };
  const refused: [keyof typeof clients, string, 0 | 1 | 2][] = [
    [AGENT, 'lr/v1/local/a/+/req', 1],
    [AGENT, `lr/v1/local/a/${AGENT}/#`, 1],
    [AGENT, '#', 1],
    ['functions', 'lr/v1/local/r/#', 1],
    ['functions', `$share/group/${topics.allForInstance(INSTANCE)}`, 1],
    ['functions', '$SYS/#', 1],
    [AGENT, '$aws/events/presence/+/+', 1],
    ['functions', topics.allForInstance(INSTANCE), 2],
    ['functions', `lr/v1/local/r/${INSTANCE}/${'x'.repeat(250)}`, 1],
    ['functions', `lr/v1/local/r/${INSTANCE}/1/2/3/4/5`, 1],
  ];
  for (const [identity, filter, qos] of refused) {
    expect([filter, await granted(clients[identity]!, filter, qos)]).toEqual([filter, [128]]);
  }
  expect(Object.values(clients).map(({ connected }) => connected)).toEqual([true, true]);
});

test('the 51st subscription is refused; one that was given up makes room', async () => {
  const client = await connect('functions', INSTANCE);
  const filter = (i: number) => `lr/v1/local/r/${INSTANCE}/${i}`;
  for (let i = 0; i < 48; i += 8) {
    const eight = Array.from({ length: 8 }, (_, k) => filter(i + k));
    expect(await granted(client, eight)).toEqual(Array(8).fill(1));
  }
  expect(await granted(client, [filter(48), filter(49), filter(50)])).toEqual([1, 1, 128]);
  expect(await granted(client, filter(0))).toEqual([1]); // One that it has already.
  await client.unsubscribeAsync(filter(0));
  expect(await granted(client, filter(50))).toEqual([1]);
});

/* ---- From one to the other -------------------------------------------------------------------------------------- */

test('a message of an agent for a rule reaches ingest, and no subscriber', async () => {
  const agent = await connect(AGENT);
  const functions = await connect('functions', INSTANCE);
  const heard: string[] = [];
  functions.on('message', (topic) => heard.push(topic));
  await granted(functions, topics.allForInstance(INSTANCE));
  for (const filter of ['$aws/rules/#', topics.direct('presence', AGENT)]) {
    expect(await granted(agent, filter)).toEqual([128]);
  }
  await agent.publishAsync(topics.direct('presence', AGENT), 'here', { qos: 1 });
  await agent.publishAsync(topics.direct('sightings', AGENT), 'seen', { qos: 1 });
  await vi.waitUntil(() => stored.length === 2, { timeout: 60_000 });
  expect(stored).toEqual([
    ['presence', 'home:main', 'here'],
    ['sightings', 'home:main', 'seen'],
  ]);
  expect(heard).toEqual([]);
});

test('small packets do not wait for each other: Nagle is off on the side of the broker', async () => {
  const any = createServer();
  await listenOnLoopback(any);
  // By this method of its handle a socket's wish reaches the system, whoever has the wish.
  const { _handle } = any as unknown as { _handle: object };
  const setNoDelay = vi.spyOn(Object.getPrototypeOf(_handle) as Handle, 'setNoDelay');
  await connect('functions', INSTANCE);
  const calls = setNoDelay.mock.calls.filter(
    (_, i) => localPort(setNoDelay.mock.contexts[i] as Handle) === broker.port,
  );
  setNoDelay.mockRestore();
  any.close();
  expect(calls).toEqual([[true]]);
});

/** What a TCP socket of Node stands on. */
interface Handle {
  setNoDelay(on: boolean): void;
  getsockname(into: { port?: number }): void;
}

function localPort(handle: Handle): number | undefined {
  const name: { port?: number } = {};
  handle.getsockname(name);
  return name.port;
}

test('slow or failing storage holds up neither delivery nor the broker', async () => {
  storing = () => new Promise(() => {});
  const agent = await connect(AGENT);
  const functions = await connect('functions', INSTANCE);
  await granted(functions, topics.allForInstance(INSTANCE));
  let heard = 0;
  functions.on('message', () => heard++);
  for (let i = 0; i < 150; i++) agent.publish(topics.reply(INSTANCE, AGENT), Buffer.alloc(90_000), { qos: 1 });
  await vi.waitUntil(() => heard === 150, { timeout: 60_000 });
  expect(agent.connected && functions.connected).toBe(true);
});

test('a last will reaches ingest when the connection breaks, not when the agent says good-bye', async () => {
  const will = lastWill('{"state":"offline"}');
  const polite = await connect(AGENT, AGENT, { will });
  await polite.endAsync();
  const broken = await connect(AGENT, AGENT, { will });
  expect(stored).toEqual([]);
  broken.stream.destroy();
  await vi.waitUntil(() => stored.length > 0, { timeout: 60_000 });
  expect(stored).toEqual([['presence', 'home:main', '{"state":"offline"}']]);
});

test('a second connection of the same name closes the first, whose last will goes out before anything new', async () => {
  const first = await connect(AGENT, AGENT, { will: lastWill('first is gone') });
  await granted(first, topics.allForAgent(AGENT));
  const second = await connect(AGENT, AGENT, { will: lastWill('second is gone') });
  await second.publishAsync(topics.presence(AGENT), 'second is here', { qos: 1 });
  await isCut(first);
  expect(second.connected).toBe(true);
  expect(broker.isConnected(AGENT)).toBe(true);
  await vi.waitUntil(() => stored.length === 2, { timeout: 60_000 });
  expect(stored.map(([, , payload]) => payload)).toEqual(['first is gone', 'second is here']);
});

test('close cuts every client, stores what they said last, and reports the disconnection of each', async () => {
  const agent = await connect(AGENT, AGENT, { will: lastWill('gone') });
  await connect(OTHER);
  storing = () => new Promise((resolve) => setTimeout(resolve, 100));
  await broker.close();
  await isCut(agent);
  expect(stored).toEqual([['presence', 'home:main', 'gone']]);
  const ended = events.filter(({ eventType }) => eventType === 'disconnected');
  expect(ended.map(({ agent }) => agent).toSorted()).toEqual(['home:attic', 'home:main']);
  for (const event of ended) expect(event).toMatchObject({ disconnectReason: 'SERVER_INITIATED_DISCONNECT' });
});

/* ---- What the broker says of them ------------------------------------------------------------------------------- */

/** The events of one kind that have arrived, once there are as many. */
async function eventsOf(eventType: ConnectionEvent['eventType'], count: number) {
  const found = () => events.filter((event) => event.eventType === eventType);
  await vi.waitUntil(() => found().length >= count, { timeout: 60_000 });
  return found();
}

test('the broker tells of the connections of agents, in the words of IoT Core, and not of those of functions', async () => {
  await connect('functions', INSTANCE);
  const before = Date.now();
  const agent = await connect(AGENT);
  const [begun] = await eventsOf('connected', 1);
  expect(begun).toEqual({
    agent: 'home:main',
    clientId: AGENT,
    timestamp: expect.any(Number),
    eventType: 'connected',
    sessionIdentifier: expect.stringMatching(/^[0-9a-f-]{36}$/),
    principalIdentifier: identities[AGENT]!.serial,
    ipAddress: '127.0.0.1',
    versionNumber: expect.any(Number),
  });
  expect(begun!.timestamp).toBeGreaterThanOrEqual(before);
  await agent.endAsync();
  const [ended] = await eventsOf('disconnected', 1);
  expect(ended).toEqual({
    ...begun,
    ipAddress: undefined,
    timestamp: expect.any(Number),
    eventType: 'disconnected',
    clientInitiatedDisconnect: true,
    disconnectReason: 'CLIENT_INITIATED_DISCONNECT',
  });
  expect(ended!.timestamp).toBeGreaterThanOrEqual(begun!.timestamp);
  for (const event of events) ConnectionEvent.parse(event);
  expect(events).toHaveLength(2);
});

test.each<[string, string, (client: MqttClient) => unknown]>([
  ['that broke', 'CONNECTION_LOST', (client) => client.stream.destroy()],
  ['that another one of its name replaced', 'DUPLICATE_CLIENTID', () => connect(AGENT)],
  ['that was cut on demand', 'API_INITIATED_DISCONNECT', () => broker.disconnect(AGENT)],
  ['that said what it may not', 'AUTH_ERROR', (client) => client.publish(topics.request(OTHER), 'x', { qos: 1 })],
])('of a connection %s the broker says %s', async (_case, reason, end) => {
  const client = await connect(AGENT);
  await end(client);
  const [ended] = await eventsOf('disconnected', 1);
  expect(ended).toMatchObject({ agent: 'home:main', clientInitiatedDisconnect: false, disconnectReason: reason });
});

test('of a connection that falls silent the broker says that its keep-alive ran out', async () => {
  const socket = await rawConnection();
  socket.write(packet(0x10, 'MQTT', 4, 0x02, 0, 1, AGENT)); // CONNECT, with a keep-alive of one second.
  const [ended] = await eventsOf('disconnected', 1);
  expect(ended).toMatchObject({ disconnectReason: 'MQTT_KEEP_ALIVE_TIMEOUT' });
});

test('each connection has a greater number than the one before, also after a restart of the broker', async () => {
  for (let i = 0; i < 3; i++) await (await connect(AGENT)).endAsync();
  const seen = (await eventsOf('disconnected', 3)).map(({ versionNumber }) => versionNumber);
  const { port } = broker;
  await broker.close();
  const later: ConnectionEvent[] = [];
  const note = async (_agent: AgentId, payload: Uint8Array) => {
    later.push(ConnectionEvent.parse(JSON.parse(Buffer.from(payload).toString())));
  };
  broker = await start(port, { connection: note });
  await connect(AGENT);
  await vi.waitUntil(() => later.length === 1, { timeout: 60_000 });
  const all = [...seen, later[0]!.versionNumber];
  expect(all).toEqual([...new Set(all)].toSorted((a, b) => a - b));
});

/** A TLS connection of an agent without an MQTT client. */
async function rawConnection(): Promise<TLSSocket> {
  const { certificate, key } = identities[AGENT]!;
  const at = { host: '127.0.0.1', port: broker.port, ca: authority.certificate };
  const socket = connectTls({ ...at, cert: certificate, key });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  return socket.resume(); // Else the end of the connection would wait behind what nobody reads.
}

test('a client that sends or reads nothing is disconnected after five seconds, and delays others no longer', async () => {
  const silent = await rawConnection();
  const agent = await connect(AGENT);
  const deaf = await connect('functions', INSTANCE);
  const lively = await connect('functions', 'lr-local-fedcba9876543210');
  await granted(deaf, topics.allForInstance(INSTANCE));
  await granted(lively, topics.allForInstance('lr-local-fedcba9876543210'));
  deaf.stream.pause();
  deaf.stream.removeAllListeners('data');
  deaf.stream.unpipe();
  for (let i = 0; i < 200; i++) agent.publish(topics.reply(INSTANCE, AGENT), Buffer.alloc(100_000), { qos: 0 });
  const heard = next(lively, 'message');
  agent.publish(topics.reply('lr-local-fedcba9876543210', AGENT), 'through', { qos: 1 });
  const [, payload] = await heard;
  expect(String(payload)).toBe('through');
  await vi.waitUntil(() => silent.destroyed || silent.readableEnded, { timeout: 60_000 });
});

/** A packet of MQTT 3.1.1 with a body of up to 127 bytes. */
const packet = (header: number, ...body: (number | string)[]) => {
  const bytes = Buffer.concat(
    body.map((part) => {
      if (typeof part === 'number') return Buffer.from([part]);
      return Buffer.concat([Buffer.from([0, part.length]), Buffer.from(part)]); // Texts carry their length.
    }),
  );
  return Buffer.concat([Buffer.from([header, bytes.length]), bytes]);
};

test('whatever an agent sends, the broker stays up for the others', async () => {
  const valid = [
    packet(0x10, 'MQTT', 4, 0x02, 0, 30, AGENT), // CONNECT
    packet(0x10, 'MQTT', 4, 0x0e, 0, 30, AGENT, topics.presence(AGENT), 'gone'), // CONNECT with a last will
    packet(0x32, topics.sightings(AGENT), 0, 1, 0x78), // PUBLISH, QoS 1
    packet(0x34, topics.sightings(AGENT), 0, 1, 0x78), // PUBLISH, QoS 2
    packet(0x62, 0, 1), // PUBREL
    packet(0x82, 0, 1, topics.allForAgent(AGENT), 1, '+/#', 2), // SUBSCRIBE
    packet(0xa2, 0, 1, 'a/#/b'), // UNSUBSCRIBE
    packet(0x90, 0, 1, 0), // SUBACK, which only a broker sends
    packet(0xc0), // PINGREQ
    packet(0xe0), // DISCONNECT
  ];
  const piece = fc.oneof(
    fc.constantFrom(...valid),
    fc.tuple(fc.constantFrom(...valid), fc.nat(), fc.nat(255)).map(([bytes, at, byte]) => {
      const changed = Buffer.from(bytes);
      changed[at % changed.length] = byte;
      return changed;
    }),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  );
  const witness = await connect(OTHER);
  const sent = fc.asyncProperty(
    fc.array(piece, { minLength: 1, maxLength: 8 }),
    fc.boolean(),
    async (pieces, abrupt) => {
      const socket = await rawConnection();
      const closed = new Promise((resolve) => socket.once('close', resolve));
      for (const bytes of [valid[0]!, ...pieces]) {
        socket.write(bytes);
        await new Promise(setImmediate);
      }
      if (abrupt) socket.destroy();
      else socket.end();
      await closed;
    },
  );
  await fc.assert(sent, { numRuns: 60 });
  await witness.publishAsync(topics.sightings(OTHER), 'still here', { qos: 1 });
  await (await connect(AGENT)).publishAsync(topics.sightings(AGENT), 'and so am I', { qos: 1 });
});
