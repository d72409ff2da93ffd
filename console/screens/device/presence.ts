/** The states of a device over a span of time. */
import type { PresenceSpan } from '../../../shared/api/device-presence.ts';

export type PresenceState = PresenceSpan['state'];

/** A stretch of time (Unix, ms) in one state. */
export interface Span {
  from: number;
  to: number;
  state: PresenceState;
}

/** @param until the end of the last one (Unix, ms) */
export function stretchesOf(spans: readonly PresenceSpan[], until: number): Span[] {
  return spans.map(({ since, state }, i) => ({
    from: Date.parse(since),
    to: Date.parse(spans[i + 1]?.since ?? '') || until,
    state,
  }));
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
