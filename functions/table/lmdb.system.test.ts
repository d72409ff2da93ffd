/** What LMDB leaves behind when the process or the machine stops, or the disk is full. */
import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeEach, expect, test } from 'vitest';
import { bundleProgram } from '../../test/support/bundle-program.ts';
import { makeTestFolder, type TestFolder } from '../../test/support/test-folder.ts';
import { openLmdbTable } from './lmdb.ts';
import type { Item } from './table.ts';

/** Programs in it find their packages. */
const ROOT = join(import.meta.dirname, '..', '..', 'dist');
const PAGE = 4096;
/** The two first pages say which commit is the last one; LMDB writes them in turn, each as one sector. */
const META_PAGES = 2;
const KILLS = 6;

let folder: TestFolder;
beforeEach(() => {
  folder = makeTestFolder(ROOT);
  return () => folder.remove();
});

/** Runs the writer, and kills it at some moment after it has said `lines` numbers. @returns the last one that it said */
function writeUntilKilled(program: string, file: string, first: number, lines: number): Promise<number> {
  const child = spawn(process.execPath, [program, file, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let last = first - 1;
  let said = 0;
  createInterface(child.stdout).on('line', (line) => {
    last = Number(line);
    if (++said === lines) setTimeout(() => child.kill('SIGKILL'), Math.random() * 5);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === null ? resolve(last) : reject(new Error(`the writer has ended: ${code}`))));
  });
}

test(`nothing that was acknowledged is lost, and nothing is half done, over ${KILLS} kills`, async () => {
  const main = join(import.meta.dirname, '../../test/support/store/writer-main.ts');
  const program = await bundleProgram(main, folder.path, ['lmdb']);
  const file = join(folder.path, 'table.mdb');
  let first = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const last = await writeUntilKilled(program, file, first, 1 + (kill % 7));
    const table = openLmdbTable(file);
    const count = (await table.get({ pk: 'count', sk: 'all' })) as Item & { n: number; sum: number };
    const [left, right] = await Promise.all(['left', 'right'].map((sk) => table.get({ pk: 'pair', sk })));
    // The last step may have been committed although its acknowledgement was never said.
    expect([last, last + 1]).toContain(count.n);
    expect([left?.n, left?.text]).toEqual([right?.n, right?.text]);
    expect([last, last + 1]).toContain(left?.n);
    const singles: string[] = [];
    for await (const page of table.query('single', null)) singles.push(...page.map(({ sk }) => sk));
    for (let n = Math.max(0, last - 90); n <= last; n++) expect(singles).toContain(String(n).padStart(8, '0'));
    await table.close();
    first = Number(count.n) + 1;
  }
});

test('a machine that stops while it writes pages leaves the last commit, whichever of the pages it has written', async () => {
  const file = join(folder.path, 'table.mdb');
  const images: Buffer[] = [];
  const table = openLmdbTable(file);
  const items = (n: number) =>
    Array.from({ length: 100 }, (_, i) => ({ pk: 'a', sk: String(i), n, text: 'x'.repeat(i * 20) }));
  for (const n of [1, 2, 3]) {
    // One transaction and so one commit.
    await table.transact(items(n).map((put) => ({ put })));
    images.push(readFileSync(file));
  }
  await table.close();
  for (let torn = 0; torn < 20; torn++) {
    const [before, after] = torn % 2 === 0 ? [images[0]!, images[1]!] : [images[1]!, images[2]!];
    const image = Buffer.alloc(Math.max(before.length, after.length));
    before.copy(image);
    for (let at = META_PAGES * PAGE; at < after.length; at += PAGE / 2) {
      if (Math.random() < 0.5) after.copy(image, at, at, at + PAGE / 2);
    }
    const copy = join(folder.path, `torn-${torn}.mdb`);
    writeFileSync(
      copy,
      image.subarray(0, Math.random() < 0.3 ? Math.max(before.length, image.length - PAGE) : undefined),
    );
    const reopened = openLmdbTable(copy);
    for (const item of items(1 + (torn % 2))) expect(await reopened.get({ pk: 'a', sk: item.sk })).toEqual(item);
    expect(await reopened.put({ pk: 'b', sk: 'b' })).toBe(true);
    await reopened.close();
  }
});

test('a copy of the file beside the running table can be opened, and is readable for its owner alone', async () => {
  const file = join(folder.path, 'table.mdb');
  const table = openLmdbTable(file);
  await table.put({ pk: 'a', sk: 'a', n: 1 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const copy = join(folder.path, 'copy.mdb');
  writeFileSync(copy, readFileSync(file));
  const opened = openLmdbTable(copy);
  expect(await opened.get({ pk: 'a', sk: 'a' })).toEqual({ pk: 'a', sk: 'a', n: 1 });
  await Promise.all([table.close(), opened.close()]);
});

test.each<[what: string, damage: (file: Buffer) => Buffer, message: string]>([
  ['a tenth of a copy', (file) => file.subarray(0, file.length / 10), 'is not whole'],
  ['nearly a copy', (file) => file.subarray(0, file.length * 0.8), 'is not whole'],
  ['another file', (file) => Buffer.alloc(file.length, 7), 'is no database of this program'],
  ['zeros', (file) => Buffer.alloc(file.length), 'is no database of this program'],
  ['a text', () => Buffer.from('hello'), 'is no database of this program'],
])('%s is refused with a message, and not mapped into memory', async (_, damage, message) => {
  const file = join(folder.path, 'table.mdb');
  const table = openLmdbTable(file);
  const items = Array.from({ length: 200 }, (_, i) => ({ put: { pk: 'a', sk: String(i), text: 'x'.repeat(50 * i) } }));
  await table.bulk(items);
  await table.close();
  writeFileSync(file, damage(readFileSync(file)));
  expect(() => openLmdbTable(file)).toThrow(message);
});

test('pages that a commit has used and freed again need not be there', async () => {
  const file = join(folder.path, 'table.mdb');
  let table = openLmdbTable(file);
  for (let round = 0; round < 30; round++) {
    await Promise.all([
      table.put({ pk: 'a', sk: String(round), n: round }),
      ...Array.from({ length: 5 }, (_, i) => table.put({ pk: 't', sk: String(i), text: 'x'.repeat(20_000) })),
      ...Array.from({ length: 5 }, (_, i) => table.remove({ pk: 't', sk: String(i) })),
    ]);
    await table.close();
    table = openLmdbTable(file);
    expect(await table.get({ pk: 'a', sk: String(round) })).toMatchObject({ n: round });
  }
  await table.close();
});

test('a snapshot has what was acknowledged before it and nothing that was written since, however much that is', async () => {
  const table = openLmdbTable(join(folder.path, 'table.mdb'));
  const write = (n: number, rounds: number) =>
    Promise.all(
      Array.from({ length: rounds }, (_, i) =>
        table.transact(
          [0, 1].map((side) => ({
            put: { pk: 'pair', sk: `${String(i).padStart(4, '0')} ${side}`, n, bytes: Buffer.alloc(20_000, n) },
          })),
        ),
      ),
    );
  await write(1, 300);
  const writing = write(2, 600);
  const snapshot = table.snapshot();
  const found: Item[] = [];
  for await (const page of snapshot.pages()) {
    found.push(...page);
    await write(3, 20);
  }
  await writing;
  await write(4, 600);
  snapshot.close();
  expect(found.map(({ sk }) => sk)).toEqual(found.map(({ sk }) => sk).sort());
  expect(found.length).toBe(600);
  for (const { n, bytes } of found) expect([n, Buffer.alloc(20_000, 1).equals(bytes as Uint8Array)]).toEqual([1, true]);
  const now = table.snapshot();
  let rows = 0;
  for await (const page of now.pages()) rows += page.filter(({ n }) => n === 4).length;
  now.close();
  expect(rows).toBe(1_200);
  await table.close();
});
