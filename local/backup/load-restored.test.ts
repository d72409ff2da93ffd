import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { loadRestored } from './load-restored.ts';

test.each(['lanreach.mdb.restoring', 'lanreach.mdb'])(
  'a start that was interrupted when the database was whole, and had the name %s, is ended by the next one',
  async (name) => {
    await using folder = makeTestFolder();
    const { path } = folder;
    const database = join(path, 'lanreach.mdb');
    mkdirSync(join(path, 'rows.loaded'));
    for (const file of [name, 'rows.loaded/000000.jsonl', 'end.json']) writeFileSync(join(path, file), name);
    for (let start = 1; start <= 2; start++) {
      await loadRestored({ path, database });
      expect(readFileSync(database, 'utf8')).toBe(name);
      expect(
        ['lanreach.mdb.restoring', 'rows.loaded', 'end.json'].filter((one) => existsSync(join(path, one))),
      ).toEqual([]);
    }
  },
);

test('a database and the rows of a backup beside it are left as they are', async () => {
  await using folder = makeTestFolder();
  const { path } = folder;
  const database = join(path, 'lanreach.mdb');
  mkdirSync(join(path, 'rows'));
  writeFileSync(database, 'mine');
  await expect(loadRestored({ path, database })).rejects.toThrow('has a database, and the rows of a backup too');
  expect(readFileSync(database, 'utf8')).toBe('mine');
});
