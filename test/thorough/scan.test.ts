/** The second look without raw sockets: datagrams on loopback, and neighbour tables as the kernel would print them. */
import { expect, test } from 'vitest';
import { rescanMissing } from '../../agent/discovery/scan.ts';
import type { RunProcess } from '../../agent/host/run-process.ts';
import { range } from '../../shared/network.ts';

const NETWORK = {
  interface: 'lo',
  mac: '00:1E:06:00:00:01',
  address: '127.0.0.1',
  ipv6: null,
  gateway: '127.0.0.254',
  range: range('127.0.0.0/24'),
  cidr: '127.0.0.0/24',
};
const [MISSING, WITNESS] = ['127.0.0.5', '127.0.0.254'];
const MACS: Record<string, string> = { [MISSING]: '00:11:32:77:01:05', [WITNESS]: '00:0d:b9:77:01:fe' };

/** An entry that was confirmed before the look began, unless it is said to be fresh. */
const entry = (dst: string, state: string, confirmed = 20) => ({ dst, lladdr: MACS[dst], confirmed, state: [state] });
const FRESH = 0;

/** Looks for the missing address, while `ip neigh` shows these tables one after the other, and then the last of them. */
async function look(...tables: object[][]) {
  const shown = [...tables];
  const asked: string[] = [];
  const run: RunProcess = async (program, args) => {
    asked.push([program, ...args].join(' '));
    const table = shown.length > 1 ? shown.shift() : shown[0];
    const ended = { code: 0, signal: null, timedOut: false, aborted: false, truncated: false };
    return { stdout: JSON.stringify(table), stderr: '', ...ended };
  };
  const { signal } = new AbortController();
  const pass = { run, signal, network: NETWORK, rawSockets: false, startedAt: performance.now() - 5_000 };
  const found = await rescanMissing(pass, [MISSING], WITNESS);
  for (const command of asked) expect(command).toBe('ip -4 -json -s neigh show dev lo');
  return { found: found?.map(({ ip }) => ip).sort() ?? null, reads: asked.length };
}

test.concurrent('a device that the kernel can resolve is found', async () => {
  const table = [entry(WITNESS, 'REACHABLE', FRESH), entry(MISSING, 'REACHABLE', FRESH)];
  expect(await look(table)).toEqual({ found: [WITNESS, MISSING].sort(), reads: 1 });
});

test.concurrent('one that it cannot resolve is not, as long as somebody else has answered', async () => {
  const table = [entry(WITNESS, 'REACHABLE', FRESH), { dst: MISSING, state: ['FAILED'] }];
  expect((await look(table)).found).toEqual([WITNESS]);
  expect((await look([entry(WITNESS, 'STALE', FRESH), entry(MISSING, 'STALE')])).found).toEqual([WITNESS]);
});

test.concurrent('where nobody has answered, the look says nothing of anybody', async () => {
  expect((await look([{ dst: WITNESS, state: ['FAILED'] }, entry(MISSING, 'STALE')])).found).toBeNull();
  expect((await look([entry(WITNESS, 'STALE')])).found).toBeNull();
});

test.concurrent('what the kernel has not decided yet is looked at once more', async () => {
  const witness = entry(WITNESS, 'REACHABLE', FRESH);
  const found = await look([witness, entry(MISSING, 'PROBE')], [witness, entry(MISSING, 'REACHABLE', FRESH)]);
  expect(found).toEqual({ found: [WITNESS, MISSING].sort(), reads: 2 });
});
