import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { PointMemory } from './point-memory.ts';

interface Row {
  pk: string;
  sk: string;
  d: string;
}

const KEY = { pk: 'T#1', sk: 'T' };
const rowOf = (d: string, key = KEY): Row => ({ ...key, d });
const open = (limits = {}) => new PointMemory<Row>(limits);
const made = async () => {};
const lost = async (onDoubt: () => void) => onDoubt();

/** A read or a write that the test ends. */
function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((...settle) => {
    [resolve, reject] = settle;
  });
  const call = vi.fn(() => promise);
  return { call, resolve: (value: T) => resolve(value), reject: (error: Error) => reject(error) };
}

test('whatever the order of reads and writes, a read returns what the table held between its call and its return', async () => {
  const key = fc.integer({ min: 0, max: 1 });
  const outcome = fc.constantFrom('made', 'refused', 'lost', 'late', 'repeated', 'read', 'read', 'read');
  /** Whether it begins when the one before it has ended, and not at any time. */
  const inTurn = fc.boolean();
  const isWhole = fc.boolean();
  const operations = fc.array(fc.record({ key, outcome, inTurn, isWhole }), { minLength: 3, maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), operations, async (scheduler, wanted) => {
      const memory = open();
      /** Everything that the table held of each row, in order. */
      const held = [['first'], ['first']] as [string[], string[]];
      const moment = (what: string) => scheduler.schedule(Promise.resolve(), what);

      async function load(key: typeof KEY, values: string[]): Promise<Row> {
        await moment('the read reaches the table');
        const found = values.at(-1) ?? '';
        await moment('the answer to the read arrives');
        return rowOf(found, key);
      }

      async function read(key: typeof KEY, values: string[]): Promise<void> {
        const before = values.length - 1;
        const row = await memory.read(key, () => load(key, values));
        expect(values.slice(before)).toContain(row?.d);
      }

      async function write(values: string[], value: string, how: string, onDoubt: () => void): Promise<void> {
        const apply = async () => {
          await moment(`${value} is made`);
          values.push(value);
        };
        if (how === 'made' || how === 'repeated') await apply();
        if (how === 'late' || how === 'repeated') void apply();
        await moment(`the answer to ${value} arrives`);
        if (how !== 'made' && how !== 'refused') onDoubt();
        if (how !== 'made' && how !== 'repeated') throw new Error(how);
      }

      const running: Promise<void>[] = [];
      for (const [i, { key: of, outcome: what, inTurn: waits, isWhole }] of wanted.entries()) {
        const key = { pk: String(of), sk: '' };
        const values = held[of === 0 ? 0 : 1];
        const begin = async () => {
          await (waits ? running[i - 1] : moment(`operation ${i}`));
          if (what === 'read') return read(key, values);
          const value = `value ${i}`;
          const whole = isWhole ? rowOf(value, key) : null;
          await memory.write([key], (onDoubt) => write(values, value, what, onDoubt), whole).catch(() => {});
        };
        running.push(begin());
      }
      await scheduler.waitFor(Promise.all(running));
    }),
    { numRuns: 1_000 },
  );
});

test('a row is read once, until it is written', async () => {
  const memory = open();
  const load = vi.fn(async () => rowOf('first'));
  const first = await memory.read(KEY, load);
  expect(await memory.read(KEY, load)).toBe(first);
  expect(Object.isFrozen(first)).toBe(true);
  expect(load).toHaveBeenCalledTimes(1);
  await memory.write([{ pk: 'another', sk: '' }, KEY], made);
  expect(await memory.read(KEY, async () => rowOf('second'))).toEqual(rowOf('second'));
});

test('a row that was put need not be read, unless another write of it was under way', async () => {
  const memory = open();
  const load = vi.fn(async () => rowOf('read'));
  const put = rowOf('put');
  await memory.write([KEY], made, put);
  put.d = 'changed by whoever has put it';
  expect(await memory.read(KEY, load)).toEqual(rowOf('put'));
  const first = deferred<void>();
  const written = memory.write([KEY], first.call, rowOf('first'));
  await memory.write([KEY], made, rowOf('second'));
  first.resolve();
  await written;
  expect(await memory.read(KEY, load)).toEqual(rowOf('read'));
  expect(load).toHaveBeenCalledTimes(1);
});

test('a write that was refused makes its row be read again', async () => {
  const memory = open();
  await memory.read(KEY, async () => rowOf('first'));
  await expect(memory.write([KEY], () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  const load = vi.fn(async () => rowOf('second'));
  for (let i = 0; i < 2; i++) expect(await memory.read(KEY, load)).toEqual(rowOf('second'));
  expect(load).toHaveBeenCalledTimes(1);
});

test('a row with a write of unknown outcome is read each time; the others are not', async () => {
  const memory = open();
  const other = { pk: 'T#2', sk: 'T' };
  await memory.write([KEY, other], made);
  await memory.write([KEY], lost);
  await memory.write([KEY], made);
  const load = vi.fn(async () => rowOf('some'));
  for (let i = 0; i < 3; i++) await memory.read(KEY, load);
  expect(load).toHaveBeenCalledTimes(3);
  for (let i = 0; i < 3; i++) await memory.read(other, load);
  expect(load).toHaveBeenCalledTimes(4);
});

test('after too many writes of unknown outcome nothing is kept any more', async () => {
  const memory = open({ uncertain: 2 });
  await memory.read(KEY, async () => rowOf('old'));
  for (let i = 0; i < 3; i++) await memory.write([{ pk: `${i}`, sk: '' }], lost);
  const load = vi.fn(async () => rowOf('new'));
  for (let i = 0; i < 2; i++) expect(await memory.read(KEY, load)).toEqual(rowOf('new'));
  expect(load).toHaveBeenCalledTimes(2);
});

test('a thousand readers of a row make one call', async () => {
  const memory = open();
  const { call, resolve } = deferred<Row | null>();
  const readers = Array.from({ length: 1_000 }, () => memory.read(KEY, call));
  resolve(rowOf('first'));
  expect(new Set(await Promise.all(readers)).size).toBe(1);
  expect(call).toHaveBeenCalledTimes(1);
});

test('a thousand readers of a row that is being written make two calls', async () => {
  const memory = open();
  const write = deferred<void>();
  const written = memory.write([KEY], write.call);
  const [before, after] = [deferred<Row | null>(), deferred<Row | null>()];
  const first = memory.read(KEY, before.call);
  const others = Array.from({ length: 999 }, () => memory.read(KEY, after.call));
  before.resolve(rowOf('old'));
  expect(await first).toEqual(rowOf('old'));
  write.resolve();
  await written;
  after.resolve(rowOf('new'));
  for (const row of await Promise.all(others)) expect(row).toEqual(rowOf('new'));
  expect([before.call, after.call].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});

test('a read that fails fails those who joined it, and the next one is a call again', async () => {
  const memory = open();
  const { call, reject } = deferred<Row | null>();
  const readers = [memory.read(KEY, call), memory.read(KEY, call)];
  reject(new Error('unreachable'));
  for (const reader of readers) await expect(reader).rejects.toThrow('unreachable');
  expect(await memory.read(KEY, async () => rowOf('first'))).toEqual(rowOf('first'));
});

test('no more rows are kept than the limits allow, those that were read last; large ones, bytes and nothing are not', async () => {
  async function calls(memory: PointMemory<Row>, pk: string, row: object | null): Promise<number> {
    const load = vi.fn(async () => row as Row | null);
    await memory.read({ pk, sk: '' }, load);
    return load.mock.calls.length;
  }
  const small = (pk: string) => ({ pk, sk: '', d: 'x'.repeat(50) });
  for (const memory of [open({ rows: 2 }), open({ size: 150 })]) {
    for (const pk of ['a', 'b', 'a', 'c']) await calls(memory, pk, small(pk));
    const again = [];
    for (const pk of ['a', 'c', 'b']) again.push(await calls(memory, pk, small(pk)));
    expect(again).toEqual([0, 0, 1]);
  }
  const memory = open({ rowSize: 100 });
  const large = { ...small('a'), d: 'x'.repeat(100) };
  const bytes = { ...small('a'), d: new Uint8Array(3) };
  const lists = [large, bytes].map((row) => ({ pk: 'a', sk: '', items: [row] }));
  for (const row of [null, large, bytes, ...lists]) {
    expect([await calls(memory, 'a', row), await calls(memory, 'a', row)]).toEqual([1, 1]);
  }
});
