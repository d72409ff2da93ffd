/** What the tests of the API rely on, to find a right that a function lacks. */
import { expect, test } from 'vitest';
import { openMemoryTable } from '../support/memory-table.ts';
import { asFunction, callsOfTransaction, judgedTable } from '../support/table-rights.ts';

test('what a role does not allow is refused, also where the caller would go on', async () => {
  const denied: string[] = [];
  const table = judgedTable(openMemoryTable(), (call) => denied.push(call));
  const device = { pk: 'S#home', sk: 'D#~x', d: '{}' };
  const text = 'console may not PutItem S#home with pk,sk,d';
  expect(() => asFunction('console', () => table.put(device))).toThrow(text);
  await expect(
    asFunction('worker', () => table.bulk([{ remove: device }, { put: { ...device, x: 1 } }])),
  ).rejects.toThrow();
  expect(() => asFunction('ingest', () => table.get({ pk: 'T#a', sk: 'T' }))).toThrow(
    'ingest may not GetItem T#a with *',
  );
  expect(denied).toHaveLength(3);
  expect(await table.put(device)).toBe(true);
});

test('a transaction is judged item by item, and as a whole', () => {
  const put = (pk: string) => ({ put: { pk, sk: 'x', d: '{}' } });
  const judged = callsOfTransaction([put('T#a'), put('TOKENS'), { remove: { pk: 'SETUP', sk: 'x' } }]);
  expect(judged.map(({ action, keys }) => `${action} ${keys}`)).toEqual([
    ...['PutItem T#a', 'PutItem TOKENS', 'DeleteItem SETUP'],
    ...['PutItem T#a,TOKENS', 'DeleteItem SETUP'],
  ]);
});
