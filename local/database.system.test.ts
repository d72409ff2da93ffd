import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openLmdbTable } from '../functions/table/lmdb.ts';
import { rows } from '../functions/table/rows.ts';
import type { Item } from '../functions/table/table.ts';
import { FORMAT, otherFormat } from '../shared/format.ts';
import { folderOfEachTest } from '../test/support/folder-of-tests.ts';
import { listingOf } from '../test/support/listing.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { openDatabase } from './database.ts';
import { changeState, readState } from './state.ts';

const KEY = { pk: 'S#home', sk: 'D#1' };

const folder = folderOfEachTest();
let data: DataFolder;
beforeEach(async () => {
  data = await openDataFolder(folder.path);
});
afterEach(async () => {
  data.release();
});

const SETTINGS = { dynamodbEndpoint: null, awsRegion: 'local', hasAwsCredentials: false };
const open = () => openDatabase(data, SETTINGS, pino({ level: 'silent' }));

/** Opens the database, and closes it after the work, as two starts of the server do. */
async function withDatabase<T>(work: (opened: Awaited<ReturnType<typeof open>>) => Promise<T>): Promise<T> {
  const opened = await open();
  try {
    return await work(opened);
  } finally {
    await opened.stop();
    await opened.table.close();
  }
}

test('what was written is there at the next start, in a file that others cannot read', async () => {
  await withDatabase(({ table }) => table.put({ ...KEY, a: 1 }));
  expect(await withDatabase(({ table }) => table.get(KEY))).toEqual({ ...KEY, a: 1 });
  expect(statSync(data.database).mode & 0o777).toBe(0o600);
});

test.each([
  ['no number', null, null],
  ['another number', FORMAT + 1, FORMAT + 1],
])('a database with %s is refused, and left as it is to the last byte', async (_, format, found) => {
  const table = openLmdbTable(data.database);
  await table.put({ ...rows.site('home'), d: '{}' });
  if (format !== null) await table.put({ ...rows.format(), format });
  await table.close();
  // LMDB notes readers in a file beside it, where nothing else is.
  const listing = () => listingOf(folder.path).filter((line) => !line.startsWith('lanreach.mdb-lock'));
  const before = listing();
  await expect(open()).rejects.toThrow(otherFormat(`The database ${data.database}`, found));
  expect(listing()).toEqual(before);
});

test.each([
  ['missing', () => rmSync(data.database)],
  ['empty', () => truncateSync(data.database)],
])('a database that is %s, but was there, is refused until a person decides', async (state, lose) => {
  await withDatabase(async () => {});
  lose();
  await expect(open()).rejects.toThrow(
    new RegExp(`^The database ${data.database} is ${state}, but there was one\\. Put a copy of it back,`),
  );
  expect((await readState(data)).hasDatabase).toBe(true);
  rmSync(join(folder.path, 'state.json'));
  await withDatabase(async ({ table }) => expect(await table.get(KEY)).toBeNull());
});

describe('what has expired', () => {
  const now = new Date('2026-11-01T12:00:00Z');
  const at = (ms: number) => Math.floor((now.getTime() + ms) / 1000);

  test('goes, from all partitions; what has not, or never does, stays', async () => {
    const table = openLmdbTable(data.database);
    // More than are looked at at once.
    const ttl = at(-60_000);
    const over: Item[] = Array.from({ length: 1_100 }, (_, i) => ({ pk: `S#${i % 3}`, sk: `D#${i}`, ttl }));
    const kept: Item[] = [
      { pk: 'S#0', sk: 'D#later', ttl: at(60_000) },
      { pk: 'S#1', sk: 'D#never' },
    ];
    await table.bulk([...over, ...kept].map((put) => ({ put })));
    expect(await table.expire(now)).toBe(over.length);
    expect(await table.getAll([...over, ...kept])).toEqual(kept);
    await table.close();
  });

  test('stays if it was renewed before it could go', async () => {
    const table = openLmdbTable(data.database);
    await table.bulk(['D#1', 'D#2'].map((sk) => ({ put: { pk: 'S#home', sk, ttl: at(-60_000) } })));
    // Its write waits in front of those that remove what was found.
    const renewed = table.update(KEY, { set: { ttl: at(60_000) } });
    expect(await table.expire(now)).toBe(1);
    await renewed;
    expect(await table.get(KEY)).toEqual({ ...KEY, ttl: at(60_000) });
    await table.close();
  });
});

describe('a file that was damaged', () => {
  const PAGE = 4096;
  async function filled(): Promise<Buffer> {
    const item = { pk: 'S#home', text: 'x'.repeat(300) };
    const writes = Array.from({ length: 3_000 }, (_, i) => ({ put: { ...item, sk: `D#${i}` } }));
    await withDatabase(({ table }) => table.bulk(writes));
    return readFileSync(data.database);
  }
  const noise = (bytes: number) => Buffer.alloc(bytes, randomBytes(64));
  const withNoise = (file: Buffer, at: number, bytes: number) =>
    Buffer.concat([file.subarray(0, at), noise(bytes), file.subarray(at + bytes)]).subarray(0, file.length);

  test.each<[string, (file: Buffer) => Buffer]>([
    ['most of its pages are missing', (file) => file.subarray(0, 20 * PAGE)],
    ['noise in the middle', (file) => withNoise(file, Math.floor(file.length / PAGE / 2) * PAGE, 64 * PAGE)],
    ['noise nearly everywhere', (file) => withNoise(file, 2 * PAGE, file.length)],
  ])('is refused with its name and what to do: %s', async (_, damage) => {
    writeFileSync(data.database, damage(await filled()));
    await expect(open()).rejects.toThrow(/lanreach\.mdb .*Put a copy of it back/);
  });

  test('is read once more after a stop that was not orderly, and not after one that was', async () => {
    await filled();
    expect((await readState(data)).closedAs).toEqual({ size: expect.any(Number), mtimeMs: expect.any(Number) });
    await changeState(data, { closedAs: null });
    expect(await withDatabase(({ table }) => table.get({ pk: 'S#home', sk: 'D#7' }))).toMatchObject({ sk: 'D#7' });
  });
});
