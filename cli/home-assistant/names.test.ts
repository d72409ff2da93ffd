import fc from 'fast-check';
import { expect, test } from 'vitest';
import { configTopic, deviceId, objectId, placeOfConfig, topicOf } from './names.ts';

const PREFIXES = { own: 'lanreach', discovery: 'homeassistant' };

test('topics and ids have only letters, digits, _ and -, whatever a device says that it is', () => {
  const keys = fc.oneof(
    fc.string(),
    fc.uuid().map((uuid) => `~${uuid}`),
    fc.constantFrom('Internet', '+', '#', '02:AA:BB:CC:00:01/#', '~', '..', '02AABBCC0001\n'),
  );
  fc.assert(
    fc.property(keys, (key) => {
      const device = deviceId(key);
      if (device === null) return;
      const place = { site: 'home', device };
      expect(objectId(PREFIXES, place)).toMatch(/^[a-zA-Z0-9_-]+$/);
      expect(topicOf(PREFIXES, place, 'online')).toMatch(/^lanreach\/home\/[a-z0-9-]+\/online$/);
      expect(placeOfConfig(PREFIXES, configTopic(PREFIXES, place))).toEqual(place);
    }),
  );
  expect(deviceId('02:AA:BB:CC:00:01')).toBe('02aabbcc0001');
  expect(deviceId('Internet')).toBe('internet');
  expect(deviceId('~0b4e7a0e-5f00-4a11-8a22-0123456789ab')).toBe('0b4e7a0e-5f00-4a11-8a22-0123456789ab');
  for (const key of ['', '+', '#', 'nas', '02:AA:BB:CC:00:01/x', '02AABBCC00011']) expect(deviceId(key)).toBe(null);
});

test('a bridge takes for its own only what has its prefix', () => {
  const other = { ...PREFIXES, own: 'lanreach-b' };
  for (const place of [
    { site: 'home', device: null },
    { site: 'home', device: '02aabbcc0001' },
  ]) {
    expect(placeOfConfig(PREFIXES, configTopic(PREFIXES, place))).toEqual(place);
    expect(placeOfConfig(PREFIXES, configTopic(other, place))).toBe(null);
  }
  for (const id of ['lanreach_home_nas', 'lanreach_', 'zigbee_home', 'lanreach_home/x'])
    expect(placeOfConfig(PREFIXES, `homeassistant/device/${id}/config`)).toBe(null);
});
