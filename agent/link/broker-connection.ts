/**
 * The agent's permanent connection to the broker, as a sequence of sessions. Each session has an MQTT client of its own,
 * because the library's reconnection would publish before it has subscribed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import * as z from 'zod';
import { PROTOCOL_VERSION, type Presence } from '../../shared/agent/messages.ts';
import { type ToIngest, topics } from '../../shared/agent/topics.ts';
import type { ClientId } from '../../shared/identity.ts';
import { BackOff } from './back-off.ts';
import { DirectTopics } from './direct-topics.ts';
import { CLOSE_WITHIN_MS, ConnectError, type Endpoint, openSession, type Session } from './session.ts';

/** Long enough for four results on a slow uplink. Beyond it the connection counts as broken. */
const PUBACK_WITHIN_MS = 30_000;

export interface LinkOptions {
  client: ClientId;
  /** Where and how to connect; called for each attempt. */
  dial(): Endpoint | Promise<Endpoint>;
  /** Handles a message, which is acknowledged when this resolves. Must not wait for the broker: nothing is read until then. */
  onMessage(topic: string, payload: Buffer): Promise<void>;
  /** Called when the agent is connected and subscribed. */
  onUp(endpoint: Endpoint): void;
  onDown(): void;
  describe(): PresenceDetails;
  log: Logger;
}

export type PresenceDetails = Pick<
  Presence,
  'version' | 'host' | 'programs' | 'capabilities' | 'networks' | 'load' | 'discovery' | 'settings' | 'plan' | 'update'
>;

/** The state of the connection, for `lanreach-agent doctor`. */
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
  readonly #topics: DirectTopics;
  #state: 'online' | 'draining' = 'online';
  #session: Session | null = null;
  #lastSession = 0;
  /** The last presence message. It names its session, so that each session begins with one. */
  #published: string | null = null;
  #living: Promise<void> | null = null;
  /** Ends the present connection, and opens another. */
  #leave: () => void = () => {};
  #failure: string | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#topics = new DirectTopics(options.client);
  }

  /** Connects, and reconnects until `close`. */
  open(): void {
    this.#living = this.#live();
  }

  get connected(): boolean {
    return this.#session !== null;
  }

  get state(): LinkState {
    return this.connected ? { connected: true } : { connected: false, reason: this.#failure };
  }

  /** Publishes with QoS 1. @throws {Error} without a connection or PUBACK, or when too many publishes are in flight */
  async publish(topic: string, payload: Buffer | string): Promise<void> {
    if (this.#session === null) throw new Error('not connected to the broker');
    await this.#session.publish(topic, payload, PUBACK_WITHIN_MS);
  }

  /** The same for ingest-only messages. */
  async publishToIngest(kind: ToIngest, payload: Buffer): Promise<void> {
    await this.#topics.publish(kind, (topic) => this.publish(topic, payload));
  }

  /** Sets, for the rest of the session, whether ingest-only messages may go directly to the broker's rules. */
  offerDirect(isOffered: boolean): void {
    this.#topics.offered(isOffered);
  }

  /** Publishes with QoS 0. Discards the message, and returns false, without a connection or on a slow one. */
  publishLossy(topic: string, payload: Buffer): boolean {
    return this.#session?.publishLossy(topic, payload) ?? false;
  }

  async drain(): Promise<void> {
    this.#state = 'draining';
    await this.announce();
  }

  /** Publishes the agent's presence, unless it is unchanged. */
  async announce(): Promise<void> {
    if (this.#session === null) return;
    try {
      await this.#publishPresence(this.#session, this.#state);
    } catch (error) {
      this.#log.warn({ err: error }, 'the presence could not be published');
    }
  }

  /**
   * Reconnects at once. Publishes in flight fail, and the broker discards messages to the agent until the next connection.
   * It does not publish the last will, so the agent does not appear offline.
   */
  reconnect(): void {
    this.#leave();
  }

  /** Announces that the agent is offline, and disconnects without the last will, within a few seconds. */
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
      this.#log.debug({ delayMs: Math.round(delayMs) }, 'backing off before the next attempt to connect');
      await sleep(delayMs, undefined, { signal: this.#closing.signal }).catch(() => {});
    }
  }

  /** Serves a connection until it ends. @returns whether `reconnect` ended it */
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
    this.#topics.connected();
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
        { client: this.#options.client, times: this.#backOff.shortLived },
        'connections keep ending soon after they are opened; does another agent use the same identity?',
      );
    }
    return false;
  }

  /** A subscribed connection; null after a failure, which is logged. */
  async #connect(): Promise<Session | null> {
    const { client, dial, onMessage } = this.#options;
    // Increases even if the clock was set back.
    const number = Math.max(Date.now(), this.#lastSession + 1);
    this.#lastSession = number;
    const payload = Buffer.from(this.#presence('offline', number));
    try {
      return await openSession(client, await dial(), {
        number,
        will: { topic: topics.presence(client), payload, qos: 1, retain: false },
        onMessage: (topic, payload) =>
          onMessage(topic, payload).catch((error) => this.#log.error({ err: error }, 'a message could not be handled')),
        signal: this.#closing.signal,
      });
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      // An outage may last for days: one line for each attempt, with a stack only for a defect.
      const about = error instanceof ConnectError ? { reason: error.message } : { err: error };
      const isRefused = error instanceof ConnectError && error.reached === 'broker';
      const hint = isRefused ? ': it refuses the agent. Was the agent revoked or replaced?' : '';
      if (!this.#closing.signal.aborted) this.#log.warn(about, `cannot connect to the broker${hint}`);
      return null;
    }
  }

  async #publishPresence(session: Session, state: Presence['state'], withinMs = PUBACK_WITHIN_MS): Promise<void> {
    const payload = this.#presence(state, session.number);
    if (payload === this.#published) return;
    this.#published = payload;
    try {
      await this.#topics.publish('presence', (topic) => session.publish(topic, payload, withinMs));
    } catch (error) {
      if (this.#published === payload) this.#published = null;
      throw error;
    }
  }

  #presence(state: Presence['state'], session: number): string {
    const presence: Presence = { v: PROTOCOL_VERSION, t: 'presence', state, session };
    if (state === 'offline') return JSON.stringify(presence);
    return JSON.stringify({ ...presence, ...this.#options.describe(), direct: this.#topics.offer });
  }
}
