import { afterEach, expect, test, vi } from 'vitest';
import { range } from '../../shared/network.ts';
import { FINISHED } from '../../test/support/agent/finished.ts';
import { arpFrame, dhcpFrame, pcapOf } from '../../test/support/agent/frames.ts';
import { macOf, NETWORK } from '../../test/support/agent/made-up-lan.ts';
import { holdTheClock } from '../../test/support/held-clock.ts';
import type { RunOptions, RunProcess } from '../host/run-process.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { Limits, Listener } from './listener.ts';
import type { Link } from './watched-networks.ts';

afterEach(() => void vi.useRealTimers());

const LINK: Link = { ...NETWORK, network: range('10.0.0.0/24'), virtual: false };

/** A listener whose tcpdump the test plays. */
function listen(networks = [NETWORK], missing?: ToolFailure) {
  const programs: { args: readonly string[]; options: RunOptions; end(stderr: string): void }[] = [];
  const run: RunProcess = (_program, args, options) =>
    new Promise((resolve, reject) => {
      if (missing !== undefined) return reject(missing);
      programs.push({ args, options, end: (stderr) => resolve({ ...FINISHED, stderr, code: 1 }) });
      options.signal?.addEventListener('abort', () => resolve({ ...FINISHED, aborted: true }));
    });
  const heard: [mac: string, network: string][] = [];
  const said: [level: string, about: object][] = [];
  const say = (level: string) => (about: object) => said.push([level, about]);
  const log = { warn: say('warn'), info: say('info') };
  const listener = new Listener({ run, log, onSign: (sign, { cidr }) => heard.push([sign.mac, cidr]) });
  listener.listen(networks, [LINK]);
  const settle = async () => {
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
  };
  return { listener, programs, heard, said, settle };
}

test('one program for each link; it ends with the last of its networks', async () => {
  const network = (cidr: string) => ({ ...NETWORK, cidr, range: range(cidr) });
  const [left, right] = [network('10.0.0.0/25'), network('10.0.0.128/25')];
  const second = { ...network('10.1.0.0/24'), interface: 'eth1', mac: '00:1E:06:00:00:02' };
  const { listener, programs, settle } = listen([left, right, second]);
  await settle();
  const aborted = () => programs.map(({ args, options }) => `${args[1]} ${options.signal?.aborted}`);
  expect(aborted()).toEqual(['eth0 false', 'eth1 false']);
  listener.listen([right], []);
  expect(aborted()).toEqual(['eth0 false', 'eth1 true']);
  await listener.stop();
  expect(aborted()).toEqual(['eth0 true', 'eth1 true']);
});

test('a sign counts in the network of its address; without one, where the whole network of the link is watched', async () => {
  const frames = [
    arpFrame(macOf(1), '10.0.0.20'),
    arpFrame(macOf(2), '10.0.0.200'),
    arpFrame(macOf(3), '172.16.9.9'),
    arpFrame(macOf(4), '0.0.0.0', { target: '10.0.0.20' }),
    dhcpFrame(macOf(5)),
    arpFrame(NETWORK.mac, '10.0.0.1'),
  ];
  const part = { ...NETWORK, cidr: '10.0.0.0/25', range: range('10.0.0.0/25') };
  for (const [network, macs] of [
    [NETWORK, [1, 2, 4, 5]],
    [part, [1, 4]],
  ] as const) {
    const { listener, programs, heard, settle } = listen([network]);
    await settle();
    expect(programs[0]?.options.onData?.(pcapOf(frames))).toBeUndefined();
    expect(heard).toEqual(macs.map((i) => [macOf(i), network.cidr]));
    await listener.stop();
  }
});

test('of a flood, some of each sender is taken, and nothing more is read until the second is over', async () => {
  let now = 500;
  const limits = new Limits(() => now);
  const flood = arpFrame(macOf(1), '10.0.0.20');
  const taken = (frame: Buffer, times: number) =>
    Array.from({ length: times }, () => limits.counts(frame)).filter(Boolean).length;
  expect([taken(flood, 900), taken(arpFrame(macOf(2), '10.0.0.21'), 1)]).toEqual([5, 1]);
  expect(limits.pause()).toBeUndefined();
  const made = Array.from({ length: 500 }, (_, i) => taken(arpFrame(macOf(i + 10), '10.0.0.22'), 1));
  expect(made.filter((each) => each === 1)).toHaveLength(99);
  holdTheClock();
  const pause = limits.pause();
  expect(pause).toBeInstanceOf(Promise);
  now += 1_000;
  expect([taken(flood, 10), limits.pause()]).toEqual([5, undefined]);
});

test('a failure is logged once, retried with back-off, and its end is logged', async () => {
  holdTheClock();
  const { listener, programs, said, settle } = listen();
  await settle();
  for (let i = 1; i <= 3; i++) {
    programs.at(-1)?.end("tcpdump: eth0: You don't have permission to perform this capture on that device\n");
    await settle();
    expect(programs).toHaveLength(i);
    await vi.advanceTimersByTimeAsync(130_000);
    await settle();
    expect(programs).toHaveLength(i + 1);
  }
  expect(said).toEqual([
    ['warn', expect.objectContaining({ problem: expect.stringContaining("don't have permission") })],
  ]);
  programs.at(-1)?.options.onData?.(pcapOf([arpFrame(macOf(1), '10.0.0.20')]));
  expect(said.at(-1)?.[0]).toBe('info');
  // What cannot be read is as good as nothing.
  programs.at(-1)?.options.onData?.(Buffer.alloc(16, 255));
  await settle();
  expect(programs.at(-1)?.options.signal?.aborted).toBe(true);
  expect(said.at(-1)).toMatchObject(['warn', { problem: expect.any(String) }]);
  await listener.stop();
});

test('a missing tcpdump is logged once', async () => {
  const { listener, said } = listen([NETWORK], new ToolFailure('tool_missing', 'tcpdump is not installed'));
  await expect.poll(() => said).toEqual([['warn', { interface: 'eth0', problem: 'tcpdump is not installed' }]]);
  await listener.stop();
});
