import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FLAPPING_CHANGES, presenceChanged, QUIET_S } from './flapping.ts';
import type { RecentPresence } from './hook-store.ts';

/** The notifications of changes at these times, in order. */
function notifications(times: readonly number[], key = 'a', recent: RecentPresence = {}): string[] {
  return times.map((at) => {
    const change = presenceChanged(recent, key, at);
    recent = JSON.parse(JSON.stringify(change.recent));
    return change.notify;
  });
}

test('the third change within an hour is sent as flapping, and then nothing until a quiet hour has passed', () => {
  const start = 1_790_000_000;
  const times = [0, 600, 1200, 1800, 5000, 8599, 8599 + QUIET_S].map((s) => start + s);
  expect(notifications(times)).toEqual(['change', 'change', 'flapping', 'nothing', 'nothing', 'nothing', 'change']);
});

test('three changes in more than an hour are no flapping', () => {
  expect(notifications([0, QUIET_S - 1, QUIET_S, 2 * QUIET_S - 2])).toEqual(['change', 'change', 'change', 'flapping']);
});

/** The rule with all of the history in view. */
function reference(times: readonly number[]): string[] {
  let run: number[] = [];
  let isFlapping = false;
  return times.map((at) => {
    if (run.length > 0 && at - run.at(-1)! >= QUIET_S) [run, isFlapping] = [[], false];
    run.push(at);
    const within = run.filter((one) => at - one < QUIET_S).length;
    if (isFlapping) return 'nothing';
    isFlapping = within >= FLAPPING_CHANGES;
    return isFlapping ? 'flapping' : 'change';
  });
}

const Gaps = fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 40 });
function timesOf(gaps: readonly number[]): number[] {
  let at = 0;
  return gaps.map((gap) => {
    at += gap;
    return at;
  });
}

test('what is remembered is enough to say what the whole history says', () => {
  fc.assert(
    fc.property(Gaps, (gaps) => {
      expect(notifications(timesOf(gaps))).toEqual(reference(timesOf(gaps)));
    }),
  );
});

test('devices do not disturb each other, and what is remembered is bounded', () => {
  let recent: RecentPresence = {};
  for (let i = 0; i < 300; i++) recent = presenceChanged(recent, `device ${i}`, 1_000 + i).recent;
  expect(Object.keys(recent).length).toBeLessThanOrEqual(200);
  expect(notifications([2_000, 2_001], 'device 299', recent)).toEqual(['change', 'flapping']);
  expect(notifications([2_000, 2_001], 'another', recent)).toEqual(['change', 'change']);
});
