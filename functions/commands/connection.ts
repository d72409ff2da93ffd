/**
 * A function's connection to the broker.
 *
 * Lambda freezes a function between requests, for seconds or hours, and thaws it with sockets that may have been closed
 * meanwhile. So the MQTT library neither reconnects nor resends, each of its promises is raced against the end of the
 * connection and a deadline, and an idle connection is probed before it is used for a request.
 */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import mqtt, { type IClientOptions, MqttClient } from 'mqtt';
import { instanceId, topics } from '../../shared/agent/topics.ts';
import { deadline, deferred } from '../../shared/async.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Stage } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';

/** Options of the MQTT library for one connection; or a stream, where the broker is in this process. */
type Dialled = IClientOptions & { stream?: Duplex };

export interface BrokerSettings {
  stage: Stage;
  /** Options of one connection; called for each attempt, because a signed URL is valid for one. */
  dial(): Dialled | Promise<Dialled>;
  /** How long an agent may take to acknowledge a request, in milliseconds. Default: `ACK_WITHIN_MS`. */
  ackWithinMs?: number;
}

type OnMessage = (topic: string, payload: Uint8Array) => void;

const CONNECT_WITHIN_MS = 3_000;
/** For the reply of the broker to a subscription or a message. */
const REPLY_WITHIN_MS = 1_000;

export interface Connection {
  /** A connection that has just been verified. */
  open(): Promise<LiveConnection>;
  /** Publishes with QoS 1 over a verified connection, and retries once over a new one. */
  publish(message: (instance: string) => { topic: string; payload: Uint8Array }): Promise<LiveConnection>;
  close(): Promise<void>;
}

export interface LiveConnection {
  /** MQTT client id, and a level of the topics of replies. */
  readonly instance: string;
  /**
   * Calls the listener when the connection ends, for whatever reason; at once if it has ended.
   * @returns removes the listener. (A promise would keep every handler as long as the connection lasts.)
   */
  onClosed(listener: () => void): () => void;
}

export function openConnection(settings: BrokerSettings, log: Log, onMessage: OnMessage): Connection {
  let live: Socket | null = null;
  let opening: Promise<Socket> | null = null;

  async function open(): Promise<Socket> {
    if (opening) return opening;
    const current = live;
    // Shorter than the five minutes after which brokers and NAT devices drop an idle connection.
    if (current?.isOpen && current.idleMs() < 240_000) {
      if (current.idleMs() < 2_000) return current;
      opening = current.probe().then((alive) => (alive ? current : reopen()));
    } else {
      opening = reopen();
    }
    try {
      return await opening;
    } finally {
      opening = null;
    }
  }

  async function reopen(): Promise<Socket> {
    live?.end();
    live = null;
    live = await Socket.connect(settings, log, onMessage);
    return live;
  }

  return {
    open,

    async publish(message) {
      const first = await open();
      const { topic, payload } = message(first.instance);
      if (await first.publish(topic, payload)) return first;
      if (live === first) live = null;
      first.end();
      const second = await open();
      const again = message(second.instance);
      if (await second.publish(again.topic, again.payload)) return second;
      throw brokerUnavailable();
    },

    async close() {
      await opening?.catch(() => {});
      live?.end();
      live = null;
    },
  };
}

function brokerUnavailable(cause?: unknown): ServiceError {
  return new ServiceError('unavailable', 'The message broker cannot be reached at the moment', {
    cause,
    retryAfter: 2,
  });
}

class Socket implements LiveConnection {
  readonly instance: string;
  readonly #client: MqttClient;
  readonly #closedListeners = new Set<() => void>();
  #lastReceivedAt = Date.now();
  #isClosed = false;
  /** The error that ended the connection, for the log. */
  #failure: Error | undefined;

  static async connect(settings: BrokerSettings, log: Log, onMessage: OnMessage): Promise<Socket> {
    const socket = new Socket(settings.stage, await settings.dial(), log, onMessage);
    try {
      await socket.#established();
      await socket.#subscribe();
      return socket;
    } catch (error) {
      socket.end();
      throw error instanceof ServiceError ? error : brokerUnavailable(error);
    }
  }

  private constructor(stage: Stage, { stream, ...dialled }: Dialled, log: Log, onMessage: OnMessage) {
    this.instance = instanceId(stage, randomBytes(8).toString('hex'));
    const options: IClientOptions = {
      ...dialled,
      clientId: this.instance,
      protocolVersion: 4,
      clean: true,
      keepalive: 1200, // We probe ourselves; after a thaw the keep-alive of the library would declare the broker dead.
      connectTimeout: CONNECT_WITHIN_MS,
      reconnectPeriod: 0,
      queueQoSZero: false,
      resubscribe: false,
      // The cache of the library holds a buffer for each of 65,536 numbers: 15 MB, and a third of what a connection costs.
      writeCache: false,
    };
    this.#client = stream === undefined ? mqtt.connect(options) : new MqttClient(() => stream, options);
    const failed = (error: Error) => {
      if (error === this.#failure) return;
      this.#failure = error;
      log.warn({ err: error, instance: this.instance }, 'broker connection failed');
    };
    this.#client.on('error', failed);
    // The library does not report that a WebSocket was rejected, which happens when rights are missing.
    this.#client.stream.on('error', failed);
    this.#client.on('connect', () => this.#setNoDelay());
    this.#client.on('packetreceive', () => {
      this.#lastReceivedAt = Date.now();
    });
    this.#client.on('message', (topic, payload) => onMessage(topic, payload));
    const closed = () => {
      this.#isClosed = true;
      for (const listener of this.#closedListeners) listener();
      this.#closedListeners.clear();
    };
    this.#client.on('close', closed);
    this.#client.on('end', closed);
  }

  onClosed(listener: () => void): () => void {
    if (this.#isClosed) listener();
    else this.#closedListeners.add(listener);
    return () => this.#closedListeners.delete(listener);
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#client.connected;
  }

  idleMs(): number {
    return Date.now() - this.#lastReceivedAt;
  }

  /** Without it, Nagle's algorithm and delayed acknowledgements add 40 ms to every exchange. */
  #setNoDelay(): void {
    const { stream } = this.#client;
    if ('setNoDelay' in stream && typeof stream.setNoDelay === 'function') stream.setNoDelay(true);
  }

  async #established(): Promise<void> {
    const connected = new Promise<true>((resolve, reject) => {
      this.#client.once('connect', () => resolve(true));
      this.#client.once('error', reject);
    });
    if (!(await this.#within(connected, CONNECT_WITHIN_MS))) throw brokerUnavailable(this.#failure);
  }

  /** Subscribes, and sends itself a message, because a broker may deliver only some time after it has granted it. */
  async #subscribe(): Promise<void> {
    const subscribed = this.#client
      .subscribeAsync(topics.allForInstance(this.instance), { qos: 1 })
      .then((granted) => granted.every(({ qos }) => qos < 128));
    if (!(await this.#within(subscribed, REPLY_WITHIN_MS))) throw brokerUnavailable();
    const topic = topics.echo(this.instance, randomBytes(8).toString('hex'));
    const echoed = new Promise<true>((resolve) => {
      const check = (received: string) => {
        if (received !== topic) return;
        this.#client.off('message', check);
        resolve(true);
      };
      this.#client.on('message', check);
    });
    await this.publish(topic, Buffer.alloc(0));
    if (!(await this.#within(echoed, REPLY_WITHIN_MS))) throw brokerUnavailable();
  }

  /** Whether the broker answers a ping at once. */
  async probe(): Promise<boolean> {
    const answered = new Promise<true>((resolve) => {
      const check = ({ cmd }: { cmd: string }) => {
        if (cmd !== 'pingresp') return;
        this.#client.off('packetreceive', check);
        resolve(true);
      };
      this.#client.on('packetreceive', check);
    });
    this.#client.sendPing();
    return (await this.#within(answered, 300)) === true;
  }

  /** @returns whether the broker has acknowledged the message in time */
  async publish(topic: string, payload: Uint8Array): Promise<boolean> {
    const acknowledged = this.#client.publishAsync(topic, Buffer.from(payload), { qos: 1 }).then(
      () => true as const,
      () => false as const,
    );
    return (await this.#within(acknowledged, REPLY_WITHIN_MS)) === true;
  }

  end(): void {
    this.#client.end(true);
  }

  /** The promise's value; null at the deadline or when the connection ends: the library's promises may never settle. */
  async #within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
    const { promise: closed, resolve } = deferred<null>();
    const forget = this.onClosed(() => resolve(null));
    try {
      return await deadline(Promise.race([promise, closed]), ms, () => null);
    } finally {
      forget();
    }
  }
}
