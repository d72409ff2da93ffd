import { expect, test } from 'vitest';
import { foundBy } from './jobs.ts';

test.each([
  ['nmap', { hosts: 2, openPorts: 7 }, '7 open ports on 2 hosts'],
  ['arpscan', { devices: 13 }, '13 devices online'],
  ['traceroute', { hops: 3, reached: true }, ''],
  ['nmap', null, ''],
  ['nmap', {}, ''],
] as const)('a run of %s that a list sums up as %j found "%s"', (tool, summary, found) => {
  // Without `result`, which lists do not have.
  expect(foundBy({ tool, summary })).toBe(found);
});
