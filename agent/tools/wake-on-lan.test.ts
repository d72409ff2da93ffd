import type { NetworkInterfaceInfo } from 'node:os';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { broadcastAddress, magicPacket, planPackets } from './wake-on-lan.ts';

const CARD = { mac: '00:1e:06:77:01:02', cidr: null };
const ipv4 = (address: string, netmask: string, internal = false): NetworkInterfaceInfo => {
  return { ...CARD, family: 'IPv4', address, netmask, internal };
};
const ipv6 = (address: string): NetworkInterfaceInfo => {
  return { ...CARD, family: 'IPv6', address, netmask: 'ffff:ffff:ffff:ffff::', internal: false, scopeid: 2 };
};

test('a magic packet: six times FF, sixteen times the MAC', () => {
  const packet = magicPacket('00:1E:06:AA:BB:01');
  expect(packet).toHaveLength(102);
  expect(packet.toString('hex')).toBe('ff'.repeat(6) + '001e06aabb01'.repeat(16));
});

test('two broadcast addresses for IPv4, all nodes for IPv6, each on both ports', () => {
  const planned = planPackets({
    lo: [ipv4('127.0.0.1', '255.0.0.0', true)],
    eth0: [ipv4('10.77.1.2', '255.255.255.0'), ipv6('fd77:1::2'), ipv6('fe80::21e:6ff:fe77:102')],
  });
  expect(planned.map((packet) => `${packet.source} > ${packet.address} ${packet.port}`)).toEqual([
    '10.77.1.2 > 10.77.1.255 9',
    '10.77.1.2 > 10.77.1.255 7',
    '10.77.1.2 > 255.255.255.255 9',
    '10.77.1.2 > 255.255.255.255 7',
    'fe80::21e:6ff:fe77:102%eth0 > ff02::1%eth0 9',
    'fe80::21e:6ff:fe77:102%eth0 > ff02::1%eth0 7',
  ]);
});

test.each([
  ['10.77.1.2', '255.255.255.0', '10.77.1.255'],
  ['192.168.7.9', '255.255.252.0', '192.168.7.255'],
  ['10.0.0.1', '255.255.255.252', '10.0.0.3'],
  ['10.0.0.1', '255.255.255.254', null],
  ['10.0.0.1', '255.255.255.255', null],
  ['no address', '255.255.255.0', null],
])('the broadcast address of %s with mask %s is %s', (address, netmask, expected) => {
  expect(broadcastAddress(address, netmask)).toBe(expected);
});

test('no text breaks the plan', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (address, netmask) => {
      planPackets({ eth0: [ipv4(address, netmask), ipv6(address)] });
    }),
  );
});
