import { expect, test } from 'vitest';
import { IS_NEW } from './condition.ts';
import { openMemoryTable } from './memory.ts';

test('who follows the table is told of what is put, alone or in a transaction, and not of what was not made', async () => {
  const put: string[] = [];
  const table = openMemoryTable(({ sk }) => put.push(sk));
  const key = (sk: string) => ({ pk: 'S#home', sk });
  await table.put(key('a'));
  await table.transact([{ put: key('b') }, { put: key('c') }, { check: key('a'), condition: { present: ['pk'] } }]);
  expect(await table.transact([{ put: key('d') }, { put: key('a'), condition: IS_NEW }])).toBe(false);
  expect(put).toEqual(['a', 'b', 'c']);
});
