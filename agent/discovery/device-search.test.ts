import { expect, test } from 'vitest';
import { ENDED } from '../../test/support/agent/made-up-lan.ts';
import type { RunProcess } from '../host/run-process.ts';
import { parsePolicy } from '../jobs/policy.ts';
import { searchWithin } from './device-search.ts';

const MAC = '00:1E:06:00:00:60';
const LAN0 = {
  ifname: 'lan0',
  flags: ['UP', 'LOWER_UP'],
  operstate: 'UP',
  link_type: 'ether',
  address: '00:1e:06:00:00:01',
  addr_info: [{ family: 'inet', local: '10.0.0.1', prefixlen: 24 }],
};

/** The host's `ip`, which has this to say of its neighbours. Other programs must not be needed. */
function hostWith(neighbours: object[]) {
  const lines: string[] = [];
  const run: RunProcess = async (program, args) => {
    const line = [program, ...args].join(' ');
    lines.push(line);
    const answer = line.includes('neigh') && args[0] === '-4' ? neighbours : line.includes('addr') ? [LAN0] : [];
    return { ...ENDED, stdout: JSON.stringify(answer) };
  };
  return { run, lines, signal: new AbortController().signal };
}

const neighbour = (confirmed: number) => ({ dst: '10.0.0.60', lladdr: MAC, confirmed, state: ['REACHABLE'] });

test.each([
  ['since the packet is seen without a question to the LAN', 1, '10.0.0.60'],
  ['before the packet is not seen', 20, null],
])('a device that the kernel has heard of %s', async (_, secondsAgo, ip) => {
  const host = hostWith([neighbour(secondsAgo)]);
  const search = await searchWithin(parsePolicy({}).discovery)(MAC, null, host);
  expect(search.knowsAddress).toBe(false);
  expect(await search.scan(performance.now() - 5_000, false, 60_000)).toBe(ip);
  if (ip !== null) expect(host.lines.filter((line) => !line.startsWith('ip '))).toEqual([]);
});
