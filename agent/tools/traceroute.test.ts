import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TargetAddress } from '../../shared/network.ts';
import { traceroute as declaration } from '../../shared/tools/traceroute.ts';
import { FINISHED } from '../../test/support/agent/finished.ts';
import { TOOL_CONTEXT } from '../../test/support/agent/tool-settings.ts';
import type { Finished, RunProcess } from '../host/run-process.ts';
import { parsePolicy } from '../jobs/policy.ts';
import { parseTraceroute, traceroute, tracerouteArgs } from './traceroute.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../test/fixtures/tools', name), 'utf8');

const REACHED = fixture('traceroute-reached.txt');
const BLACK_HOLE = fixture('traceroute-black-hole.txt');

/** A traceroute that prints recordings: one for each run after that for its version. */
function recorded(runs: Partial<Finished>[], version = 'Modern traceroute for Linux, version 2.1.2\n') {
  const calls: string[][] = [];
  const run: RunProcess = async (_program, args) => {
    if (args[0] === '--version') return { ...FINISHED, stdout: version };
    calls.push([...args]);
    return { ...FINISHED, ...runs[calls.length - 1] };
  };
  const context = { ...TOOL_CONTEXT, run, rules: parsePolicy({}).traceroute };
  return {
    calls,
    trace: (target: string) => traceroute.run({ tool: 'traceroute', target: TargetAddress.parse(target) }, context),
  };
}

const SILENT = { address: null, rttMs: null, note: null };
const probe = (address: string, rttMs: number) => ({ address, rttMs, note: null });

test('arguments: numeric, bounded, the target behind the options', () => {
  expect(tracerouteArgs('10.0.0.1', 'icmp', false)).toEqual('-I -n -q 3 -w 2 -m 20 -- 10.0.0.1'.split(' '));
  expect(tracerouteArgs('10.0.0.1', 'udp', true)).toEqual('-n -q 1 -w 1 -m 12 -- 10.0.0.1'.split(' '));
});

test('hops and times of a trace', () => {
  const { reached, hops } = parseTraceroute('203.0.113.10', REACHED);
  expect(reached).toBe(true);
  expect(hops.map(({ hop }) => hop)).toEqual([1, 2, 3]);
  expect(hops[1]?.probes.map(({ address }) => address)).toEqual(['192.0.2.2', '192.0.2.2', '192.0.2.2']);
  expect(hops.every(({ probes }) => probes.every(({ rttMs }) => rttMs !== null && rttMs > 0))).toBe(true);
  expect(parseTraceroute('fd77:2::20', fixture('traceroute-ipv6.txt'))).toMatchObject({ reached: true });
});

test('silence and marks', () => {
  const unreachable = parseTraceroute('10.77.2.99', fixture('traceroute-host-unreachable.txt'));
  expect(unreachable.reached).toBe(false);
  const marked = { address: '10.77.1.1', rttMs: expect.any(Number), note: '!H' };
  expect(unreachable.hops.at(-1)?.probes).toEqual([SILENT, marked, marked]);
  const blackHole = parseTraceroute('198.51.100.1', BLACK_HOLE);
  expect(blackHole.reached).toBe(false);
  expect(blackHole.hops).toHaveLength(20);
});

test('several routers at one distance', () => {
  const line = ' 4  192.0.2.1  1.5 ms 192.0.2.2  2.5 ms !X *\n';
  const probes = [probe('192.0.2.1', 1.5), { ...probe('192.0.2.2', 2.5), note: '!X' }, SILENT];
  expect(parseTraceroute('10.0.0.1', line).hops).toEqual([{ hop: 4, probes }]);
});

test.each([
  ['GNU inetutils', '  1   10.0.0.1  0.331ms  0.400ms \n  2   *  *  \n  3   10.0.0.9  1,250ms \n'],
  ['BusyBox with names', ' 1  gw.lan (10.0.0.1)  0.331 ms  0.400 ms\n 2  *  *\n 3  10.0.0.9 (10.0.0.9)  1.250 ms\n'],
  ['BSD', ' 1  10.0.0.1  0.331 ms\n    10.0.0.1  0.400 ms\n 2  *\n    *\n 3  10.0.0.9  1.250 ms\n'],
])('what %s prints is read by its shape', (_, hops) => {
  expect(parseTraceroute('10.0.0.9', `traceroute to 10.0.0.9 (10.0.0.9), 12 hops max\n${hops}`)).toEqual({
    target: '10.0.0.9',
    reached: true,
    hops: [
      { hop: 1, probes: [probe('10.0.0.1', 0.331), probe('10.0.0.1', 0.4)] },
      { hop: 2, probes: [SILENT, SILENT] },
      { hop: 3, probes: [probe('10.0.0.9', 1.25)] },
    ],
  });
});

test('a link-local target is reached whether or not its zone is printed', () => {
  expect(parseTraceroute('fe80::1%eth0', ' 1  fe80::1%eth0  0.1 ms\n').reached).toBe(true);
  expect(parseTraceroute('fe80::1%eth0', ' 1  fe80::1  0.1 ms\n').reached).toBe(true);
});

test('no text breaks the parser, and what it gives fits the schema', () => {
  const word = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(' 1 ', '*', '10.0.0.1', '1.5', 'ms', '!H', '\n', ' '),
  );
  fc.assert(
    fc.property(fc.array(word), (words) => {
      expect(declaration.result.safeParse(parseTraceroute('10.0.0.1', words.join(''))).success).toBe(true);
    }),
  );
});

test('a target that ICMP reaches is traced once', async () => {
  const { calls, trace } = recorded([{ stdout: REACHED }]);
  expect((await trace('203.0.113.10')).output).toBe(REACHED);
  expect(calls).toHaveLength(1);
});

test('a target that drops echo is traced again with UDP', async () => {
  const { calls, trace } = recorded([{ stdout: BLACK_HOLE }, { stdout: REACHED }]);
  expect(await trace('203.0.113.10')).toMatchObject({ output: BLACK_HOLE + REACHED, result: { reached: true } });
  expect(calls.map((args) => args[0])).toEqual(['-I', '-n']);
});

test('a target of which a router says that it is unreachable is not traced again', async () => {
  const { calls, trace } = recorded([{ stdout: fixture('traceroute-host-unreachable.txt') }]);
  expect((await trace('10.77.2.99')).result.reached).toBe(false);
  expect(calls).toHaveLength(1);
});

test('without privileges for ICMP only UDP is used', async () => {
  const stderr = 'You do not have enough privileges to use this traceroute method.\nsocket: Operation not permitted';
  const { trace } = recorded([{ code: 1, stderr }, { stdout: REACHED }]);
  expect(await trace('203.0.113.10')).toMatchObject({ output: REACHED, result: { reached: true } });
});

test.each([
  "traceroute: invalid option -- 'n'\nTry 'traceroute --help'",
  'traceroute: unrecognized option: n',
  "Bad option `-n' (argc 1)",
])('a program that says "%s" is run without it', async (stderr) => {
  const { calls, trace } = recorded([{ code: 64, stderr }, { stdout: ' 1   10.0.0.1  0.3ms\n' }]);
  expect((await trace('10.0.0.1')).result.reached).toBe(true);
  expect(calls.map((args) => args.includes('-n'))).toEqual([true, false]);
  const twice = recorded([1, 2].map(() => ({ code: 64, stderr })));
  await expect(twice.trace('10.0.0.1')).rejects.toThrow(stderr.split('\n')[0]);
});

test('a program without ICMP probes sends those of UDP', async () => {
  const stderr = "traceroute: invalid option -- 'I'\n";
  const { calls, trace } = recorded([{ code: 1, stderr }, { stdout: REACHED }]);
  expect((await trace('203.0.113.10')).result.reached).toBe(true);
  expect(calls.map((args) => args.includes('-I'))).toEqual([true, false]);
});

test('no route is a failure that says so', async () => {
  const { trace } = recorded([{ code: 1, stderr: 'connect: Network is unreachable\n' }]);
  const failure = { reason: 'tool_failed', message: 'traceroute failed: connect: Network is unreachable' };
  await expect(trace('10.0.0.1')).rejects.toMatchObject(failure);
});

test('a trace that is stopped keeps what both runs printed', async () => {
  const stdout = ' 1  10.77.1.1  1 ms\n';
  const { trace } = recorded([{ stdout: BLACK_HOLE }, { stdout, aborted: true, code: null }]);
  await expect(trace('198.51.100.1')).rejects.toMatchObject({ reason: 'cancelled', output: BLACK_HOLE + stdout });
});
