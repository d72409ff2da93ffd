import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_CHECKS } from '../../../shared/agent/plan.ts';
import { type Bucket, mergeBuckets, rollUp, runOf, totalOf } from './bucket.ts';
import { decodeOne, decodeSections, encodeSections } from './series-row.ts';

const FROM = 1_793_520_000;
const LONGEST_MICROS = 60_000_000;
const MAX_ROW_BYTES = 350_000;

const id = fc.stringMatching(/^[0-9a-f]{12}$/);
const rtt = fc.option(fc.double({ min: 0, max: 70_000, noNaN: true }));
const packets = fc.integer({ min: 1, max: 100 });
const run = fc
  .tuple(fc.integer({ min: 0, max: 300 }), rtt, packets, fc.integer({ min: 0, max: 100 }), rtt)
  .map((point) => runOf(FROM, point));
const runs = fc.array(run, { maxLength: 40 }).map((some) => mergeBuckets([], some));

test('what was written is read, all of it or one check', () => {
  fc.assert(
    fc.property(fc.dictionary(id, runs), (checks) => {
      const sections = new Map(Object.entries(checks));
      for (const unit of [1, 30]) {
        const written = new Map([...sections].map(([check, some]) => [check, rollUp(some, unit)]));
        const bytes = encodeSections(written, FROM, unit);
        expect(new Map([...decodeSections(bytes, FROM, unit)].sort())).toEqual(new Map([...written].sort()));
        for (const [check, some] of written) expect(decodeOne(bytes, check, FROM, unit)).toEqual(some);
        expect(decodeOne(bytes, 'fedcba987654', FROM, unit)).toEqual([]);
      }
    }),
  );
});

test('bytes that are cut off, or of another version, are refused and never read as something else', () => {
  fc.assert(
    fc.property(fc.dictionary(id, runs, { minKeys: 1 }), fc.nat(), (checks, at) => {
      const bytes = encodeSections(new Map(Object.entries(checks)), FROM, 1);
      const cut = bytes.subarray(0, at % bytes.length);
      expect(() => decodeSections(cut, FROM, 1)).toThrow();
      expect(() => decodeSections(Buffer.concat([Buffer.from([2]), bytes.subarray(1)]), FROM, 1)).toThrow('version 2');
    }),
  );
});

test('a roll-up of roll-ups is that of the runs, and a total the same in any order', () => {
  fc.assert(
    fc.property(fc.array(run, { maxLength: 60 }), (some) => {
      expect(rollUp(rollUp(some, 30), 150)).toEqual(rollUp(some, 150));
      const expected = some.length === 0 ? null : { ...totalOf([...some].reverse()), at: rollUp(some, 30)[0]?.at };
      expect(totalOf(rollUp(some, 30))).toEqual(expected);
    }),
  );
});

test.each([
  ['raw', 10, 1, 1],
  ['5m', 12, 10, 300],
  ['1h', 12, 120, 3_600],
  ['1d', 10, 2_880, 86_400],
])('a row of the level %s fits into an item, whatever 1,000 checks have measured', (_, buckets, runsOfOne, unit) => {
  // The worst of everything, for each in turn, so that nothing is as it was before.
  const worst = (i: number): Bucket => {
    const count = runsOfOne - (runsOfOne > 1 ? i % 2 : 0);
    const failed = runsOfOne > 1 ? 1 : 0;
    const answered = count - failed;
    return {
      ...{ at: FROM + i * 29 * unit, runs: count, failed, sent: count * 100 - (i % 2), lost: count * 50 },
      ...{ rttMin: LONGEST_MICROS / 4, rttMax: LONGEST_MICROS, rttSum: Math.floor(answered * LONGEST_MICROS * 0.7) },
      ...{ jitterRuns: Math.max(1, answered - 1), jitterSum: answered * LONGEST_MICROS },
    };
  };
  const section = Array.from({ length: buckets }, (_, i) => worst(i));
  if (runsOfOne === 1) for (const one of section) one.rttSum = one.rttMax = one.rttMin;
  const ids = Array.from({ length: MAX_CHECKS }, (_, i) => i.toString(16).padStart(12, '0'));
  const bytes = encodeSections(new Map(ids.map((check) => [check, section])), FROM, unit);
  expect(decodeSections(bytes, FROM, unit).get('000000000001')).toEqual(section);
  expect(bytes.length).toBeLessThan(MAX_ROW_BYTES);
});
