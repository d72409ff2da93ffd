/** A database that was lost is not taken for one that never was. */
import { stat } from 'node:fs/promises';
import { readIfThere } from '../agent/state/optional-file.ts';
import type { DataFolder } from './data-folder.ts';
import { sealKeyFile } from './seal-key.ts';

/**
 * To be asked before the database is started, which makes an empty one.
 * @throws {Error} when there is the key with which an earlier one was sealed, and the file of the database is missing or
 *   empty: an empty collection in its place would look as if all devices had been deleted
 */
export async function refuseLostDatabase(data: Pick<DataFolder, 'path' | 'database'>): Promise<void> {
  const size = await stat(data.database).then(
    (entry) => entry.size,
    () => null,
  );
  const key = sealKeyFile(data);
  if ((size ?? 0) > 0 || (await readIfThere(key)) === null) return;
  throw new Error(
    `The database ${data.database} is ${size === null ? 'missing' : 'empty'}, but there was one: its key is still there ` +
      `(${key}). Put a copy of the database back, or of the whole folder. To begin with an empty one instead, remove that key`,
  );
}
