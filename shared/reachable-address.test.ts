import { expect, test } from 'vitest';
import { reachableAddresses } from './reachable-address.ts';

const own = (address: string, internal = false) => ({ address, internal });

test('addresses of the LAN come first, and none that leads to this host or this link alone', () => {
  const interfaces = {
    lo: [own('127.0.0.1', true), own('::1', true)],
    docker0: [own('172.17.0.1')],
    eth0: [own('fd00::10'), own('fe80::1'), own('192.168.1.10')],
    eth1: [own('169.254.7.7'), own('10.0.0.5')],
    down: undefined,
  };
  expect(reachableAddresses(interfaces)).toEqual(['192.168.1.10', '10.0.0.5', 'fd00::10', '172.17.0.1']);
  expect(reachableAddresses({})).toEqual([]);
});
