/** What `functions/setup` opens, against the embedded engine and a Secrets Manager of the tests. */
import { embedded } from '../../../test/test-table.ts';
import { openStores, type Stores } from '../../dynamodb/stores.ts';
import { createTable, Table } from '../../dynamodb/table.ts';
import type { Log } from '../../log.ts';
import type { SetupContext } from '../first-token.ts';
import { openTokenSecret } from '../token-secret.ts';
import { SECRET_ARN, type SecretsManager } from './secrets-manager.ts';

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Called around each call that a run makes of table and secret. `number` counts them from 0. */
export type Around = (number: number, call: () => Promise<unknown>) => Promise<unknown>;

export interface SetupOptions {
  /** Of the embedded engine. */
  database: string;
  tableName: string;
  secrets: SecretsManager;
  log: Log;
  around?: Around;
}

export async function createEmptyTable(database: string, tableName: string): Promise<void> {
  const table = new Table(embedded(database, tableName));
  await createTable(table);
  table.client.destroy();
}

export function openSetup({ database, tableName, secrets, log, around }: SetupOptions): SetupContext & Stores {
  const now = () => new Date();
  const stores = openStores(embedded(database, tableName), now);
  const secret = openTokenSecret({ id: SECRET_ARN, endpoint: secrets.endpoint, region: 'eu-central-1', credentials });
  let calls = 0;
  const watched = async <T>(call: () => Promise<T>) => (around?.(calls++, call) ?? call()) as Promise<T>;
  stores.table.client.middlewareStack.add((next) => (call) => watched(() => next(call)), { step: 'initialize' });
  return {
    ...stores,
    secret: {
      read: () => watched(() => secret.read()),
      write: (text, follows) => watched(() => secret.write(text, follows)),
    },
    log,
    now,
  };
}
