import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Recorded, recordedDevices } from '../../test/support/recorded-devices.ts';
import { MAX_OBSERVATION_CHARACTERS, type Observation, ObservationSource } from '../agent/observations.ts';
import { ALL_RULES, classify, THRESHOLD } from './classify.ts';
import { kindMeantBy } from './kind-table.ts';
import { iconOf, KINDS, Kind, kindOfType } from './kinds.ts';

const classificationOf = (one: Recorded) => classify({ ...one, mac: one.mac ?? '' });

const FILES = ['written-with', 'written-after', 'reported', 'reported-later', 'replayed'];
const RECORDED = FILES.flatMap(recordedDevices);

test.each(FILES)('of recorded devices, no kind is wrong and nine in ten are found: %s', (file) => {
  const judged = recordedDevices(file).map((one) => ({ ...one, found: classificationOf(one).kind?.value ?? null }));
  const wrong = judged.filter(({ kind, found }) => found !== null && found !== kind);
  expect(wrong.map(({ fact, kind, found }) => ({ fact, kind, found }))).toEqual([]);
  const known = judged.filter(({ kind }) => kind !== null);
  const missed = known.filter(({ found }) => found === null).map(({ fact }) => fact);
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(known.length / 10);
});

test.each(RECORDED.map((one) => [one.fact, one] as const))('%s: maker, model and name', (_, one) => {
  const { vendor, model, name } = classificationOf(one);
  const found = { vendor: vendor?.value, model: model?.value, name: name?.value };
  const { vendor: maker = found.vendor, model: type = found.model, name: known = found.name } = one;
  expect(found).toEqual({ vendor: maker, model: type, name: known });
});

const observation = fc.record({
  source: fc.constantFrom(...ObservationSource.options),
  value: fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: MAX_OBSERVATION_CHARACTERS }),
    fc.constantFrom(...RECORDED.flatMap(({ observations }) => observations.map(({ value }) => value))),
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

test.each(
  `vivobook-anna galaxy-server pixelart-studio honors-math redmine poco-build ipadmin shield-fw echo-server ring-buffer
   envoy-proxy switchboard printing-works ap-southeast nasdaq tvheadend ESP_A1B2C3 pihole openwrt oneplusone-dev upstream
   sonar esxplore surface-hub server-rack`.split(/\s+/),
)('a name that only begins like that of a device is no proof: %s', (name) => {
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
    ...['Canon Inc.', 'Brother Industries, LTD.', 'Seiko Epson Corporation', 'Hewlett Packard', 'Ubiquiti Inc'],
    ...['AVM GmbH', 'Intel Corporate', 'TP-LINK TECHNOLOGIES CO.,LTD.', 'Sony Corporation', 'LG Electronics'],
    ...['Microsoft Corporation', 'Cisco Systems, Inc', 'Routerboard.com', 'Zebra Technologies Inc'],
    'American Power Conversion Corp',
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
  const recorded = fc.constantFrom(...RECORDED);
  fc.assert(
    fc.property(recorded, fc.array(neutral, { maxLength: 4 }), (one, more) => {
      const found = classificationOf({ ...one, observations: [...one.observations, ...more] }).kind?.value;
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

test('what a person or a controller has entered ranks above what the device announces', () => {
  const [point, bridge] = ['00:1E:06:AA:BB:01', '00:1E:06:AA:BB:02'];
  const observations: Observation[] = [
    { source: 'dns', value: 'lamp-3.lan', at: 1 },
    { source: 'mdns-text', value: '_googlecast._tcp fn=Speaker', at: 1 },
    { source: 'host-name', value: 'esp-7', at: 1 },
    { source: 'parent-bridge', value: `${bridge} 4`, at: 1 },
    { source: 'source-model', value: 'X1000', at: 1 },
    { source: 'source-maker', value: 'Acme', at: 1 },
  ];
  const verdict = (more: Observation[]) => classify({ observations: [...observations, ...more], random: true });
  expect(verdict([])).toMatchObject({
    ...{ vendor: { value: 'Acme' }, model: { value: 'X1000' }, place: { value: { parent: bridge, port: '4' } } },
  });
  expect(verdict([]).name?.value).not.toBe('Kitchen');
  const by = verdict([
    { source: 'given-name', value: 'Kitchen', at: 2 },
    { source: 'parent-source', value: point, at: 2 },
  ]);
  expect(by.name).toMatchObject({ value: 'Kitchen', because: [{ source: 'given-name' }] });
  expect(by.place?.value).toEqual({ parent: point, port: '' });
});
