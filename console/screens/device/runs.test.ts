import { expect, test } from 'vitest';
import type { Job } from '../../../shared/api/jobs.ts';
import { isAbout, namesOf } from './runs.ts';

const device = {
  devLastIP: '192.168.1.20',
  devPrimaryIPv4: '192.168.1.20',
  devPrimaryIPv6: 'fd00::20',
  devMac: '00:1E:06:AA:BB:01',
  devFQDN: '',
  joined: [],
};

test.each([
  [{ tool: 'nmap', target: '192.168.1.20', mode: 'fast' }, true],
  [{ tool: 'traceroute', target: 'FD00::20' }, true],
  [{ tool: 'wakeonlan', mac: '00:1e:06:aa:bb:01', verify: true }, true],
  [{ tool: 'nmap', target: '192.168.1.0/24', mode: 'fast' }, false],
  [{ tool: 'nmap', target: '192.168.1.2', mode: 'fast' }, false],
  [{ tool: 'speedtest' }, false],
])('whether %j is about the device: %s', (request, expected) => {
  expect(isAbout({ request } as unknown as Job, namesOf(device))).toBe(expected);
});
