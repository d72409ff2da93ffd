/**
 * Whether an agent is connected. Two sources report it: the agent itself, or its last will, in `Presence` messages, and the
 * broker in its events about the agent's connection. Both may arrive late, twice and in any order, so each is stored
 * separately and only moves forward in its own order. The shown state follows from both and the time.
 * Pure: `functions/sites/site-store.ts` stores the results.
 */
import type { ConnectionEvent, Presence } from './messages.ts';
import { OFFLINE_AFTER_MS } from './timing.ts';

/** The agent's last report of itself. */
interface Statement {
  state: Presence['state'];
  /** Number of the connection that carried it: Unix, ms. Null after a restart of the broker, which restarts the numbers. */
  session: number | null;
  /** When the service learned of this state: Unix, ms. */
  since: number;
}

/** The broker's last event about the newest connection. */
interface Connection {
  version: number;
  /** By the broker's clock: Unix, ms. */
  at: number;
  hasEnded: boolean;
}

export interface StoredPresence {
  statement: Statement | null;
  connection: Connection | null;
}

/** The fields of a broker event that matter here. */
export type BrokerEvent = Pick<ConnectionEvent, 'eventType' | 'timestamp' | 'versionNumber' | 'disconnectReason'>;

export type PresenceEvent =
  | { source: 'agent'; presence: Pick<Presence, 'state' | 'session'> }
  | { source: 'broker'; event: BrokerEvent }
  /** The broker has started, so no agent is connected. */
  | { source: 'broker start' };

export const NOTHING_KNOWN: StoredPresence = { statement: null, connection: null };

/** The order of the states within one connection, which never goes back. */
const RANK = { online: 0, draining: 1, offline: 2 };

/**
 * How far ahead of ours the clock by which an agent numbers its connections may be. A later number would make all
 * correct messages after it look old, also those of a successor on another host.
 */
export const MAX_FUTURE_SESSION_MS = 5 * 60_000;

/**
 * Broker events further apart than this are ordered by their times, nearer ones by the version of their connection. Two
 * times may differ by 4 minutes in error, and versions restart at 0 when a client was offline for 60 minutes: 15 minutes
 * are far from both.
 */
const ORDER_BY_CLOCK_AFTER_MS = 15 * 60_000;

/**
 * @param now Unix, ms
 * @returns what to store after an event; null when the event is older than `stored`. For a message in which the agent
 *   repeats its state, `stored` itself: the state stays, but the details in the message may be newer.
 */
export function nextPresence(stored: StoredPresence, event: PresenceEvent, now: number): StoredPresence | null {
  switch (event.source) {
    case 'agent':
      return afterStatement(stored, event.presence, now);
    case 'broker':
      return afterConnectionEvent(stored, event.event);
    case 'broker start':
      return afterBrokerStart(stored, now);
  }
}

/**
 * The state to show. The broker's event that the newest connection has ended overrides the agent's report, but only after
 * five seconds: an agent that switches to another certificate is between two connections for a moment. An agent that was
 * cut off is reported by its last will.
 * @param now Unix, ms
 */
export function shownPresence(
  { statement, connection }: StoredPresence,
  now: number,
): { state: 'enrolling' | Presence['state']; since: number | null } {
  const isGone = connection?.hasEnded === true && now - connection.at >= OFFLINE_AFTER_MS;
  if (isGone && statement?.state !== 'offline') return { state: 'offline', since: connection.at };
  return { state: statement?.state ?? 'enrolling', since: statement?.since ?? null };
}

function afterStatement(
  stored: StoredPresence,
  { state, session: claimed }: Pick<Presence, 'state' | 'session'>,
  now: number,
): StoredPresence | null {
  const session = Math.min(claimed, now + MAX_FUTURE_SESSION_MS);
  const known = stored.statement;
  if (known !== null && known.session !== null) {
    if (session < known.session) return null;
    if (session === known.session && RANK[state] < RANK[known.state]) return null;
    if (session === known.session && state === known.state) return stored;
  }
  return { ...stored, statement: { state, session, since: now } };
}

function afterConnectionEvent(
  stored: StoredPresence,
  { eventType, timestamp, versionNumber }: BrokerEvent,
): StoredPresence | null {
  const connection = { version: versionNumber, at: timestamp, hasEnded: eventType === 'disconnected' };
  const known = stored.connection;
  return known === null || isNewer(connection, known) ? { ...stored, connection } : null;
}

function isNewer(one: Connection, other: Connection): boolean {
  if (Math.abs(one.at - other.at) > ORDER_BY_CLOCK_AFTER_MS) return one.at > other.at;
  if (one.version !== other.version) return one.version > other.version;
  return one.hasEnded && !other.hasEnded;
}

/** Drops the numbers as well: after a clock was set back, the old ones would make all later messages look old. */
function afterBrokerStart(stored: StoredPresence, now: number): StoredPresence | null {
  if (stored.connection === null && (stored.statement?.session ?? null) === null) return null;
  const shown = shownPresence(stored, now);
  const since = shown.state === 'offline' && shown.since !== null ? shown.since : now;
  return { statement: { state: 'offline', session: null, since }, connection: null };
}
