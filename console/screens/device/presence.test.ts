import { expect, test } from 'vitest';
import { onlinePercent, type Span, spansSince, stretchesOf, summaryOf } from './presence.ts';

test('the states of an answer follow one another to the end of the span', () => {
  const at = (hour: number) => Date.UTC(2026, 10, 22, hour);
  const states = (['unknown', 'online', 'down'] as const).map((state, hour) => ({
    ...{ since: new Date(at(hour)).toISOString(), state },
  }));
  const spans = stretchesOf(states, at(12));
  expect(spans).toEqual([
    { from: at(0), to: at(1), state: 'unknown' },
    { from: at(1), to: at(2), state: 'online' },
    { from: at(2), to: at(12), state: 'down' },
  ]);
  expect(spansSince(spans, at(4))).toEqual([{ from: at(4), to: at(12), state: 'down' }]);
});

test('the summary counts what was away once, also when it became down meanwhile', () => {
  const spans: Span[] = [
    { from: 0, to: 10, state: 'unknown' },
    { from: 10, to: 100, state: 'online' },
    { from: 100, to: 105, state: 'offline' },
    { from: 105, to: 110, state: 'down' },
    { from: 110, to: 200, state: 'online' },
    { from: 200, to: 202, state: 'offline' },
    { from: 202, to: 210, state: 'unwatched' },
  ];
  const summary = summaryOf(spans);
  expect(summary).toEqual({ totalMs: 210, knownMs: 192, onlineMs: 180, timesAway: 2, longestAwayMs: 10 });
  expect(onlinePercent(summary)).toBe(93.7);
  expect(onlinePercent({ ...summary, knownMs: 1_000_000, onlineMs: 999_999 })).toBe(99.9);
  expect(onlinePercent({ ...summary, knownMs: 0, onlineMs: 0 })).toBeNull();
});
