import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventType } from '../../../shared/api/events.ts';
import { type Known, onlinePercent, type PresenceEvent, presenceSpans, type Span, summaryOf } from './presence.ts';

const HOUR = 3_600_000;
const DAYS_30 = 30 * 24 * HOUR;
const NOW = Date.parse('2026-11-22T12:00:00Z');
const FROM = NOW - DAYS_30;

const BARE: Known = {
  from: FROM,
  now: NOW,
  status: 'online',
  observedSince: null,
  firstSeenAt: null,
  staleSince: null,
  readSince: FROM,
};

/** An event so many hours before now. */
function event(hoursAgo: number, type: PresenceEvent['type'], more: Partial<PresenceEvent> = {}): PresenceEvent {
  const isPresence = type === 'online' || type === 'offline' || type === 'down';
  return {
    id: `${Math.round(1_000_000 - hoursAgo * 100)}.0`,
    at: new Date(NOW - hoursAgo * HOUR).toISOString(),
    type,
    cause: 'sighting',
    changes: isPresence ? { devPresentLastScan: type === 'online' ? { from: 0, to: 1 } : { from: 1, to: 0 } } : {},
    ...more,
  };
}

/** The spans as `state from-to`, in hours before now. */
function inHours(spans: readonly Span[]): string[] {
  return spans.map(({ state, from, to }) => `${state} ${(NOW - from) / HOUR}-${(NOW - to) / HOUR}`);
}

describe('the states of a device', () => {
  test.each<[string, PresenceEvent[], Partial<Known>, string[]]>([
    ['nothing is known', [], {}, ['unknown 720-0']],
    ['an agent sees it all the time', [], { observedSince: FROM - HOUR }, ['online 720-0']],
    ['an agent sees it since, without an event', [], { observedSince: NOW - HOUR }, ['unknown 720-1', 'online 1-0']],
    [
      'before the first event is what it changed',
      [event(10, 'offline')],
      { status: 'offline' },
      ['online 720-10', 'offline 10-0'],
    ],
    ['it was new', [event(10, 'new')], {}, ['unknown 720-10', 'online 10-0']],
    [
      'first seen a little before its first event',
      [event(10, 'online')],
      { firstSeenAt: NOW - 11 * HOUR },
      ['unknown 720-10', 'online 10-0'],
    ],
    ['down and back', [event(10, 'down'), event(4, 'online')], {}, ['online 720-10', 'down 10-4', 'online 4-0']],
    [
      'people want to be alerted since it went away',
      [event(10, 'offline')],
      { status: 'down', observedSince: NOW - 10 * HOUR },
      ['online 720-10', 'down 10-0'],
    ],
    [
      'imported, and never seen',
      [event(10, 'imported', { cause: 'import' })],
      { status: 'offline' },
      ['unknown 720-0'],
    ],
    [
      'archived for a while',
      [
        event(30, 'online'),
        event(20, 'archived', { cause: 'edit' }),
        event(10, 'edited', { cause: 'edit', changes: { devIsArchived: { from: 1, to: 0 } } }),
      ],
      { observedSince: NOW - 30 * HOUR },
      ['offline 720-30', 'online 30-20', 'unknown 20-10', 'online 10-0'],
    ],
    [
      'deleted and restored',
      [event(20, 'online'), event(10, 'deleted', { cause: 'delete' }), event(9, 'restored', { cause: 'restore' })],
      { observedSince: NOW - 20 * HOUR },
      ['offline 720-20', 'online 20-10', 'unknown 10-9', 'online 9-0'],
    ],
    [
      'two events that contradict each other',
      [event(20, 'online'), event(10, 'online')],
      {},
      ['offline 720-20', 'unknown 20-10', 'online 10-0'],
    ],
    [
      'no agent monitors the site any more',
      [event(20, 'online')],
      { staleSince: NOW - 5 * HOUR, observedSince: NOW - 20 * HOUR },
      ['offline 720-20', 'online 20-5', 'unwatched 5-0'],
    ],
    ['no agent has monitored it for longer', [], { staleSince: FROM - HOUR }, ['unwatched 720-0']],
    [
      'older events were not read',
      [event(20, 'offline'), event(10, 'online')],
      { readSince: NOW - 15 * HOUR, observedSince: NOW - 10 * HOUR },
      ['unknown 720-15', 'offline 15-10', 'online 10-0'],
    ],
  ])('%s', (_, events, known, expected) => {
    expect(inHours(presenceSpans(events, { ...BARE, ...known }))).toEqual(expected);
  });
});

const types = fc.constantFrom(...EventType.options);
const times = fc.integer({ min: FROM - DAYS_30, max: NOW + HOUR });
const anyEvents = fc.array(
  fc.record({
    id: fc.integer({ min: 1, max: 9_999 }).map((version) => `${version}.0`),
    at: times.map((time) => new Date(time).toISOString()),
    type: types,
    cause: fc.constantFrom<PresenceEvent['cause']>('sighting', 'import', 'edit'),
    changes: fc.constantFrom<PresenceEvent['changes']>(
      {},
      { devPresentLastScan: { from: 0, to: 1 } },
      { devPresentLastScan: { from: 1, to: 0 } },
      { devIsArchived: { from: 1, to: 0 } },
    ),
  }),
  { maxLength: 30 },
);
const anyKnown: fc.Arbitrary<Known> = fc.record({
  from: fc.constant(FROM),
  now: fc.constant(NOW),
  status: fc.constantFrom<Known['status']>('online', 'offline', 'down', 'archived'),
  observedSince: fc.option(times),
  firstSeenAt: fc.option(times),
  staleSince: fc.option(times),
  readSince: fc.oneof(fc.constant(FROM), times),
});
const uniqueEvents = anyEvents.map((events) => [...new Map(events.map((one) => [one.id, one])).values()]);

describe('for any events', () => {
  test('the spans cover the time without gap or overlap, and neighbours differ', () => {
    fc.assert(
      fc.property(anyEvents, anyKnown, (events, known) => {
        const spans = presenceSpans(events, known);
        expect([spans[0]?.from, spans.at(-1)?.to]).toEqual([FROM, NOW]);
        for (const [i, span] of spans.entries()) {
          expect(span.to).toBeGreaterThan(span.from);
          const next = spans[i + 1];
          if (next === undefined) continue;
          expect(next.from).toBe(span.to);
          expect(next.state).not.toBe(span.state);
        }
        const { totalMs, knownMs, onlineMs } = summaryOf(spans);
        expect(totalMs).toBe(DAYS_30);
        expect(onlineMs).toBeLessThanOrEqual(knownMs);
      }),
    );
  });

  test('their order, and that some come twice, does not matter', () => {
    const shuffled = uniqueEvents.chain((events) =>
      fc.tuple(
        fc.constant(events),
        fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2, maxLength: events.length * 2 }),
      ),
    );
    fc.assert(
      fc.property(shuffled, anyKnown, ([events, others], known) => {
        expect(presenceSpans(others, known)).toEqual(presenceSpans(events, known));
      }),
    );
  });

  test('events without presence change nothing', () => {
    const others = fc.array(times.map((time) => new Date(time).toISOString()));
    fc.assert(
      fc.property(uniqueEvents, others, anyKnown, (events, moments, known) => {
        const more = moments.map((at, i) => ({ ...event(0, 'renamed'), id: `${10_000 + i}.0`, at }));
        expect(presenceSpans([...events, ...more], known)).toEqual(presenceSpans(events, known));
      }),
    );
  });
});

describe('against the real states', () => {
  /** Moments at which the device came and went; the state before the first of them. */
  const truth = fc.record({
    moments: fc.uniqueArray(fc.integer({ min: 1, max: DAYS_30 / 1000 - 1 }), { minLength: 1, maxLength: 20 }),
    isOnlineAtFirst: fc.boolean(),
  });

  function play({ moments, isOnlineAtFirst }: { moments: number[]; isOnlineAtFirst: boolean }) {
    const sorted = [...moments].sort((a, b) => a - b).map((second) => FROM + second * 1000);
    const spans: Span[] = [];
    let state: 'online' | 'offline' = isOnlineAtFirst ? 'online' : 'offline';
    let from = FROM;
    const events = sorted.map((at, i) => {
      spans.push({ from, to: at, state });
      state = state === 'online' ? 'offline' : 'online';
      from = at;
      return { ...event(0, state), id: `${i + 1}.0`, at: new Date(at).toISOString() };
    });
    spans.push({ from, to: NOW, state });
    return { spans, events, known: { ...BARE, status: state, observedSince: from } };
  }

  test('all events give the real states', () => {
    fc.assert(
      fc.property(truth, (was) => {
        const { spans, events, known } = play(was);
        expect(presenceSpans(events, known)).toEqual(spans);
      }),
    );
  });

  test('without one of them, except the first, the state is right or unknown', () => {
    fc.assert(
      fc.property(truth, fc.nat(), (was, index) => {
        const { spans, events, known } = play(was);
        const left = events.filter((_, i) => i !== 1 + (index % Math.max(1, events.length - 1)));
        for (const { from, to, state } of presenceSpans(left, known)) {
          if (state === 'unknown') continue;
          const during = spans.filter((span) => span.from < to && span.to > from);
          expect(during.map((span) => span.state)).toEqual([state]);
        }
      }),
    );
  });
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
