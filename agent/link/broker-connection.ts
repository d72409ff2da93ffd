/**
 * The agent's permanent connection to the broker, as a sequence of MQTT clients.
 *
 * Reconnecting and resending are switched off in the MQTT library: it would send before it has subscribed, and its
 * promises do not settle when the connection breaks. So each connection is a client of its own, and each wait for the
 * broker ends when the connection does, or at a deadline.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import type { Logger } from 'pino';
import * as z from 'zod';
import { PROTOCOL_VERSION, type Presence } from '../../shared/agent/messages.ts';
import { CONNECT_WITHIN_MS } from '../../shared/agent/timing.ts';
import { topics } from '../../shared/agent/topics.ts';
import type { AgentId } from '../../shared/identity.ts';
import type { Identity } from '../identity/identity.ts';
import { BackOff } from './back-off.ts';

const KEEPALIVE_S = 30;
/** Long enough for four results on a slow uplink. After it the connection counts as broken. */
const PUBACK_WITHIN_MS = 30_000;
const CLOSE_WITHIN_MS = 2_000;
/** IoT Core discards publishes beyond 100 unacknowledged ones. */
const MAX_UNACKNOWLEDGED = 90;
/** Bytes in the socket's buffer beyond which messages that may be lost are discarded (back-pressure). */
const MAX_BUFFERED = 256 * 1024;
const SUBSCRIPTION_REFUSED = 128; // MQTT 3.1.1 section 3.9.3

/** Where and how to connect. */
export type Endpoint = Pick<IClientOptions, 'protocol' | 'host' | 'port' | 'key' | 'cert' | 'ca' | 'ALPNProtocols'>;

export interface LinkOptions {
  agent: AgentId;
  /** Where and how to connect; called anew for each attempt, which fails if there is no answer in time. */
  dial(): Endpoint | Promise<Endpoint>;
  /**
   * Handles a message, which is acknowledged when this resolves. Nothing else is read until then, so it must not wait
   * for an answer of the broker.
   */
  onMessage(topic: string, payload: Buffer): Promise<void>;
  /** Called when the agent is connected and subscribed, with the endpoint that was used. */
  onUp(endpoint: Endpoint): void;
  onDown(): void;
  /** The content of the presence message beside the state. */
  describe(): PresenceDetails;
  log: Logger;
}

export type PresenceDetails = Pick<Presence, 'version' | 'tools' | 'capabilities' | 'networks' | 'load'>;

/** The endpoint of an enrolled agent, with its certificate for authentication. */
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

/** The state of the connection, for the operator of the host. */
export const LinkState = z.union([
  z.object({ connected: z.literal(true) }),
  /** `reason`: why the last attempt failed, or what ended the last connection; null before either. */
  z.object({ connected: z.literal(false), reason: z.string().nullable() }),
]);
export type LinkState = z.infer<typeof LinkState>;

export class BrokerConnection {
  readonly #options: LinkOptions;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  readonly #backOff = new BackOff();
  #state: 'online' | 'draining' = 'online';
  #session: Session | null = null;
  #lastSession = 0;
  #living: Promise<void> | null = null;
  /** Ends the present connection, so that another is opened. */
  #leave: () => void = () => {};
  /** Why there is no connection; null while there is one. */
  #failure: string | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  /** Begins to connect, and reconnects until `close`. */
  open(): void {
    this.#living = this.#live();
  }

  get connected(): boolean {
    return this.#session !== null;
  }

  get state(): LinkState {
    return this.connected ? { connected: true } : { connected: false, reason: this.#failure };
  }

  /**
   * Publishes with QoS 1.
   * @throws {Error} when there is no connection, when it ends before the broker acknowledges, or when too many
   *   publishes are unacknowledged
   */
  async publish(topic: string, payload: Buffer | string): Promise<void> {
    const session = this.#session;
    if (session === null) throw new Error('not connected to the broker');
    if (session.unacknowledged >= MAX_UNACKNOWLEDGED)
      throw new Error('too many messages are waiting for an acknowledgement of the broker');
    session.unacknowledged++;
    try {
      await session.answer(PUBACK_WITHIN_MS, 'PUBACK', (settle) => {
        session.client.publish(topic, payload, { qos: 1 }, settle);
      });
    } finally {
      session.unacknowledged--;
    }
  }

  /** Publishes with QoS 0. Returns false, and discards the message, when there is no connection or a slow one. */
  publishLossy(topic: string, payload: Buffer): boolean {
    const client = this.#session?.client;
    if (client === undefined || client.stream.writableLength > MAX_BUFFERED) return false;
    client.publish(topic, payload, { qos: 0 });
    return true;
  }

  /** Publishes that the agent accepts no more requests. */
  async drain(): Promise<void> {
    this.#state = 'draining';
    await this.announce();
  }

  /** Publishes the agent's presence, unless it is the same as in the last message. */
  async announce(): Promise<void> {
    if (this.#session === null) return;
    try {
      await this.#publishPresence(this.#session, this.#state);
    } catch (error) {
      this.#log.warn({ err: error }, 'the presence could not be published');
    }
  }

  /**
   * Ends the connection, if there is one, and connects again at once. Publishes that are not acknowledged yet fail, and
   * the broker discards messages to the agent until the next connection. The last will is not published, so the agent
   * is not reported as offline.
   */
  reconnect(): void {
    this.#leave();
  }

  /** Publishes that the agent is offline, and disconnects without the last will. Takes a few seconds at most. */
  async close(): Promise<void> {
    this.#closing.abort();
    const session = this.#session;
    if (session !== null) {
      await this.#publishPresence(session, 'offline', CLOSE_WITHIN_MS).then(
        () => session.leave(),
        (error) => this.#log.warn({ err: error }, 'could not publish that the agent goes offline'),
      );
      session.end();
    }
    await this.#living;
  }

  async #live(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const session = await this.#connect();
      const isLeft = session !== null && (await this.#serve(session));
      if (isLeft || this.#closing.signal.aborted) continue;
      const delayMs = this.#backOff.nextDelayMs();
      this.#log.debug({ delayMs: Math.round(delayMs) }, 'waiting before the next attempt to connect');
      await sleep(delayMs, undefined, { signal: this.#closing.signal }).catch(() => {});
    }
  }

  /** Serves a connection until it ends. @returns whether it was ended by `reconnect` */
  async #serve(session: Session): Promise<boolean> {
    if (this.#closing.signal.aborted) {
      session.end();
      return false;
    }
    const openedAt = performance.now();
    const left = new Promise<'left'>((resolve) => {
      this.#leave = () => resolve('left');
    });
    this.#session = session;
    this.#log.info({ session: session.number }, 'connected to the broker');
    void this.announce();
    this.#options.onUp(session.endpoint);
    const error = await Promise.race([session.ended, left]);
    this.#session = null;
    this.#options.onDown();
    this.#backOff.linkEnded(performance.now() - openedAt);
    if (error === 'left') {
      await session.leave();
      return true;
    }
    if (this.#closing.signal.aborted) return false;
    this.#failure = error === null ? 'the connection has ended' : `the connection has ended: ${error.message}`;
    this.#log.warn({ err: error ?? undefined }, 'the connection to the broker has ended');
    if (this.#backOff.shortLived >= 3) {
      this.#log.error(
        { agent: this.#options.agent, times: this.#backOff.shortLived },
        'connections keep ending soon after they are opened; does another agent use the same identity?',
      );
    }
    return false;
  }

  /** A connection with its subscription; null when it failed, and the log says why. */
  async #connect(): Promise<Session | null> {
    const { agent, dial, onMessage } = this.#options;
    // Increases even if the clock was set back.
    const number = Math.max(Date.now(), this.#lastSession + 1);
    this.#lastSession = number;
    try {
      return await openSession(agent, await dial(), {
        number,
        will: {
          topic: topics.presence(agent),
          payload: Buffer.from(this.#presence('offline', number)),
          qos: 1,
          retain: false,
        },
        onMessage: (topic, payload) =>
          onMessage(topic, payload).catch((error) => this.#log.error({ err: error }, 'a message could not be handled')),
        signal: this.#closing.signal,
      });
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      // An outage may last for days: a readable line for each attempt, with a stack only for a defect.
      const about = error instanceof ConnectError ? { reason: error.message } : { err: error };
      if (!this.#closing.signal.aborted) this.#log.warn(about, `cannot connect to the broker${suspicion(error)}`);
      return null;
    }
  }

  async #publishPresence(
    session: Session,
    state: Presence['state'],
    withinMs: number = PUBACK_WITHIN_MS,
  ): Promise<void> {
    const payload = this.#presence(state, session.number);
    if (payload === session.presence) return;
    session.presence = payload;
    try {
      await session.answer(withinMs, 'PUBACK', (settle) => {
        session.client.publish(topics.presence(this.#options.agent), payload, { qos: 1 }, settle);
      });
    } catch (error) {
      session.presence = null;
      throw error;
    }
  }

  #presence(state: Presence['state'], session: number): string {
    const presence: Presence = { v: PROTOCOL_VERSION, t: 'presence', state, session };
    return JSON.stringify(state === 'offline' ? presence : { ...presence, ...this.#options.describe() });
  }
}

/** How far a connection came that did not come about. */
export type Reached = 'nothing' | 'host' | 'broker';

/** A connection attempt that failed. `cause` says why, if the reason is known. */
export class ConnectError extends Error {
  override name = 'ConnectError';
  /** `host`: TCP connects, but the TLS handshake fails; `broker`: the broker refused the agent. */
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
 * Connects and subscribes exactly as the agent does, and disconnects: a proof that the agent will be able to connect.
 * Publishes nothing and has no last will. It ends any other connection of the same agent.
 * @throws {ConnectError} also when `signal` is aborted
 */
export async function tryConnection(agent: AgentId, endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  const session = await openSession(agent, endpoint, { number: Date.now(), onMessage: async () => {}, signal });
  await session.leave();
}

interface SessionOptions {
  /** See `Session`. */
  number: number;
  will?: NonNullable<IClientOptions['will']>;
  /** Must not reject. */
  onMessage(topic: string, payload: Buffer): Promise<void>;
  /** Ends the attempt; a connection that is already open stays. */
  signal: AbortSignal;
}

/**
 * Opens a connection with its subscription.
 * @throws {ConnectError}
 */
async function openSession(
  agent: AgentId,
  endpoint: Endpoint,
  { number, will, onMessage, signal }: SessionOptions,
): Promise<Session> {
  const client = connect({
    ...endpoint,
    clientId: agent,
    protocolVersion: 4,
    clean: true,
    keepalive: KEEPALIVE_S,
    connectTimeout: CONNECT_WITHIN_MS,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
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
    await session.answer(CONNECT_WITHIN_MS, 'CONNACK', (settle) => client.once('connect', () => settle()));
    // Nagle's algorithm would delay small packets by 40 to 90 ms, and with them each request.
    if ('setNoDelay' in client.stream && typeof client.stream.setNoDelay === 'function') client.stream.setNoDelay(true);
    await session.answer(CONNECT_WITHIN_MS, 'SUBACK', (settle) => {
      client.subscribe(topics.allForAgent(agent), { qos: 1 }, (error, granted) => {
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

/** A possible cause, for the log. */
function suspicion(error: unknown): string {
  const isKeptOut = error instanceof ConnectError && error.reached === 'broker';
  return isKeptOut ? ': it refuses the agent. Was the agent revoked or replaced?' : '';
}

/** One connection, from its opening to its end. */
class Session {
  /** When it was opened (Unix, ms); greater than that of any connection before it. */
  readonly number: number;
  readonly client: MqttClient;
  readonly endpoint: Endpoint;
  /** Resolves when the connection has ended, with the error that ended it if there was one. */
  readonly ended: Promise<Error | null>;
  unacknowledged = 0;
  /** The presence message that was published last. */
  presence: string | null = null;
  readonly #resolveEnded: (error: Error | null) => void;
  /**
   * Waits for the broker. Kept here because handlers on `ended` would accumulate for as long as the connection lasts.
   */
  readonly #waiting = new Set<(error: Error) => void>();
  #over = false;

  constructor(client: MqttClient, endpoint: Endpoint, number: number) {
    this.client = client;
    this.endpoint = endpoint;
    this.number = number;
    const { promise, resolve } = withResolvers<Error | null>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    client.on('error', (error) => this.end(error)); // The library itself keeps a connection on which it cannot parse a packet.
    client.on('close', () => this.end());
  }

  end(cause?: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.client.end(true);
    this.client.stream.destroy(); // `end(true)` has no effect on a client that is already disconnecting.
    this.#resolveEnded(cause ?? null);
    for (const reject of this.#waiting) reject(new Error('the connection to the broker has ended', { cause }));
    this.#waiting.clear();
  }

  /** Disconnects in order, so that the broker does not publish the last will. */
  async leave(): Promise<void> {
    const left = new Promise<void>((resolve) => this.client.end(false, {}, () => resolve()));
    await Promise.race([left, sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
    this.end();
  }

  /**
   * Waits for an answer of the broker. Rejects when the connection ends first. When the time is over it rejects too,
   * and ends the connection, because a broker that does not answer counts as unreachable.
   */
  async answer(limitMs: number, name: string, begin: (settle: (error?: Error | null) => void) => void): Promise<void> {
    const { promise, resolve, reject } = withResolvers<void>();
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

/** `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
