import { expect, test } from 'vitest';
import { range } from '../../shared/network.ts';
import { nameServersOf, parseNameServers } from './name-servers.ts';

const LAN = { gateway: '192.168.1.1', range: range('192.168.1.0/24') };

test('the gateway of a network is queried first, and then name servers of this host that are on a LAN', () => {
  expect(nameServersOf(LAN, ['192.168.1.53', '192.168.1.1', 'fd00::53', '10.0.0.9'], [LAN])).toEqual([
    '192.168.1.1',
    '192.168.1.53',
    'fd00::53',
  ]);
  expect(nameServersOf({ gateway: null }, ['127.0.0.1'], [LAN])).toEqual(['127.0.0.1']);
});

test('a name server on the internet is never queried for an address of the LAN', () => {
  const beyond = ['9.9.9.9', '2620:fe::fe', '100.100.100.100', '169.254.169.253', '[2001:db8::1]:5353', 'nonsense'];
  expect(nameServersOf(LAN, beyond, [LAN])).toEqual(['192.168.1.1']);
  expect(nameServersOf({ gateway: null }, beyond, [LAN])).toEqual([]);
  // One that is attached belongs to the LAN, whatever its address.
  expect(nameServersOf(LAN, ['9.9.9.9'], [LAN, { range: range('9.9.9.0/24') }])).toEqual(['192.168.1.1', '9.9.9.9']);
});

test('behind the stub of systemd stand the servers of its file', () => {
  const text =
    '# made by systemd-resolved\nnameserver 192.168.1.53\n nameserver fe80::1%2\nnameserver\noptions edns0\n';
  expect(parseNameServers(text)).toEqual(['192.168.1.53', 'fe80::1']);
});
