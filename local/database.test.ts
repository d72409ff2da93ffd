import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import pino from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { childEnvironment } from './config.ts';
import { type Database, startDatabase } from './database.ts';
import { findProgram } from './programs.ts';

const env = childEnvironment();
const setpriv = findProgram('setpriv', env.PATH ?? '');
let folder: string;
let database: Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lanreach-database-'));
  database = await start();
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

function start() {
  return startDatabase({ file: join(folder, 'lanreach.db'), env, setpriv, log: pino({ level: 'silent' }) });
}

function connect({ endpoint }: Database) {
  return new DynamoDBClient({
    endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 10,
  });
}

function createTable() {
  return new CreateTableCommand({
    TableName: 'lanreach',
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  });
}

test('the engine listens on a loopback address of its own', () => {
  expect(database.endpoint).toMatch(/^http:\/\/127\.\d+\.\d+\.\d+:\d+$/);
  expect(database.endpoint).not.toMatch(/127\.0\.0\.1:/);
});

test('two engines run side by side', async () => {
  const other = await startDatabase({
    file: join(folder, 'other.db'),
    env,
    setpriv,
    log: pino({ level: 'silent' }),
  });
  expect(other.endpoint).not.toBe(database.endpoint);
  await other.close();
});

test('kill -9 in the middle of writes: it comes back on the same address and has every acknowledged write', async () => {
  const client = connect(database);
  await client.send(createTable());
  const acknowledged: string[] = [];
  let stop = false;
  const writer = (async () => {
    for (let i = 0; !stop; i++) {
      await client.send(new PutItemCommand({ TableName: 'lanreach', Item: { pk: { S: `item ${i}` } } }));
      acknowledged.push(`item ${i}`);
    }
  })();
  await vi.waitUntil(() => acknowledged.length > 20, { timeout: 10_000 });
  process.kill(database.child.pid!, 'SIGKILL');
  await vi.waitUntil(() => database.child.restarts === 1 && database.child.isReady, { timeout: 10_000 });
  stop = true;
  await writer;
  for (const pk of acknowledged) {
    const { Item } = await client.send(new GetItemCommand({ TableName: 'lanreach', Key: { pk: { S: pk } } }));
    expect(Item).toEqual({ pk: { S: pk } });
  }
  client.destroy();
});

test('what was written is there at the next start', async () => {
  const first = connect(database);
  await first.send(createTable());
  first.destroy();
  await database.close();
  database = await start();
  const second = connect(database);
  expect((await second.send(new ListTablesCommand({}))).TableNames).toEqual(['lanreach']);
  second.destroy();
});
