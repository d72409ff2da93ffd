/** Which devices are proposed as one, and which must not be. */
import { expect, test } from 'vitest';
import type { ObservationSource } from '../../shared/agent/observations.ts';
import { BLANK_DEVICE, type DeviceRecord } from '../../shared/device.ts';
import { isCommonName } from '../../shared/recognition/names.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import { packObserved } from './collection/observed.ts';
import { APART } from './members.ts';
import { sameDevices } from './same-device.ts';

type Heard = Partial<Record<ObservationSource, string>>;

function device(mac: string, heard: Heard, record: Partial<DeviceRecord> = {}): StoredDevice {
  const all = Object.entries(heard) as [ObservationSource, string][];
  const observations = all.map(([source, value]) => ({ source, value, at: 1_000 }));
  const observed = packObserved({ main: observations });
  return {
    key: mac,
    record: { ...BLANK_DEVICE, devMac: mac, ...record },
    ...(observed === undefined ? {} : { observed }),
  };
}

/** A phone with the MAC of one day of November. */
const phone = (day: number, heard: Heard, record: Partial<DeviceRecord> = {}) =>
  device(`02:00:00:00:00:${String(day).padStart(2, '0')}`, heard, {
    devRandomMAC: 1,
    devFirstConnection: `2026-11-${String(day).padStart(2, '0')} 08:00:00`,
    devLastConnection: `2026-11-${String(day).padStart(2, '0')} 22:00:00`,
    ...record,
  });
const card = (last: string, heard: Heard, record: Partial<DeviceRecord> = {}) =>
  device(`00:1E:06:00:00:${last}`, heard, { devPresentLastScan: 1, ...record });

async function groupsOf(...devices: StoredDevice[]): Promise<string[][]> {
  const sorted = [...devices].sort((a, b) => (a.key < b.key ? -1 : 1));
  const groups = await sameDevices(sorted);
  return groups.map(({ device, others }) => [device.key, ...others.map(({ key }) => key)]);
}

const anna = { mdns: 'Annas-Telefon.local' };
const dhcp = { 'dhcp-name': 'Pixel-7', 'dhcp-options': '1,3,6,15,26', 'dhcp-class': 'android-dhcp-14' };

test('made-up MACs of one name that were never there together are one; the latest stays, or the one that people know', async () => {
  const days = [phone(1, anna), phone(2, { 'dhcp-name': 'annas-telefon' }), phone(3, anna)];
  expect(await groupsOf(...days)).toEqual([days.map(({ key }) => key).reverse()]);
  const named = { ...phone(1, anna), byPerson: ['devName'] as const };
  expect((await groupsOf(named, phone(2, anna)))[0]?.[0]).toBe(named.key);
  expect((await sameDevices(days))[0]).toMatchObject({
    confidence: 0.85,
    reason: 'All call themselves "Annas-Telefon", made up their MACs, and were never there at the same time.',
  });
});

test('cards that answer for the same addresses are one host, also one that made its MAC up', async () => {
  const ips = (devAddresses: string) => ({ devAddresses });
  const both = ips('10.0.0.24,10.0.0.25,fe80::1');
  expect(await groupsOf(card('01', {}, both), card('99', {}, ips('10.0.0.24,10.0.0.25')))).toHaveLength(1);
  const radio = phone(1, {}, { ...both, devPresentLastScan: 1 });
  expect(await groupsOf(card('01', {}, both), radio)).toHaveLength(1);
  expect(await groupsOf(card('01', {}, both), card('02', {}, ips('10.0.0.24,10.0.0.26')))).toEqual([]);
  expect(await groupsOf(card('01', {}, ips('10.0.0.24,fe80::1')), card('02', {}, ips('10.0.0.24,fe80::1')))).toEqual(
    [],
  );
  expect(await groupsOf(card('01', {}, both), card('02', {}, { ...both, devPresentLastScan: 0 }))).toEqual([]);
});

test('two that were there together are not proposed, and neither is what a person has split', async () => {
  expect(await groupsOf(phone(1, anna), phone(2, anna, { devFirstConnection: '2026-11-01 21:00:00' }))).toEqual([]);
  const now = { devPresentLastScan: 1 as const };
  expect(await groupsOf(phone(1, anna, now), phone(2, anna, now))).toEqual([]);
  expect(await groupsOf({ ...phone(1, anna), byPerson: [APART] }, phone(2, anna))).toEqual([]);
  expect(await groupsOf(phone(1, anna), phone(2, { mdns: 'bertas-telefon' }))).toEqual([]);
});

test('the name of a model needs that they ask for addresses in the same way', async () => {
  expect(await groupsOf(phone(1, { mdns: 'iPhone' }), phone(2, { mdns: 'iPhone' }))).toEqual([]);
  expect(await groupsOf(phone(1, dhcp), phone(2, dhcp))).toHaveLength(1);
  expect(await groupsOf(phone(1, dhcp), phone(2, { ...dhcp, 'dhcp-options': '1,3,6' }))).toEqual([]);
});

test('cards of one host share an identifier, or a name and neighbouring MACs, and are there together', async () => {
  const udn = { 'upnp-id': 'uuid:2f402f80-da50-11e1-9b23-001788aabbcc' };
  expect(await groupsOf(card('01', udn), card('F0', udn))).toHaveLength(1);
  expect(await groupsOf(card('01', udn), card('F0', udn, { devPresentLastScan: 0 }))).toEqual([]);
  const nas = { mdns: 'vault.local' };
  expect(await groupsOf(card('01', nas), card('02', nas), card('0A', nas))).toEqual([
    ['00:1E:06:00:00:01', '00:1E:06:00:00:02'],
  ]);
  const shop = { 'snmp-name': 'sw-core' };
  expect(await groupsOf(card('10', shop), card('18', shop))).toHaveLength(1);
  expect(await groupsOf(card('10', shop), card('19', shop))).toEqual([]);
  expect(await groupsOf(card('10', anna), phone(2, anna))).toEqual([]);
});

test.each([
  ['iphone', true],
  ['galaxy-s21-ultra', true],
  ['pixel-7', true],
  ['android-1a2b3c4d5e6f7a8b', true],
  ['localhost', true],
  ['espressif', true],
  ['redmi-note-9', true],
  ['annas-iphone', false],
  ['desktop-ab12cd3', false],
  ['vault', false],
  ['brw94ddf8123456', false],
])('whether many devices are called %s: %s', (name, isCommon) => {
  expect(isCommonName(name)).toBe(isCommon);
});
