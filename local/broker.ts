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

/** Also where the process may have more files open. */
export const MAX_CONNECTIONS = 10_000;
const HANDSHAKE_WITHIN_MS = 10_000;
const HANDSHAKES_PER_ADDRESS = 100;
/** From the end of the TLS handshake to the CONNECT packet. */
const CONNECT_WITHIN_MS = 5_000;
/** How long a subscriber that does not read may delay the delivery to others. */
const DRAIN_WITHIN_MS = 5_000;
const LONGEST_KEEPALIVE_S = 1_200;
const STORE_ON_CLOSE_WITHIN_MS = 3_000;
const NOT_AUTHORIZED = 5; // Return code of CONNACK (MQTT 3.1.1 section 3.2.2.3).

export interface BrokerOptions {
  authority: CertificateAuthority;
  host: string;
  /** 0 uses a free one. */
  port: number;
  /**
   * By stage: receives every result and presence message of the stage's agents, and an event for every connection of them
   * that begins or ends. It may be slow and it may fail, because the broker does not wait for it.
   */
  ingest: Readonly<Record<Stage, Ingest>>;
  /** Limits how much each connection over TLS may send and receive in a second. Default: unlimited. */
  rates?: BrokerRates;
  /** Default: MAX_CONNECTIONS. */
  maxConnections?: number;
  /** TLS handshakes of one address at a time. */
  handshakesPerAddress?: number;
  log: Logger;
}

export interface Broker {
  readonly port: number;
  /** Whether this client is connected. */
  isConnected(clientId: string): boolean;
  /** Ends the connection of this client, if there is one. Its last will is published. */
  disconnect(clientId: string): void;
  /**
   * A connection for the functions of this process, with the rights of their certificate. It carries the same packets as
   * one over TLS, for half of the processor time.
   */
  connectFunctions(): Duplex;
  /** Publishes a message of a function without a connection, as the data endpoint of IoT Core does. */
  publish(topic: string, payload: string): Promise<void>;
  /** Ends all connections. Resolves when the messages that agents have sent until then are stored. */
  close(): Promise<void>;
}

/** Starts the broker. Rejects with the error of the system, such as EADDRINUSE, when it cannot listen. */
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
    connectTimeout: CONNECT_WITHIN_MS,
    drainTimeout: DRAIN_WITHIN_MS,
    preConnect(client, packet, done) {
      if (packet.keepalive !== undefined) packet.keepalive = keepaliveSeconds(packet.keepalive);
      const admitted = admit(peers.get(client.conn), packet, authority);
      // Of those alone whose certificate permits this client id: others take nothing of what is left to them.
      const isCounted = typeof admitted !== 'string' && rateOf.has(client.conn);
      if (isCounted && !mayConnect(packet.clientId)) return done(new Error('too many attempts to connect'), false);
      if (typeof admitted === 'string') log.warn({ client: packet.clientId, reason: admitted }, 'connection refused');
      else known.set(client, admitted);
      done(null, true); // The refusal follows in `authenticate`, whose answer the client can read.
    },
    authenticate(client, _user, _password, done) {
      const connection = known.get(client);
      if (connection === undefined || authority.isRevoked(connection.serial)) return done(notAuthorized(), false);
      const { clientId } = connection;
      const takeOver = () => {
        if (client.closed) return; // It disconnected while the earlier one was being closed.
        connected.set(clientId, client);
        const ended = tellOfConnection(client, connection);
        client.conn.once('close', () => {
          if (connected.get(clientId) === client) connected.delete(clientId);
          ended();
        });
        done(null, true);
      };
      // The earlier connection of this client id is closed first: its last will is published before anything new.
      const earlier = connected.get(clientId);
      if (earlier === undefined) return takeOver();
      setEnding(earlier, 'DUPLICATE_CLIENTID');
      earlier.close(takeOver);
    },
    authorizePublish(client, packet, done) {
      const connection = client === null ? undefined : known.get(client);
      if (connection === undefined) return done(new Error('no connection'));
      const refusal = refusalOfPublish(connection.rights, packet);
      if (refusal !== null) {
        log.warn({ client: connection.clientId, topic: packet.topic, reason: refusal }, 'message refused');
        connection.ending ??= 'AUTH_ERROR';
        return done(new Error(refusal)); // Ends the connection.
      }
      done(null);
    },
    authorizeSubscribe(client, subscription, done) {
      const connection = known.get(client);
      const refusal = connection ? refusalOfFilter(connection, subscription.topic, subscription.qos) : 'no connection';
      if (refusal === null) return done(null, subscription);
      log.warn({ client: client.id, filter: subscription.topic, reason: refusal }, 'subscription refused');
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
  const events: EventEmitter = aedes; // `error` is missing in its types; without a listener it would end this process.
  events.on('error', (error: Error) => log.error({ err: error }, 'the embedded broker reported an error'));

  /** The topic's agent is the publisher, because the permissions have been checked. */
  function store({ topic, payload }: Pick<PublishPacket, 'topic' | 'payload'>): void {
    const source = sourceOf(topic);
    if (source === null || source.kind === 'reply') return;
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    queues.get(source.stage)?.add(source.kind, source.agent, bytes);
  }

  /**
   * Reports the beginning of a connection, as IoT Core does. Nobody may subscribe to these events, so they go directly
   * to ingest, where a rule would send them. @returns a function that reports the end, once
   */
  function tellOfConnection(client: Client, { clientId, serial }: Connection): () => void {
    const versionNumber = nextInstant();
    const sessionIdentifier = randomUUID();
    const tell = (eventType: ConnectionEvent['eventType'], timestamp: number, details: object) => {
      const session = { sessionIdentifier, principalIdentifier: serial, versionNumber };
      const payload = JSON.stringify({ clientId, timestamp, eventType, ...session, ...details });
      store({ topic: topics.connection(eventType, clientId), payload });
    };
    const ended = () => {
      if (!openConnections.delete(ended)) return;
      const disconnectReason = reasonOfEnd(client, known.get(client));
      const clientInitiatedDisconnect = disconnectReason === 'CLIENT_INITIATED_DISCONNECT';
      tell('disconnected', nextInstant(), { clientInitiatedDisconnect, disconnectReason });
    };
    openConnections.add(ended);
    tell('connected', versionNumber, { ipAddress: (client.conn as Socket).remoteAddress });
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
    // TLS session resumption would restore an old certificate; every connection has to present its own.
    secureOptions: constants.SSL_OP_NO_TICKET,
    noDelay: true, // Nagle's algorithm adds 44 ms to every exchange.
    keepAlive: true,
  });
  server.maxConnections = maxConnections;
  boundHandshakes(server, { withinMs: HANDSHAKE_WITHIN_MS, perAddress: handshakesPerAddress });
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
    server.on('error', (error) => warn('broker', { err: error }, 'connections cannot be accepted'));
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
    await Promise.all([...queues.values()].map((queue) => queue.drain(STORE_ON_CLOSE_WITHIN_MS)));
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
  const saidGoodBye = '_disconnected' in client && client._disconnected === true; // The library reports it in no other way.
  return saidGoodBye ? 'CLIENT_INITIATED_DISCONNECT' : (connection?.ending ?? 'CONNECTION_LOST');
}

/**
 * A strictly increasing time in milliseconds, whatever happens to the system's clock. Also numbers the connections, so
 * that the numbers still increase after a restart of the broker.
 */
function risingClock(): () => number {
  let last = 0;
  return () => (last = Math.max(Date.now(), last + 1));
}

/** A client that asks for no keep-alive, or a very long one, gets the longest, so that dead connections are detected. */
function keepaliveSeconds(asked: number): number {
  return asked === 0 ? LONGEST_KEEPALIVE_S : Math.min(asked, LONGEST_KEEPALIVE_S);
}

function notAuthorized(): AuthenticateError {
  return Object.assign(new Error('not authorized'), { returnCode: NOT_AUTHORIZED });
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // For good: later a connection that could not be accepted is an error of the server, and no reason to end.
    server.on('error', reject);
    server.listen({ host, port }, () => resolve());
  });
}
