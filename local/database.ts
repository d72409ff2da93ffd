/** The database of this machine: a file in the data folder, or another DynamoDB. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { hasNoSiteOrToken, provideTableFormat } from '../functions/table/format.ts';
import { openLmdbTable, prepareFile } from '../functions/table/lmdb.ts';
import type { LocalTable, TableSnapshot } from '../functions/table/local-table.ts';
import type { Table } from '../functions/table/table.ts';
import { HOUR_MS, MINUTE_MS } from '../shared/time.ts';
import { loadRestored } from './backup/load-restored.ts';
import { runToEnd } from './child-process.ts';
import type { LocalConfig } from './config.ts';
import type { DataFolder } from './data-folder.ts';
import { changeState, readState } from './state.ts';
import { repeatedly } from './upkeep.ts';

const TABLE_NAME = 'lanreach';

interface Database {
  table: Table;
  /** For the screen: the file, or the URL of another DynamoDB. */
  where: string;
  /** Whether it is a file of this machine. */
  isEmbedded: boolean;
  /** Null for another DynamoDB. */
  snapshot: (() => TableSnapshot) | null;
  stop(): Promise<void>;
}

/** @throws {Error} with a remedy, if the database in the folder is damaged, missing, or of a format of another version */
export async function openDatabase(
  data: DataFolder,
  config: Pick<LocalConfig, 'dynamodbEndpoint' | 'awsRegion' | 'hasAwsCredentials'>,
  log: Logger,
): Promise<Database> {
  const { dynamodbEndpoint } = config;
  if (dynamodbEndpoint !== null) {
    const table = await openOther({ ...config, dynamodbEndpoint });
    return { table, where: dynamodbEndpoint, isEmbedded: false, snapshot: null, stop: async () => {} };
  }
  await loadRestored(data);
  await refuseLost(data);
  await refuseDamaged(data);
  const table = await withNumber(openLmdbTable(data.database), `The database ${data.database}`);
  await changeState(data, { hasDatabase: true, closedAs: null });
  const stopExpiring = expireRegularly(table, log);
  return {
    table,
    where: `embedded, ${data.database}`,
    isEmbedded: true,
    snapshot: () => table.snapshot(),
    async stop() {
      await stopExpiring();
      await table.close();
      await changeState(data, { closedAs: await fileOf(data.database) });
    },
  };
}

async function openOther({
  dynamodbEndpoint: endpoint,
  awsRegion: region,
  hasAwsCredentials,
}: Pick<LocalConfig, 'awsRegion' | 'hasAwsCredentials'> & { dynamodbEndpoint: string }): Promise<Table> {
  // DynamoDB Local takes any credentials, but the SDK requires some.
  const credentials = hasAwsCredentials ? {} : { credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  const settings = { tableName: TABLE_NAME, region, endpoint, ...credentials };
  // Loaded here, because the AWS SDK would be the largest part of every other start.
  const { createTable, openDynamoDbTable } = await import('../functions/table/dynamodb.ts');
  await createTable(settings).catch((error: Error) => {
    throw new Error(`Cannot use ${endpoint}: ${error.message || error.name}`, { cause: error });
  });
  return withNumber(openDynamoDbTable(settings), `The table ${TABLE_NAME} at ${endpoint}`);
}

/** Deletes expired rows after a minute, and then every six hours, as DynamoDB does in the cloud. @returns stops it */
function expireRegularly(table: LocalTable, log: Logger): () => Promise<void> {
  return repeatedly(MINUTE_MS, 6 * HOUR_MS, (signal) =>
    table.expire(new Date(), signal).then(
      (removed) => log.info({ removed }, 'expired items removed'),
      (error: unknown) => log.warn({ err: error }, 'cannot remove expired items'),
    ),
  );
}

/** @throws {OtherFormat} if it has another format, without a change */
async function withNumber<T extends Table>(table: T, what: string): Promise<T> {
  try {
    await provideTableFormat(table, what, hasNoSiteOrToken);
    return table;
  } catch (error) {
    await table.close();
    throw error;
  }
}

/** An empty collection in place of a lost one would look as if all devices were deleted. */
async function refuseLost(data: DataFolder): Promise<void> {
  const size = (await fileOf(data.database))?.size ?? null;
  if ((size ?? 0) > 0 || !(await readState(data)).hasDatabase) return;
  throw new Error(
    `The database ${data.database} is ${size === null ? 'missing' : 'empty'}, but there was one. Put a copy of it back, ` +
      `or of the whole folder. To begin with an empty one instead, remove ${join(data.path, 'state.json')}`,
  );
}

/** Reads all items, and by an aborted change the list of free pages. Arguments: the paths of LMDB and of the database. */
const READ_ALL = `
  const [library, path] = process.argv.slice(1);
  const { open, ABORT } = await import(library);
  const database = open({ path, noSubdir: true, encoding: 'msgpack', encoder: { copyBuffers: true, useRecords: false } });
  console.log('begun');
  for (const { value } of database.getRange({})) if (typeof value !== 'object') throw new TypeError('no item');
  database.transactionSync(() => (database.putSync(['', ''], {}), ABORT));
`;

/** LMDB aborts the process at an invalid page. So another process first reads a file that changed since the last orderly stop. */
async function refuseDamaged(data: DataFolder): Promise<void> {
  const file = await fileOf(data.database);
  const { closedAs } = await readState(data);
  if (file === null || (closedAs?.size === file.size && closedAs.mtimeMs === file.mtimeMs)) return;
  prepareFile(data.database);
  // The same file that this program imports: the package of the server has no other.
  const library = import.meta.resolve('lmdb');
  const reader = [process.execPath, '--input-type=module', '-e', READ_ALL, library, data.database] as const;
  const { code, output, timedOut } = await runToEnd(reader, { timeoutMs: 10 * MINUTE_MS });
  if (code === 0 || timedOut || !output.includes('begun')) return;
  throw new Error(
    `The database ${data.database} is damaged: a part of it cannot be read. Put a copy of it back, or of the whole folder`,
  );
}

async function fileOf(path: string): Promise<{ size: number; mtimeMs: number } | null> {
  const found = await stat(path).catch(() => null);
  return found && { size: found.size, mtimeMs: found.mtimeMs };
}
