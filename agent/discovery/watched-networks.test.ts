import fc from 'fast-check';
import { expect, test } from 'vitest';
import { range, rangeSize, rangeWithin } from '../../shared/network.ts';
import { parsePolicy } from '../jobs/policy.ts';
import { chooseNetworks, type Link, parseLinks } from './watched-networks.ts';

const rules = (discovery: object = {}) => parsePolicy({ discovery }).discovery;

function link(network: string, changes: Partial<Link> = {}): Link {
  const place = { interface: 'eth0', mac: '00:1E:06:00:00:01', address: '192.0.2.1', network: range(network) };
  return { ...place, ipv6: null, gateway: null, virtual: false, ...changes };
}

const cidrs = (links: Link[], wanted: 'auto' | string[], policy: object = {}) =>
  chooseNetworks(links, wanted, rules(policy)).networks.map(({ cidr }) => cidr);
const problems = (links: Link[], wanted: 'auto' | string[], policy: object = {}) =>
  chooseNetworks(links, wanted, rules(policy)).problems;

test('by itself: private networks of /22 and longer, on interfaces that lead to a LAN', () => {
  const links = [
    link('192.168.1.0/24'),
    link('10.0.0.0/22', { interface: 'eth1' }),
    link('203.0.113.0/24', { interface: 'eth2' }),
    link('172.17.0.0/24', { interface: 'docker0', virtual: true }),
    link('10.20.0.0/16', { interface: 'eth3' }),
  ];
  expect(cidrs(links, 'auto')).toEqual(['192.168.1.0/24', '10.0.0.0/22']);
  expect(problems(links, 'auto')).toEqual([
    '10.20.0.0/16 is too large to be watched automatically; name the parts of it to watch',
  ]);
});

test('named: the part of what is attached, also of a large, a public or a virtual network', () => {
  const links = [link('10.20.0.0/16'), link('203.0.113.0/24'), link('172.17.0.0/24', { virtual: true })];
  expect(cidrs(links, ['10.20.16.0/20', '203.0.113.0/25', '172.17.0.0/24'])).toEqual([
    '10.20.16.0/20',
    '203.0.113.0/25',
    '172.17.0.0/24',
  ]);
  expect(cidrs([link('192.168.1.0/24')], ['192.168.0.0/20'])).toEqual(['192.168.1.0/24']);
  expect(problems(links, ['192.168.9.0/24'])).toEqual(['this host is not attached to 192.168.9.0/24']);
});

test('the policy narrows what is watched, and says so', () => {
  const links = [link('10.20.0.0/16'), link('192.168.1.0/24')];
  expect(cidrs(links, 'auto', { networks: ['10.20.5.0/24'] })).toEqual(['10.20.5.0/24']);
  expect(problems(links, 'auto', { networks: ['10.20.5.0/24'] })).toEqual([
    '192.168.1.0/24 is not allowed by the policy of this host',
  ]);
  expect(cidrs(links, ['192.168.1.0/24', '10.20.0.0/24'], { maxAddresses: 300 })).toEqual(['192.168.1.0/24']);
  expect(problems(links, ['192.168.1.0/24', '10.20.0.0/24'], { maxAddresses: 300 })).toEqual([
    '10.20.0.0/24 is left out: the policy of this host allows 300 addresses in all',
  ]);
});

const network = fc
  .tuple(fc.constantFrom('10.0', '10.1', '192.168', '203.0'), fc.nat({ max: 255 }), fc.integer({ min: 16, max: 30 }))
  .map(([start, third, prefix]) => `${start}.${third}.0/${prefix}`);

test('whatever is wanted and allowed: only what lies in all three, and no more addresses than the policy says', () => {
  const small = network.filter((text) => Number(text.split('/')[1]) >= 20);
  const wanted = fc.oneof(fc.constant('auto' as const), fc.array(small, { minLength: 1, maxLength: 5 }));
  const allowed = fc.oneof(fc.constant('attached' as const), fc.array(network, { maxLength: 3 }));
  const limits = fc.record({ networks: allowed, maxAddresses: fc.integer({ min: 1, max: 65_536 }) });
  fc.assert(
    fc.property(fc.array(network, { maxLength: 4 }), wanted, limits, (attached, wanted, limits) => {
      const policy = rules(limits);
      const links = attached.map((text, i) => link(text, { interface: `eth${i}` }));
      const chosen = chooseNetworks(links, wanted, policy).networks.map(({ range }) => range);
      for (const each of chosen) {
        expect(links.some(({ network }) => rangeWithin(each, network))).toBe(true);
        if (wanted !== 'auto') expect(wanted.some((text) => rangeWithin(each, range(text)))).toBe(true);
        if (policy.networks !== 'attached')
          expect(policy.networks.some((outer) => rangeWithin(each, outer))).toBe(true);
        expect(each.prefix).toBeGreaterThanOrEqual(wanted === 'auto' ? 22 : 20);
      }
      const size = chosen.reduce((sum, each) => sum + rangeSize(each), 0n);
      expect(size).toBeLessThanOrEqual(BigInt(limits.maxAddresses));
    }),
  );
});

/** As `ip -json -details addr` prints it. */
function entry(ifname: string, addresses: string[], changes: object = {}) {
  return {
    ifname,
    flags: ['BROADCAST', 'MULTICAST', 'UP', 'LOWER_UP'],
    operstate: 'UP',
    link_type: 'ether',
    address: '00:1e:06:00:00:01',
    addr_info: addresses.map((cidr) => {
      const [local = '', prefix] = cidr.split('/');
      return { family: local.includes(':') ? 'inet6' : 'inet', local, prefixlen: Number(prefix) };
    }),
    ...changes,
  };
}
const ROUTES = JSON.stringify([{ dst: 'default', gateway: '192.168.1.1', dev: 'eth0', flags: [] }]);
const linksOf = (...entries: object[]) => parseLinks(JSON.stringify(entries), ROUTES);

test('an interface with its addresses, and the gateway where it is', () => {
  const addresses = ['192.168.1.7/24', '10.9.9.9/24', 'fe80::1/64', 'fd00::7/64'];
  expect(linksOf(entry('eth0', addresses))).toEqual([
    link('192.168.1.0/24', { address: '192.168.1.7', ipv6: 'fd00::7', gateway: '192.168.1.1' }),
    link('10.9.9.0/24', { address: '10.9.9.9', ipv6: 'fd00::7' }),
  ]);
});

test('interfaces without a cable, without Ethernet, and addresses that have no neighbours are passed over', () => {
  const one = ['192.168.1.7/24'];
  expect(linksOf(entry('eth0', one, { flags: ['UP'] }))).toEqual([]);
  expect(linksOf(entry('eth0', one, { flags: ['BROADCAST', 'LOWER_UP'] }))).toEqual([]);
  expect(linksOf(entry('eth0', one, { operstate: 'DOWN' }))).toEqual([]);
  expect(linksOf(entry('wg0', one, { link_type: 'none' }))).toEqual([]);
  expect(linksOf(entry('eth0', ['192.168.1.7/32', '169.254.3.4/16', 'fd00::7/64']))).toEqual([]);
  expect(linksOf({}, { ifname: 7 })).toEqual([]);
  expect(parseLinks('', '')).toEqual([]);
});

test("Docker's bridge is virtual, that of a hypervisor on its LAN is not", () => {
  const bridge = { linkinfo: { info_kind: 'bridge' } };
  const virtual = (...ports: object[]) =>
    linksOf(entry('br0', ['192.168.1.7/24'], bridge), ...ports).map((each) => each.virtual);
  const guest = entry('veth1', [], { master: 'br0', linkinfo: { info_kind: 'veth' } });
  expect(virtual()).toEqual([true]);
  expect(virtual(guest)).toEqual([true]);
  expect(virtual(guest, entry('eth0', [], { master: 'br0' }))).toEqual([false]);
  expect(linksOf(entry('tap0', ['192.168.1.7/24'], { linkinfo: { info_kind: 'tun' } }))[0]?.virtual).toBe(true);
  expect(linksOf(entry('eth0', ['192.168.1.7/24'], { linkinfo: { info_kind: 'veth' } }))[0]?.virtual).toBe(false);
});
