import { expect, test } from 'vitest';
import { openMemoryTable } from '../../test/support/memory-table.ts';
import { EXISTS, IS_NEW } from '../table/condition.ts';
import { rows } from '../table/rows.ts';
import { wakingHooks } from './wake.ts';

test('a change of a collection and new settings of a hook wake it; what failed, and how far a hook has come, wakes none', async () => {
  const woken: string[] = [];
  const log = { info() {}, warn() {}, error() {} };
  const queue = { send: async ({ site }: { site: string }) => void woken.push(site) };
  const table = wakingHooks(openMemoryTable(), queue, () => new Date(), log);
  for (const site of ['home', 'cabin']) await table.put({ ...rows.site(site), hooked: 1 });
  await table.put({ ...rows.site('without') });
  const hook = rows.hook('home', 'a');
  await table.put({ ...rows.change('home', 1) });
  await table.put({ ...rows.change('without', 1) });
  await table.transact([{ put: { ...rows.change('cabin', 1) } }, { check: rows.change('home', 1), condition: EXISTS }]);
  expect(await table.transact([{ put: { ...rows.change('home', 1) }, condition: IS_NEW }])).toBe(false);
  await table.transact([{ put: { ...hook, d: 'its settings', p: 0 } }]);
  await table.update(hook, { set: { p: 1 } });
  await table.update(hook, { set: { d: 'others' } });
  expect(woken).toEqual(['home', 'cabin', 'home', 'home']);
});
