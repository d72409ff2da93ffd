/**
 * The connection history of an agent over the last days. It derives from the same events as its presence and changes only
 * with it, so that storing it costs no further write. Pure: `functions/sites/site-store.ts` stores the results.
 */
import type { PresenceEvent, StoredPresence } from './presence.ts';
import { OFFLINE_AFTER_MS } from './timing.ts';

export const CONNECTION_ENDS = [
  'stopped',
  'connection_lost',
  'timed_out',
  'taken_over',
  'refused',
  'disconnected',
  'service_stopped',
] as const;
export type ConnectionEnd = (typeof CONNECTION_ENDS)[number];

/** A period in which an agent was connected (Unix, ms). */
export interface Span {
  from: number;
  /** Null while it is connected. */
  to: number | null;
  /** How it ended; null while it lasts, or when unknown. */
  end: ConnectionEnd | null;
}

/** Beyond this many, the spans beside the shortest gap are merged. */
export const MAX_SPANS = 50;
export const SPANS_KEPT_MS = 7 * 86_400_000;

/** The disconnect reasons of IoT Core, which the broker of `npm start` uses too. */
const END_OF_REASON: Record<string, ConnectionEnd> = {
  CLIENT_INITIATED_DISCONNECT: 'stopped',
  CONNECTION_LOST: 'connection_lost',
  MQTT_KEEP_ALIVE_TIMEOUT: 'timed_out',
  DUPLICATE_CLIENTID: 'taken_over',
  DUPLICATE_CLIENT_ID: 'taken_over',
  AUTH_ERROR: 'refused',
  CLIENT_ERROR: 'refused',
  FORBIDDEN_ACCESS: 'refused',
  THROTTLED: 'refused',
  API_INITIATED_DISCONNECT: 'disconnected',
  SERVER_ERROR: 'service_stopped',
  SERVER_INITIATED_DISCONNECT: 'service_stopped',
};

/**
 * @param spans as they are stored, the newest last
 * @param before the stored presence, and `after` the one that follows from the event
 * @param now Unix, ms
 */
export function nextSpans(
  spans: readonly Span[],
  before: StoredPresence,
  after: StoredPresence,
  event: PresenceEvent,
  now: number,
): Span[] {
  const at = event.source === 'broker' ? Math.min(event.event.timestamp, now) : now;
  const end = endBy(event, before);
  const known = isUp(before) ? withOpenOne(spans, before) : [...spans];
  const last = known.at(-1);
  if (isUp(after)) {
    if (last?.to === null) return known;
    return bounded(begun(known, at), now);
  }
  if (last === undefined) return known;
  if (last.to === null) return bounded([...known.slice(0, -1), { ...last, to: Math.max(at, last.from), end }], now);
  // The agent's message arrives before the broker's event, which states how the connection ended.
  return event.source === 'broker' && end !== null ? [...known.slice(0, -1), { ...last, end }] : known;
}

/** The spans of the last seven days, with the open one of an agent whose presence has not changed since spans are stored. */
export function shownSpans(spans: readonly Span[], presence: StoredPresence, now: number): Span[] {
  return withoutOld(isUp(presence) ? withOpenOne(spans, presence) : spans, now);
}

function isUp({ statement, connection }: StoredPresence): boolean {
  return connection?.hasEnded !== true && (statement?.state === 'online' || statement?.state === 'draining');
}

function withOpenOne(spans: readonly Span[], { statement }: StoredPresence): Span[] {
  const last = spans.at(-1);
  if (last?.to === null) return [...spans];
  return [...spans, { from: Math.max(statement?.since ?? 0, last?.to ?? 0), to: null, end: null }];
}

/** An agent that renews its certificate reconnects within a moment, which is no gap. */
function begun(spans: readonly Span[], at: number): Span[] {
  const last = spans.at(-1);
  if (last === undefined || last.to === null) return [...spans, { from: at, to: null, end: null }];
  if (at - last.to < OFFLINE_AFTER_MS) return [...spans.slice(0, -1), { from: last.from, to: null, end: null }];
  return [...spans, { from: at, to: null, end: null }];
}

function endBy(event: PresenceEvent, before: StoredPresence): ConnectionEnd | null {
  switch (event.source) {
    case 'broker start':
      return 'service_stopped';
    case 'agent':
      return before.statement?.state === 'draining' ? 'stopped' : null;
    case 'broker':
      return event.event.eventType === 'connected' ? null : (END_OF_REASON[event.event.disconnectReason ?? ''] ?? null);
  }
}

/** Keeps the span that reaches into the seven days from before them: it shows that nothing is missing at their start. */
function withoutOld(spans: readonly Span[], now: number): Span[] {
  const firstKept = spans.findLastIndex(({ from }) => from <= now - SPANS_KEPT_MS);
  return spans.slice(Math.max(firstKept, 0));
}

function bounded(spans: readonly Span[], now: number): Span[] {
  const kept = withoutOld(spans, now);
  while (kept.length > MAX_SPANS) {
    const gaps = kept.slice(1).map(({ from }, before) => from - (kept[before]?.to ?? from));
    const shortest = gaps.indexOf(Math.min(...gaps));
    const [one, other] = kept.slice(shortest, shortest + 2);
    if (one === undefined || other === undefined) break;
    kept.splice(shortest, 2, { ...other, from: one.from });
  }
  return kept;
}
