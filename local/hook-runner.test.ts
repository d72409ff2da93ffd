import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import type { Context } from '../functions/context.ts';
import type { Task } from '../functions/hooks/queue.ts';
import { createHookRunner, type HookRunner } from './hook-runner.ts';

const SITE = 'home';
const HOOK = '0123456789ab';
const now = () => new Date();
const idOf = (i: number) => `1790000000_${String(i).padStart(6, '0')}_0`;

let opened: HookRunner | null = null;
afterEach(async () => {
  await opened?.close();
  opened = null;
});

/** A runner on a database with pending deliveries, which are ended by being looked up. */
function openRunner({ pending = 0, isAway = (): boolean => false } = {}) {
  const rows = new Set(Array.from({ length: pending }, (_, i) => idOf(i)));
  const ended: string[] = [];
  const counts = { sweeps: 0, reads: 0, failures: 0 };
  const warnings: unknown[] = [];
  const away = () => {
    if (!isAway()) return;
    counts.failures++;
    throw new Error('the database is away');
  };
  const parts = {
    sites: {
      async list() {
        counts.sweeps++;
        return [{ id: SITE }];
      },
    },
    hooks: { list: async () => ({ hooks: [{ id: HOOK, enabled: false, problem: null }], unreadable: [] }) },
    deliveries: {
      async find(_: string, __: string, id: string) {
        away();
        if (rows.delete(id)) ended.push(id);
        return null;
      },
      async *pending(_: string, of?: { from: string }) {
        away();
        counts.reads++;
        for (const id of [...rows].sort()) if (of === undefined || id >= of.from) yield { hook: HOOK, id, due: now() };
      },
    },
    devices: {},
    now,
  } as unknown as Context;
  const log = pino({ level: 'warn', base: null }, { write: (line: string) => warnings.push(JSON.parse(line)) });
  const runner = createHookRunner(parts, { allowPrivate: true }, log);
  opened = runner;
  const add = (id: string) => {
    rows.add(id);
    runner.add({ t: 'deliver', site: SITE, hook: HOOK, id } satisfies Task);
  };
  return { runner, add, ended, rows, counts, warnings };
}

const WITHIN = { timeout: 60_000 };

test('all that is pending is delivered without waiting for the next sweep', async () => {
  const { runner, ended, counts } = openRunner({ pending: 5_050 });
  runner.start();
  await expect.poll(() => ended.length, WITHIN).toBe(5_050);
  expect(counts.sweeps).toBe(1);
  // The start reads all, and then what there is room for is read: 500 or more at a time.
  expect(counts.reads).toBeLessThanOrEqual(1 + 5_050 / 500);
  expect(ended).toEqual([...ended].sort());
});

test('what comes while more waits than is kept is delivered as well, and once', async () => {
  const { runner, add, ended, counts } = openRunner({ pending: 2_000 });
  runner.start();
  for (let i = 2_000; i < 6_000; i++) add(idOf(i));
  await expect.poll(() => ended.length, WITHIN).toBe(6_000);
  expect(new Set(ended).size).toBe(6_000);
  expect(counts.sweeps).toBe(1);
});

test('a device that is down and a test are told before all others that wait', async () => {
  const { runner, add, ended } = openRunner();
  for (let i = 0; i < 3_000; i++) add(idOf(i));
  const urgent = [`${idOf(9_000)}d`, '1790000000_t0123abcd', '1790000000_r01234567'];
  for (const id of urgent) add(id);
  runner.start();
  await expect.poll(() => ended.length, WITHIN).toBe(3_003);
  expect(ended.slice(0, 3)).toEqual(urgent);
});

test('while the database is away, one warning is written for all tasks of a site', async () => {
  let isAway = true;
  const { runner, add, ended, counts, warnings } = openRunner({ isAway: () => isAway });
  for (let i = 0; i < 200; i++) add(idOf(i));
  runner.start();
  await expect.poll(() => counts.failures, WITHIN).toBeGreaterThan(200);
  expect(warnings.length).toBeLessThanOrEqual(2); // Of the tasks, and of the sweep at the start.
  isAway = false;
  await expect.poll(() => ended.length, WITHIN).toBe(200);
});
