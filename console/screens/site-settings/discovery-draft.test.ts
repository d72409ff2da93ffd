import fc from 'fast-check';
import { expect, test } from 'vitest';
import { draftOf, problemsByField, settingsOf } from './discovery-draft.ts';

const Network = fc.tuple(fc.ipV4(), fc.integer({ min: 20, max: 32 })).map(([ip, prefix]) => `${ip}/${prefix}`);
const Settings = fc.record({
  enabled: fc.boolean(),
  networks: fc.oneof(fc.constant('auto' as const), fc.array(Network, { minLength: 1, maxLength: 32 })),
  intervalSeconds: fc.integer({ min: 30, max: 3600 }),
});

test('settings that nobody changes in the form stay as they are', () => {
  fc.assert(
    fc.property(Settings, (settings) => {
      expect(settingsOf(draftOf(settings))).toEqual(settings);
    }),
  );
});

test('networks may be separated as people do it', () => {
  const draft = {
    isEnabled: true,
    isAuto: false,
    networks: ' 10.0.0.0/24, 10.0.1.0/24\n\n10.0.2.0/24 ;',
    interval: '60',
  };
  expect(settingsOf(draft).networks).toEqual(['10.0.0.0/24', '10.0.1.0/24', '10.0.2.0/24']);
});

test('what the API finds wrong stands at its field', () => {
  const fields = [
    { path: 'discovery.intervalSeconds', message: 'expected 30 to 3600' },
    { path: 'name', message: 'of another form' },
  ];
  expect(problemsByField(fields)).toEqual({ networks: undefined, intervalSeconds: 'expected 30 to 3600' });
});
