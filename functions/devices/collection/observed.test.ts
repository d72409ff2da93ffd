import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Observation, ObservationSource } from '../../../shared/agent/observations.ts';
import { allObserved, packObserved, SCANS, unpackObserved } from './observed.ts';

const observation = fc.record({
  source: fc.constantFrom(...ObservationSource.options),
  value: fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }),
  at: fc.integer({ min: 1, max: 2_000_000_000 }).map((seconds) => seconds * 1000),
});

test('what was observed is what was packed, by whomever', () => {
  const observed = fc.dictionary(fc.constantFrom('main', 'attic', SCANS), fc.array(observation, { minLength: 1 }), {
    maxKeys: 3,
  });
  fc.assert(
    fc.property(observed, (all) => {
      const packed = packObserved(all);
      expect(packed?.length ?? 0).toBeLessThan(25_000);
      if ((packed?.length ?? 0) < 20_000) expect(unpackObserved(packed)).toEqual({ ...all });
    }),
  );
  expect(packObserved({ main: [] })).toBeUndefined();
  expect(unpackObserved(undefined)).toEqual({});
});

test('however many agents tell as much as they may, the text stays below its bound', () => {
  const all = Array.from(
    { length: 40 },
    (_, i): Observation => ({ source: 'service', value: '\u0001'.repeat(75) + i, at: 1_000 }),
  );
  const observed = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`agent-${i}`, all]));
  const packed = packObserved(observed) ?? '';
  expect(packed.length).toBeLessThan(25_000);
  expect(Object.keys(unpackObserved(packed)).length).toBeGreaterThan(0);
});

test('of what several have observed alike, the first time counts', () => {
  const name = { source: 'mdns', value: 'nas.local' } as const;
  expect(allObserved({ main: [{ ...name, at: 2_000 }], attic: [{ ...name, at: 1_000 }] })).toEqual([
    { ...name, at: 1_000 },
  ]);
});
