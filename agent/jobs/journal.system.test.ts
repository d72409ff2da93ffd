import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JobId } from '../../shared/identity.ts';
import { INSTANCE, newJobId } from '../../test/support/agent/broker.ts';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { Journal } from './journal.ts';

const folder = folderOfEachTest();

test('what was accepted and what has ended is known after a start', async () => {
  const path = join(folder.path, 'journal.jsonl');
  const [running, ended, refused, unknown] = [newJobId(), newJobId(), newJobId(), newJobId()];
  const before = await Journal.open(path);
  await before.accept(running, INSTANCE);
  await before.accept(ended, INSTANCE);
  await before.processStarted(running, process.pid);
  await before.done(ended);
  await before.done(refused);
  await before.close();

  const after = await Journal.open(path);
  expect([running, ended, refused, unknown].map((id) => after.has(id))).toEqual([true, true, true, false]);
  expect(after.unfinished()).toEqual([
    {
      id: running,
      acceptedAt: expect.any(Number),
      replyTo: INSTANCE,
      processes: [{ pid: process.pid, start: expect.stringMatching(/^\d+$/), boot: expect.any(String) }],
    },
  ]);
  await after.close();
});

test('whatever is done to the file, the journal opens and whole lines stay known', async () => {
  const path = join(folder.path, 'journal.jsonl');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.string(), fc.json(), fc.constant(null)), { maxLength: 12 }),
      async (lines) => {
        const known: JobId[] = [];
        const text = lines.map((line) => {
          if (line !== null) return line.replaceAll('\n', ' ');
          known.push(newJobId());
          return JSON.stringify({ t: 'accepted', id: known.at(-1), at: 1, replyTo: INSTANCE });
        });
        await writeFile(path, text.join('\n'));
        const journal = await Journal.open(path);
        expect(journal.unfinished().map(({ id }) => id)).toEqual(known);
        await journal.close();
      },
    ),
    { numRuns: 100 },
  );
});

test('ended requests are forgotten by age and by number, unfinished ones never', async () => {
  let now = 1_000_000;
  const path = join(folder.path, 'journal.jsonl');
  const journal = await Journal.open(path, { keepMs: 1_000, keepIds: 3 }, () => now);
  const unfinished = newJobId();
  await journal.accept(unfinished, INSTANCE);
  const ids = Array.from({ length: 5 }, () => newJobId());
  for (const id of ids) await journal.done(id);
  expect(ids.map((id) => journal.has(id))).toEqual([false, false, true, true, true]);
  now += 2_000;
  const later = newJobId();
  await journal.done(later);
  expect([...ids, later, unfinished].filter((id) => journal.has(id))).toEqual([later, unfinished]);
  await journal.close();
});

test('the file stays small however much is written, and loses nothing that is still needed', async () => {
  const path = join(folder.path, 'journal.jsonl');
  const journal = await Journal.open(path, { keepIds: 10, rewriteAtBytes: 5_000 });
  const unfinished = newJobId();
  await journal.accept(unfinished, INSTANCE);
  let last = unfinished;
  for (let i = 0; i < 300; i++) {
    last = newJobId();
    await journal.accept(last, INSTANCE);
    await journal.done(last);
  }
  expect((await stat(path)).size).toBeLessThan(7_000);
  await journal.close();
  const reopened = await Journal.open(path, { keepIds: 10 });
  expect([reopened.has(last), reopened.unfinished().map(({ id }) => id)]).toEqual([true, [unfinished]]);
  await reopened.close();
});

test('requests that are accepted at the same time all reach the disk', async () => {
  const path = join(folder.path, 'journal.jsonl');
  const journal = await Journal.open(path);
  const ids = Array.from({ length: 50 }, () => newJobId());
  await Promise.all(ids.map((id) => journal.accept(id, INSTANCE)));
  const onDisk = await readFile(path, 'utf8');
  for (const id of ids) expect(onDisk).toContain(id);
  await journal.close();
});

test('a request that cannot be written down is not known', async () => {
  const journal = await Journal.open(join(folder.path, 'journal.jsonl'));
  await journal.close();
  const id = newJobId();
  await expect(journal.accept(id, INSTANCE)).rejects.toThrow('closed');
  expect(journal.has(id)).toBe(false);
});
