/**
 * Whether an agent is connected. Two sources say so: the agent itself, or its last will, in its `Presence` messages, and
 * the broker in its events about the agent's connection. Both may arrive late, twice and in any order, so each is stored
 * beside the other and only moves forward in its own order. What is shown follows from the two and the time.
 *
 * Nothing here reads or writes: `functions/sites/site-store.ts` stores what these functions return.
 */
import type { ConnectionEvent, Presence } from './messages.ts';
import { OFFLINE_AFTER_MS } from './timing.ts';

/** What the agent said last of itself. */
interface Statement {
  state: Presence['state'];
  /** Number of the connection on which it was said: Unix, ms. Null after a restart of the broker, which numbers anew. */
  session: number | null;
  /** When this state was learned: Unix, ms. */
  since: number;
}

/** What the broker said of the newest connection. */
interface Connection {
  version: number;
  /** When the broker says that it happened: Unix, ms. */
  at: number;
  hasEnded: boolean;
}

/** What is stored of an agent's presence. */
export interface StoredPresence {
  statement: Statement | null;
  connection: Connection | null;
}

/** What counts of an event of the broker. */
export type BrokerEvent = Pick<ConnectionEvent, 'eventType' | 'timestamp' | 'versionNumber' | 'disconnectReason'>;

export type PresenceEvent =
  | { source: 'agent'; presence: Pick<Presence, 'state' | 'session'> }
  | { source: 'broker'; event: BrokerEvent }
  /** The broker has been started, so nobody is connected. */
  | { source: 'broker start' };

export const NOTHING_KNOWN: StoredPresence = { statement: null, connection: null };

/** The order of the states within one connection, which never goes back. */
const RANK = { online: 0, draining: 1, offline: 2 };

/**
 * How far ahead of ours the clock may be by which an agent numbers its connections. A number from later than that would
 * make all later, correct messages look old, also those of a successor on another host.
 */
export const MAX_FUTURE_SESSION_MS = 5 * 60_000;

/**
 * Events of the broker that lie further apart than this are ordered by their times, nearer ones by the version of their
 * connection. Two times may be wrong by 4 minutes against each other, and versions begin again at 0 when a client has
 * been away for 60 minutes: 15 minutes are far from both.
 */
const ORDER_BY_CLOCK_AFTER_MS = 15 * 60_000;

/**
 * @param now Unix, ms
 * @returns what is to be stored after an event; null when the event is older than what is stored. A message in which the
 *   agent repeats its state gives `stored` itself: the state stays, but the details in the message may be newer.
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
 * The state to show. The broker's word that the newest connection has ended goes before what the agent said; else the
 * agent's word counts. An agent that changes its connection, to use another certificate, is between two of them for a
 * moment: so the end of a connection counts only after five seconds. One that was cut off says so by its last will.
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

/** Numbers are forgotten as well: after a clock was put back, those of before would make all that comes look old. */
function afterBrokerStart(stored: StoredPresence, now: number): StoredPresence | null {
  if (stored.connection === null && (stored.statement?.session ?? null) === null) return null;
  const shown = shownPresence(stored, now);
  const since = shown.state === 'offline' && shown.since !== null ? shown.since : now;
  return { statement: { state: 'offline', session: null, since }, connection: null };
}
