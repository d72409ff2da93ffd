import fc from 'fast-check';
import { expect, test } from 'vitest';
import { device } from '../../../test/support/console/devices.ts';
import { lanesOf, nameOfLane, pointsOf, WITHOUT_POINT } from './lanes.ts';
import { forestOf, INTERNET } from './tree.ts';

const at = (...ips: string[]) => ips.map((ip) => device(ip || 'none', '', { ip }));
const drawn = (ips: string[], networks: string[] = []) =>
  lanesOf(at(...ips), networks).roots.map(({ key, leaves }) => [nameOfLane(key), leaves.map(({ ip }) => ip)]);

test('each network is a lane, in the order of addresses; without an address comes last', () => {
  expect(drawn(['', '10.0.10.2', '192.168.1.20', '10.0.9.1', '192.168.1.3', 'nonsense'])).toEqual([
    ['10.0.9.0/24', ['10.0.9.1']],
    ['10.0.10.0/24', ['10.0.10.2']],
    ['192.168.1.0/24', ['192.168.1.3', '192.168.1.20']],
    ['', ['', 'nonsense']],
  ]);
});

test('networks of agents count, the narrowest first; IPv6 counts by its /64', () => {
  const networks = ['10.0.0.0/16', '10.0.3.0/28', 'bad', '10.0.0.0/99'];
  expect(drawn(['10.0.1.1', '10.0.2.1', '10.0.3.5', 'fe80::1', 'fe80:0:0:0::2', '2001:db8:1::5'], networks)).toEqual([
    ['10.0.0.0/16', ['10.0.1.1', '10.0.2.1']],
    ['10.0.3.0/28', ['10.0.3.5']],
    ['2001:db8:1::/64', ['2001:db8:1::5']],
    ['fe80::/64', ['fe80::1', 'fe80:0:0:0::2']],
  ]);
});

test('for any text as address, each device but the Internet is in one lane', () => {
  const ip = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string());
  fc.assert(
    fc.property(fc.array(ip), fc.array(fc.string()), (ips, networks) => {
      const devices = [device(INTERNET), ...ips.map((one, i) => device(`d${i}`, '', { ip: one }))];
      const keys = lanesOf(devices, networks).roots.flatMap(({ leaves }) => leaves.map(({ key }) => key));
      expect(keys.toSorted()).toEqual(ips.map((_, i) => `d${i}`).toSorted());
    }),
  );
});

test('each access point is a group with its devices, and all others are one', () => {
  const isPoint = { type: 'AP' };
  const forest = forestOf([
    device('core', INTERNET),
    device('attic', 'core', isPoint),
    device('hall', 'core', isPoint),
    device('spare', 'core', isPoint),
    device('phone', 'attic'),
    device('nas', 'core'),
  ]);
  expect(
    pointsOf(forest).roots.map(({ key, leaves }) => [nameOfLane(key) ?? key, ...leaves.map(({ key }) => key)]),
  ).toEqual([
    ['attic', 'phone'],
    [WITHOUT_POINT, 'core', 'hall', 'nas', 'spare'],
  ]);
});
