import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MAX_FUTURE_SESSION_MS,
  NOTHING_KNOWN,
  nextPresence,
  type PresenceEvent,
  type StoredPresence,
  shownPresence,
} from './presence.ts';
import { OFFLINE_AFTER_MS } from './timing.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 1);
/** Later than every event. */
const LATER = START + 10_000 * HOUR;

type State = 'online' | 'draining' | 'offline';

const says = (state: State, session: number): PresenceEvent => ({ source: 'agent', presence: { state, session } });
const connects = (versionNumber: number, timestamp: number): PresenceEvent => ({
  source: 'broker',
  event: { eventType: 'connected', versionNumber, timestamp },
});
const disconnects = (versionNumber: number, timestamp: number): PresenceEvent => ({
  source: 'broker',
  event: { eventType: 'disconnected', versionNumber, timestamp },
});
const BROKER_START: PresenceEvent = { source: 'broker start' };

function storedAfter(
  events: readonly PresenceEvent[],
  from: StoredPresence = NOTHING_KNOWN,
  now = LATER,
): StoredPresence {
  return events.reduce((stored, event) => nextPresence(stored, event, now) ?? stored, from);
}

const FIRST = [connects(4, START), says('online', START + 1)];
const FIRST_ENDS = disconnects(4, START + MINUTE);

test('whatever has happened: once every event has arrived, in any order and some twice, the state that is shown is right', () => {
  fc.assert(
    fc.property(statements, ({ order, state }) => {
      expect(shownPresence(storedAfter(order), LATER).state).toBe(state);
    }),
    { numRuns: 300 },
  );
});

/** One connection of an agent, as it was. */
interface Stay {
  /** Since the previous one ended; negative when this one began before that. */
  awayMs: number;
  lastsMs: number;
  states: State[];
  hasLastWill: boolean;
  versionStep: number;
  /** By how much the times of the broker's two events are wrong. */
  skewMs: [connected: number, disconnected: number];
}

const skewMs = fc.oneof(fc.constantFrom(-2 * MINUTE, 2 * MINUTE), fc.integer({ min: -2 * MINUTE, max: 2 * MINUTE }));
const stay: fc.Arbitrary<Stay> = fc.record({
  awayMs: fc.oneof(
    fc.integer({ min: -SECOND, max: 30 * SECOND }),
    fc.integer({ min: 0, max: 55 * MINUTE }),
    fc.integer({ min: HOUR, max: HOUR + 2 * MINUTE }),
    fc.integer({ min: HOUR, max: 400 * HOUR }),
  ),
  lastsMs: fc.oneof(fc.integer({ min: 0, max: MINUTE }), fc.integer({ min: 0, max: 400 * HOUR })),
  states: fc.constantFrom<State[]>([], ['online'], ['online', 'draining'], ['draining'], ['online', 'offline']),
  hasLastWill: fc.boolean(),
  versionStep: fc.integer({ min: 1, max: 3 }),
  skewMs: fc.tuple(skewMs, skewMs),
});

/** The events of these connections, and the state that is right when all have arrived. */
function historyOf(stays: readonly Stay[], isConnected: boolean): { events: PresenceEvent[]; state: string } {
  const events: PresenceEvent[] = [];
  let [at, version, session] = [START, -1, START];
  let state = 'enrolling';
  for (const [i, { awayMs, lastsMs, states, hasLastWill, versionStep, skewMs }] of stays.entries()) {
    at += awayMs;
    session = Math.max(session + 1, at);
    version = i === 0 || awayMs >= HOUR ? 0 : version + versionStep;
    events.push(connects(version, at + skewMs[0]), ...states.map((one) => says(one, session)));
    state = states.at(-1) ?? state;
    if (isConnected && i === stays.length - 1) return { events, state };
    at += lastsMs;
    if (hasLastWill) {
      events.push(says('offline', session));
      state = 'offline';
    }
    events.push(disconnects(version, at + skewMs[1]));
  }
  return { events, state: 'offline' };
}

const statements = fc
  .tuple(fc.array(stay, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([stays, isConnected]) => historyOf(stays, isConnected))
  .chain(({ events, state }) =>
    fc
      .array(fc.constantFrom(...events), { maxLength: 6 })
      .map((again) => [...events, ...again])
      .chain((all) => fc.shuffledSubarray(all, { minLength: all.length }))
      .map((order) => ({ order, state })),
  );

/** Any event at all, within few enough values that many are equal or near each other. */
const anyEvent: fc.Arbitrary<PresenceEvent> = fc.oneof(
  fc
    .tuple(fc.constantFrom<State>('online', 'draining', 'offline'), fc.integer({ min: 0, max: 3 }))
    .map(([state, session]) => says(state, START + session)),
  fc
    .tuple(
      fc.constantFrom(connects, disconnects),
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom(0, SECOND, 14 * MINUTE, 15 * MINUTE, 16 * MINUTE, 2 * HOUR),
    )
    .map(([event, version, at]) => event(version, START + at)),
);
const anyEvents = fc.array(anyEvent, { maxLength: 8 });
const anyTime = fc.integer({ min: START - HOUR, max: LATER });

describe('presence only moves forward', () => {
  test('the same event again changes nothing, and is no news', () => {
    fc.assert(
      fc.property(anyEvents, fc.oneof(anyEvent, fc.constant(BROKER_START)), anyTime, (events, event, now) => {
        const stored = storedAfter(events);
        const next = nextPresence(stored, event, now) ?? stored;
        expect(nextPresence(next, event, now) ?? next).toBe(next);
      }),
    );
  });

  test('the state of an agent goes from online to draining to offline, and back with a later connection only', () => {
    const rank = ({ statement }: StoredPresence) =>
      statement === null
        ? -1
        : Number(statement.session) * 3 + ['online', 'draining', 'offline'].indexOf(statement.state);
    fc.assert(
      fc.property(anyEvents, anyEvent, (events, event) => {
        const stored = storedAfter(events);
        expect(rank(storedAfter([event], stored))).toBeGreaterThanOrEqual(rank(stored));
      }),
    );
  });
});

test('an agent is shown offline once its newest connection ended five seconds ago, and else as it said last', () => {
  fc.assert(
    fc.property(anyEvents, anyTime, (events, now) => {
      const stored = storedAfter(events);
      const { statement, connection } = stored;
      const isGone = connection?.hasEnded === true && now >= connection.at + OFFLINE_AFTER_MS;
      const said = statement?.state ?? 'enrolling';
      const shown = shownPresence(stored, now);
      expect(shown.state).toBe(isGone ? 'offline' : said);
      expect(shown.since).toBe(isGone && said !== 'offline' ? connection.at : (statement?.since ?? null));
    }),
  );
});

test('a session from the far future counts as one from five minutes ahead, so that later ones are newer', () => {
  const stored = storedAfter([says('online', Number.MAX_SAFE_INTEGER)], NOTHING_KNOWN, START);
  expect(stored.statement?.session).toBe(START + MAX_FUTURE_SESSION_MS);
  const honest = START + MAX_FUTURE_SESSION_MS + 1;
  expect(nextPresence(stored, says('offline', honest), honest)?.statement?.state).toBe('offline');
});

describe('after a start of the broker', () => {
  test('no agent is connected, and whatever comes next is newer, also from a clock that was set back', () => {
    fc.assert(
      fc.property(anyEvents, anyEvent, (events, next) => {
        const stored = storedAfter([...events, BROKER_START]);
        if (events.length > 0) expect(shownPresence(stored, LATER).state).toBe('offline');
        else expect(stored).toBe(NOTHING_KNOWN);
        expect(nextPresence(stored, next, LATER)).not.toBeNull();
      }),
    );
  });

  test('an agent that was offline before is so since then', () => {
    const since = (events: PresenceEvent[]) =>
      shownPresence(storedAfter([BROKER_START], storedAfter(events)), LATER).since;
    expect(since([...FIRST, FIRST_ENDS])).toBe(START + MINUTE);
    expect(since(FIRST)).toBe(LATER);
  });
});
