import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { gapsOf, greatestOf, nearest, runsOf, type Track, timesOf } from './track.ts';

const MINUTE = 60_000;
const track = (minutes: number[], values: (number | null)[], name = ''): Track => ({
  name,
  times: minutes.map((minute) => minute * MINUTE),
  values,
  stepMs: MINUTE,
});
const inMinutes = (spans: { from: number; to: number }[]) => spans.map(({ from, to }) => [from / MINUTE, to / MINUTE]);
const HOUR = { from: 0, to: 60 * MINUTE };

test('without values all of the span is a gap', () => {
  expect(inMinutes(gapsOf([], HOUR))).toEqual([[0, 60]]);
  expect(inMinutes(gapsOf([track([], [])], HOUR))).toEqual([[0, 60]]);
});

test('gaps before, between and behind; the latest values may not have arrived yet', () => {
  expect(inMinutes(gapsOf([track([10, 11, 12, 30], [1, 1, 1, 1])], HOUR))).toEqual([
    [0, 10],
    [13, 30],
    [31, 60],
  ]);
  const minutes = Array.from({ length: 56 }, (_, i) => i);
  expect(gapsOf([track(minutes, minutes)], HOUR)).toEqual([]);
});

test('a value of one agent fills the gap of another; a lost run is no gap', () => {
  const [odd, even] = [1, 0].map((first) => Array.from({ length: 30 }, (_, i) => first + 2 * i));
  const both = [track(odd ?? [], odd ?? [], 'one'), track(even ?? [], even ?? [], 'two')];
  expect(gapsOf(both, HOUR)).toEqual([]);
  expect(gapsOf([track([...Array(60).keys()], Array(60).fill(null))], HOUR)).toEqual([]);
});

test('a line ends at a gap and at a lost run', () => {
  expect(runsOf(track([0, 1, 2, 3, 10, 11], [1, 2, null, 4, 5, 6]))).toEqual([[0, 1], [3], [4, 5]]);
});

test('every value is in exactly one run, and no run leads over a gap', () => {
  const points = fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 60 });
  fc.assert(
    fc.property(points, fc.infiniteStream(fc.option(fc.nat(100))), (minutes, stream) => {
      const times = minutes.sort((a, b) => a - b);
      const values = times.map(() => stream.next().value ?? null);
      const one = track(times, values);
      const runs = runsOf(one);
      const filled = values.flatMap((value, i) => (value === null ? [] : [i]));
      expect(runs.flat()).toEqual(filled);
      const gaps = gapsOf([one], { from: 0, to: 210 * MINUTE });
      for (const run of runs) {
        const [first, last] = [one.times[run[0] ?? 0] ?? 0, one.times[run.at(-1) ?? 0] ?? 0];
        expect(gaps.every(({ from, to }) => to <= first || from > last)).toBe(true);
      }
    }),
  );
});

test('the greatest value, all times, and the one that is nearest', () => {
  const one: Track = { ...track([1, 5], [2, null]), low: [1, null], high: [9, null] };
  expect(greatestOf([one, track([2], [3])])).toBe(9);
  expect(greatestOf([])).toBe(0);
  expect(timesOf([one, track([2, 5], [3, 3])])).toEqual([1, 2, 5].map((minute) => minute * MINUTE));
  expect([-5, 1.9, 3.2, 99].map((minute) => nearest([1, 2, 5], minute))).toEqual([0, 1, 1, 2]);
  expect(nearest([], 3)).toBe(-1);
});
