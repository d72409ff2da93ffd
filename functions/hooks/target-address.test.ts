import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatIp } from '../../shared/network.ts';
import { mayGoInClear, refusalOf } from './target-address.ts';

const cloud = { allowPrivate: false };
const oneMachine = { allowPrivate: true };
/** Its default. */
const lan = { allowPrivate: 'lan' } as const;

const METADATA = '169.254.169.254 fd00:ec2::254 100.100.100.200 168.63.129.16 192.0.0.192 fd20:ce::254'.split(' ');
const LINK_LOCAL = ['169.254.1.1', 'fe80::1', 'fe80::1%eth0'];
const NO_HOST = ['0.0.0.0', '0.1.2.3', '224.0.0.1', '239.255.255.250', '255.255.255.255', '::', 'ff02::1'];
const PRIVATE = ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.178.33', 'fd12:3456::1', 'fc00::1'];
const NEAR = ['100.64.0.1', '127.0.0.1', '127.9.9.9', '::1'];
const PUBLIC = ['1.1.1.1', '93.184.215.14', '2606:4700::1111', '2a00:1450:4001::1', '172.32.0.1', '100.128.0.1'];

const NOWHERE = ['198.18.0.1', '203.0.113.9', '2001:db8::1', '240.0.0.1', 'fec0::1'];

test.each([
  ['of the internet', PUBLIC, { byCloud: true, byLan: true, byOneMachine: true, inClear: false }],
  ['that are private', PRIVATE, { byCloud: false, byLan: true, byOneMachine: true, inClear: true }],
  ['of this host or an overlay network', NEAR, { byCloud: false, byLan: false, byOneMachine: true }],
  [
    'that are no receiver',
    [...METADATA, ...LINK_LOCAL, ...NO_HOST, ...NOWHERE],
    { byCloud: false, byLan: false, byOneMachine: false },
  ],
])('addresses %s are reached only where they may be, and in clear only on the LAN', (_, addresses, expected) => {
  for (const address of addresses) {
    const [byCloud, byLan, byOneMachine] = [cloud, lan, oneMachine].map((one) => refusalOf(address, one) === null);
    const found = { address, byCloud, byLan, byOneMachine, inClear: mayGoInClear(address, lan) };
    expect(found).toMatchObject({ address, ...expected });
  }
});

/** Every way to write an IPv4 address as an IPv6 address that a system or a translator understands. */
function disguises(ipv4: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
  const hex = (high: number, low: number) => ((high << 8) | low).toString(16);
  return [
    `::ffff:${ipv4}`,
    `::${ipv4}`,
    `::ffff:0:${ipv4}`,
    `64:ff9b::${ipv4}`,
    `64:ff9b:1::${ipv4}`,
    `2002:${hex(a, b)}:${hex(c, d)}::1`,
    `2001:0:${hex(a, b)}:${hex(c, d)}::1`,
    `2a00:1450:4001:1::5efe:${ipv4}`,
  ];
}

const Octet = fc.integer({ min: 0, max: 255 });
const Ipv4In = (first: fc.Arbitrary<[number, number]>) =>
  fc.tuple(first, Octet, Octet).map(([[a, b], c, d]) => `${a}.${b}.${c}.${d}`);
const Secluded = Ipv4In(
  fc.oneof(
    Octet.map((b): [number, number] => [10, b]),
    fc.constant<[number, number]>([192, 168]),
    fc.constant<[number, number]>([169, 254]),
    fc.integer({ min: 16, max: 31 }).map((b): [number, number] => [172, b]),
    fc.integer({ min: 64, max: 127 }).map((b): [number, number] => [100, b]),
    Octet.map((b): [number, number] => [127, b]),
  ),
);

test('no form of a private, loopback or link-local IPv4 address is reached from the cloud', () => {
  fc.assert(
    fc.property(Secluded, (ipv4) => {
      for (const text of [ipv4, ...disguises(ipv4)]) expect([text, refusalOf(text, cloud)]).not.toEqual([text, null]);
    }),
  );
});

test('no form of a metadata address is reached, wherever', () => {
  for (const ipv4 of METADATA.filter((one) => !one.includes(':'))) {
    for (const text of [ipv4, ...disguises(ipv4)])
      expect([text, refusalOf(text, oneMachine)]).not.toEqual([text, null]);
  }
});

test('of IPv6 only what has been given out is reached from the cloud', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), (value) => {
      const isGivenOut = value >> 125n === 1n || value >> 32n === 0x0064_ff9b_0000_0000_0000_0000n;
      const text = formatIp({ family: 6, value, zone: null });
      if (!isGivenOut && value >> 32n !== 0xffffn) expect([text, refusalOf(text, cloud)]).not.toEqual([text, null]);
    }),
  );
});

test('what is no address is refused', () => {
  for (const text of ['', 'localhost', '127.1', '0x7f000001', '1.1.1.1.', '1.1.1.1/8']) {
    expect(refusalOf(text, oneMachine)).not.toBeNull();
  }
});
