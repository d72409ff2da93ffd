import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FORMAT } from '../../shared/format.ts';
import type { Log } from '../../shared/log.ts';
import { upkeep } from '../../test/support/background-work.ts';
import { memoryTable } from '../../test/test-table.ts';
import { openStores } from '../stores.ts';
import { IS_NEW } from '../table/condition.ts';
import { rows } from '../table/rows.ts';
import type { Duty, UpkeepContext } from './upkeep.ts';

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

async function contextWith(...sites: string[]): Promise<UpkeepContext> {
  const now = () => new Date();
  const registry = { publish: async () => {} } as unknown as UpkeepContext['registry'];
  const table = memoryTable().open();
  await table.put({ ...rows.format(), format: FORMAT }, IS_NEW);
  const context = { ...openStores(table, now), now, registry, hookQueue: { send: async () => {} } };
  for (const id of sites) await context.sites.add({ id, name: id, createdAt: now().toISOString() });
  return context;
}

test('a failure for one site holds up no other site or duty, and is reported at the end', async () => {
  const context = await contextWith('a', 'b');
  const done: string[] = [];
  const failing: Duty = async (_, { id }) => {
    if (id === 'a') throw new Error('no');
    done.push(`failing ${id}`);
  };
  const working: Duty = async (_, { id }) => void done.push(`working ${id}`);
  await expect(upkeep(context, silent, () => false, { failing, working })).rejects.toThrow('1 parts of the upkeep');
  expect(done.sort()).toEqual(['failing b', 'working a', 'working b']);
});

test('nothing is begun when the time is over', async () => {
  const context = await contextWith('a');
  const never: Duty = () => expect.fail('begun');
  await upkeep(context, silent, () => true, { never });
});

test('runs that end early come to every site in turn, several sites at a time', async () => {
  const sites = Array.from({ length: 50 }, (_, i) => `s${String(i).padStart(2, '0')}`);
  const context = await contextWith(...sites);
  const met: string[] = [];
  let atOnce = 0;
  let most = 0;
  const duty: Duty = async (_, { id }) => {
    met.push(id);
    most = Math.max(most, ++atOnce);
    await nextTick();
    atOnce--;
  };
  const run = async () => {
    const from = met.length;
    await upkeep(context, silent, () => met.length - from >= 20, { duty });
    return met.slice(from);
  };
  const begun = [await run(), await run(), await run()];
  expect(begun.flat().slice(0, 50)).toEqual(sites);
  expect(begun.flat().slice(50)).toEqual(sites.slice(0, met.length - 50)); // Then from the beginning.
  expect(most).toBe(8);
  // A run with enough time does all, and the next one begins at the beginning.
  const from = met.length;
  await upkeep(context, silent, () => false, { duty });
  expect(new Set(met.slice(from)).size).toBe(50);
  await upkeep(context, silent, () => false, { duty });
  expect(met.slice(-50)).toEqual(sites);
});

test('deleted sites come before the duties, which may leave no time', async () => {
  const context = await contextWith('a', 'b');
  const order: string[] = [];
  const { deletions } = context;
  const list = () => {
    order.push('deleted');
    return deletions.list();
  };
  context.deletions = { ...deletions, list };
  await upkeep(context, silent, () => false, { duty: async () => void order.push('duty') });
  expect(order).toEqual(['deleted', 'duty', 'duty']);
});
