import { expect, test } from 'vitest';
import { formatRange } from '../../shared/network.ts';
import { attachment, rawSockets } from './network.ts';

const address = (cidr: string, internal = false) => ({
  address: cidr.split('/')[0]!,
  netmask: '',
  mac: '00:00:00:00:00:00',
  cidr,
  internal,
  ...(cidr.includes(':') ? { family: 'IPv6' as const, scopeid: 0 } : { family: 'IPv4' as const }),
});

test('the attached networks are those of all interfaces but loopback, each once and without host bits; its addresses are those of all', () => {
  const { networks, addresses, interfaceNames } = attachment({
    lo: [address('127.0.0.1/8', true), address('::1/128', true)],
    eth0: [address('192.168.1.7/24'), address('fe80::1234/64'), address('2001:db8:1:2:3:4:5:6/64')],
    wlan0: [address('192.168.1.8/24')],
    tun0: [address('10.8.0.2/32')],
  });
  expect(networks.map(formatRange)).toEqual(['192.168.1.0/24', 'fe80::/64', '2001:db8:1:2::/64', '10.8.0.2']);
  expect([...interfaceNames]).toEqual(['lo', 'eth0', 'wlan0', 'tun0']);
  expect(addresses.map(formatRange).join(' ')).toBe(
    '127.0.0.1 ::1 192.168.1.7 fe80::1234 2001:db8:1:2:3:4:5:6 192.168.1.8 10.8.0.2',
  );
});

const status = (effective: string, ambient: string) => `Name:\tnode\nCapEff:\t${effective}\nCapAmb:\t${ambient}\n`;

test.each([
  ['root with all capabilities', 0, status('000001ffffffffff', '0000000000000000'), true],
  ['root in a container that took CAP_NET_RAW away', 0, status('00000000a80405fb', '0000000000000000'), false],
  ['a user with the capability in the ambient set', 1000, status('0000000000002000', '0000000000002000'), true],
  ['a user whose capability does not pass to programs', 1000, status('0000000000002000', '0000000000000000'), false],
  ['root on a system without /proc', 0, '', true],
  ['a user on a system without /proc', 501, '', false],
])('raw sockets: %s', (_case, uid, text, expected) => {
  expect(rawSockets(uid, text)).toBe(expected);
});
