/**
 * The first start in a folder from a backup: builds the database from its rows of text.
 * @promise Agents come back to a restored server, and report everything anew: `test/restore.test.ts`,
 *   `agent/agent.system.test.ts`.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../agent/state/atomic-file.ts';
import { readIfThere } from '../../agent/state/optional-file.ts';
import { RestoredRows } from '../../functions/status/backup/restored-rows.ts';
import { itemOf } from '../../functions/status/backup/row-text.ts';
import { openLmdbTable } from '../../functions/table/lmdb.ts';
import { BackupEnd, END, HEAD, isFileName, isRowsFile, ROWS } from '../../shared/backup/contents.ts';
import { parseJson } from '../../shared/json.ts';
import type { DataFolder } from '../data-folder.ts';
import { changeState } from '../state.ts';

/** The name of the rows once the database is complete. */
const LOADED = `${ROWS}.loaded`;

/**
 * Does nothing in a folder without such rows. After an interruption, the next start begins again: the database gets its name
 * when it is complete.
 * @throws {Error} with a remedy, if a part of the backup is missing or damaged
 */
export async function loadRestored({ path, database }: Pick<DataFolder, 'path' | 'database'>): Promise<void> {
  const draft = `${database}.restoring`;
  if (existsSync(join(path, LOADED))) return takeIntoUse();
  if (!existsSync(join(path, ROWS))) return;
  if (existsSync(database)) {
    throw new Error(
      `${path} has a database, and the rows of a backup too. Remove the folder ${join(path, ROWS)} to keep the database, or ` +
        'restore the backup into another folder',
    );
  }
  const end = BackupEnd.safeParse(parseJson((await readIfThere(join(path, END))) ?? ''));
  if (!end.success) throw new Error(`The backup in ${path} is not complete. Restore it again, into an empty folder`);
  await Promise.all([draft, `${draft}-lock`].map((file) => rm(file, { force: true })));
  const table = openLmdbTable(draft);
  const restored = new RestoredRows(new Date());
  try {
    for (const { name, sha256 } of end.data.files.filter(({ name }) => isFileName(name) && isRowsFile(name))) {
      const content = await readFile(join(path, name));
      if (createHash('sha256').update(content).digest('hex') !== sha256) {
        throw new Error(`${join(path, name)} is damaged. Restore the backup again, into an empty folder`);
      }
      const lines = content.toString('utf8').split('\n').filter(Boolean);
      const items = lines.map((line) => itemOf(JSON.parse(line)));
      await table.bulk(items.flatMap((item) => [...restored.take(item)]).map((put) => ({ put })));
    }
    await table.bulk([...restored.end()].map((put) => ({ put })));
  } finally {
    await table.close();
  }
  // From this, agents know that they must resend everything that they reported after the backup.
  await changeState({ path }, { restoredAt: Date.now() });
  await syncDirectory(path);
  await rename(join(path, ROWS), join(path, LOADED));
  await takeIntoUse();

  /** Idempotent after an interruption. */
  async function takeIntoUse(): Promise<void> {
    if (existsSync(draft)) await rename(draft, database);
    await syncDirectory(path);
    for (const file of [`${draft}-lock`, join(path, END), join(path, HEAD)]) await rm(file, { force: true });
    await rm(join(path, LOADED), { recursive: true, force: true });
  }
}
