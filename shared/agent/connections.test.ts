import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_SPANS, nextSpans, SPANS_KEPT_MS, type Span, shownSpans } from './connections.ts';
import { NOTHING_KNOWN, nextPresence, type PresenceEvent } from './presence.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 1);

const says = (state: 'online' | 'draining' | 'offline', session: number): PresenceEvent => ({
  source: 'agent',
  presence: { state, session },
});
const broker = (
  eventType: 'connected' | 'disconnected',
  versionNumber: number,
  timestamp: number,
  disconnectReason?: string,
): PresenceEvent => ({
  source: 'broker',
  event: { eventType, versionNumber, timestamp, ...(disconnectReason === undefined ? {} : { disconnectReason }) },
});

/** Each event with the time at which it arrives, as they are stored. */
function after(events: readonly [at: number, event: PresenceEvent][]) {
  let presence = NOTHING_KNOWN;
  let spans: Span[] = [];
  for (const [at, event] of events) {
    const next = nextPresence(presence, event, at);
    if (next === null || next === presence) continue;
    spans = nextSpans(spans, presence, next, event, at);
    presence = next;
  }
  return { presence, spans };
}

const connectionOf = (version: number, from: number): [number, PresenceEvent][] => [
  [from, broker('connected', version, from)],
  [from, says('online', from)],
];

test.each([
  ['one that said goodbye', 'CLIENT_INITIATED_DISCONNECT', 'stopped'],
  ['one that broke off', 'CONNECTION_LOST', 'connection_lost'],
  ['one of which nothing was heard', 'MQTT_KEEP_ALIVE_TIMEOUT', 'timed_out'],
  ['one that ended for an unknown reason', 'SOMETHING_NEW', null],
] as const)('%s is known by how it ended, whichever of last will and broker comes first', (_, reason, end) => {
  const to = START + MINUTE;
  const will: [number, PresenceEvent] = [to, says('offline', START)];
  const event: [number, PresenceEvent] = [to, broker('disconnected', 1, to, reason)];
  for (const ends of [
    [will, event],
    [event, will],
  ]) {
    expect(after([...connectionOf(1, START), ...ends]).spans).toEqual([{ from: START, to, end }]);
  }
});

test('an agent that changes its connection within seconds was there all the time; a longer break is one', () => {
  const [gone, quick, late] = [START + MINUTE, START + MINUTE + 2 * SECOND, START + 2 * MINUTE];
  const first = [...connectionOf(1, START), [gone, broker('disconnected', 1, gone, 'DUPLICATE_CLIENTID')]] as never[];
  expect(after([...first, ...connectionOf(2, quick)]).spans).toEqual([{ from: START, to: null, end: null }]);
  expect(after([...first, ...connectionOf(2, late)]).spans).toEqual([
    { from: START, to: gone, end: 'taken_over' },
    { from: late, to: null, end: null },
  ]);
});

test('an agent that was connected before anything of this was kept was there since it said so', () => {
  const { presence } = after(connectionOf(1, START));
  expect(shownSpans([], presence, START + DAY)).toEqual([{ from: START, to: null, end: null }]);
  const stop: PresenceEvent = { source: 'broker start' };
  const next = nextPresence(presence, stop, START + DAY)!;
  expect(nextSpans([], presence, next, stop, START + DAY)).toEqual([
    { from: START, to: START + DAY, end: 'service_stopped' },
  ]);
});

test('spans are in order, apart, few, and say for every moment of the last seven days whether the agent was there, but for short breaks', () => {
  const Stretches = fc.array(
    fc.record({ up: fc.integer({ min: 10, max: 4_000 }), down: fc.integer({ min: 10, max: 4_000 }) }),
    { minLength: 1, maxLength: 120 },
  );
  fc.assert(
    fc.property(Stretches, (stretches) => {
      let at = START;
      const truth: Span[] = [];
      const events = stretches.flatMap(({ up, down }, index): [number, PresenceEvent][] => {
        const [from, to] = [at, at + up * MINUTE];
        at = to + down * MINUTE;
        truth.push({ from, to, end: 'connection_lost' });
        return [...connectionOf(index, from), [to, broker('disconnected', index, to, 'CONNECTION_LOST')]];
      });
      const { presence, spans } = after(events);
      const shown = shownSpans(spans, presence, at);
      expect(shown.length).toBeLessThanOrEqual(MAX_SPANS);
      expect(shown.at(-1)).toMatchObject({ to: truth.at(-1)!.to, end: 'connection_lost' });
      for (const [index, span] of shown.entries()) {
        expect(span.to).toBeGreaterThan(span.from);
        if (index > 0) expect(span.from).toBeGreaterThan(shown[index - 1]!.to!);
      }
      const within = truth.filter(({ to }) => to! > at - SPANS_KEPT_MS);
      if (within.length < MAX_SPANS) expect(shown.slice(-within.length)).toEqual(within);
    }),
    { numRuns: 60 },
  );
});
