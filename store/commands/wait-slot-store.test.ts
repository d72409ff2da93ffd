/** The places for calls that wait, which instances share that know nothing of each other. */
import { expect, test } from 'vitest';
import type { Log } from '../../shared/log.ts';
import { aroundCalls } from '../../test/support/database-calls.ts';
import { memoryTable } from '../../test/test-table.ts';
import { withRequestCost } from '../request-cost.ts';
import { rows } from '../rows.ts';
import { openWaitSlots } from './wait-slot-store.ts';
import type { WaitKind } from './wait-slots.ts';

const engine = memoryTable();

/** Places that nobody has taken, as instances see them, with a clock that the test moves. */
async function freshPlaces(places: number) {
  // Of more places than any test has.
  await Promise.all(Array.from({ length: 20 }, (_, place) => engine.open().remove(rows.waitSlot(place))));
  let time = Date.now();
  let holders = 0;
  const warnings: unknown[] = [];
  const log: Log = { info() {}, warn: (fields) => void warnings.push(fields), error() {} };
  const open = (table = engine.open()) => openWaitSlots(table, places, () => new Date(time), log);
  return {
    open,
    warnings,
    /** By default each for a holder of its own. */
    take: (kind: WaitKind, site = `site-${++holders}`) => open().take(kind, time + 25_000, { site, user: 'token' }),
    pass: (ms: number) => {
      time += ms;
    },
  };
}

test('all instances together take no more places than there are, also when all ask at once', async () => {
  const { take } = await freshPlaces(3);
  const taken = await Promise.all(Array.from({ length: 12 }, () => take('call')));
  let count = taken.filter((place) => place !== null).length;
  // One that lost every place to others may find another one free.
  while ((await take('call')) !== null) count++;
  expect(count).toBe(3);
});

test('a place that is given back is free at once, and only for one', async () => {
  const { take, pass } = await freshPlaces(1);
  const giveBack = await take('call');
  expect(await take('call')).toBeNull();
  await giveBack?.();
  pass(1);
  expect(await take('call')).not.toBeNull();
  await giveBack?.(); // It is somebody else's now.
  expect(await take('call')).toBeNull();
});

test('the place of an instance that is gone is free when its time is over', async () => {
  const { take, pass } = await freshPlaces(1);
  expect(await take('call')).not.toBeNull();
  pass(25_000);
  expect(await take('call')).toBeNull(); // It may still be answering.
  pass(6_000);
  expect(await take('call')).not.toBeNull();
});

test('streams leave half of the places to other calls', async () => {
  const { take } = await freshPlaces(4);
  expect([await take('stream'), await take('stream')]).not.toContain(null);
  expect(await take('stream')).toBeNull();
  expect([await take('call'), await take('call')]).not.toContain(null);
  expect(await take('call')).toBeNull();
});

test.each(['call', 'stream'] as const)(
  'a holder has a third of the places for a %s at most, and others get theirs',
  async (kind) => {
    const { take, pass } = await freshPlaces(kind === 'call' ? 6 : 12);
    const giveBack = await take(kind, 'greedy');
    expect(await take(kind, 'greedy')).not.toBeNull();
    expect(await take(kind, 'greedy')).toBeNull();
    expect(await take(kind, 'another')).not.toBeNull();
    await giveBack?.();
    pass(1);
    expect(await take(kind, 'greedy')).not.toBeNull();
    expect(await take(kind, 'greedy')).toBeNull();
  },
);

test('calls leave their places to streams as long as there are others', async () => {
  const { take } = await freshPlaces(4);
  expect([await take('call'), await take('call')]).not.toContain(null);
  expect([await take('stream'), await take('stream')]).not.toContain(null);
  expect(await take('call')).toBeNull();
});

test('while the database fails nobody waits, and no call fails for that', async () => {
  const { open, warnings } = await freshPlaces(1);
  const table = engine.open();
  aroundCalls(table, () => Promise.reject(new Error('no database')));
  expect(await open(table).take('call', Date.now() + 25_000, { site: 'home', user: 'token' })).toBeNull();
  expect(warnings).toHaveLength(1);
});

test('a call writes small rows, however many places there are', async () => {
  const { take } = await freshPlaces(1_000);
  await withRequestCost(async (consumed) => {
    const giveBack = await take('call');
    await giveBack?.();
    expect([consumed.readUnits, consumed.writeUnits]).toEqual([1, 2]);
  });
});
