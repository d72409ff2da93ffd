import { networkInterfaces } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { ENDED, macOf, NETWORK, newKnown, pass, ROUTER, seen } from '../../test/support/agent/made-up-lan.ts';
import { holdTheClock, hurried } from '../../test/support/held-clock.ts';
import type { RunProcess } from '../host/run-process.ts';
import { announced } from './observations.ts';
import { formersOf, watchAlerted } from './silence.ts';

afterEach(() => {
  vi.useRealTimers();
});

const [NAS, TV] = [macOf(20), macOf(30)];

/** A LAN with a NAS, which has an alert, and a TV; both are online. */
async function lan() {
  holdTheClock();
  const startedAt = Date.now();
  const { known, cycle } = await newKnown();
  for (let i = 0; i < 3; i++) cycle(startedAt, [ROUTER, seen(NAS, '10.0.0.20'), seen(TV, '10.0.0.30')]);
  known.setAlerts([NAS, TV], new Set([NAS]));
  /** How many probes each address leaves unanswered. */
  const silent = new Map<string, number>();
  const asked: string[][] = [];
  const run: RunProcess = async (program, args) => {
    const ips = program === 'arp-scan' ? args.slice(args.indexOf('-B') + 2) : [];
    asked.push([...ips]);
    const lines = ips.flatMap((ip) => {
      const left = silent.get(ip) ?? 0;
      silent.set(ip, left - 1);
      const mac = ip === NETWORK.gateway ? ROUTER.mac : ip === '10.0.0.20' ? NAS : TV;
      return left > 0 ? [] : [`${ip}\t${mac.toLowerCase()}`];
    });
    return { ...ENDED, stdout: `${lines.join('\n')}\n` };
  };
  const ended = new AbortController();
  const reports: number[] = [];
  const asking = { known, run, signal: ended.signal, now: Date.now };
  // An interface that this machine has, so that it is not down.
  const [[name, [own]] = ['', []]] = Object.entries(networkInterfaces()) as [string, { address: string }[]][];
  const here = { ...NETWORK, interface: name, address: own?.address ?? '' };
  const frame = { networks: [here], rawSockets: true };
  const onGone = () => reports.push(Date.now() - startedAt);
  const watching = watchAlerted(asking, () => frame, onGone);
  /** Lets so much time pass. */
  async function pass(ms: number) {
    for (let i = 0; i < ms / 1_000; i++) await vi.advanceTimersByTimeAsync(1_000);
  }
  async function end() {
    ended.abort();
    await hurried(watching);
  }
  return { known, silent, asked, reports, pass, end, isThere: (mac: string) => known.get(mac)?.presence.online };
}

const FOR_EVER = Number.POSITIVE_INFINITY;

test('a device with an alert is gone within 75 s, and no other is probed', async () => {
  const { silent, asked, reports, pass, end, isThere } = await lan();
  silent.set('10.0.0.20', FOR_EVER);
  silent.set('10.0.0.30', FOR_EVER);
  await pass(75_000);
  await end();
  expect([isThere(NAS), isThere(TV)]).toEqual([false, true]);
  expect(reports).toHaveLength(1);
  expect(asked).toEqual(Array.from({ length: 3 }, () => ['10.0.0.20', NETWORK.gateway]));
});

test('one answer of three shows that it is there, and without the gateway nothing shows that it is gone', async () => {
  const { silent, reports, pass, end, isThere } = await lan();
  silent.set('10.0.0.20', 2);
  await pass(75_000);
  silent.set('10.0.0.20', FOR_EVER);
  silent.set(NETWORK.gateway ?? '', FOR_EVER);
  await pass(150_000);
  await end();
  expect([isThere(NAS), reports]).toEqual([true, []]);
});

test('a new randomized MAC may be an online device with a randomized MAC and the same DHCP announcements', async () => {
  const { known } = await newKnown();
  const [old, other, real, next] = ['02:00:00:00:00:01', '02:00:00:00:00:02', NAS, '02:00:00:00:00:03'] as const;
  const said = (name: string) => announced({ 'dhcp-name': name, 'dhcp-options': '1,3,6' });
  known.recordScans([pass([ROUTER, seen(old, '10.0.0.2'), seen(other, '10.0.0.3'), seen(real, '10.0.0.4')])], 1_000);
  for (const mac of [old, real]) known.recordObservations(mac, said('Pixel-8-Tom'), 1_000);
  known.recordObservations(other, said('Pixel-8-Eva'), 1_000);
  expect(formersOf(known, { mac: next, heard: said('Pixel-8-Tom') })).toEqual([old]);
  expect(formersOf(known, { mac: macOf(9), heard: said('Pixel-8-Tom') })).toEqual([]);
  expect(formersOf(known, { mac: next, heard: [] })).toEqual([]);
  known.probed(old, 'gone', 2_000);
  expect(formersOf(known, { mac: next, heard: said('Pixel-8-Tom') })).toEqual([]);
});
