/** Processes that tell the receivers of hooks: with the real engine, a queue that ends with its process, and a made-up clock. */

import { test as base } from 'vitest';
import type { StoredDevice } from '../../functions/devices/collection/device-codec.ts';
import type { HookSettings } from '../../functions/hooks/hook-store.ts';
import type { SendSettings } from '../../functions/hooks/send.ts';
import { makeSigningSecret } from '../../functions/hooks/signature.ts';
import type { HookTask } from '../../functions/hooks/tasks.ts';
import { wakingHooks } from '../../functions/hooks/wake.ts';
import { openStores } from '../../functions/stores.ts';
import type { EventType } from '../../shared/api/events.ts';
import { BLANK_DEVICE } from '../../shared/device.ts';
import { openTurns } from '../support/background-work.ts';
import { aroundCalls } from '../support/database-calls.ts';
import { SILENT as log } from '../support/ingest-messages.ts';
import { memoryTable } from '../test-table.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const engine = memoryTable();

export const BY = { actor: '0123456789abcdef', cause: 'edit' } as const;
export const HOOK = '0123456789ab';
export const HOUR = 3_600_000;

let sites = 0;
/** The clock of all processes of a test. */
export function makeClock() {
  let at = 1_790_000_000_000;
  return {
    now: () => new Date(at),
    advance(ms: number) {
      at += ms;
    },
    to(when: Date) {
      at = Math.max(at, when.getTime());
    },
  };
}
export type Clock = ReturnType<typeof makeClock>;

interface Options {
  clock: Clock;
  /** The process is stopped at this call of the database. */
  stopAt?: number;
  /** How long each of its calls of the database takes. */
  msPerCall?: number;
  sending?: Partial<SendSettings>;
}

/** A process: its stores, and a queue that it loses when it ends. */
export function openProcess({ clock, stopAt = Number.POSITIVE_INFINITY, msPerCall = 0, sending = {} }: Options) {
  const waiting: { task: HookTask; at: Date }[] = [];
  /** As the worker of one machine: a task waits once, for the earliest of its times. */
  function add(task: HookTask, at: Date): void {
    const known = waiting.find((one) => one.task.site === task.site && one.task.hook === task.hook);
    if (known === undefined) waiting.push({ task, at });
    else if (at < known.at) known.at = at;
  }
  const queue = { send: async (task: HookTask, at: Date) => add(task, at) };
  const waking = { send: async ({ site }: HookTask) => add({ site }, clock.now()) };
  const stores = openStores(wakingHooks(engine.open(), waking, clock.now, log), clock.now);
  let calls = 0;
  aroundCalls(stores.table, (_, pass) => {
    if (++calls >= stopAt) throw new Error('the process was stopped');
    clock.advance(msPerCall);
    return pass();
  });
  const settings = { allowPrivate: true, resolve: async () => [], timeoutMs: 60_000, ...sending };
  const perform = openTurns({ ...stores, queue, settings, now: clock.now, log });

  /** Carries out what is in the queue, and lets the clock go on to what is due next, up to a time. */
  async function run(forMs = 0): Promise<void> {
    const end = new Date(clock.now().getTime() + forMs);
    for (;;) {
      waiting.sort((a, b) => a.at.getTime() - b.at.getTime());
      const next = waiting[0];
      if (next === undefined || next.at > end) return clock.to(end);
      waiting.shift();
      clock.to(next.at);
      const again = await perform(next.task);
      if (again !== null) add(next.task, again);
    }
  }

  /** What a process finds when it starts. */
  async function sweep(site: string): Promise<void> {
    add({ site }, clock.now());
  }

  return { ...stores, perform, run, sweep, waiting, callsMade: () => calls };
}

const ALL: EventType[] = ['new', 'online', 'offline', 'down', 'renamed', 'deleted', 'imported', 'edited', 'restored'];

export async function makeSite(clock: Clock, url: string, wanted: Partial<HookSettings> = {}): Promise<string> {
  const site = `site-${++sites}`;
  const { devices, hooks, sites: known, table } = openProcess({ clock });
  await devices.create(site, clock.now());
  await known.add({ id: site, name: site, createdAt: clock.now().toISOString() });
  await hooks.add(site, HOOK, {
    url,
    skipRandomMacs: false,
    format: 'json',
    events: ALL,
    secret: makeSigningSecret(),
    enabled: true,
    createdAt: clock.now().toISOString(),
    createdBy: BY.actor,
    from: await devices.carriedOut(site),
    ...wanted,
  });
  table.close();
  return site;
}

export function device(i: number, fields: Partial<StoredDevice['record']> = {}): StoredDevice {
  const devMac = `1E:08:00:00:00:${i.toString(16).padStart(2, '0').toUpperCase()}`;
  return { key: devMac, record: { ...BLANK_DEVICE, devMac, devName: `device ${i}`, devPresentLastScan: 1, ...fields } };
}

export type Process = ReturnType<typeof openProcess>;
export const put = ({ devices }: Process, site: string, ...changed: StoredDevice[]) =>
  devices.change(site, BY, () => ({ put: changed, remove: [] }));

export const deliveriesOf = async ({ hooks }: Process, site: string) =>
  (await hooks.find(site, HOOK))?.deliveries ?? [];

export const idsOf = (receiver: Receiver) => [...new Set(receiver.ids())];

/** Tells what has become of the site as a whole. */
export function tell(process: Process, id: string, clock: Clock, type: 'site-dark' | 'site-back') {
  const site = { kind: 'site', id: 'home', name: 'home' } as const;
  const told = [{ type, at: Math.floor(clock.now().getTime() / 1000), subject: site }];
  const by = { actor: 'service', cause: 'observation' } as const;
  return process.devices.change(id, by, () => ({ put: [], remove: [], occurrences: told }));
}

/** A test with a receiver, and with a process on a clock of its own. `site` has a hook that tells the receiver everything. */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures that are needed from the first parameter.
  .extend('receiver', async ({}, { onCleanup }) => {
    const receiver = await startReceiver();
    onCleanup(() => receiver[Symbol.asyncDispose]());
    return receiver;
  })
  .extend('clock', () => makeClock())
  .extend('process', ({ clock }) => openProcess({ clock }))
  .extend('site', ({ clock, receiver }) => makeSite(clock, receiver.url));

/** Whether what a process does ends because the process is stopped. */
export const isStopped = (work: Promise<unknown>) => work.catch(() => isStopped).then((end) => end === isStopped);
