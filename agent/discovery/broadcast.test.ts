import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeviceMac } from '../../shared/agent/discovery.ts';
import { parseIp, parseMac } from '../../shared/network.ts';
import { arpFrame, dhcpFrame, ipv6Frame } from '../../test/support/agent/frames.ts';
import { type Sign, signIn } from './broadcast.ts';

const MAC = '00:11:32:00:00:20';
const OTHER = '00:11:32:00:00:21';
const sign = (changes: Partial<Sign>): Sign => ({ mac: MAC, ip: null, wanted: null, heard: [], ...changes });

test('ARP: a request, a broadcast reply and an announcement show the address of the sender; a probe has none yet', () => {
  const there = sign({ ip: '10.0.0.20' });
  expect(signIn(arpFrame(MAC, '10.0.0.20', { target: '10.0.0.254' }))).toEqual(there);
  expect(signIn(arpFrame(MAC, '10.0.0.20'))).toEqual(there);
  expect(signIn(arpFrame(MAC, '10.0.0.20', { operation: 2 }))).toEqual(there);
  expect(signIn(arpFrame(MAC, '0.0.0.0', { target: '10.0.0.20' }))).toEqual(sign({ wanted: '10.0.0.20' }));
});

test('ARP that shows nothing of its sender', () => {
  expect(signIn(arpFrame(MAC, '10.0.0.20', { sender: OTHER }))).toBeNull();
  expect(signIn(arpFrame(MAC, '10.0.0.20', { operation: 3 }))).toBeNull();
  // A reply to this host: the scan reads it.
  expect(signIn(arpFrame(MAC, '10.0.0.20', { operation: 2, to: OTHER }))).toBeNull();
  expect(signIn(arpFrame('01:00:5E:00:00:01', '10.0.0.20'))).toBeNull();
  expect(signIn(arpFrame('00:00:00:00:00:00', '10.0.0.20'))).toBeNull();
});

test('a tag of VLAN 0 is a priority; what has another one is of another network', () => {
  expect(signIn(arpFrame(MAC, '10.0.0.20', { vlan: 0 }))).toEqual(sign({ ip: '10.0.0.20' }));
  expect(signIn(arpFrame(MAC, '10.0.0.20', { vlan: 0x6000 }))).toEqual(sign({ ip: '10.0.0.20' }));
  expect(signIn(dhcpFrame(MAC, { vlan: 0 }))).toEqual(sign({}));
  expect(signIn(arpFrame(MAC, '10.0.0.20', { vlan: 20 }))).toBeNull();
});

test('DHCP: a DISCOVER wishes for an address, a REQUEST and an INFORM have one', () => {
  const heard = [
    { source: 'dhcp-name', value: 'Annas-iPhone' },
    { source: 'dhcp-class', value: 'android-dhcp-14' },
    { source: 'dhcp-options', value: '1,3,6,15' },
  ] as const;
  const says = { name: 'Annas-iPhone\0', vendorClass: 'android-dhcp-14', parameters: [1, 3, 6, 15] };
  const requested = '10.0.0.20';
  expect(signIn(dhcpFrame(MAC, says))).toEqual(sign({ heard: [...heard] }));
  expect(signIn(dhcpFrame(MAC, { requested }))).toEqual(sign({ wanted: requested }));
  expect(signIn(dhcpFrame(MAC, { type: 3, requested }))).toEqual(sign({ ip: requested }));
  expect(signIn(dhcpFrame(MAC, { type: 3, ciaddr: '10.0.0.21' }))).toEqual(sign({ ip: '10.0.0.21' }));
  expect(signIn(dhcpFrame(MAC, { type: 8, ciaddr: '10.0.0.21', requested }))).toEqual(sign({ ip: '10.0.0.21' }));
});

test('DHCP that shows nothing of its sender', () => {
  const isNone = (request: Parameters<typeof dhcpFrame>[1]) => expect(signIn(dhcpFrame(MAC, request))).toBeNull();
  isNone({ operation: 2 }); // Of a server.
  isNone({ hardware: OTHER });
  isNone({ relay: '10.0.0.1' });
  isNone({ port: 68 });
  isNone({ type: 4 }); // A DECLINE: another device has the address.
  isNone({ options: Buffer.alloc(0) });
});

test('DHCP options are read as far as they are whole, and of two alike the first', () => {
  const read = (...options: number[]) => signIn(dhcpFrame(MAC, { options: Buffer.from(options) }))?.heard;
  const named = [{ source: 'dhcp-name', value: 'ab' }];
  expect(read(0, 0, 53, 1, 1, 12, 2, 97, 98, 12, 1, 99, 255)).toEqual(named);
  expect(read(53, 1, 1, 12, 2, 97, 98, 60, 40, 120)).toEqual(named);
  expect(read(53, 1, 1, 255, 12, 2, 97, 98)).toEqual([]);
  expect(read(53, 1, 1, 12, 0, 60, 1, 0, 55, 0)).toEqual([]);
});

test('IPv6: neighbour discovery, reports of MLD, DHCPv6 and mDNS show that a host is online; scans find its address', () => {
  const icmp = (type: number) => [type, 0, 0, 0, 0, 0, 0, 0];
  const udp = (port: number) => [0, 0, port >> 8, port & 255, 0, 8, 0, 0];
  const hopByHop = [58, 0, 5, 2, 0, 0, 1, 0];
  for (const type of [133, 135, 136]) expect(signIn(ipv6Frame(MAC, 58, icmp(type)))).toEqual(sign({}));
  for (const type of [131, 143]) {
    expect(signIn(ipv6Frame(MAC, 0, [...hopByHop, ...icmp(type)], { hopLimit: 1 }))).toEqual(sign({}));
  }
  for (const port of [547, 5353]) expect(signIn(ipv6Frame(MAC, 17, udp(port), { hopLimit: 1 }))).toEqual(sign({}));
  const none = [
    ipv6Frame(MAC, 58, icmp(135), { hopLimit: 64 }), // It has come through a router.
    ipv6Frame(MAC, 58, icmp(128)),
    ipv6Frame(MAC, 17, udp(53)),
    ipv6Frame(MAC, 58, icmp(135), { to: OTHER }),
    ipv6Frame(MAC, 0, hopByHop),
    ipv6Frame('01:00:5E:00:00:01', 58, icmp(135)),
  ];
  expect(none.map(signIn)).toEqual(none.map(() => null));
});

test('whatever a frame says, it is a sign of its sender with IPv4 addresses, or none', () => {
  const good = [arpFrame(MAC, '10.0.0.20'), dhcpFrame(MAC, { type: 3, name: 'nas', parameters: [1, 3] })];
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 });
  const changed = fc.tuple(fc.constantFrom(...good), changes, fc.constantFrom(0, 0, 0, 1, 30));
  const spoilt = changed.map(([frame, changes, cut]) => {
    const copy = Buffer.from(frame.subarray(0, Math.max(18, frame.length - cut)));
    for (const [at, byte] of changes) copy[at % copy.length] = byte;
    return copy;
  });
  const random = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.concat([Buffer.alloc(6, 255), bytes]));
  let signs = 0;
  fc.assert(
    fc.property(fc.oneof(spoilt, random), (frame) => {
      const sign = signIn(frame);
      if (sign === null) return;
      signs++;
      expect(parseMac(sign.mac) === sign.mac && isDeviceMac(sign.mac)).toBe(true);
      for (const ip of [sign.ip, sign.wanted]) if (ip !== null) expect(parseIp(ip)?.family).toBe(4);
      for (const { value } of sign.heard) expect(value.length).toBeLessThanOrEqual(255);
    }),
    { numRuns: 500 },
  );
  expect(signs).toBeGreaterThan(50);
});
