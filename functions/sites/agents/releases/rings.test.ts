/** Which agents are updated to a release, and when; and what always holds. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { UpdateState } from '../../../../shared/agent/release.ts';
import type { Updates } from '../../../../shared/api/records.ts';
import { seeded } from '../../../../test/support/seeded.ts';
import {
  abandoned,
  MAX_AT_ONCE,
  mayConcern,
  nextStep,
  plannedUpdate,
  RESTLESS_AFTER_MS,
  resumed,
  SETTLE_MS,
  type SeenAgent,
  SILENT_AFTER_MS,
} from './rings.ts';
import type { RollOut } from './roll-out-store.ts';

const OLD = '0.3.0';
const NEW = '0.4.0';
/** Noon in UTC, which is 13:00 in Berlin. */
const NOON = Date.parse('2026-11-26T12:00:00Z');
const MINUTE = 60_000;

type Last = NonNullable<UpdateState['last']>;

interface About {
  version?: string | null;
  able?: boolean;
  last?: Partial<Last> | null;
  state?: SeenAgent['agent']['state'];
  /** Unix, ms. */
  since?: number;
  mode?: Updates['mode'];
  window?: Updates['window'];
  timeZone?: string;
}

function agent(id: string, about: About = {}): SeenAgent {
  const { version = OLD, able = true, last = null, state = 'online', since = NOON - 86_400_000 } = about;
  const { mode = 'auto', window = null, timeZone = 'UTC' } = about;
  const tried = last && { version: NEW, state: 'done' as const, reason: null, at: NOON, ...last };
  const update = { able, last: tried };
  return {
    agent: { id, state, since: new Date(since).toISOString(), version, update },
    site: { updates: { mode, window }, timeZone },
  };
}

const step = (before: RollOut | null, agents: SeenAgent[], now = NOON, isAll = true) =>
  nextStep(before, agents, { version: NEW, now, isAll });
const updating = ({ underWay }: RollOut) => Object.keys(underWay).sort();
const ids = (count: number) => Array.from({ length: count }, (_, i) => `s${i % 3}:a${String(i).padStart(4, '0')}`);
/** An agent that is healthy with the release since its update. */
const well = (id: string, since: number) => agent(id, { version: NEW, last: {}, since });

test.each<[string, About, isUpdated?: boolean]>([
  ['one that its site wants to stay as it is', { mode: 'notify' }],
  ['one whose site has updates off', { mode: 'off' }],
  ['one that cannot replace itself', { able: false }],
  ['one that has the release', { version: NEW }],
  ['one that is newer', { version: '0.5.0' }],
  ['one whose version is no release', { version: 'my own build' }],
  ['one that says no version', { version: null }],
  ['one that is away', { state: 'offline' }],
  ['one that is about to stop', { state: 'draining' }],
  ['one that has failed with this release', { last: { state: 'failed' } }],
  ['one that has failed with another release', { last: { version: '0.3.9', state: 'failed' } }, true],
  ['one whose window is closed', { window: { from: '22:00', to: '06:00' } }],
  ['one in its window, over midnight', { window: { from: '22:00', to: '12:01' } }, true],
  ['one whose window opens later by its clock', { window: { from: '12:30', to: '12:45' }, timeZone: 'Europe/Berlin' }],
  ['one in its window, by its clock', { window: { from: '13:00', to: '13:30' }, timeZone: 'Europe/Berlin' }, true],
])('whether %s is updated', (_, about, isUpdated = false) => {
  expect(updating(step(null, [agent('home:attic', about)]).rollOut)).toEqual(isUpdated ? ['home:attic'] : []);
});

test('one agent, then a tenth, which is over when all of its agents have been connected for ten minutes', () => {
  const all = ids(25);
  const fleet = new Map(all.map((id) => [id, agent(id)]));
  let { rollOut } = step(null, [...fleet.values()]);
  expect([rollOut.ring, updating(rollOut).length]).toEqual([1, 1]);
  const [canary] = updating(rollOut);
  fleet.set(canary!, well(canary!, NOON + MINUTE));
  ({ rollOut } = step(rollOut, [...fleet.values()], NOON + MINUTE + SETTLE_MS - 1));
  expect([rollOut.ring, updating(rollOut)]).toEqual([1, [canary]]);
  let now = NOON + MINUTE + SETTLE_MS;
  ({ rollOut } = step(rollOut, [...fleet.values()], now));
  const second = updating(rollOut);
  expect([rollOut.ring, second.length, second.includes(canary!)]).toEqual([2, 3, false]);
  // Two of three are healthy: the ring is not over, and no agent takes their places.
  for (const id of second.slice(0, 2)) fleet.set(id, well(id, now));
  now += SETTLE_MS;
  ({ rollOut } = step(rollOut, [...fleet.values()], now));
  expect([rollOut.ring, updating(rollOut)]).toEqual([2, second.slice(2)]);
});

test('the end of a ring is known by its own agents; all are looked at for the beginning of the next one', () => {
  const fleet = ids(25).map((id) => agent(id));
  const { rollOut } = step(null, fleet);
  const [canary] = updating(rollOut);
  const now = NOON + SETTLE_MS;
  const over = step(rollOut, [well(canary!, NOON)], now, false);
  expect([over.needsAll, over.rollOut.ring, updating(over.rollOut)]).toEqual([true, 1, []]);
  expect(step(over.rollOut, fleet, now).rollOut).toMatchObject({ ring: 2, size: 3 });
});

const attic = (about: About = {}) => agent('home:attic', about);
const NOT_ENDED = 'it has not begun or not ended within an hour';

test.each<[string, SeenAgent, number, string]>([
  ['it says so', attic({ last: { state: 'failed', reason: 'wrong signature' } }), 1, 'wrong signature'],
  ['it says so without a reason', attic({ last: { state: 'failed' } }), 1, 'it does not say why'],
  ['it has gone back for good', attic({ able: false, last: { state: 'failed', reason: 'it died' } }), 1, 'it died'],
  [
    'it is away for an hour',
    attic({ state: 'offline', since: NOON + MINUTE }),
    MINUTE + SILENT_AFTER_MS,
    'it was not heard of for an hour',
  ],
  [
    'it runs the release, and its connection never lasts',
    attic({ version: NEW, last: {}, since: NOON + RESTLESS_AFTER_MS - MINUTE }),
    RESTLESS_AFTER_MS,
    'it runs the release, but has not stayed connected within six hours',
  ],
  ['it does nothing for an hour', attic(), SILENT_AFTER_MS, NOT_ENDED],
  ['it has not ended in an hour', attic({ version: NEW, last: { state: 'installing' } }), SILENT_AFTER_MS, NOT_ENDED],
])('a failure stops it, and is reported once: %s', (_, failed, afterMs, reason) => {
  const others = ids(25).map((id) => agent(id));
  const before = step(null, [attic()]).rollOut;
  expect(step(before, [failed], NOON + afterMs - 1, false).failures).toEqual(
    afterMs === 1 ? [{ agent: 'home:attic', reason }] : [],
  );
  const stopped = step(before, [failed, ...others], NOON + afterMs);
  expect(stopped.failures).toEqual([{ agent: 'home:attic', reason }]);
  expect(stopped.rollOut).toMatchObject({
    state: 'stopped',
    failures: [{ agent: 'home:attic', reason, at: NOON + afterMs }],
  });
  expect(updating(stopped.rollOut)).toEqual([]);
  const later = step(stopped.rollOut, [failed, ...others], NOON + afterMs + 86_400_000);
  expect([later.failures, later.rollOut]).toEqual([[], stopped.rollOut]);
  expect(others.every((one) => !mayConcern(stopped.rollOut, NEW, one.agent.id))).toBe(true);
});

test('who is away for less, has left, or is not wanted any more has not failed', () => {
  const before = step(null, [attic()]).rollOut;
  const away = attic({ state: 'offline', since: NOON });
  expect(step(before, [away], NOON + SILENT_AFTER_MS - 1).rollOut).toEqual(before);
  for (const agents of [[], [attic({ mode: 'notify' })], [attic({ able: false })]]) {
    const { rollOut, failures } = step(before, agents, NOON + 2 * SILENT_AFTER_MS);
    expect([rollOut.state, updating(rollOut), failures]).toEqual(['going', [], []]);
  }
  // It was not looked at.
  expect(updating(step(before, [], NOON + 2 * SILENT_AFTER_MS, false).rollOut)).toEqual(['home:attic']);
});

test('while it is stopped, updates in flight do not time out; when it is resumed, their timeouts restart', () => {
  const fleet = [...ids(30)].map((id) => agent(id));
  const third: RollOut = { ...step(null, []).rollOut, ring: 3 };
  const before = step(third, fleet).rollOut;
  expect(updating(before)).toHaveLength(30);
  expect(plannedUpdate(before, 's0:a0000')).toEqual({ version: NEW });
  const failed = fleet.with(0, agent('s0:a0000', { last: { state: 'failed' } }));
  const stopped = step(before, failed).rollOut;
  expect(plannedUpdate(stopped, 's1:a0001')).toBeUndefined();
  const late = NOON + 3 * SILENT_AFTER_MS;
  expect(step(stopped, failed, late).failures).toEqual([]);
  const going = step(resumed(stopped, late), failed, late + SILENT_AFTER_MS - 1);
  expect([going.failures, updating(going.rollOut).length]).toEqual([[], 29]);
});

test('an abandoned roll-out starts no update, until it is resumed or another release comes', () => {
  const fleet = ids(25).map((id) => agent(id));
  const end = abandoned(step(null, fleet).rollOut);
  expect(updating(step(end, fleet, NOON + 86_400_000).rollOut)).toEqual([]);
  const next = nextStep(end, fleet, { version: '0.4.1', now: NOON, isAll: true }).rollOut;
  expect(next).toMatchObject({ version: '0.4.1', ring: 1, state: 'going', failures: [] });
  expect(updating(next)).toHaveLength(1);
});

test('the second ring does not wait for those that are away, but for those that are connected outside of their window', () => {
  const closed = { window: { from: '22:00', to: '23:00' } };
  const second: RollOut = { ...step(null, []).rollOut, ring: 2, size: 3, well: 1 };
  const away = ids(10).map((id) => agent(id, { state: 'offline' }));
  expect(step(second, away).rollOut.ring).toBe(3);
  expect(step(second, [...away, attic(closed)]).rollOut.ring).toBe(2);
  expect(step({ ...second, ring: 1, size: 1, well: 0 }, away).rollOut.ring).toBe(1);
});

/** A fleet that follows its plans, some of it badly, evaluated in parts and in any order. */
const world = fc.record({
  agents: fc.array(
    fc.record({
      site: fc.constantFrom('a', 'b', 'c'),
      fate: fc.constantFrom<Last['state']>('done', 'done', 'done', 'done', 'done', 'done', 'done', 'done', 'failed'),
      takesMin: fc.integer({ min: 1, max: 30 }),
      isAway: fc.boolean(),
      opensAt: fc.integer({ min: 0, max: 23 }),
    }),
    { minLength: 1, maxLength: 60 },
  ),
  isGood: fc.boolean(),
  seed: fc.integer(),
});

test('never more at once than the ring has; a failure never spreads; all get there when all is well', () => {
  fc.assert(
    fc.property(world, ({ agents, isGood, seed }) => {
      const fates = agents.map((one, i) => ({ ...one, id: `${one.site}:n${i}`, fate: isGood ? 'done' : one.fate }));
      const byId = new Map(fates.map((one) => [one.id, one]));
      const startedAt = new Map<string, number>();
      const seenAs = (id: string, now: number): SeenAgent => {
        const { fate, takesMin, isAway, opensAt } = byId.get(id)!;
        const window = {
          from: `${String(opensAt).padStart(2, '0')}:00`,
          to: `${String((opensAt + 6) % 24).padStart(2, '0')}:00`,
        };
        const at = startedAt.get(id);
        const begun = at === undefined ? null : at + takesMin * MINUTE;
        if (begun === null || now < begun) {
          // Those that are away come within two days.
          const isHere = at !== undefined || !isAway || now > NOON + 36 * 3_600_000;
          return agent(id, { window, state: isHere ? 'online' : 'offline' });
        }
        if (fate === 'failed') return agent(id, { window, last: { state: 'failed', reason: 'it died' }, since: begun });
        return agent(id, { window, version: NEW, last: {}, since: begun });
      };
      let rollOut: RollOut | null = null;
      const random = seeded(seed);
      const failed = new Set<string>();
      for (let now = NOON; now < NOON + 4 * 86_400_000; now += 40 * MINUTE) {
        const isAll = random() < 0.3;
        const looked = fates.map(({ id }) => seenAs(id, now)).filter(() => isAll || random() < 0.3);
        const given = random() < 0.5 ? looked : looked.toReversed();
        const circumstances = { version: NEW, now, isAll };
        let next = nextStep(rollOut, given, circumstances);
        // Neither the order counts, nor how often it is done.
        expect(nextStep(rollOut, given.toReversed(), circumstances)).toEqual(next);
        expect(nextStep(next.rollOut, given, circumstances)).toEqual({ ...next, failures: [] });
        for (const one of next.failures) failed.add(one.agent);
        if (next.needsAll) {
          next = nextStep(
            next.rollOut,
            fates.map(({ id }) => seenAs(id, now)),
            { ...circumstances, isAll: true },
          );
        }
        const before: RollOut | null = rollOut;
        rollOut = next.rollOut;
        const busy = Object.keys(rollOut.underWay);
        const size = rollOut.ring === 3 ? MAX_AT_ONCE : rollOut.size - rollOut.well;
        expect(busy.length).toBeLessThanOrEqual(size);
        expect(rollOut.ring === 1 ? rollOut.size : 1).toBe(1);
        if (rollOut.ring === 2) expect(rollOut.size).toBeLessThanOrEqual(Math.ceil(fates.length / 10));
        const fresh = busy.filter((id) => before?.underWay[id] === undefined);
        if (before?.state === 'stopped') expect(fresh).toEqual([]);
        for (const id of fresh) {
          expect(startedAt.has(id)).toBe(false); // No agent is updated twice.
          startedAt.set(id, now);
        }
      }
      const got = fates.filter(({ id }) => seenAs(id, NOON + 7 * 86_400_000).agent.version === NEW).length;
      if (failed.size === 0) expect([rollOut?.state, got]).toEqual(['going', fates.length]);
      else expect(rollOut?.state).toBe('stopped');
    }),
    { numRuns: 25 },
  );
});
