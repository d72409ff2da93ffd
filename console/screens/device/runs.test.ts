import { expect, test } from 'vitest';
import { namesOf } from './runs.ts';

const device = {
  devLastIP: '192.168.178.20',
  devPrimaryIPv4: '192.168.178.20',
  devPrimaryIPv6: 'fd00::20',
  devMac: '00:1E:06:AA:BB:01',
  devFQDN: '',
  joined: [],
};

test('the query for the runs of a device has its addresses and names, as many as fit', () => {
  expect(namesOf(device)).toBe('00:1E:06:AA:BB:01,192.168.178.20,fd00::20');
  const long = namesOf({ ...device, devFQDN: `${'nas.'.repeat(63)}lan` });
  expect(long.length).toBeLessThanOrEqual(300);
  expect(long).toMatch(/^00:1E:06:AA:BB:01,192\.168\.178\.20,fd00::20/);
});
