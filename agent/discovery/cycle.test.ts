import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { deferred } from '../../shared/async.ts';
import { range } from '../../shared/network.ts';
import { holdTheClock, hurried } from '../../test/support/held-clock.ts';
import type { RunProcess } from '../host/run-process.ts';
import { type CycleOptions, runCycle } from './cycle.ts';
import { KnownDevices } from './known-devices.ts';

afterEach(() => {
  vi.useRealTimers();
});

const NETWORK = {
  interface: 'lan0',
  mac: '00:1E:06:00:00:01',
  address: '10.0.0.1',
  ipv6: null,
  gateway: '10.0.0.254',
  range: range('10.0.0.0/24'),
  cidr: '10.0.0.0/24',
};
const ENDED = { stderr: '', code: 0, signal: null, timedOut: false, aborted: false, truncated: false };

/** Programs that see a router and a NAS. */
const run: RunProcess = async (program) => {
  const stdout = program === 'arp-scan' ? '10.0.0.254\t00:0d:b9:00:00:fe\n10.0.0.20\t00:11:32:00:00:20\n' : '';
  return { stdout, ...ENDED };
};

/** One cycle of an agent that has seen nothing before. */
async function firstCycle(
  options: (known: KnownDevices) => Pick<CycleOptions, 'onChanges' | 'findNames' | 'observers'>,
) {
  const known = await KnownDevices.open('/nonexistent/known-devices.json', 0, pino({ level: 'silent' }));
  await runCycle(known, {
    run,
    signal: new AbortController().signal,
    networks: [NETWORK],
    rawSockets: true,
    now: () => 1_000,
    intervalMs: 60_000,
    ...options(known),
  });
}

const NAS = { name: { text: 'nas.lan', source: 'dns' as const }, dnsKnowsNone: false };

test('who is there is told before the first name has been asked for, and names while others are asked for', async () => {
  const told: string[][] = [];
  const nameIsTold = deferred<void>();
  const happened: string[] = [];
  holdTheClock();
  const cycle = firstCycle((known) => ({
    async onChanges() {
      const names = known.all().flatMap(({ name }) => name?.text ?? []);
      told.push(names);
      happened.push('told');
      if (names.length > 0) nameIsTold.resolve();
    },
    async findNames(questions, _signal, onName) {
      happened.push('asked');
      expect(questions.map(({ ip, servers }) => [ip, servers[0]])).toContainEqual(['10.0.0.20', NETWORK.gateway]);
      onName('10.0.0.20', NAS);
      await nameIsTold.promise;
      onName('10.0.0.254', { ...NAS, name: { text: 'router.lan', source: 'dns' } });
    },
  }));
  await hurried(cycle);
  expect(happened).toEqual(['told', 'asked', 'told', 'told']);
  expect(told).toEqual([[], ['nas.lan'], expect.arrayContaining(['nas.lan', 'router.lan'])]);
});

test('who observes for longer than a cycle does not hold it, and what is heard in time is told with it', async () => {
  const told: unknown[] = [];
  holdTheClock();
  const cycle = firstCycle((known) => ({
    async onChanges() {
      told.push(known.get('00:11:32:00:00:20')?.observations.map(({ value }) => value));
    },
    async findNames() {},
    observers: [
      {
        look(_context, _known, networks, now) {
          expect(networks).toEqual([NETWORK]);
          known.recordHeard('00:11:32:00:00:20', [{ source: 'snmp-name', value: 'nas' }], now());
          return new Promise(() => {});
        },
      },
    ],
  }));
  await hurried(cycle);
  expect(told.at(-1)).toEqual(['nas']);
});
