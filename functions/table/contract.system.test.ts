/** What every adapter of the table promises to the stores. */
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../test/support/emulator.ts';
import { openMemoryTable } from '../../test/support/memory-table.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { type Condition, EXISTS, holds, IS_NEW, unchanged } from './condition.ts';
import { openDynamoDbTable } from './dynamodb.ts';
import { openLmdbTable } from './lmdb.ts';
import { withRequestCost } from './request-cost.ts';
import { type Item, listItems, type Table, type Update, type Write } from './table.ts';

let emulator: Emulator;
const folder = makeTestFolder();
beforeAll(async () => {
  emulator = await startEmulator();
});
afterAll(async () => {
  await emulator[Symbol.asyncDispose]();
  await folder.remove();
});

const ADAPTERS: Record<string, () => Promise<Table>> = {
  DynamoDB: async () => openDynamoDbTable(await emulator.makeTable()),
  LMDB: async () => openLmdbTable(join(folder.path, `${Math.random()}.mdb`)),
  memory: async () => openMemoryTable(),
};

const KEY = { pk: 'S#home', sk: 'D#1' };

async function all(pages: AsyncGenerator<Item[]>): Promise<string[]> {
  const found: string[] = [];
  for await (const page of pages) found.push(...page.map(({ sk }) => sk));
  return found;
}

describe.each(Object.keys(ADAPTERS))('the table in %s', (name) => {
  /** More than the pages and batches of the adapter; the emulator takes a millisecond of a processor or more for each. */
  const many = name === 'DynamoDB' ? 130 : 1_234;
  let table: Table;
  const read = (key = KEY) => table.get(key, { consistent: true });
  beforeEach(async () => {
    table = await ADAPTERS[name]!();
    return () => table.close();
  });

  test('gives back what was put: texts of any language, numbers, bytes, empty texts', async () => {
    const bytes = Uint8Array.from({ length: 3_000 }, (_, i) => i % 256);
    const item = { ...KEY, text: 'Küche 🖨 "1"\n', empty: '', zero: 0, negative: -1.5, big: 2 ** 53 - 1, bytes };
    expect(await table.put(item)).toBe(true);
    const found = (await read()) ?? KEY;
    const { bytes: stored, ...rest } = found as Item & { bytes: Uint8Array };
    expect({ ...rest, bytes: [...stored] }).toEqual({ ...item, bytes: [...bytes] });
    // Bytes that were read stay what they were, whatever is written later.
    for (let i = 0; i < 50; i++) await table.put({ ...KEY, sk: `D#${i}`, bytes: new Uint8Array(3_000) });
    expect([...stored]).toEqual([...bytes]);
  });

  test('refuses values that could not be given back as they were', async () => {
    for (const value of [Number.NaN, 2 ** 53 + 2, null, undefined, true, new Date()]) {
      await expect(table.put({ ...KEY, value } as unknown as Item)).rejects.toThrow();
    }
    expect(await read()).toBeNull();
  });

  test('an absent item is null; a projection has the key and the requested attributes', async () => {
    expect(await read()).toBeNull();
    await table.put({ ...KEY, a: 1, b: 2 });
    expect(await table.get(KEY, { consistent: true, attributes: ['b', 'c'] })).toEqual({ ...KEY, b: 2 });
  });

  test('what a reader does to an item that it got changes nothing', async () => {
    await table.put({ ...KEY, a: 1 });
    const found = await read();
    found!.a = 2;
    expect(await read()).toEqual({ ...KEY, a: 1 });
  });

  test('of many keys, the items that exist', async () => {
    const items = Array.from({ length: 230 }, (_, i) => ({ pk: `T#${i}`, sk: 'T', i }));
    await table.bulk(items.map((put) => ({ put })));
    const found = await table.getAll([...items, { pk: 'T#none', sk: 'T' }], { consistent: true });
    expect(found.map(({ i }) => i).sort((a, b) => Number(a) - Number(b))).toEqual(items.map(({ i }) => i));
    expect(await table.getAll([])).toEqual([]);
  });

  test('a prefix of a partition in the order of its sort keys, both ways, in pages, from any place', async () => {
    const keys = ['#META', 'C#1', 'D#1', 'D#10', 'D#2', 'D#ä', 'D#🖨', 'D#', 'E#1'];
    const puts: Write[] = keys.map((sk) => ({ put: { pk: 'S#home', sk } }));
    await table.bulk([...puts, { put: { pk: 'S#homes', sk: 'D#9' } }]);
    const inOrder = ['D#', 'D#1', 'D#10', 'D#2', 'D#ä', 'D#🖨'];
    const query = (options: object) => all(table.query('S#home', 'D#', { consistent: true, ...options }));
    expect(await query({})).toEqual(inOrder);
    expect(await query({ limit: 2 })).toEqual(inOrder);
    expect(await query({ descending: true, limit: 4 })).toEqual(inOrder.toReversed());
    expect(await query({ startAfter: 'D#1' })).toEqual(inOrder.slice(2));
    expect(await query({ startAfter: 'D#15' })).toEqual(inOrder.slice(3));
    expect(await query({ startAfter: 'D#2', descending: true })).toEqual(['D#10', 'D#1', 'D#']);
    expect(await query({ startAfter: 'D#15', descending: true, limit: 1 })).toEqual(['D#10', 'D#1', 'D#']);
    expect(await all(table.query('S#home', null, { consistent: true }))).toHaveLength(keys.length);
    expect(await all(table.query('S#none', 'D#', { consistent: true }))).toEqual([]);
  });

  test('a page holds as many items as requested; writes between two pages are seen or not, but nothing twice', async () => {
    await table.bulk(Array.from({ length: many }, (_, i) => ({ put: { pk: 'S#a', sk: `D#${1_000 + i}` } })));
    const seen: string[] = [];
    for await (const page of table.query('S#a', 'D#', { consistent: true, limit: 50 })) {
      expect(page.length).toBeLessThanOrEqual(50);
      seen.push(...page.map(({ sk }) => sk));
      await table.remove({ pk: 'S#a', sk: 'D#1000' });
      await table.put({ pk: 'S#a', sk: 'D#1000' });
    }
    expect(seen).toEqual(Array.from({ length: many }, (_, i) => `D#${1_000 + i}`));
  });

  const before: Item = { ...KEY, text: 'a', n: 5, state: 'queued' };
  const ofTheItem: [Condition, boolean][] = [
    [EXISTS, true],
    [IS_NEW, false],
    [{ equals: { text: 'a', n: 5 } }, true],
    [{ equals: { text: 'a', n: 6 } }, false],
    [{ equals: { n: '5' } }, false],
    [{ equals: { other: null } }, true],
    [{ equals: { text: null } }, false],
    [{ present: ['text', 'n'] }, true],
    [{ present: ['text', 'other'] }, false],
    [{ less: { n: 6 } }, true],
    [{ less: { n: 5 } }, false],
    [{ less: { other: 1 } }, false],
    [{ less: { text: 1 } }, false],
    [{ in: { state: ['queued', 'running'] } }, true],
    [{ in: { state: ['running'] } }, false],
    [{ all: [EXISTS, { less: { n: 6 } }] }, true],
    [{ all: [EXISTS, { less: { n: 5 } }] }, false],
    [{ any: [IS_NEW, { equals: { n: 5 } }] }, true],
    [{ any: [IS_NEW, { equals: { n: 6 } }] }, false],
    [{ all: [{ any: [IS_NEW, { less: { n: 9 } }] }, { equals: { other: null } }] }, true],
    [unchanged(['text', 'other'], before), true],
    [unchanged(['text', 'n'], { text: 'a' }), false],
  ];
  const ofNone: [Condition, boolean][] = [
    [IS_NEW, true],
    [EXISTS, false],
    [{ equals: { a: null } }, true],
    [{ less: { a: 1 } }, false],
  ];

  test('every write is made exactly when its condition holds', async () => {
    for (const [condition, isMet] of ofTheItem) {
      const other = { pk: 'x', sk: 'x' };
      await table.remove(other);
      await table.put(before);
      const updated = await table.update(KEY, { set: { done: 1 } }, condition);
      const isDone = (await read())?.done === 1;
      await table.put(before);
      const made = await table.transact([{ check: KEY, condition }, { put: other }]);
      const isMade = (await read(other)) !== null;
      const put = await table.put({ ...KEY, replaced: 1 }, condition);
      await table.put(before);
      const removed = await table.remove(KEY, condition);
      const isGone = (await read()) === null;
      const found = [holds(condition, before), updated, isDone, made, isMade, put, removed, isGone];
      expect([condition, found]).toEqual([condition, Array(8).fill(isMet)]);
    }
    for (const [condition, isMet] of ofNone) {
      await table.remove(KEY);
      const found = [holds(condition, null), await table.put(before, condition), (await read()) !== null];
      expect([condition, found]).toEqual([condition, Array(3).fill(isMet)]);
    }
  });

  test('an update sets, sets once, adds, removes, and makes the item', async () => {
    const update: Update = { set: { a: 'x' }, setOnce: { first: 1 }, add: { count: 2 } };
    expect(await table.update(KEY, update)).toBe(true);
    expect(await read()).toEqual({ ...KEY, a: 'x', first: 1, count: 2 });
    await table.update(KEY, { setOnce: { first: 9, second: 2 }, add: { count: 3 }, remove: ['a', 'missing'] });
    expect(await read()).toEqual({ ...KEY, first: 1, second: 2, count: 5 });
  });

  test('a transaction writes all or nothing: puts, removals and updates, also of an item that it makes', async () => {
    const [used, gone, made] = ['T#1', 'T#2', 'T#3'].map((pk) => ({ pk, sk: 'T' })) as [Item, Item, Item];
    await table.put({ ...used, used: 1, a: 1 });
    await table.put(gone);
    const use = (limit: number) =>
      table.transact([
        { put: { ...made, b: 2 } },
        { remove: gone, condition: EXISTS },
        { update: KEY, by: { set: { b: 2 }, setOnce: { first: 1 }, remove: ['c'] }, condition: IS_NEW },
        { update: used, by: { add: { used: 1 }, remove: ['a'] }, condition: { less: { used: limit } } },
      ]);
    const found = () => Promise.all([KEY, used, gone, made].map(read));
    expect(await use(1)).toBe(false);
    expect(await found()).toEqual([null, { ...used, used: 1, a: 1 }, gone, null]);
    expect(await use(2)).toBe(true);
    expect(await found()).toEqual([{ ...KEY, b: 2, first: 1 }, { ...used, used: 2 }, null, { ...made, b: 2 }]);
    expect(await use(9)).toBe(false);
  });

  test('of transactions at the same time that count in one item, no more are made than it allows', async () => {
    await table.put({ ...KEY, used: 0 });
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        table.transact([
          { put: { pk: 'T#1', sk: String(n) }, condition: IS_NEW },
          { update: KEY, by: { add: { used: 1 } }, condition: { less: { used: 3 } } },
        ]),
      ),
    );
    expect(made.filter(Boolean)).toHaveLength(3);
    expect((await read())?.used).toBe(3);
    expect(await all(table.query('T#1', null, { consistent: true }))).toHaveLength(3);
  });

  test('of writers at the same time exactly one finds its condition, and none is lost', async () => {
    const won = await Promise.all(Array.from({ length: 20 }, (_, n) => table.put({ ...KEY, n }, IS_NEW)));
    expect(won.filter(Boolean)).toHaveLength(1);
    await Promise.all(Array.from({ length: 20 }, () => table.update(KEY, { add: { sum: 1 } })));
    expect((await read())?.sum).toBe(20);
  });

  test('a bulk makes all writes whose conditions hold', async () => {
    const at = (i: number) => ({ pk: 'S#a', sk: `D#${i}` });
    const puts = Array.from({ length: many }, (_, i): Write => ({ put: { ...at(i), v: 1 } }));
    await table.bulk(puts);
    const isOlder = { any: [IS_NEW, { less: { v: 1 } }] };
    await table.bulk([
      { put: { ...at(0), v: 2 }, condition: isOlder },
      { put: { ...at(1), v: 2 }, condition: { less: { v: 2 } } },
      { put: { ...at(many), v: 2 }, condition: isOlder },
      { remove: at(2), condition: isOlder },
    ]);
    const rows: Item[] = [];
    for await (const page of table.query('S#a', null, { consistent: true })) rows.push(...page);
    expect(rows).toHaveLength(many + 1);
    expect(rows.filter(({ v }) => v === 2)).toEqual([
      { ...at(1), v: 2 },
      { ...at(many), v: 2 },
    ]);
    await table.bulk(rows.map((row) => ({ remove: row })));
    expect(await all(table.query('S#a', null, { consistent: true }))).toEqual([]);
  });

  test('counts what a request consumes, as DynamoDB does', async () => {
    const consumed = await withRequestCost(async (units) => {
      await table.put({ ...KEY, text: 'x'.repeat(1_500) });
      await table.get(KEY, { consistent: true });
      await table.get(KEY);
      return units;
    });
    expect(consumed).toEqual({ writeUnits: 2, readUnits: 1.5 });
  });

  test('any sequence of writes leaves what the same writes leave in memory', async () => {
    const key = fc.record({ pk: fc.constantFrom('a', 'b'), sk: fc.constantFrom('P#1', 'P#2', 'P#3') });
    const n = fc.integer({ min: 0, max: 3 });
    const condition = fc.constantFrom<Condition | undefined>(
      undefined,
      EXISTS,
      IS_NEW,
      { less: { n: 2 } },
      { equals: { n: 1 } },
      { in: { n: [0, 3] } },
    );
    const step = fc.oneof(
      fc.record({ put: key, n, condition }),
      fc.record({ update: key, n, condition }),
      fc.record({ remove: key, condition }),
    );
    type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
    const apply = (to: Table, one: Step) => {
      if ('put' in one) return to.put({ ...one.put, n: one.n }, one.condition);
      if ('update' in one) return to.update(one.update, { set: { n: one.n }, add: { sum: one.n } }, one.condition);
      return to.remove(one.remove, one.condition);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const model = openMemoryTable();
        for (const pk of ['a', 'b']) for (const sk of ['P#1', 'P#2', 'P#3']) await table.remove({ pk, sk });
        for (const one of steps) expect(await apply(table, one)).toBe(await apply(model, one));
        for (const pk of ['a', 'b']) {
          expect(await listItems(table, pk, 'P#')).toEqual(await listItems(model, pk, 'P#'));
        }
      }),
      { numRuns: name === 'DynamoDB' ? 12 : 25 },
    );
  });

  test('responds to a ping', async () => {
    await expect(table.ping()).resolves.toBeUndefined();
  });
});
