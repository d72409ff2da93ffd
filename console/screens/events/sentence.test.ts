import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeviceEvent, EventType } from '../../../shared/api/events.ts';
import { DEVICE_FIELDS, UNKNOWN_NAMES } from '../../../shared/device.ts';
import { isObserved } from '../../../shared/event-text.ts';
import { deviceLabel, sentenceOf, textOf } from './sentence.ts';

const AT = '2026-11-01T08:15:00.000Z';
const NAS = { mac: '00:1E:06:00:00:01', key: '00:1E:06:00:00:01', name: 'nas' };
/** Each type with each cause. */
const SAID = EventType.options
  .filter((type) => !isObserved(type))
  .flatMap((type) => DeviceEvent.shape.cause.options.map((cause) => [type, cause] as const));

function event(wanted: Partial<DeviceEvent>): DeviceEvent {
  return {
    ...{ id: '1763800000002.0', at: AT, recordedAt: AT, type: 'edited', device: NAS, changes: {} },
    ...{ actor: '0123456789abcdef', cause: 'edit' },
    ...wanted,
  };
}

const said = (wanted: Partial<DeviceEvent>) => textOf(sentenceOf(event(wanted)));
const of = (field: string, from: string | number | null, to: string | number | null) => ({ [field]: { from, to } });

describe('an event of one device', () => {
  test.each<[Partial<DeviceEvent>, string]>([
    [{ type: 'new', cause: 'sighting' }, 'nas was seen for the first time'],
    [{ type: 'new' }, 'nas was added'],
    [{ type: 'online', cause: 'sighting' }, 'nas came online'],
    [{ type: 'online', cause: 'import' }, 'nas was set to online'],
    [{ type: 'offline', cause: 'sighting' }, 'nas went offline'],
    [{ type: 'down', cause: 'sighting' }, 'nas went down'],
    [{ type: 'ip-changed', changes: of('devLastIP', '', '192.168.1.21') }, 'nas received the address 192.168.1.21'],
    [
      { type: 'ip-changed', changes: of('devLastIP', '192.168.1.20', '192.168.1.21') },
      'nas changed its address to 192.168.1.21 (was 192.168.1.20)',
    ],
    [{ type: 'ip-changed', changes: of('devLastIP', '10.0.0.1', '') }, 'nas lost its address (was 10.0.0.1)'],
    [{ type: 'renamed', changes: of('devName', 'media', 'nas') }, 'media was renamed to nas'],
    [{ type: 'renamed', changes: of('devName', '(unknown)', 'nas') }, 'nas was named'],
    [
      { type: 'renamed', changes: of('devName', 'nas', ''), device: { ...NAS, name: '' } },
      'The name of 00:1E:06:00:00:01 was removed (was nas)',
    ],
    [{ type: 'edited', changes: of('devOwner', '', 'Ada') }, 'nas: owner set to Ada'],
    [{ type: 'edited', changes: of('devOwner', 'Ada', 'Bob') }, 'nas: owner changed to Bob (was Ada)'],
    [{ type: 'edited', changes: of('devOwner', 'Ada', '') }, 'nas: owner cleared (was Ada)'],
    [{ type: 'edited', changes: of('devFavorite', 0, 1) }, 'nas was added to favourites'],
    [{ type: 'edited', changes: of('devIsNew', 1, 0) }, 'nas was acknowledged'],
    [{ type: 'edited', changes: of('devIsArchived', 1, 0) }, 'nas was unarchived'],
    [{ type: 'edited', changes: of('devStaticIP', 0, 1) }, 'nas: static address changed to yes (was no)'],
    [{ type: 'edited', changes: {} }, 'nas: imported columns changed'],
    [
      { type: 'edited', changes: { ...of('devOwner', 'Ada', ''), ...of('devFavorite', 0, 1) } },
      'nas: 2 fields changed owner Ada nothing favourite no yes',
    ],
  ])('%j is said as %j', (wanted, sentence) => expect(said(wanted)).toBe(sentence));

  test.each(SAID)('of the type %s and the cause %s names the device and leaves no place empty', (type, cause) => {
    const changes = { ...of('devLastIP', '10.0.0.1', '10.0.0.2'), ...of('devName', 'media', 'nas') };
    const { parts } = sentenceOf(event({ type, cause, changes }));
    expect(parts.filter((part) => 'device' in part)).toEqual([{ device: 'nas' }]);
    expect(textOf({ parts, changes: [] })).not.toMatch(/[{}]|undefined| {2}/);
  });

  test.each(DEVICE_FIELDS)('names the field %s in words', (field) => {
    expect(said({ changes: of(field, 'a', 'b') })).not.toContain(field);
  });
});

describe('a change of many', () => {
  test.each<[Partial<DeviceEvent>, string]>([
    [{ type: 'imported', cause: 'import', count: 2000, deleted: 0 }, '2,000 devices imported'],
    [{ type: 'imported', cause: 'import', count: 2300, deleted: 300 }, '2,000 devices imported, 300 devices deleted'],
    [{ type: 'edited', cause: 'sighting', count: 250 }, '250 devices changed by discovery'],
    [{ type: 'found', cause: 'sighting', count: 12 }, '12 devices found by the first scan'],
    [{ type: 'restored', cause: 'restore', count: 1 }, '1 device restored'],
  ])('%j is said as %j', (wanted, sentence) => {
    expect(said({ device: null, ...wanted })).toBe(sentence);
  });

  test.each(SAID)('of the type %s and the cause %s says how many', (type, cause) => {
    const text = said({ type, cause, device: null, count: 4_321, deleted: 0 });
    expect(text).toContain('4,321 devices');
    expect(text).not.toMatch(/[{}]|undefined/);
  });
});

test('a device without a name is shown by its MAC, and one without MAC in words', () => {
  for (const name of UNKNOWN_NAMES) expect(deviceLabel({ ...NAS, name })).toBe(NAS.mac);
  expect(deviceLabel({ name: '', mac: '' })).toBe('an unnamed device');
});

test('values of devices never become part of the text between', () => {
  const hostile = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map((text) => `{to}${text}{device}`);
  fc.assert(
    fc.property(hostile, hostile, hostile, (name, from, to) => {
      const { parts } = sentenceOf(
        event({ type: 'ip-changed', device: { ...NAS, name }, changes: of('devLastIP', from, to) }),
      );
      expect(parts).toEqual([
        { device: name },
        { text: ' changed its address to ' },
        { value: to },
        { text: ' (was ' },
        { value: from },
        { text: ')' },
      ]);
    }),
  );
});
