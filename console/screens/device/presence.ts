/** When a device was there: what its events, and what is known of it now, say about each moment of a time. */
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { DeviceStatus } from '../../../shared/device.ts';

/** `unwatched`: no agent watches the device any more, so that nobody can know. */
export type PresenceState = 'online' | 'offline' | 'down' | 'unknown' | 'unwatched';

/** A stretch of time (Unix, ms) in one state. */
export interface Span {
  from: number;
  to: number;
  state: PresenceState;
}

export type PresenceEvent = Pick<DeviceEvent, 'id' | 'at' | 'type' | 'cause' | 'changes'>;

/** What is known beside the events. Times are Unix times in ms. */
export interface Known {
  /** Start and end of the time that is looked at. */
  from: number;
  now: number;
  status: DeviceStatus;
  /** Since when agents say what `status` says; null when no agent has seen the device. */
  observedSince: number | null;
  /** When the device was seen for the first time. */
  firstSeenAt: number | null;
  /** Since when no agent watches the device any more. */
  staleSince: number | null;
  /** Events before this time have not been read. */
  readSince: number;
}

/** What somebody says of the time on one side of a moment; `any` says nothing. */
type Side = 'online' | 'offline' | 'down' | 'unknown' | 'any';

/** A moment at which something is known of the time before it and of the time after it. */
interface Mark {
  at: number;
  before: Side;
  after: Side;
}

/**
 * The states from `from` to `now`, one after the other without a gap. A state that two neighbouring moments agree on, or
 * that only one of them speaks of, holds in between; where they contradict each other, something has happened of which
 * there is no event (a change of many devices has none for each), and the state is unknown. The events may come in any
 * order, and more than once.
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
  // People began, or ceased, to care in between.
  const areAway = (one === 'down' || other === 'down') && (one === 'offline' || other === 'offline');
  return areAway ? 'down' : 'unknown';
}

function marksOf(events: readonly PresenceEvent[], known: Known, end: number): Mark[] {
  const { from, status, observedSince, firstSeenAt, readSince } = known;
  const marks = inOrder(events).flatMap(markOf);
  const first = marks[0];
  if (firstSeenAt !== null && firstSeenAt >= from && (first === undefined || firstSeenAt <= first.at)) {
    // When it comes online for the first time, it was not away before: nobody knew it.
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

/** The events in the order in which they happened: several of one change have the same time. */
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
    case 'imported': // Whether it is there, no agent has said yet.
      return [{ at, before: 'unknown', after: 'unknown' }];
    case 'restored':
      return [{ at, before: 'unknown', after: 'any' }];
    case 'deleted':
    case 'archived': // Of an archived device there are no such events.
      return [{ at, before: 'any', after: 'unknown' }];
    case 'edited':
      return changes.devIsArchived?.from === 1 ? [{ at, before: 'unknown', after: 'any' }] : [];
    default:
      return [];
  }
}

/** The part of the spans that lies behind a time (Unix, ms). */
export function spansSince(spans: readonly Span[], since: number): Span[] {
  return spans.filter(({ to }) => to > since).map((span) => ({ ...span, from: Math.max(span.from, since) }));
}

export interface PresenceSummary {
  /** All of the time in ms, and how much of it is known. */
  totalMs: number;
  knownMs: number;
  onlineMs: number;
  /** How many times it was away, and the longest of them. */
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
    // Offline first and then down is one time away.
    if (isAway && awayMs === 0) summary.timesAway++;
    awayMs = isAway ? awayMs + length : 0;
    summary.longestAwayMs = Math.max(summary.longestAwayMs, awayMs);
  }
  return summary;
}

/** The part of the known time that it was online, in percent with one decimal; only all of the time is 100. */
export function onlinePercent({ onlineMs, knownMs }: PresenceSummary): number | null {
  return knownMs === 0 ? null : Math.floor((onlineMs / knownMs) * 1000) / 10;
}
