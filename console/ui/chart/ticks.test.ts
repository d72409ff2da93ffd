import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeTicks, valueTicks } from './ticks.ts';
import { SPAN_NAMES, timeSpan } from './time-span.ts';

test('times: few, in their order, within the span, and even by the clock', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...SPAN_NAMES),
      fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true }),
      fc.integer({ min: 2, max: 10 }),
      (name, now, most) => {
        const span = timeSpan(name, now.getTime());
        const ticks = timeTicks(span, most).map(({ at }) => at);
        expect(ticks.length).toBeLessThanOrEqual(most + 2);
        expect(ticks).toEqual([...ticks].sort((a, b) => a - b));
        for (const at of ticks) {
          expect(at).toBeGreaterThanOrEqual(span.from);
          expect(at).toBeLessThanOrEqual(span.to);
          expect(new Date(at).getMinutes() % 5).toBe(0);
        }
      },
    ),
  );
});

test('values: from 0, even, and as far as the greatest', () => {
  expect(valueTicks(0)).toEqual([0, 1]);
  expect(valueTicks(100)).toEqual([0, 50, 100]);
  expect(valueTicks(0.42)).toEqual([0, 0.2, 0.4, 0.6]);
  expect(valueTicks(942)).toEqual([0, 500, 1000]);
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (greatest) => {
      const ticks = valueTicks(greatest);
      expect(ticks.length).toBeLessThanOrEqual(5);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(greatest * (1 - 1e-5));
    }),
  );
});
