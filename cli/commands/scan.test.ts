import { expect, test } from 'vitest';
import { parseRange } from '../../shared/network.ts';
import { faultOfNetwork } from './scan.ts';

test.each([
  ['8.8.8.8/33', '"8.8.8.8/33" looks like a network, but /33 is above 32'],
  ['fd00::/129', '"fd00::/129" looks like a network, but /129 is above 128'],
  ['300.1.1.0/24', '"300.1.1.0/24" looks like a network, but 300.1.1.0 is no IP address'],
  ['10.0.0.0/x', '"10.0.0.0/x" looks like a network, but after the slash stands no number from 0 to 32'],
])('%s is told what is wrong with it, and is taken for no device', (text, fault) => {
  expect(parseRange(text)).toBeNull();
  expect(faultOfNetwork(text)).toBe(fault);
});

test.each(['nas', 'nas/2', 'nas.lan', '00:1E:06:AA:BB:01', 'bed/room.1'])('%s may be a device', (text) => {
  expect(faultOfNetwork(text)).toBeNull();
});
