/** The database of this machine: a file in the data folder, or another DynamoDB. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { hasNoSiteOrToken, provideTableFormat } from '../functions/table/format.ts';
import { openLmdbTable } from '../functions/table/lmdb.ts';
import type { LocalTable, TableSnapshot } from '../functions/table/local-table.ts';
import type { Key } from '../functions/table/rows.ts';
import type { Table } from '../functions/table/table.ts';
import { loadRestored } from './backup/load-restored.ts';
import type { LocalConfig } from './config.ts';
import type { DataFolder } from './data-folder.ts';
import { changeState, readState } from './state.ts';

const TABLE_NAME = 'lanreach';
const EXPIRE_FIRST_AFTER_MS = 60_000;
const EXPIRE_EVERY_MS = 6 * 3_600_000;

interface Database {
  table: Table;
  /** For the screen: the file, or the URL of another DynamoDB. */
  where: string;
  /** Whether it is a file of this machine. */
  isEmbedded: boolean;
  /** All of it, as it is now; null for another DynamoDB. */
  snapshot: (() => TableSnapshot) | null;
  /** Ends the search for expired rows. The context closes the table. */
  stop(): Promise<void>;
}

/**
 * @param onPut called for each item that is put into the embedded database, as a stream of the table would tell of it
 * @throws {Error} with what a person can do, when the folder has a database that this version cannot read, or had one
 *   that is gone
 */
export async function openDatabase(
  data: DataFolder,
  config: Pick<LocalConfig, 'dynamodbEndpoint' | 'awsRegion' | 'hasAwsCredentials'>,
  { log, onPut }: { log: Logger; onPut(key: Key): void },
): Promise<Database> {
  const { dynamodbEndpoint } = config;
  if (dynamodbEndpoint !== null) {
    const table = await openOther({ ...config, dynamodbEndpoint });
    return { table, where: dynamodbEndpoint, isEmbedded: false, snapshot: null, stop: async () => {} };
  }
  await loadRestored(data);
  await refuseLost(data);
  const table = await withNumber(openLmdbTable(data.database, onPut), `The database ${data.database}`);
  await changeState(data, { hasDatabase: true });
  return {
    table,
    where: `embedded, ${data.database}`,
    isEmbedded: true,
    snapshot: () => table.snapshot(),
    stop: expireRegularly(table, log),
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
  // Only here: the AWS SDK would be the largest part of every other start.
  const { createTable, openDynamoDbTable } = await import('../functions/table/dynamodb.ts');
  await createTable(settings).catch((error: Error) => {
    throw new Error(`Cannot use ${endpoint}: ${error.message || error.name}`, { cause: error });
  });
  return withNumber(openDynamoDbTable(settings), `The table ${TABLE_NAME} at ${endpoint}`);
}

/** Deletes expired rows after a minute, and then every six hours; in the cloud DynamoDB does it. @returns ends that */
function expireRegularly(table: LocalTable, log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  async function run(): Promise<void> {
    for (let waitMs = EXPIRE_FIRST_AFTER_MS; !signal.aborted; waitMs = EXPIRE_EVERY_MS) {
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await table.expire(new Date(), signal).then(
        (removed) => log.info({ removed }, 'expired items removed'),
        (error: unknown) => log.warn({ err: error }, 'expired items could not be removed'),
      );
    }
  }
  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}

/** @throws {OtherFormat} when it has another format, which is left as it is */
async function withNumber<T extends Table>(table: T, what: string): Promise<T> {
  try {
    await provideTableFormat(table, what, hasNoSiteOrToken);
    return table;
  } catch (error) {
    await table.close();
    throw error;
  }
}

/** An empty collection in the place of a lost one would look as if all devices had been deleted. */
async function refuseLost(data: DataFolder): Promise<void> {
  const size = await sizeOf(data.database);
  if ((size ?? 0) > 0 || !(await readState(data)).hasDatabase) return;
  throw new Error(
    `The database ${data.database} is ${size === null ? 'missing' : 'empty'}, but there was one. Put a copy of it back, ` +
      `or of the whole folder. To begin with an empty one instead, remove ${join(data.path, 'state.json')}`,
  );
}

async function sizeOf(file: string): Promise<number | null> {
  return stat(file).then(
    ({ size }) => size,
    () => null,
  );
}
