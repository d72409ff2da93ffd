import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { deferred } from '../../shared/async.ts';
import { ENDED, NETWORK } from '../../test/support/agent/made-up-lan.ts';
import { holdTheClock, hurried } from '../../test/support/held-clock.ts';
import type { RunProcess } from '../host/run-process.ts';
import { type CycleOptions, runCycle } from './cycle.ts';
import { KnownDevices } from './known-devices.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Programs that see a router and a NAS. */
const run: RunProcess = async (program) => {
  const stdout = program === 'arp-scan' ? '10.0.0.254\t00:0d:b9:00:00:fe\n10.0.0.20\t00:11:32:00:00:20\n' : '';
  return { stdout, ...ENDED };
};

/** The first cycle of an agent. */
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

test('devices are reported before the first name lookup, and names during the others', async () => {
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

test('an observer that outlasts the cycle does not delay it, and its early results are reported with it', async () => {
  const told: unknown[] = [];
  holdTheClock();
  const cycle = firstCycle((known) => ({
    async onChanges() {
      told.push(known.get('00:11:32:00:00:20')?.observations.map(({ value }) => value));
    },
    async findNames() {},
    observers: [
      {
        observe({ known, networks, now }) {
          expect(networks).toEqual([NETWORK]);
          known.recordObservations('00:11:32:00:00:20', [{ source: 'snmp-name', value: 'nas' }], now());
          return new Promise(() => {});
        },
      },
    ],
  }));
  await hurried(cycle);
  expect(told.at(-1)).toEqual(['nas']);
});
