import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  firstSeen,
  isFlapping,
  needsRescan,
  type Observation,
  observe,
  PresenceState,
  resumed,
} from './device-presence.ts';

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const GRACE = 5 * MINUTE;
const LONG_GRACE = 15 * MINUTE;

interface Step {
  observation: Observation;
  /** Since the step before. */
  afterMs: number;
}

const observations = fc.constantFrom<Observation>('seen', 'missed', 'absent', 'unknown');
const steps = fc.array(
  fc.record({ observation: observations, afterMs: fc.integer({ min: 1_000, max: 10 * MINUTE }) }),
  { maxLength: 60 },
);
/** Histories in which devices go offline, too. */
const quietSteps = fc.array(
  fc.record({
    observation: fc.oneof(
      { weight: 6, arbitrary: fc.constant<Observation>('absent') },
      { weight: 2, arbitrary: observations },
    ),
    afterMs: fc.integer({ min: 10_000, max: 3 * MINUTE }),
  }),
  { maxLength: 60 },
);
const history = fc.oneof(steps, quietSteps);

/** The states after each step, the first of them before all steps, and when they were. */
function run(steps: readonly Step[], sleeps: boolean, between = (state: PresenceState, _at: number) => state) {
  const passed = [{ state: firstSeen(START), at: START, observation: 'seen' as Observation }];
  for (const { observation, afterMs } of steps) {
    const { state, at } = passed.at(-1) ?? { state: firstSeen(START), at: START };
    const now = at + afterMs;
    passed.push({ state: observe(between(state, now), observation, now, { sleeps }), at: now, observation });
  }
  return passed;
}

/** Checks all histories. */
const always = (check: (passed: ReturnType<typeof run>, sleeps: boolean, steps: Step[]) => void, numRuns = 100) =>
  fc.assert(
    fc.property(history, fc.boolean(), (steps, sleeps) => check(run(steps, sleeps), sleeps, steps)),
    { numRuns },
  );

test('a device goes offline only after three misses in a row, a failed rescan and the grace period', () => {
  let offlines = 0;
  always((passed, sleeps) => {
    for (const [i, { state, at, observation }] of passed.entries()) {
      if (state.online || passed[i - 1]?.state.online !== true) continue;
      offlines++;
      expect(observation).toBe('absent');
      const counted = passed.slice(0, i + 1).filter((step) => step.observation !== 'unknown');
      expect(counted.slice(-3).every((step) => ['missed', 'absent'].includes(step.observation))).toBe(true);
      const lastSeen = passed.slice(0, i).findLast((step) => step.observation === 'seen');
      expect(at - (lastSeen?.at ?? 0)).toBeGreaterThanOrEqual(sleeps ? LONG_GRACE : GRACE);
    }
  }, 300);
  expect(offlines).toBeGreaterThan(10);
});

test('any sign makes it online at once, and a failed cycle changes nothing', () => {
  always((passed) => {
    for (const [i, { state, at, observation }] of passed.entries()) {
      if (observation === 'seen') expect(state).toMatchObject({ online: true, misses: 0, seenAt: at });
      if (observation === 'unknown') expect(state).toBe(passed[i - 1]?.state);
    }
  });
});

test('the state is plain JSON: read back after each step, it decides the same', () => {
  always((passed, sleeps, steps) => {
    const reread = run(steps, sleeps, (state) => PresenceState.parse(JSON.parse(JSON.stringify(state))));
    expect(reread.map(({ state }) => state)).toEqual(passed.map(({ state }) => state));
  });
});

test('after a restart misses and silence count from zero', () => {
  fc.assert(
    fc.property(quietSteps, fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }), (steps, dice) => {
      const isRestart = (step: number) => dice[step] === 0;
      let step = 0;
      const passed = run(steps, false, (state, at) => (isRestart(step++) ? resumed(state, at) : state));
      for (const [i, { state, at }] of passed.entries()) {
        if (state.online || passed[i - 1]?.state.online !== true) continue;
        // The step before which the agent was started last, or which saw the device last.
        const begun = passed.findLastIndex((each, k) => k <= i && (each.observation === 'seen' || isRestart(k - 1)));
        expect(at - (passed[begun]?.at ?? 0)).toBeGreaterThanOrEqual(GRACE);
        expect(i - begun).toBeGreaterThanOrEqual(2);
      }
    }),
  );
});

test('`since` and the changes record each transition once', () => {
  always((passed) => {
    const transitions = passed.filter(({ state }, i) => i > 0 && state.online !== passed[i - 1]?.state.online);
    expect(passed.at(-1)?.state.changes).toEqual(transitions.map(({ at }) => at).slice(-3));
    expect(passed.at(-1)?.state.since).toBe(transitions.at(-1)?.at ?? START);
  });
});

const every = (observation: Observation, times: number, afterMs = MINUTE): Step[] =>
  Array.from({ length: times }, () => ({ observation, afterMs }));
const isOnlineAfter = (steps: Step[], sleeps = false) => run(steps, sleeps).at(-1)?.state.online;

test('at one cycle a minute: offline after five minutes, a phone after fifteen', () => {
  expect(isOnlineAfter(every('absent', 4))).toBe(true);
  expect(isOnlineAfter(every('absent', 5))).toBe(false);
  expect(isOnlineAfter(every('absent', 14), true)).toBe(true);
  expect(isOnlineAfter(every('absent', 15), true)).toBe(false);
});

test('a rescan precedes the third miss, of devices that are online', () => {
  const rescans = run([...every('missed', 3)], false).map(({ state }) => needsRescan(state));
  expect(rescans).toEqual([false, false, true, true]);
  expect(needsRescan(run(every('absent', 6), false).at(-1)?.state ?? firstSeen(START))).toBe(false);
});

test('off for eight minutes, on, and off again: offline within five minutes both times', () => {
  const off = [...every('absent', 8), ...every('seen', 1)];
  for (const times of [0, 1, 2]) {
    const before = Array.from({ length: times }, () => off).flat();
    expect(isOnlineAfter([...before, ...every('absent', 4)])).toBe(true);
    expect(isOnlineAfter([...before, ...every('absent', 5)])).toBe(false);
  }
});

test('a device that has slept three times within a day gets the longer grace for a week', () => {
  const slept = [...every('absent', 8), ...every('seen', 60)];
  const sleeper = [...slept, ...slept, ...slept];
  expect(isOnlineAfter([...sleeper, ...every('absent', 14)])).toBe(true);
  expect(isOnlineAfter([...sleeper, ...every('absent', 15)])).toBe(false);
  const weeks = every('seen', 8 * 24 * 60);
  expect(isOnlineAfter([...sleeper, ...weeks, ...every('absent', 5)])).toBe(false);
  // Three sleeps within three days are no pattern.
  const rarely = [...slept, ...every('seen', 24 * 60)];
  expect(isOnlineAfter([...rarely, ...rarely, ...rarely, ...every('absent', 5)])).toBe(false);
  // Away for two hours is not asleep, and a cycle once an hour is no sleep either.
  const away = [...every('absent', 120), ...every('seen', 1)];
  expect(isOnlineAfter([...away, ...away, ...away, ...every('absent', 5)])).toBe(false);
  expect(run(every('seen', 5, 60 * MINUTE), false).at(-1)?.state.sleeps).toEqual([]);
});

test('a device with an alert is no sleeper, whatever it does', () => {
  let state = firstSeen(START);
  let at = START;
  const pass = (observation: Observation, times: number) => {
    for (let i = 0; i < times; i++) {
      at += MINUTE;
      state = observe(state, observation, at, { sleeps: true, alerts: true });
    }
    return state.online;
  };
  for (let i = 0; i < 5; i++) {
    expect([pass('absent', 4), pass('absent', 1)]).toEqual([true, false]);
    expect([pass('absent', 3), pass('seen', 60)]).toEqual([false, true]);
  }
});

test('three changes within an hour are flapping, until an hour has passed', () => {
  const once = [...every('absent', 5), ...every('seen', 1)];
  const flapping = run([...once, ...every('absent', 20)], false).at(-1);
  expect(flapping?.state.changes).toHaveLength(3);
  expect(isFlapping(flapping?.state ?? firstSeen(START), flapping?.at ?? 0)).toBe(true);
  expect(isFlapping(flapping?.state ?? firstSeen(START), (flapping?.at ?? 0) + 61 * MINUTE)).toBe(false);
  const calm = run(once, false).at(-1);
  expect(isFlapping(calm?.state ?? firstSeen(START), calm?.at ?? 0)).toBe(false);
});

test('a clock that is set back makes no device offline, and keeps none online for ever', () => {
  const state = observe(firstSeen(START), 'absent', START - 60 * MINUTE);
  expect(state.online).toBe(true);
  let later = state;
  for (let i = 1; i <= 5; i++) later = observe(later, 'absent', START - 60 * MINUTE + i * MINUTE);
  expect(later.online).toBe(false);
});

test('absences are kept until they are confirmed; of many the first and the last', () => {
  let state = firstSeen(START);
  const times = Array.from({ length: 7 }, (_, i) => START + i * 60 * MINUTE);
  for (const at of times) state = observe(observe(state, 'gone', at + MINUTE), 'seen', at + 3 * MINUTE);
  const gone = times.map((at, i) => [at + MINUTE, i === 0 ? at : at - 60 * MINUTE + 3 * MINUTE, at + 3 * MINUTE]);
  expect(state.absences).toEqual([gone[0], ...gone.slice(-3)]);
  expect(PresenceState.parse(state)).toEqual(state);
});
