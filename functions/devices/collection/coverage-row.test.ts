import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Coverage } from '../../../shared/coverage.ts';
import { coverageAfter, coverageOf, encodeCoverage, MAX_ENDED } from './coverage-row.ts';

const of = (watched: string[], ended: Record<string, number> = {}): Coverage => ({
  watched,
  ended: new Map(Object.entries(ended)),
});
const both = (one: Coverage) => [one, one];

test('what is not watched any more has ended at that time, and what is watched again has not', () => {
  const first = coverageAfter(both(of([])), ['b/24', 'a/24', 'a/24'], 5);
  expect(first).toEqual(of(['a/24', 'b/24']));
  const second = coverageAfter(both(first), ['b/24'], 7);
  expect(second).toEqual(of(['b/24'], { 'a/24': 7 }));
  expect(coverageAfter(both(second), ['b/24'], 9)).toEqual(second);
  expect(coverageAfter(both(second), ['a/24'], 9)).toEqual(of(['a/24'], { 'b/24': 9 }));
});

test('of rows that disagree, the one that says watched is right, and of two ends the later one', () => {
  expect(coverageAfter([of(['a/24']), of([], { 'a/24': 3 })], [], 9)).toEqual(of([], { 'a/24': 9 }));
  expect(coverageAfter([of([], { 'a/24': 8 }), of([], { 'a/24': 3 })], [], 9)).toEqual(of([], { 'a/24': 8 }));
  expect(coverageAfter([of([]), of([], { 'a/24': 3 })], [], 9)).toEqual(of([], { 'a/24': 3 }));
});

test('the last networks that were watched are kept, and no more than that', () => {
  let known = of([]);
  for (let at = 1; at <= MAX_ENDED + 5; at++) {
    known = coverageAfter(both(known), [`10.${at}.0.0/24`], at);
  }
  known = coverageAfter(both(known), [], 1_000);
  expect(known.ended.size).toBe(MAX_ENDED);
  expect([...known.ended.keys()][0]).toBe(`10.${MAX_ENDED + 5}.0.0/24`);
  expect(known.ended.has('10.1.0.0/24')).toBe(false);
  expect((encodeCoverage(known) ?? '').length).toBeLessThan(4_096 / 2);
});

test('what is stored is read as it was; a row without it says that nothing was ever watched', () => {
  const place = fc.oneof(fc.constantFrom('10.0.0.0/24', '1', '__proto__', 'main'), fc.string());
  fc.assert(
    fc.property(fc.array(place), fc.array(fc.tuple(place, fc.nat())), (watched, ended) => {
      const coverage = coverageAfter([{ watched: [], ended: new Map(ended) }], watched, 1);
      const text = encodeCoverage(coverage);
      const read = coverageOf(text === null ? { pk: '', sk: '' } : { pk: '', sk: '', coverage: text });
      expect(read).toEqual(coverage);
      expect(encodeCoverage(coverageAfter(both(read), watched, 2))).toBe(text);
    }),
  );
});
