/** What is read from the answers of the programs. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { range } from '../../shared/network.ts';
import { parseArpScan } from './arp-scan.ts';
import { parsePing } from './ipv6.ts';
import { isSign, isUndecided, parseNeighbours } from './neighbours.ts';
import { hostsOf } from './scan.ts';

test('the lines of arp-scan: devices, also two that answer for one address, and nothing else', () => {
  const stdout = [
    '10.77.1.20\t00:11:32:77:01:20',
    '10.77.1.20\t00:11:32:77:01:21 (DUP: 2)',
    '10.77.1.21\tff:ff:ff:ff:ff:ff',
    '10.77.1.22\t01:00:5e:00:00:01',
    '10.77.1.23\t00:00:00:00:00:00',
    'WARNING: something\twith a tab',
    '10.77.1.999\t00:11:32:77:01:22',
    '',
  ].join('\n');
  expect(parseArpScan(stdout)).toEqual([
    { ip: '10.77.1.20', mac: '00:11:32:77:01:20', fresh: true },
    { ip: '10.77.1.20', mac: '00:11:32:77:01:21', fresh: true },
  ]);
});

test('a neighbour is a sign when it is reachable, or was confirmed since the cycle began', () => {
  const entry = (state: string, confirmed: number) => ({
    dst: '10.77.1.20',
    lladdr: '00:11:32:77:01:20',
    used: 1,
    confirmed,
    updated: 1,
    state: [state],
  });
  const signs = (state: string, confirmed: number, ageS = 10) =>
    parseNeighbours(JSON.stringify([entry(state, confirmed)]), ageS).map(isSign);
  expect(signs('REACHABLE', 30)).toEqual([true]);
  expect(signs('STALE', 30)).toEqual([false]);
  expect(signs('STALE', 4)).toEqual([true]);
  expect(signs('DELAY', 62)).toEqual([false]);
  expect(signs('STALE', 62, 300)).toEqual([false]); // Never confirmed, however long the cycle takes.
  expect(signs('FAILED', 4)).toEqual([false]);
  expect(parseNeighbours(JSON.stringify([entry('PROBE', 62)]), 10).map(isUndecided)).toEqual([true]);
});

test('the answers to a ping of all nodes, each once and without its zone', () => {
  const stdout = `PING ff02::1%eth0(ff02::1%eth0) 56 data bytes
64 bytes from fe80::1%eth0: icmp_seq=1 ttl=64 time=0.060 ms
64 bytes from fd99::2: icmp_seq=1 ttl=64 time=0.112 ms
64 bytes from fe80::1%eth0: icmp_seq=2 ttl=64 time=0.064 ms (DUP!)
`;
  expect(parsePing(stdout)).toEqual(['fe80::1', 'fd99::2']);
});

test('no text makes a reader fail, or gives what is no device', () => {
  const lines = fc.array(fc.oneof(fc.string(), fc.constant('10.0.0.1\t00:11:32:77:01:20')), { maxLength: 20 });
  fc.assert(
    fc.property(lines, fc.jsonValue(), (lines, json) => {
      for (const { ip, mac } of [...parseArpScan(lines.join('\n')), ...parseNeighbours(JSON.stringify(json), 10)]) {
        expect(mac).toMatch(/^([0-9A-F]{2}:){5}[0-9A-F]{2}$/);
        expect(ip).toMatch(/^[0-9a-f.:]+$/);
      }
    }),
  );
});

test('the hosts of a network are its addresses without both ends and the own one', () => {
  expect(hostsOf({ range: range('10.77.1.8/29'), address: '10.77.1.10' })).toEqual(
    [9, 11, 12, 13, 14].map((last) => `10.77.1.${last}`),
  );
  expect(hostsOf({ range: range('10.77.1.9'), address: '10.77.1.10' })).toEqual(['10.77.1.9']);
  expect(hostsOf({ range: range('10.77.16.0/20'), address: '10.77.16.1' })).toHaveLength(4093);
});
