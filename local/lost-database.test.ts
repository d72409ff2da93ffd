import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeTestFolder, type TestFolder } from '../test/support/test-folder.ts';
import { refuseLostDatabase } from './lost-database.ts';
import { sealKeyFile } from './seal-key.ts';

let temporary: TestFolder;
beforeEach(() => {
  temporary = makeTestFolder();
});
afterEach(() => temporary.remove());

test('an empty or missing database beside the key of an earlier one is refused, with the way back', async () => {
  const data = { path: temporary.path, database: join(temporary.path, 'lanreach.db') };
  await refuseLostDatabase(data); // The first start.
  writeFileSync(data.database, ''); // One that was broken off before the key was stored.
  await refuseLostDatabase(data);
  writeFileSync(sealKeyFile(data), 'ab'.repeat(32));
  const wayBack = `To begin with an empty one instead, remove that key`;
  await expect(refuseLostDatabase(data)).rejects.toThrow(`The database ${data.database} is empty, but there was one`);
  await expect(refuseLostDatabase(data)).rejects.toThrow(wayBack);
  rmSync(data.database);
  await expect(refuseLostDatabase(data)).rejects.toThrow('is missing, but there was one');
  rmSync(sealKeyFile(data));
  await refuseLostDatabase(data);
  writeFileSync(sealKeyFile(data), 'ab'.repeat(32));
  writeFileSync(data.database, 'SQLite format 3\0');
  await refuseLostDatabase(data);
});
