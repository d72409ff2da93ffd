import { expect, test } from 'vitest';
import type { Log } from '../../shared/log.ts';
import { memoryTable } from '../../test/test-table.ts';
import { openStores } from '../stores.ts';
import { type Duty, type UpkeepContext, upkeep } from './upkeep.ts';

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

async function contextWith(...sites: string[]): Promise<UpkeepContext> {
  const now = () => new Date();
  const registry = { publish: async () => {} } as unknown as UpkeepContext['registry'];
  const context = { ...openStores(memoryTable().open(), now), now, registry, hookQueue: { send: async () => {} } };
  for (const id of sites) await context.sites.add({ id, name: id, createdAt: now().toISOString() });
  return context;
}

test('what fails for one site holds up no other site, no other duty, and is told at the end', async () => {
  const context = await contextWith('a', 'b');
  const done: string[] = [];
  const failing: Duty = async (_, { id }) => {
    if (id === 'a') throw new Error('no');
    done.push(`failing ${id}`);
  };
  const working: Duty = async (_, { id }) => void done.push(`working ${id}`);
  await expect(upkeep(context, silent, () => false, { failing, working })).rejects.toThrow('1 parts of the upkeep');
  expect(done).toEqual(['working a', 'failing b', 'working b']);
});

test('nothing is begun when the time is over', async () => {
  const context = await contextWith('a');
  const never: Duty = () => expect.fail('begun');
  await upkeep(context, silent, () => true, { never });
});
