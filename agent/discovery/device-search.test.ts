import { expect, test } from 'vitest';
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
  const asked: string[] = [];
  const run: RunProcess = async (program, args) => {
    const line = [program, ...args].join(' ');
    asked.push(line);
    const answer = line.includes('neigh') && args[0] === '-4' ? neighbours : line.includes('addr') ? [LAN0] : [];
    const ended = { code: 0, signal: null, timedOut: false, aborted: false, truncated: false };
    return { stdout: JSON.stringify(answer), stderr: '', ...ended };
  };
  return { run, asked, signal: new AbortController().signal };
}

const neighbour = (confirmed: number) => ({ dst: '10.0.0.60', lladdr: MAC, confirmed, state: ['REACHABLE'] });

test('a device that the kernel has heard of since the packet is seen without a question to the LAN', async () => {
  const host = hostWith([neighbour(1)]);
  const search = await searchWithin(parsePolicy({}).discovery)(MAC, null, host);
  expect(search.knowsAddress).toBe(false);
  expect(await search.scan(performance.now() - 5_000, false, 60_000)).toBe('10.0.0.60');
  expect(host.asked.filter((line) => !line.startsWith('ip '))).toEqual([]);
});

test('what the kernel knows from before the packet is no sign', async () => {
  const host = hostWith([neighbour(20)]);
  const search = await searchWithin(parsePolicy({}).discovery)(MAC, null, host);
  expect(await search.scan(performance.now() - 5_000, false, 60_000)).toBeNull();
});
