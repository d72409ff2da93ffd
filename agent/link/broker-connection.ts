/**
 * The agent's permanent connection to the broker, as a sequence of sessions.
 *
 * Reconnecting and resending are switched off in the MQTT library, which would send before it has subscribed: so each
 * connection is a client of its own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import * as z from 'zod';
import { OLDEST_PROTOCOL_VERSION, PROTOCOL_VERSION, type Presence } from '../../shared/agent/messages.ts';
import { type ToIngest, topics } from '../../shared/agent/topics.ts';
import type { ClientId } from '../../shared/identity.ts';
import { BackOff } from './back-off.ts';
import { DirectTopics } from './direct-topics.ts';
import { CLOSE_WITHIN_MS, ConnectError, type Endpoint, openSession, type Session } from './session.ts';

/** Long enough for four results on a slow uplink. After it the connection counts as broken. */
const PUBACK_WITHIN_MS = 30_000;

export interface LinkOptions {
  client: ClientId;
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

export type PresenceDetails = Pick<
  Presence,
  'version' | 'host' | 'programs' | 'capabilities' | 'networks' | 'load' | 'discovery' | 'settings' | 'plan' | 'update'
>;

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
  readonly #topics: DirectTopics;
  #state: 'online' | 'draining' = 'online';
  #session: Session | null = null;
  #lastSession = 0;
  /** The presence message that was published last. It names its session, so that each session begins with one. */
  #published: string | null = null;
  #living: Promise<void> | null = null;
  /** Ends the present connection, so that another is opened. */
  #leave: () => void = () => {};
  /** Why there is no connection; null while there is one. */
  #failure: string | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#topics = new DirectTopics(options.client);
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
    if (this.#session === null) throw new Error('not connected to the broker');
    await this.#session.publish(topic, payload, PUBACK_WITHIN_MS);
  }

  /** The same for what only ingest receives. */
  async publishToIngest(kind: ToIngest, payload: Buffer): Promise<void> {
    await this.#topics.publish(kind, (topic) => this.publish(topic, payload));
  }

  /** Says, for the rest of the session, whether the broker takes what only its rules receive without charge. */
  offerDirect(isOffered: boolean): void {
    this.#topics.offered(isOffered);
  }

  /** Publishes with QoS 0. Returns false, and discards the message, when there is no connection or a slow one. */
  publishLossy(topic: string, payload: Buffer): boolean {
    return this.#session?.publishLossy(topic, payload) ?? false;
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

  /** A connection with its subscription; null when it failed, and the log says why. */
  async #connect(): Promise<Session | null> {
    const { client, dial, onMessage } = this.#options;
    // Increases even if the clock was set back.
    const number = Math.max(Date.now(), this.#lastSession + 1);
    this.#lastSession = number;
    try {
      return await openSession(client, await dial(), {
        number,
        will: {
          topic: topics.presence(client),
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
    const versions = { v: OLDEST_PROTOCOL_VERSION, speaks: PROTOCOL_VERSION };
    const presence: Presence = { ...versions, t: 'presence', state, session };
    if (state === 'offline') return JSON.stringify(presence);
    return JSON.stringify({ ...presence, ...this.#options.describe(), direct: this.#topics.told });
  }
}

/** A possible cause, for the log. */
function suspicion(error: unknown): string {
  const isKeptOut = error instanceof ConnectError && error.reached === 'broker';
  return isKeptOut ? ': it refuses the agent. Was the agent revoked or replaced?' : '';
}
