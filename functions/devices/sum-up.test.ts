import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChangeGroup } from '../../shared/api/changes.ts';
import { type DeviceEvent, EventType } from '../../shared/api/events.ts';
import { DEVICE_FIELDS } from '../../shared/device.ts';
import { sumUp } from './sum-up.ts';

let events = 0;
const NAS = { mac: '00:1E:06:AA:BB:01', key: '00:1E:06:AA:BB:01', name: 'nas' };
const PHONE = { mac: '00:1E:06:AA:BB:02', key: '00:1E:06:AA:BB:02', name: 'phone' };

/** @param minute after eight o'clock */
function event(minute: number, type: EventType, more: Partial<DeviceEvent> = {}): DeviceEvent {
  const at = new Date(Date.UTC(2026, 10, 1, 8, minute)).toISOString();
  const by = { actor: 'home:main', cause: 'sighting' } as const;
  return { id: `${++events}.0`, at, recordedAt: at, type, device: NAS, changes: {}, ...by, ...more };
}
const ip = (minute: number, from: string, to: string) =>
  event(minute, 'ip-changed', { changes: { devLastIP: { from, to } } });
const port = (minute: number, type: 'port-opened' | 'port-closed', number: number, service = '') =>
  event(minute, type, { detail: { port: number, protocol: 'tcp', service } });
const about = (kind: 'agent' | 'check' | 'internet' | 'outage', id: string) => ({
  device: null,
  subject: { kind, id, name: id },
});

/** The sentences of the one group that these are. */
function said(...some: DeviceEvent[]): string[] {
  const { changes } = sumUp(some);
  expect(changes).toHaveLength(1);
  return changes.flatMap(({ sentences }) => sentences.map(({ text }) => text));
}

test('presence is one sentence, however often it has changed', () => {
  expect(said(event(0, 'online'))).toEqual(['came online']);
  expect(said(event(0, 'down'))).toEqual(['went down']);
  expect(said(event(0, 'offline'), event(40, 'online'))).toEqual(['was offline for 40 min']);
  expect(said(event(0, 'online'), event(5, 'offline'))).toEqual(['came online; is offline again']);
  expect(said(event(0, 'new'), event(5, 'offline'))).toEqual(['appeared; is offline again']);
  expect(
    said(event(0, 'offline'), event(5, 'online'), event(9, 'down'), event(19, 'online'), event(30, 'offline')),
  ).toEqual(['was offline 2 times, 15 min in all; is offline again']);
  expect(said(event(0, 'online'), event(5, 'online'), event(12, 'online'))).toEqual(['came online 3 times']);
  expect(said(event(0, 'new'), event(9, 'deleted', { cause: 'delete' }))).toEqual(['appeared', 'was deleted']);
});

test('addresses and names are chains, and fields have their final values', () => {
  expect(said(ip(0, '192.168.1.20', '192.168.1.21'), ip(1, '192.168.1.21', '192.168.1.20'))).toEqual([
    'address 192.168.1.20 → .21 → .20',
  ]);
  expect(said(ip(0, '', '192.168.1.20'))).toEqual(['address 192.168.1.20']);
  expect(said(ip(0, '192.168.1.20', ''))).toEqual(['address 192.168.1.20 → none']);
  const renamed = (from: string, to: string) => event(0, 'renamed', { changes: { devName: { from, to } } });
  expect(said(renamed('(name not found)', 'nas'))).toEqual(['is named "nas"']);
  expect(said(renamed('a', 'b'), renamed('b', 'c'))).toEqual(['was renamed: "a" → "b" → "c"']);
  const edited = (changes: DeviceEvent['changes']) => event(0, 'edited', { changes });
  expect(
    said(
      edited({ devOwner: { from: '', to: 'me' }, devParentMAC: { from: 'Internet', to: '' } }),
      edited({ devOwner: { from: 'me', to: 'you' }, devFavorite: { from: 0, to: 1 } }),
      edited({ devFavorite: { from: 1, to: 0 } }),
    ),
  ).toEqual(['was edited: parent MAC cleared, owner "you", favorite as before']);
});

test('ports are summed up by what became of them', () => {
  expect(
    said(
      port(0, 'port-opened', 8080, 'http-proxy'),
      port(1, 'port-opened', 22, 'ssh'),
      port(2, 'port-closed', 22, 'ssh'),
      port(3, 'port-closed', 443),
    ),
  ).toEqual(['opened port 8080/tcp (http-proxy); closed port 443/tcp; opened port 22/tcp (ssh) and closed again']);
});

test('what happened to no device has groups of its own, with their duration', () => {
  const outage = about('outage', '7');
  const { summary, changes } = sumUp([
    event(0, 'outage', { ...outage, count: 12, detail: { why: 'the switch' } }),
    event(40, 'outage-over', { ...outage, detail: { seconds: 2_400, back: 12, still: 0 } }),
    event(41, 'check-down', { subject: { kind: 'check', id: 'web', name: 'web' }, detail: { reason: 'no answer' } }),
    event(42, 'agent-back', { ...about('agent', 'home:main'), detail: { seconds: 90 } }),
    event(43, 'imported', { device: null, cause: 'import', count: 48, deleted: 3 }),
    event(44, 'found', { device: null, count: 5 }),
    event(45, 'new', { device: PHONE }),
  ]);
  expect(changes.map(({ device, subject, sentences }) => [device?.name ?? subject?.id ?? null, sentences])).toEqual([
    ['phone', [expect.objectContaining({ text: 'appeared' })]],
    [
      null,
      [
        expect.objectContaining({ text: '45 devices were imported, 3 devices were deleted' }),
        expect.objectContaining({ text: '5 devices were found by the first look at a network' }),
      ],
    ],
    ['home:main', [expect.objectContaining({ text: 'is connected again after 1 min' })]],
    ['nas', [expect.objectContaining({ text: 'web: does not answer: no answer' })]],
    ['7', [expect.objectContaining({ text: '12 devices were gone at once for 40 min', count: 2 })]],
  ]);
  expect(summary).toBe('1 new device, 5 devices found, 48 devices imported, 1 outage of 40 min, 1 failed check.');
});

test('one sentence about all of it', () => {
  expect(sumUp([]).summary).toBe('Nothing changed.');
  expect(
    sumUp([
      event(0, 'new', { device: PHONE }),
      event(1, 'offline', { device: PHONE }),
      event(2, 'offline'),
      port(3, 'port-opened', 80),
    ]).summary,
  ).toBe('1 new device, 1 port opened, 1 device came or went.');
  expect(sumUp([ip(0, '10.0.0.1', '10.0.0.2'), event(2, 'online')]).summary).toBe('1 device changed.');
  expect(sumUp([event(0, 'agent-back', about('agent', 'x'))]).summary).toBe('1 other event.');
});

const Key = fc.constantFrom(NAS.key, PHONE.key, '~5f1c');
const Text = fc.string({ unit: 'binary', maxLength: 700 });
const Subject = fc.record({
  kind: fc.constantFrom('agent' as const, 'check' as const, 'outage' as const),
  id: fc.constantFrom('a', 'b'),
  name: Text,
});
const AnyEvent: fc.Arbitrary<DeviceEvent> = fc
  .record(
    {
      minute: fc.nat(59),
      type: fc.constantFrom(...EventType.options),
      device: fc.option(fc.record({ mac: fc.constant(''), key: Key, name: Text })),
      changes: fc.dictionary(fc.constantFrom(...DEVICE_FIELDS), fc.record({ from: Text, to: Text })),
      subject: Subject,
      detail: fc.dictionary(fc.constantFrom('port', 'service', 'seconds', 'why', 'from', 'to'), Text),
      count: fc.integer({ min: 1, max: 99 }),
    },
    { requiredKeys: ['minute', 'type', 'device', 'changes'] },
  )
  .map(({ minute, type, ...one }) => event(minute, type, one));

test('every event is counted once, what happened last comes first, and no text steers a terminal', () => {
  fc.assert(
    fc.property(fc.array(AnyEvent, { maxLength: 40 }), (all) => {
      const { summary, changes, summaryCodes } = sumUp(all);
      expect(changes.reduce((sum, { count }) => sum + count, 0)).toBe(all.length);
      for (const { count, sentences } of changes) {
        expect(sentences.reduce((sum, sentence) => sum + sentence.count, 0)).toBe(count);
        expect(sentences.map(({ at }) => at)).toEqual(sentences.map(({ at }) => at).sort());
        for (const { text } of sentences) {
          expect(text).toMatch(/^[^\p{Cc}\p{Bidi_Control}]{1,500}$/u);
        }
      }
      const lasts = changes.map(({ sentences }) => sentences.at(-1)?.at ?? '');
      expect(lasts).toEqual([...lasts].sort().reverse());
      expect(summary).toMatch(/^[^\p{Cc}]+\.$/u);
      expect(changes.map((group) => ChangeGroup.parse(group))).toEqual(changes); // A code that is none would be dropped.
      expect(sumUp([...all].reverse())).toEqual({ summary, changes, summaryCodes });
    }),
  );
});
