import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HELD_OUT, observationsOf, RECORDED, type Recorded } from '../../test/fixtures/recorded-observations.ts';
import { REPLAYED } from '../../test/fixtures/replayed-observations.ts';
import { REPORTED_LATER } from '../../test/fixtures/reported-later.ts';
import { REPORTED } from '../../test/fixtures/reported-observations.ts';
import { MAX_OBSERVATION_CHARACTERS, type Observation, ObservationSource } from '../agent/observations.ts';
import { ALL_RULES, classify, THRESHOLD } from './classify.ts';
import { kindMeantBy } from './kind-table.ts';
import { iconOf, KINDS, Kind, kindOfType } from './kinds.ts';

const classificationOf = (one: Recorded) =>
  classify({ observations: observationsOf(one), random: one.random === true, mac: one.mac ?? '' });

test.each([
  ['those that the rules were written with', RECORDED.slice(0, -HELD_OUT)],
  ['those that were written after the rules', RECORDED.slice(-HELD_OUT)],
  ['those that people report', REPORTED],
  ['those that were reported later', REPORTED_LATER],
  ['those of a replayed LAN', REPLAYED],
])('of recorded devices, no kind is wrong and nine in ten are found: %s', (_, recorded) => {
  const judged = recorded.map((one) => ({ ...one, found: classificationOf(one).kind?.value ?? null }));
  const wrong = judged.filter(({ kind, found }) => found !== null && found !== kind);
  expect(wrong.map(({ fact, kind, found }) => ({ fact, kind, found }))).toEqual([]);
  const known = judged.filter(({ kind }) => kind !== null);
  const missed = known.filter(({ found }) => found === null).map(({ fact }) => fact);
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(known.length / 10);
});

test.each([...RECORDED, ...REPORTED, ...REPORTED_LATER, ...REPLAYED].map((one) => [one.fact, one] as const))(
  '%s: maker, model and name',
  (_, one) => {
    const { vendor, model, name } = classificationOf(one);
    const found = { vendor: vendor?.value, model: model?.value, name: name?.value };
    const { vendor: maker = found.vendor, model: type = found.model, name: known = found.name } = one;
    expect(found).toEqual({ vendor: maker, model: type, name: known });
  },
);

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
      const judgement = classify({ observations, random });
      for (const verdict of Object.values(judgement)) {
        if (verdict === null) continue;
        expect(verdict.confidence).toBeGreaterThanOrEqual(THRESHOLD);
        expect(verdict.confidence).toBeLessThanOrEqual(1);
        expect(verdict.because.length).toBeGreaterThan(0);
        for (const one of verdict.because) expect(observations).toContain(one);
      }
      const reversed = classify({ observations: observations.toReversed(), random });
      expect(valuesOf(reversed)).toEqual(valuesOf(judgement));
    }),
  );
});

function valuesOf(judgement: ReturnType<typeof classify>) {
  return Object.values(judgement).map((verdict) => verdict?.value ?? null);
}

test.each([
  ...'vivobook-anna galaxy-server pixelart-studio honors-math redmine poco-build ipadmin shield-fw echo-server'.split(
    ' ',
  ),
  ...'ring-buffer envoy-proxy switchboard printing-works ap-southeast nasdaq tvheadend ESP_A1B2C3 pihole'.split(' '),
  ...'openwrt oneplusone-dev upstream sonar esxplore surface-hub server-rack'.split(' '),
])('a name that only begins like that of a device is no proof: %s', (name) => {
  expect(classify({ observations: [{ source: 'dns', value: name, at: 1 }], random: false }).kind).toBeNull();
});

test.each([
  ...['Milo and friends', 'Silo', 'Michelly', 'Personos', 'Envoy', 'nginx', 'Login', 'ESPHome Dashboard', 'Grafana'],
])('a page that only has a word like the name of a product is no proof: %s', (title) => {
  for (const source of ['http-title', 'http-server'] as const) {
    expect(classify({ observations: [{ source, value: title, at: 1 }], random: false }).kind, source).toBeNull();
  }
});

test('only makers of one kind of device decide by themselves', () => {
  for (const maker of [
    ...['Apple, Inc.', 'Samsung Electronics Co.,Ltd', 'Espressif Inc.', 'Amazon Technologies Inc.', 'Google, Inc.'],
    ...[
      'Canon Inc.',
      'Brother Industries, LTD.',
      'Seiko Epson Corporation',
      'Hewlett Packard',
      'Ubiquiti Inc',
      'AVM GmbH',
    ],
    ...[
      'Intel Corporate',
      'TP-LINK TECHNOLOGIES CO.,LTD.',
      'Sony Corporation',
      'LG Electronics',
      'Microsoft Corporation',
    ],
    ...['Cisco Systems, Inc', 'Routerboard.com', 'Zebra Technologies Inc', 'American Power Conversion Corp'],
  ]) {
    const observations: Observation[] = [{ source: 'mac-vendor', value: maker, at: 1 }];
    expect(classify({ observations, random: false }).kind, maker).toBeNull();
  }
});

test('what is no evidence of a kind leads to no other kind', () => {
  const neutral = fc.record({
    source: fc.constantFrom('upnp-id' as const, 'parent-lldp' as const, 'dhcp-options' as const, 'tls' as const),
    value: fc.uuid(),
    at: fc.constant(1),
  });
  const recorded = fc.constantFrom(...RECORDED, ...REPORTED, ...REPORTED_LATER, ...REPLAYED);
  fc.assert(
    fc.property(recorded, fc.array(neutral, { maxLength: 4 }), (one, more) => {
      const observations = [...observationsOf(one), ...more];
      const found = classify({ observations, random: one.random === true, mac: one.mac ?? '' }).kind?.value;
      expect(found).toBe(classificationOf(one).kind?.value);
    }),
  );
});

test('no pattern repeats a repetition, looks around or back, or has many parts without bound', () => {
  for (const { pattern } of ALL_RULES) {
    // Without what a backslash takes away, and with one letter for each set of characters.
    const source = pattern.source.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x');
    expect(source, 'a group that is repeated without bound').not.toMatch(/\)(?:[*+]|\{\d+,\})/);
    expect(source, 'a group with a repetition that is repeated').not.toMatch(/\([^()]*[*+][^()]*\)\{/);
    expect(source).not.toMatch(/\(\?<?[=!]/);
    expect(pattern.source).not.toMatch(/\\[1-9]/);
    // So each alternative takes at most as many steps as a text has pairs of places, from each place where it begins.
    for (const alternative of source.split('|')) {
      expect(alternative.match(/[*+]|\{\d+,\}/g)?.length ?? 0, pattern.source).toBeLessThanOrEqual(2);
    }
  }
});

test('no text of a device takes long', () => {
  const pieces = ['a', '-', '1', '.', ' ', 'a-', '1-', 'TV ', 'Cisco ', 'switch', '_ipp._tcp ty=', 'urn:', '00:'];
  const texts = pieces.map((piece) => piece.repeat(200).slice(0, MAX_OBSERVATION_CHARACTERS));
  const observations = texts.flatMap((value) =>
    ObservationSource.options.map((source): Observation => ({ source, value, at: 1 })),
  );
  const before = process.cpuUsage().user;
  for (const one of observations) classify({ observations: [one], random: false });
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

test.each([
  ['Desktop', 'computer'],
  ['workstation', 'computer'],
  ['Speaker', 'speaker'],
  ['Access Point', 'access-point'],
  ['Smart TV', 'tv'],
  ['Mobile', 'phone'],
  ['IP Camera', 'camera'],
])('%s, which is no label, is shown as what it means and kept as it is', (type, kind) => {
  expect(kindMeantBy(type)).toBe(kind);
  expect(kindOfType(type)).toBeNull();
  expect(kindMeantBy(KINDS[kind as Kind].label)).toBe(kind);
});
