import { expect, test } from 'vitest';
import { BLANK_DEVICE } from '../../shared/device.ts';
import { nameWith, slugOf, wantedOf } from './wanted.ts';

const device = { ...BLANK_DEVICE, devMac: '00:1E:06:00:00:01', devLastIP: '192.168.1.20' };
const networks = ['192.168.0.0/16', '192.168.1.0/24', '2001:db8::/64'];

test('an address has the length of the smallest network that it is in', () => {
  const addressOf = (devLastIP: string, among = networks) => wantedOf('home', { ...device, devLastIP }, among)?.address;
  expect(addressOf('192.168.1.20')).toBe('192.168.1.20/24');
  expect(addressOf('192.168.9.20')).toBe('192.168.9.20/16');
  expect(addressOf('10.0.0.1')).toBe('10.0.0.1/32');
  expect(addressOf('2001:db8::7')).toBe('2001:db8::7/64');
  expect(addressOf('')).toBeNull();
});

test('only what belongs into an inventory is wanted, under a name that NetBox takes', () => {
  for (const other of [{ devMac: '' }, { devMac: 'Internet' }, { devIsArchived: 1 }, { devRandomMAC: 1 }] as const) {
    expect(wantedOf('home', { ...device, ...other }, networks)).toBeNull();
  }
  expect(wantedOf('home', { ...device, devName: '(unknown)', devFQDN: 'nas.lan' }, networks)?.name).toBe('nas.lan');
  const long = wantedOf('home', { ...device, devName: 'x'.repeat(300) }, networks)!;
  expect(long.name).toHaveLength(64);
  expect(nameWith(long.name, long.mac)).toMatch(/^x{55} \(000001\)$/);
  expect(['Häfele & Söhne', '…', 'a'.repeat(200)].map(slugOf)).toEqual(['hafele-sohne', 'unknown', 'a'.repeat(100)]);
});
