/** The embedded MQTT broker: aedes behind mutual TLS, as strict as AWS IoT Core. */
import { constants, randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { createServer, type Server } from 'node:tls';
import { Aedes, type AuthenticateError, type Client, type PublishPacket } from 'aedes';
import mqttPacket from 'mqtt-packet';
import type { Logger } from 'pino';
import { rateLimitedWarnings } from '../functions/http/rate-limited-log.ts';
import type { Ingest } from '../functions/sightings/ingest.ts';
import type { ConnectionEvent } from '../shared/agent/messages.ts';
import { sourceOf, topics } from '../shared/agent/topics.ts';
import type { Stage } from '../shared/identity.ts';
import { admit, type Connection, type Peer, peerOf, refusalOfFilter } from './broker-admission.ts';
import { mayReceive, refusalOfPublish } from './broker-rules.ts';
import { type CertificateAuthority, FUNCTIONS_NAME } from './certificate-authority.ts';
import { type BrokerRates, ConnectionRate, connectRate } from './connection-rate.ts';
import { boundHandshakes } from './handshakes.ts';
import { createIngestQueue } from './ingest-queue.ts';
import { guardPackets } from './packet-limiter.ts';

/** Even if the process may open more files. */
export const MAX_CONNECTIONS = 10_000;
const HANDSHAKES_PER_ADDRESS = 100;
const LONGEST_KEEPALIVE_S = 1_200;
const NOT_AUTHORIZED = 5; // Return code of CONNACK (MQTT 3.1.1 section 3.2.2.3).

export interface BrokerOptions {
  authority: CertificateAuthority;
  host: string;
  /** 0 selects a free one. */
  port: number;
  /**
   * By stage: receives every result and presence message of the stage's agents, and an event when a connection of them
   * starts or ends. It may be slow or fail, because the broker does not wait for it.
   */
  ingest: Readonly<Record<Stage, Ingest>>;
  /** Rate limits of each connection over TLS. Default: unlimited. */
  rates?: BrokerRates;
  /** Default: MAX_CONNECTIONS. */
  maxConnections?: number;
  /** TLS handshakes of one address at a time. */
  handshakesPerAddress?: number;
  log: Logger;
}

export interface Broker {
  readonly port: number;
  isConnected(clientId: string): boolean;
  /** Closes the connection of this client, if it exists. The broker publishes its last will. */
  disconnect(clientId: string): void;
  /** A connection for the functions of this process, with the rights of their certificate, for half the CPU time of TLS. */
  connectFunctions(): Duplex;
  /** Publishes a message of a function without a connection, like the data endpoint of IoT Core. */
  publish(topic: string, payload: string): Promise<void>;
  /** Closes all connections. Resolves when the messages received until then are stored. */
  close(): Promise<void>;
}

/** @throws the system error, such as EADDRINUSE, when it cannot listen */
export async function startBroker({
  authority,
  host,
  port,
  ingest,
  rates,
  maxConnections = MAX_CONNECTIONS,
  handshakesPerAddress = HANDSHAKES_PER_ADDRESS,
  log,
}: BrokerOptions): Promise<Broker> {
  const queues = new Map(Object.entries(ingest).map(([stage, own]) => [stage, createIngestQueue(own, log)] as const));
  const peers = new WeakMap<object, Peer>();
  const rateOf = new WeakMap<object, ConnectionRate>();
  const mayConnect = rates === undefined ? () => true : connectRate(rates);
  const known = new WeakMap<Client, Connection>();
  const connected = new Map<string, Client>();
  const openConnections = new Set<() => void>(); // Each reports, once, that its connection has ended.
  const nextInstant = risingClock();
  const warn = rateLimitedWarnings(log);

  mqttPacket.writeToStream.cacheNumbers = false; // It would hold a buffer for each of 65,536 numbers: 15 MB.
  const aedes = await Aedes.createBroker({
    connectTimeout: 5_000, // From the end of the TLS handshake to the CONNECT packet.
    drainTimeout: 5_000, // A subscriber that does not read delays the delivery to others for at most this long.
    preConnect(client, packet, done) {
      if (packet.keepalive !== undefined) packet.keepalive = keepaliveSeconds(packet.keepalive);
      const admitted = admit(peers.get(client.conn), packet, authority);
      // Only clients whose certificate permits this id count, so that others cannot use up their rate.
      const isCounted = typeof admitted !== 'string' && rateOf.has(client.conn);
      if (isCounted && !mayConnect(packet.clientId)) return done(new Error('too many attempts to connect'), false);
      if (typeof admitted === 'string') log.warn({ client: packet.clientId, reason: admitted }, 'connection rejected');
      else known.set(client, admitted);
      done(null, true); // `authenticate` rejects it, with an answer that the client can read.
    },
    authenticate(client, _user, _password, done) {
      const connection = known.get(client);
      if (connection === undefined || authority.isRevoked(connection.serial)) return done(notAuthorized(), false);
      const { clientId } = connection;
      const takeOver = () => {
        if (client.closed) return; // It disconnected while the broker closed the earlier one.
        connected.set(clientId, client);
        const ended = reportConnection(client, connection);
        client.conn.once('close', () => {
          if (connected.get(clientId) === client) connected.delete(clientId);
          ended();
        });
        done(null, true);
      };
      // Closes the earlier connection of this client id first: its last will precedes everything new.
      const earlier = connected.get(clientId);
      if (earlier === undefined) return takeOver();
      setEnding(earlier, 'DUPLICATE_CLIENTID');
      earlier.close(takeOver);
    },
    authorizePublish(client, packet, done) {
      const connection = client === null ? undefined : known.get(client);
      if (connection === undefined) return done(new Error('no connection'));
      const refusal = refusalOfPublish(connection.rights, packet);
      if (refusal === null) return done(null);
      log.warn({ client: connection.clientId, topic: packet.topic, reason: refusal }, 'message rejected');
      connection.ending ??= 'AUTH_ERROR';
      done(new Error(refusal)); // Closes the connection.
    },
    authorizeSubscribe(client, subscription, done) {
      const connection = known.get(client);
      const refusal = connection ? refusalOfFilter(connection, subscription.topic, subscription.qos) : 'no connection';
      if (refusal === null) return done(null, subscription);
      log.warn({ client: client.id, filter: subscription.topic, reason: refusal }, 'subscription rejected');
      done(null, null); // SUBACK 0x80
    },
    authorizeForward(client, packet) {
      const connection = known.get(client);
      if (connection === undefined || !mayReceive(connection.rights, packet.topic)) return null;
      return (rateOf.get(client.conn)?.takeDelivery(packet.qos) ?? true) ? packet : null;
    },
    published(packet, client, done) {
      if (client !== null) store(packet);
      done();
    },
  });
  aedes.on('unsubscribe', (filters, client) => {
    for (const filter of filters) known.get(client)?.filters.delete(filter);
  });
  aedes.on('ack', (_packet, client) => rateOf.get(client.conn)?.acknowledged());
  aedes.on('keepaliveTimeout', (client) => setEnding(client, 'MQTT_KEEP_ALIVE_TIMEOUT'));
  aedes.on('clientError', (client, error) => log.info({ client: client.id, reason: error.message }, 'connection lost'));
  aedes.on('connectionError', (_client, error) => log.info({ reason: error.message }, 'connection ended'));
  const events: EventEmitter = aedes; // Its types lack `error`, which without a listener would end this process.
  events.on('error', (error: Error) => log.error({ err: error }, 'the embedded broker reported an error'));

  /** The publisher is the topic's agent, because the broker has checked the permissions. */
  function store({ topic, payload }: Pick<PublishPacket, 'topic' | 'payload'>): void {
    const source = sourceOf(topic);
    if (source === null || source.kind === 'reply') return;
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    queues.get(source.stage)?.add(source.kind, source.agent, bytes);
  }

  /**
   * Reports the start of a connection like IoT Core, but directly to ingest, where a rule would send it: no client may
   * subscribe to these events. @returns a function that reports the end, once
   */
  function reportConnection(client: Client, { clientId, serial }: Connection): () => void {
    const versionNumber = nextInstant();
    const sessionIdentifier = randomUUID();
    const report = (eventType: ConnectionEvent['eventType'], timestamp: number, details: object) => {
      const session = { sessionIdentifier, principalIdentifier: serial, versionNumber };
      const payload = JSON.stringify({ clientId, timestamp, eventType, ...session, ...details });
      store({ topic: topics.connection(eventType, clientId), payload });
    };
    const ended = () => {
      if (!openConnections.delete(ended)) return;
      const disconnectReason = reasonOfEnd(client, known.get(client));
      const clientInitiatedDisconnect = disconnectReason === 'CLIENT_INITIATED_DISCONNECT';
      report('disconnected', nextInstant(), { clientInitiatedDisconnect, disconnectReason });
    };
    openConnections.add(ended);
    report('connected', versionNumber, { ipAddress: (client.conn as Socket).remoteAddress });
    return ended;
  }

  function setEnding(client: Client | undefined, reason: string): void {
    const connection = client === undefined ? undefined : known.get(client);
    if (connection !== undefined) connection.ending ??= reason;
  }

  function accept(connection: Duplex, peer: Peer, rate: ConnectionRate | null): void {
    peers.set(connection, peer);
    if (rate !== null) rateOf.set(connection, rate);
    guardPackets(connection, rate);
    aedes.handle(connection);
  }

  const server = createServer({
    key: authority.broker.key,
    cert: authority.broker.certificate,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    // TLS session resumption would restore an old certificate; every connection must present its own.
    secureOptions: constants.SSL_OP_NO_TICKET,
    noDelay: true, // Nagle's algorithm adds 44 ms to every exchange.
    keepAlive: true,
  });
  server.maxConnections = maxConnections;
  boundHandshakes(server, { withinMs: 10_000, perAddress: handshakesPerAddress });
  const sockets = new Set<Socket>(); // Including those in the TLS handshake.
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', (error, socket) => {
    log.info({ reason: error.message }, 'TLS handshake failed');
    socket.destroy();
  });
  server.on('secureConnection', (socket) => accept(socket, peerOf(socket), rates ? new ConnectionRate(rates) : null));
  try {
    await listen(server, host, port);
    server.on('error', (error) => warn('broker', { err: error }, 'cannot accept connections'));
  } catch (error) {
    aedes.close();
    throw error;
  }

  async function close(): Promise<void> {
    const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const client of connected.values()) setEnding(client, 'SERVER_INITIATED_DISCONNECT');
    await new Promise<void>((resolve) => aedes.close(resolve));
    for (const socket of sockets) socket.destroy();
    await stopped;
    for (const ended of openConnections) ended();
    await Promise.all([...queues.values()].map((queue) => queue.drain(3_000)));
  }
  let closing: Promise<void> | null = null;

  return {
    port: (server.address() as AddressInfo).port,
    isConnected: (clientId) => connected.has(clientId),
    disconnect(clientId) {
      const client = connected.get(clientId);
      setEnding(client, 'API_INITIATED_DISCONNECT');
      (client?.conn as Socket | undefined)?.destroy();
    },
    connectFunctions() {
      const [ours, theirs] = duplexPair();
      ours.once('close', () => theirs.destroy());
      theirs.once('close', () => ours.destroy());
      if (closing !== null) ours.destroy();
      else accept(theirs, { commonName: FUNCTIONS_NAME, serial: '' }, null);
      return ours;
    },
    publish(topic, payload) {
      const message = { cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false } as const;
      return new Promise((resolve, reject) => aedes.publish(message, (error) => (error ? reject(error) : resolve())));
    },
    close: () => (closing ??= close()),
  };
}

/** Why a connection has ended, as a disconnect reason of IoT Core. */
function reasonOfEnd(client: Client, connection: Connection | undefined): string {
  const isOrderly = '_disconnected' in client && client._disconnected === true; // No public property of the library has it.
  return isOrderly ? 'CLIENT_INITIATED_DISCONNECT' : (connection?.ending ?? 'CONNECTION_LOST');
}

/** A strictly increasing time in ms, even if the clock is set back. It numbers the connections, also across restarts. */
function risingClock(): () => number {
  let last = 0;
  return () => (last = Math.max(Date.now(), last + 1));
}

/** A client that requests no keep-alive, or a very long one, gets the longest, so that the broker detects dead connections. */
function keepaliveSeconds(requested: number): number {
  return requested === 0 ? LONGEST_KEEPALIVE_S : Math.min(requested, LONGEST_KEEPALIVE_S);
}

function notAuthorized(): AuthenticateError {
  return Object.assign(new Error('not authorized'), { returnCode: NOT_AUTHORIZED });
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', reject); // Permanent: a later failure to accept a connection must not end the process.
    server.listen({ host, port }, () => resolve());
  });
}
