/** The states of a device over a span of time, from its events and its present state. */
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { DeviceStatus } from '../../../shared/device.ts';

/** `unwatched`: no agent monitors the device any more. */
export type PresenceState = 'online' | 'offline' | 'down' | 'unknown' | 'unwatched';

/** A stretch of time (Unix, ms) in one state. */
export interface Span {
  from: number;
  to: number;
  state: PresenceState;
}

export type PresenceEvent = Pick<DeviceEvent, 'id' | 'at' | 'type' | 'cause' | 'changes'>;

/** The knowledge beside the events. Times are Unix times in ms. */
export interface Known {
  /** Start and end of the span. */
  from: number;
  now: number;
  status: DeviceStatus;
  /** Since when agents report this status; null when no agent has seen the device. */
  observedSince: number | null;
  firstSeenAt: number | null;
  /** Since when no agent monitors the device. */
  staleSince: number | null;
  /** Events before this time have not been read. */
  readSince: number;
}

/** The state on one side of a moment; `any`: no evidence. */
type Side = 'online' | 'offline' | 'down' | 'unknown' | 'any';

/** A moment with evidence of the states before and after it. */
interface Mark {
  at: number;
  before: Side;
  after: Side;
}

/**
 * The states from `from` to `now`, without a gap. Between two neighbouring marks the state is the one they agree on, or
 * the one that only one of them has; where they contradict each other, an event is missing (a change of many devices
 * writes none for each), and the state is unknown. The events may be in any order, and repeated.
 */
export function presenceSpans(events: readonly PresenceEvent[], known: Known): Span[] {
  const { from, now, staleSince } = known;
  const watchedUntil = Math.max(from, Math.min(now, staleSince ?? now));
  const marks = marksOf(events, known, watchedUntil);
  const spans: Span[] = [];
  const add = (start: number, end: number, state: PresenceState) => {
    if (end <= start) return;
    const last = spans.at(-1);
    if (last?.state === state) last.to = end;
    else spans.push({ from: start, to: end, state });
  };
  for (let i = 0; i <= marks.length; i++) {
    const left = marks[i - 1];
    const right = marks[i];
    const start = Math.max(from, left?.at ?? from);
    const end = Math.min(watchedUntil, right?.at ?? watchedUntil);
    add(start, end, agreed(left?.after ?? 'any', right?.before ?? 'any'));
  }
  add(watchedUntil, now, 'unwatched');
  return spans;
}

function agreed(one: Side, other: Side): PresenceState {
  if (one === other) return one === 'any' ? 'unknown' : one;
  if (one === 'any') return other as PresenceState;
  if (other === 'any') return one;
  // The alert was switched on or off in between.
  const areAway = (one === 'down' || other === 'down') && (one === 'offline' || other === 'offline');
  return areAway ? 'down' : 'unknown';
}

function marksOf(events: readonly PresenceEvent[], known: Known, end: number): Mark[] {
  const { from, status, observedSince, firstSeenAt, readSince } = known;
  const marks = inOrder(events).flatMap(markOf);
  const first = marks[0];
  if (firstSeenAt !== null && firstSeenAt >= from && (first === undefined || firstSeenAt <= first.at)) {
    // Before a device comes online for the first time it is unknown, not offline.
    if (first?.after === 'online') first.before = 'unknown';
    marks.push({ at: firstSeenAt, before: 'unknown', after: 'any' });
  }
  const now: Side = status === 'archived' ? 'unknown' : status;
  if (observedSince !== null) {
    if (marks.every(({ at }) => at < observedSince)) marks.push({ at: observedSince, before: 'any', after: now });
    marks.push({ at: Math.max(end, ...marks.map(({ at }) => at)), before: now, after: 'any' });
  }
  if (readSince > from) marks.push({ at: readSince, before: 'unknown', after: 'any' });
  const sorted = marks.sort((a, b) => a.at - b.at);
  return readSince > from ? sorted.filter(({ at, before }) => at > readSince || before === 'unknown') : sorted;
}

/** The events in the order in which they occurred: those of one change have the same time. */
function inOrder(events: readonly PresenceEvent[]): PresenceEvent[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  return [...byId.values()].sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || compareIds(a.id, b.id));
}

/** Ids are the version of the collection, a dot, and the place among the events of that change. */
export function compareIds(a: string, b: string): number {
  const [versionA = 0, placeA = 0] = a.split('.').map(Number);
  const [versionB = 0, placeB = 0] = b.split('.').map(Number);
  return versionA - versionB || placeA - placeB;
}

function markOf({ at: time, type, cause, changes }: PresenceEvent): Mark[] {
  const at = Date.parse(time);
  const was = changes.devPresentLastScan?.from;
  const before: Side = was === 1 ? 'online' : was === 0 ? 'offline' : 'any';
  switch (type) {
    case 'online':
    case 'offline':
    case 'down':
      return [{ at, before, after: type }];
    case 'new': // Discovery adds what it sees.
      return [{ at, before: 'unknown', after: cause === 'sighting' ? 'online' : 'any' }];
    case 'imported': // No agent has reported it yet.
      return [{ at, before: 'unknown', after: 'unknown' }];
    case 'restored':
      return [{ at, before: 'unknown', after: 'any' }];
    case 'deleted':
    case 'archived': // An archived device has no presence events.
      return [{ at, before: 'any', after: 'unknown' }];
    case 'edited':
      return changes.devIsArchived?.from === 1 ? [{ at, before: 'unknown', after: 'any' }] : [];
    default:
      return [];
  }
}

/** The part of the spans after a time (Unix, ms). */
export function spansSince(spans: readonly Span[], since: number): Span[] {
  return spans.filter(({ to }) => to > since).map((span) => ({ ...span, from: Math.max(span.from, since) }));
}

export interface PresenceSummary {
  /** The length of all spans, and of those with a known state. */
  totalMs: number;
  knownMs: number;
  onlineMs: number;
  timesAway: number;
  longestAwayMs: number;
}

export function summaryOf(spans: readonly Span[]): PresenceSummary {
  const summary: PresenceSummary = { totalMs: 0, knownMs: 0, onlineMs: 0, timesAway: 0, longestAwayMs: 0 };
  let awayMs = 0;
  for (const { from, to, state } of spans) {
    const length = to - from;
    const isAway = state === 'offline' || state === 'down';
    summary.totalMs += length;
    if (isAway || state === 'online') summary.knownMs += length;
    if (state === 'online') summary.onlineMs += length;
    // Offline and then down is one absence.
    if (isAway && awayMs === 0) summary.timesAway++;
    awayMs = isAway ? awayMs + length : 0;
    summary.longestAwayMs = Math.max(summary.longestAwayMs, awayMs);
  }
  return summary;
}

/** The online share of the known time in percent, rounded down to one decimal, so that 100 is all of it. */
export function onlinePercent({ onlineMs, knownMs }: PresenceSummary): number | null {
  return knownMs === 0 ? null : Math.floor((onlineMs / knownMs) * 1000) / 10;
}
