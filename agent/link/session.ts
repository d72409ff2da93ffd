/**
 * One connection of the agent to the broker: an MQTT client with its subscription. The MQTT library's promises do not
 * settle when the connection breaks, so each wait for the broker ends with the connection, or at a deadline.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { CONNECT_WITHIN_MS } from '../../shared/agent/timing.ts';
import { topics } from '../../shared/agent/topics.ts';
import { deferred } from '../../shared/async.ts';
import type { ClientId } from '../../shared/identity.ts';
import type { Identity } from '../identity/identity.ts';

const KEEPALIVE_S = 30;
/** How long a closing agent waits for the broker. */
export const CLOSE_WITHIN_MS = 2_000;
/** IoT Core discards publishes beyond 100 unacknowledged ones. */
const MAX_UNACKNOWLEDGED = 90;
/** Back-pressure: bytes in the socket's buffer beyond which lossy messages are discarded. */
const MAX_BUFFERED = 256 * 1024;
const SUBSCRIPTION_REFUSED = 128; // MQTT 3.1.1 section 3.9.3

/** Where and how to connect. */
export type Endpoint = Pick<IClientOptions, 'protocol' | 'host' | 'port' | 'key' | 'cert' | 'ca' | 'ALPNProtocols'>;

export function endpointOf(identity: Identity, broker = identity.broker): Endpoint {
  const { hostname, port } = new URL(broker);
  return {
    protocol: 'mqtts',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 8883 : Number(port),
    key: identity.key,
    cert: identity.certificate,
    ca: identity.authority,
    // For networks that allow only port 443: there IoT Core recognizes MQTT by this ALPN name.
    ...(port === '443' ? { ALPNProtocols: ['x-amzn-mqtt-ca'] } : {}),
  };
}

type Reached = 'nothing' | 'host' | 'broker';

/** A failed attempt to connect. `cause` is the reason, if it is known. */
export class ConnectError extends Error {
  override name = 'ConnectError';
  /** `host`: TCP connects, but the TLS handshake fails; `broker`: the broker rejects the agent. */
  readonly reached: Reached;

  constructor(reached: Reached, options: ErrorOptions) {
    const { cause } = options;
    super(cause instanceof Error ? messageOf(cause) : 'the connection to the broker has ended', options);
    this.reached = reached;
  }
}

/** For a host with several addresses the error is an AggregateError without a message of its own. */
function messageOf(error: Error): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join(', ');
  }
  return error.message || error.name;
}

/**
 * Connects and subscribes exactly as the agent does, and disconnects. Publishes nothing and has no last will. Ends any
 * other connection of the same agent.
 * @throws {ConnectError} also when `signal` is aborted
 */
export async function tryConnection(client: ClientId, endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  const session = await openSession(client, endpoint, { number: Date.now(), onMessage: async () => {}, signal });
  await session.leave();
}

interface SessionOptions {
  /** See `Session`. */
  number: number;
  will?: NonNullable<IClientOptions['will']>;
  /** Must not reject. */
  onMessage(topic: string, payload: Buffer): Promise<void>;
  /** Ends the attempt, but no open connection. */
  signal: AbortSignal;
}

/** Opens a connection with its subscription. @throws {ConnectError} */
export async function openSession(
  clientId: ClientId,
  endpoint: Endpoint,
  { number, will, onMessage, signal }: SessionOptions,
): Promise<Session> {
  const client = connect({
    ...endpoint,
    clientId,
    protocolVersion: 4,
    clean: true,
    keepalive: KEEPALIVE_S,
    connectTimeout: CONNECT_WITHIN_MS,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    writeCache: false, // It would hold a buffer for each of 65,536 numbers: 15 MB.
    ...(will === undefined ? {} : { will }),
  });
  let reached: Reached = 'nothing';
  client.stream.once('connect', () => {
    reached = 'host';
  });
  client.stream.once('secureConnect', () => {
    reached = 'broker';
  });
  const session = new Session(client, endpoint, number);
  const endAtAbort = () => session.end();
  signal.addEventListener('abort', endAtAbort);
  client.handleMessage = (packet, done) => {
    const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
    onMessage(packet.topic, payload).finally(() => done());
  };
  try {
    if (signal.aborted) session.end();
    await session.reply(CONNECT_WITHIN_MS, 'CONNACK', (settle) => client.once('connect', () => settle()));
    // Nagle's algorithm would delay small packets, and with them each request, by 40 to 90 ms.
    if ('setNoDelay' in client.stream && typeof client.stream.setNoDelay === 'function') client.stream.setNoDelay(true);
    await session.reply(CONNECT_WITHIN_MS, 'SUBACK', (settle) => {
      client.subscribe(topics.allForAgent(clientId), { qos: 1 }, (error, granted) => {
        const refused = granted?.some(({ qos }) => Number(qos) === SUBSCRIPTION_REFUSED);
        settle(refused ? new Error('the broker refuses the subscription') : error);
      });
    });
    return session;
  } catch (error) {
    session.end();
    const ended = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new ConnectError(reached, { cause: ended });
  } finally {
    signal.removeEventListener('abort', endAtAbort);
  }
}

export class Session {
  /** When it was opened (Unix, ms); greater than that of any earlier connection. */
  readonly number: number;
  readonly endpoint: Endpoint;
  /** Resolves when the connection has ended, with the error that ended it, if any. */
  readonly ended: Promise<Error | null>;
  readonly #client: MqttClient;
  #unacknowledged = 0;
  readonly #resolveEnded: (error: Error | null) => void;
  /** Pending waits for the broker. Handlers on `ended` would accumulate as long as the connection lasts. */
  readonly #waiting = new Set<(error: Error) => void>();
  #over = false;

  constructor(client: MqttClient, endpoint: Endpoint, number: number) {
    this.#client = client;
    this.endpoint = endpoint;
    this.number = number;
    const { promise, resolve } = deferred<Error | null>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    client.on('error', (error) => this.end(error)); // The library itself keeps a connection on which it cannot parse a packet.
    client.on('close', () => this.end());
  }

  end(cause?: Error): void {
    if (this.#over) return;
    this.#over = true;
    // First, because the library would reject with "Connection closed", without the reason.
    for (const reject of this.#waiting) reject(new Error('the connection to the broker has ended', { cause }));
    this.#waiting.clear();
    this.#client.end(true);
    this.#client.stream.destroy(); // `end(true)` has no effect on a client that is already disconnecting.
    this.#resolveEnded(cause ?? null);
  }

  /** See `BrokerConnection.publish`. */
  async publish(topic: string, payload: Buffer | string, withinMs: number): Promise<void> {
    if (this.#unacknowledged >= MAX_UNACKNOWLEDGED)
      throw new Error('too many messages are waiting for an acknowledgement of the broker');
    this.#unacknowledged++;
    try {
      await this.reply(withinMs, 'PUBACK', (settle) => this.#client.publish(topic, payload, { qos: 1 }, settle));
    } finally {
      this.#unacknowledged--;
    }
  }

  /** Publishes with QoS 0. Discards the message, and returns false, on a slow connection. */
  publishLossy(topic: string, payload: Buffer): boolean {
    if (this.#client.stream.writableLength > MAX_BUFFERED) return false;
    this.#client.publish(topic, payload, { qos: 0 });
    return true;
  }

  /** Disconnects with a DISCONNECT packet, so that the broker does not publish the last will. */
  async leave(): Promise<void> {
    const left = new Promise<void>((resolve) => this.#client.end(false, {}, () => resolve()));
    await Promise.race([left, sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
    this.end();
  }

  /** Waits for a reply of the broker. Rejects when the connection ends first, and ends the connection on a timeout. */
  async reply(limitMs: number, name: string, begin: (settle: (error?: Error | null) => void) => unknown) {
    const { promise, resolve, reject } = deferred<void>();
    if (this.#over) throw new Error('the connection to the broker has ended');
    this.#waiting.add(reject);
    const timer = setTimeout(() => this.end(new Error(`the broker sent no ${name} in ${limitMs / 1000} s`)), limitMs);
    try {
      begin((error) => (error ? reject(error) : resolve()));
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(reject);
    }
  }
}
