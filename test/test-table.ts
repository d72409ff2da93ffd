/** A table of the embedded engine, for tests of what is stored. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Database, startDatabase } from '../local/database.ts';
import { findProgram } from '../local/programs.ts';
import { createTable, Table, type TableSettings } from '../store/table.ts';
import { makeTestFolder } from './support/test-folder.ts';

export interface TestTable extends AsyncDisposable {
  database: Database;
  /** How a function finds the table. */
  settings: TableSettings & { endpoint: string };
  /** Another client of the same table, as another function would have. */
  open(bulkWrites?: 'batch' | 'transactions'): Table;
}

/** How a function finds a table of the embedded engine, which takes any credentials. */
export function embedded(endpoint: string, tableName: string): TableSettings & { endpoint: string } {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local', sessionToken: null };
  return { tableName, endpoint, region: 'local', credentials: () => credentials, bulkWrites: 'batch' };
}

/** Starts the engine in a folder of its own, and makes an empty table. */
export async function startTable(): Promise<TestTable> {
  const folder = makeTestFolder();
  const env = { PATH: process.env.PATH };
  const setpriv = findProgram('setpriv', process.env.PATH ?? '');
  const log = pino({ level: 'silent' });
  const database = await startDatabase({ file: join(folder.path, 'table.db'), isolate: false, env, setpriv, log });
  const settings = embedded(database.endpoint, `test-${randomBytes(4).toString('hex')}`);
  const opened: Table[] = [];
  const open = (bulkWrites: 'batch' | 'transactions' = 'batch') => {
    const table = new Table({ ...settings, bulkWrites });
    opened.push(table);
    return table;
  };
  await createTable(open());
  return {
    database,
    settings,
    open,
    async [Symbol.asyncDispose]() {
      for (const { client } of opened) client.destroy();
      await database.close();
      await folder.remove();
    },
  };
}
