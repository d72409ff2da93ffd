import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { writeAtomically } from './atomic-file.ts';

const folder = folderOfEachTest();

test.each([0, 64 * 1024, 64 * 1024 + 1, 2_000_000])('a file is replaced by %i characters', async (length) => {
  const path = join(folder.path, 'result');
  await writeAtomically(path, 'before');
  await writeAtomically(path, 'ü'.repeat(length));
  expect(readFileSync(path, 'utf8') === 'ü'.repeat(length)).toBe(true);
  expect([readdirSync(folder.path), statSync(path).mode & 0o777]).toEqual([['result'], 0o600]);
});
