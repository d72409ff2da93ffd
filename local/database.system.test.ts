import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeTestFolder, type TestFolder } from '../test/support/test-folder.ts';
import { childEnvironment } from './config.ts';
import { type Database, startDatabase } from './database.ts';
import { findNetworkNamespace } from './network-namespace.ts';
import { findProgram } from './programs.ts';

const env = childEnvironment();
const setpriv = findProgram('setpriv', env.PATH ?? '');
const log = pino({ level: 'silent' });
const namespace = await findNetworkNamespace(env);
const canIsolate = !('obstacle' in namespace);
if (!canIsolate) console.warn(`The database cannot be isolated here, and that is not tested: ${namespace.obstacle}`);
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('Only root can be another user: what others reach is not tested');

let temporary: TestFolder;
let folder: string;

beforeEach(() => {
  temporary = makeTestFolder();
  folder = temporary.path;
});
afterEach(() => temporary.remove());

function start(isolate: boolean, name = 'lanreach.db'): Promise<Database> {
  return startDatabase({ file: join(folder, name), isolate, env, setpriv, log });
}

function clientOf({ endpoint, sockets }: Database) {
  return new DynamoDBClient({
    endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 10,
    ...(sockets === null ? {} : { requestHandler: { httpAgent: sockets } }),
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

/** The process of the engine, which is that of the database or a child of it. */
function engineOf({ child }: Database): number {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  return children === '' ? (child.pid ?? 0) : Number(children.split(' ')[0]);
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** What every user of the host can look up: addresses on which something of this host listens for TCP. */
function listening(): { host: string; port: number }[] {
  const lines = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
  return lines.flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    if (state !== '0A') return [];
    const [address = '', port = ''] = local.split(':');
    const bytes = Buffer.from(address, 'hex').reverse();
    return [{ host: bytes.join('.'), port: Number.parseInt(port, 16) }];
  });
}

/** Asks for the tables, as user nobody and with made-up credentials, wherever something listens. */
async function tablesSeenByAnother(addresses: { host: string; port: number }[]): Promise<string[]> {
  const script = `
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.ListTables',
      'x-amz-date': '20260101T000000Z',
      authorization: 'AWS4-HMAC-SHA256 Credential=a/20260101/local/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0',
    };
    for (const { host, port } of JSON.parse(process.argv[1])) {
      fetch('http://' + host + ':' + port, { method: 'POST', headers, body: '{}', signal: AbortSignal.timeout(2000) })
        .then((response) => response.text())
        .then((text) => console.log(text), () => {});
    }`;
  const uid = 65_534;
  const other = spawn(process.execPath, ['-e', script, JSON.stringify(addresses)], { uid, gid: uid });
  const answers: string[] = [];
  other.stdout.setEncoding('utf8').on('data', (text) => answers.push(...text.trim().split('\n')));
  await once(other, 'close');
  return answers.filter((answer) => answer.includes('TableNames'));
}

describe.each([
  ['in a network namespace of its own', true],
  ['on a TCP port', false],
])('the engine %s', (_, isolate) => {
  const isTested = canIsolate || !isolate;

  test.skipIf(!isTested)('what was written is there at the next start', async () => {
    const first = await start(isolate);
    const writer = clientOf(first);
    await writer.send(createTable());
    writer.destroy();
    await first.close();
    const second = await start(isolate);
    const reader = clientOf(second);
    expect((await reader.send(new ListTablesCommand({}))).TableNames).toEqual(['lanreach']);
    reader.destroy();
    await second.close();
  });

  test.skipIf(!isTested)('two run side by side, each with tables of its own', async () => {
    const databases = await Promise.all([start(isolate), start(isolate, 'other.db')]);
    const [one, other] = databases.map(clientOf);
    await one?.send(createTable());
    expect((await other?.send(new ListTablesCommand({})))?.TableNames).toEqual([]);
    for (const client of [one, other]) client?.destroy();
    await Promise.all(databases.map((database) => database.close()));
  });

  test.skipIf(!isTested)('many calls at once are all answered', async () => {
    const database = await start(isolate);
    const client = clientOf(database);
    await client.send(createTable());
    // More than there are connections: at first none is there, then all are, then some have been closed.
    for (let round = 0; round < 5; round++) {
      const calls = Array.from({ length: 200 }, (_, i) =>
        client.send(new PutItemCommand({ TableName: 'lanreach', Item: { pk: { S: `item ${i}` } } })),
      );
      const attempts = (await Promise.all(calls)).map(({ $metadata }) => $metadata.attempts);
      expect(attempts.filter((count) => count !== 1)).toEqual([]);
      const idle = Object.values(database.sockets?.freeSockets ?? {}).flatMap((sockets) => sockets ?? []);
      await Promise.all(idle.slice(round * 10).map((socket) => once(socket.destroy(), 'close')));
    }
    client.destroy();
    await database.close();
  });

  test.skipIf(!isTested)('kill -9 in the middle of writes: it comes back with every acknowledged write', async () => {
    const database = await start(isolate);
    const client = clientOf(database);
    await client.send(createTable());
    const acknowledged: string[] = [];
    let stop = false;
    const writer = (async () => {
      for (let i = 0; !stop; i++) {
        await client.send(new PutItemCommand({ TableName: 'lanreach', Item: { pk: { S: `item ${i}` } } }));
        acknowledged.push(`item ${i}`);
      }
    })();
    // Both are the same process where the engine has none beside it.
    const victims = [() => database.child.pid ?? 0, () => engineOf(database)];
    for (const [n, victim] of victims.entries()) {
      const soFar = acknowledged.length;
      await vi.waitUntil(() => acknowledged.length > soFar + 20, { timeout: 60_000 });
      const engine = engineOf(database);
      process.kill(victim(), 'SIGKILL');
      await vi.waitUntil(() => !isRunning(engine), { timeout: 60_000 });
      await vi.waitUntil(() => database.child.restarts === n + 1 && database.child.isReady, { timeout: 60_000 });
    }
    stop = true;
    await writer;
    for (const pk of acknowledged) {
      const { Item } = await client.send(new GetItemCommand({ TableName: 'lanreach', Key: { pk: { S: pk } } }));
      expect(Item).toEqual({ pk: { S: pk } });
    }
    client.destroy();
    await database.close();
  });

  test.skipIf(!isTested)('no process is left when it is closed', async () => {
    const database = await start(isolate);
    const processes = [database.child.pid ?? 0, engineOf(database)];
    expect(processes.map(isRunning)).toEqual([true, true]);
    await database.close();
    expect(processes.map(isRunning)).toEqual([false, false]);
  });
});

test.skipIf(!canIsolate || !isRoot)('another user of the host reaches no engine that is isolated', async () => {
  const before = listening();
  const database = await start(true);
  expect(database.exposure).toBe(null);
  const client = clientOf(database);
  await client.send(createTable());
  const isNew = ({ host, port }: { host: string; port: number }) =>
    !before.some((one) => one.host === host && one.port === port);
  expect(await tablesSeenByAnother(listening().filter(isNew))).toEqual([]);
  // Nor through the namespace, the files in /proc, or a socket with a name.
  const enter = `nsenter --net=/proc/${engineOf(database)}/ns/net true`;
  expect(() =>
    execFileSync('setpriv', ['--reuid=65534', '--clear-groups', 'sh', '-c', enter], { stdio: 'pipe' }),
  ).toThrow(/Permission denied/);
  expect(readdirSync(folder).filter((name) => name.endsWith('.sock'))).toEqual([]);
  client.destroy();
  await database.close();
});

test.skipIf(!isRoot)('another user of the host does reach one that is not, which says so', async () => {
  const database = await start(false);
  expect(database.exposure).not.toBe(null);
  const { hostname, port } = new URL(database.endpoint);
  expect(await tablesSeenByAnother([{ host: hostname, port: Number(port) }])).toEqual(['{"TableNames":[]}']);
  expect(database.endpoint).toMatch(/^http:\/\/127\.\d+\.\d+\.\d+:\d+$/);
  expect(database.endpoint).not.toMatch(/127\.0\.0\.1:/);
  await database.close();
});
