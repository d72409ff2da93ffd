import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_OBSERVATION_CHARACTERS, type Observation, ObservationSource } from '../agent/observations.ts';
import { judge, THRESHOLD } from './judge.ts';
import { iconOf, KINDS, Kind, kindOfType } from './kinds.ts';
import { HELD_OUT, observationsOf, RECORDED, type Recorded } from './recorded-observations.ts';

const judgementOf = (one: Recorded) => judge({ observations: observationsOf(one), random: one.random === true });

test.each([
  ['those that the rules were written with', RECORDED.slice(0, -HELD_OUT)],
  ['those that were written after the rules', RECORDED.slice(-HELD_OUT)],
])('of recorded devices, no kind is wrong and nine in ten are found: %s', (_, recorded) => {
  const judged = recorded.map((one) => ({ ...one, found: judgementOf(one).kind?.value ?? null }));
  const wrong = judged.filter(({ kind, found }) => found !== null && found !== kind);
  expect(wrong.map(({ fact, kind, found }) => ({ fact, kind, found }))).toEqual([]);
  const known = judged.filter(({ kind }) => kind !== null);
  const missed = known.filter(({ found }) => found === null).map(({ fact }) => fact);
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(known.length / 10);
});

test.each(RECORDED.map((one) => [one.fact, one] as const))('%s: maker, model and name', (_, one) => {
  const { vendor, model, name } = judgementOf(one);
  const found = { vendor: vendor?.value, model: model?.value, name: name?.value };
  const { vendor: maker = found.vendor, model: type = found.model, name: known = found.name } = one;
  expect(found).toEqual({ vendor: maker, model: type, name: known });
});

const observation = fc.record({
  source: fc.constantFrom(...ObservationSource.options),
  value: fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: MAX_OBSERVATION_CHARACTERS }),
    fc.constantFrom(...RECORDED.flatMap((one) => observationsOf(one).map(({ value }) => value))),
  ),
  at: fc.integer({ min: 1, max: 2_000_000_000_000 }),
});

test('whatever devices say, verdicts are sure enough, and speak by what was said, in whatever order', () => {
  fc.assert(
    fc.property(fc.array(observation, { maxLength: 12 }), fc.boolean(), (observations, random) => {
      const judgement = judge({ observations, random });
      for (const verdict of Object.values(judgement)) {
        if (verdict === null) continue;
        expect(verdict.confidence).toBeGreaterThanOrEqual(THRESHOLD);
        expect(verdict.confidence).toBeLessThanOrEqual(1);
        expect(verdict.because.length).toBeGreaterThan(0);
        for (const one of verdict.because) expect(observations).toContain(one);
      }
      const reversed = judge({ observations: observations.toReversed(), random });
      expect(valuesOf(reversed)).toEqual(valuesOf(judgement));
    }),
  );
});

function valuesOf(judgement: ReturnType<typeof judge>) {
  return Object.values(judgement).map((verdict) => verdict?.value ?? null);
}

test('no text of a device takes long', () => {
  const pieces = ['a', '-', '1', '.', ' ', 'a-', '1-', 'TV ', 'Cisco ', 'switch', '_ipp._tcp ty=', 'urn:', '00:'];
  const texts = pieces.map((piece) => piece.repeat(200).slice(0, MAX_OBSERVATION_CHARACTERS));
  const observations = texts.flatMap((value) =>
    ObservationSource.options.map((source): Observation => ({ source, value, at: 1 })),
  );
  const before = process.cpuUsage().user;
  for (const one of observations) judge({ observations: [one], random: false });
  // 416 texts, each against all rules of its source: milliseconds if none backtracks, and hours if one does.
  expect(process.cpuUsage().user - before).toBeLessThan(20_000_000);
});

test('a kind is found again by its label, and has an icon', () => {
  for (const kind of Kind.options) {
    expect(kindOfType(KINDS[kind].label.toUpperCase())).toBe(kind);
    expect(atob(iconOf(kind))).toMatch(/^<i class="fa fa-[a-z-]+"><\/i>$/);
  }
  expect(kindOfType('My special box')).toBeNull();
  expect(iconOf(null)).toBe('');
});
