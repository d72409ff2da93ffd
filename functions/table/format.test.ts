/** The number of the format in the table. */
import { expect, test } from 'vitest';
import { FORMAT, otherFormat } from '../../shared/format.ts';
import { aroundCalls } from '../../test/support/database-calls.ts';
import { openMemoryTable } from '../../test/support/memory-table.ts';
import { hasNoFirstToken, hasNoSiteOrToken, provideTableFormat, requireTableFormat, withFormat } from './format.ts';
import { rows } from './rows.ts';
import type { Item, Table } from './table.ts';

const WHAT = 'The table lanreach';
const refuse = (error: Error) => new Error(`refused: ${error.message}`);

async function tableWith(...items: Item[]) {
  const table = openMemoryTable();
  for (const item of items) await table.put(item);
  return table;
}

async function itemsOf(table: Awaited<ReturnType<typeof tableWith>>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of table.snapshot().pages()) items.push(...page);
  return items;
}

const OF_CLOUD = [
  { ...rows.firstToken(), id: 'f000000000000001' },
  { ...rows.site('home'), d: '{}' },
];
const OF_MACHINE = [
  { ...rows.site('home'), d: '{}' },
  { ...rows.listedToken('f000000000000001'), d: '{}' },
];
const number = (format: number | string) => ({ ...rows.format(), format });

test.each([
  ['no number', [], null],
  ['a lower number', [number(FORMAT - 1)], FORMAT - 1],
  ['a greater number', [number(FORMAT + 1)], FORMAT + 1],
  ['a number that is none', [number('x')], null],
])('a table with %s is refused, and nothing in it changes', async (_, said, found) => {
  for (const [isEmpty, items] of [
    [hasNoFirstToken, OF_CLOUD],
    [hasNoSiteOrToken, OF_MACHINE],
  ] as const) {
    const table = await tableWith(...items, ...said);
    const before = await itemsOf(table);
    await expect(requireTableFormat(table, WHAT, isEmpty)).rejects.toThrow(otherFormat(WHAT, found));
    await expect(provideTableFormat(table, WHAT, isEmpty)).rejects.toThrow(otherFormat(WHAT, found));
    expect(await itemsOf(table)).toEqual(before);
  }
});

test('an empty table gets the number, which is found from then on', async () => {
  const table = await tableWith();
  expect(await requireTableFormat(table, WHAT, hasNoSiteOrToken)).toBe(false);
  await provideTableFormat(table, WHAT, hasNoSiteOrToken);
  expect(await itemsOf(table)).toEqual([number(FORMAT)]);
  for (const item of OF_MACHINE) await table.put(item);
  expect(await requireTableFormat(table, WHAT, hasNoSiteOrToken)).toBe(true);
});

/** Every way to use a table. */
const CALLS: Record<string, (table: Table) => Promise<unknown>> = {
  get: (table) => table.get(rows.site('home')),
  getAll: (table) => table.getAll([rows.site('home')]),
  query: (table) => table.query('SITES', null).next(),
  put: (table) => table.put({ ...rows.site('barn'), d: '{}' }),
  update: (table) => table.update(rows.site('home'), { set: { d: '1' } }),
  remove: (table) => table.remove(rows.site('home')),
  transact: (table) => table.transact([{ remove: rows.site('home') }]),
  bulk: (table) => table.bulk([{ remove: rows.site('home') }]),
  ping: (table) => table.ping(),
};

test('in the cloud every call on a table of another format fails with what to do, and nothing in it changes', async () => {
  const inner = await tableWith(...OF_CLOUD);
  const table = withFormat(inner, { what: WHAT, isEmpty: hasNoFirstToken, refuse });
  const before = await itemsOf(inner);
  for (const call of Object.values(CALLS))
    await expect(call(table)).rejects.toThrow(`refused: ${otherFormat(WHAT, null)}`);
  expect(await itemsOf(inner)).toEqual(before);
});

test('in the cloud a process asks for the number once, with one read, and before anything else', async () => {
  for (const call of Object.values(CALLS)) {
    const inner = await tableWith(number(FORMAT), ...OF_CLOUD);
    const calls: unknown[] = [];
    aroundCalls(inner, ({ method }, pass) => {
      calls.push(method);
      return pass();
    });
    const table = withFormat(inner, { what: WHAT, isEmpty: hasNoFirstToken, refuse });
    await Promise.all([call(table), table.get(rows.site('home'))]);
    await table.get(rows.site('home'));
    expect(calls).toHaveLength(4);
    expect(calls[0]).toBe('get');
  }
});

test('a read that fails is made again by the next call', async () => {
  const inner = await tableWith(number(FORMAT), ...OF_CLOUD);
  let failures = 2;
  aroundCalls(inner, (_, pass) => (failures-- > 0 ? Promise.reject(new Error('not reached')) : pass()));
  const table = withFormat(inner, { what: WHAT, isEmpty: hasNoFirstToken, refuse });
  await expect(table.get(rows.site('home'))).rejects.toThrow('not reached');
  await expect(table.get(rows.site('home'))).rejects.toThrow('not reached');
  expect(await table.get(rows.site('home'))).toMatchObject({ d: '{}' });
});
