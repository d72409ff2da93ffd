import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { logTo } from './log-file.ts';

test('a log in a file keeps the latest and what was before, and no more', async () => {
  await using folder = makeTestFolder();
  const file = join(folder.path, 'agent.log');
  const write = (log: ReturnType<typeof logTo>, from: number, to: number) => {
    for (let i = from; i <= to; i++) log.write(`line ${i}\n`);
  };
  write(logTo(file, 20), 1, 2);
  expect(readFileSync(file, 'utf8')).toBe('line 1\nline 2\n');
  write(logTo(file, 20), 3, 8); // After a start, it goes on in the same file.
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('line 4\nline 5\nline 6\n');
  expect(readFileSync(file, 'utf8')).toBe('line 7\nline 8\n');
  expect(statSync(file).mode & 0o077).toBe(0);
});

test('where the file cannot be put aside, the log goes on in it', () => {
  using folder = makeTestFolder();
  const file = join(folder.path, 'agent.log');
  mkdirSync(join(`${file}.1`, 'in the way'), { recursive: true });
  const log = logTo(file, 10);
  for (const line of ['the first one\n', 'the second\n', 'the third\n']) log.write(line);
  expect(readFileSync(file, 'utf8')).toBe('the first one\nthe second\nthe third\n');
});
