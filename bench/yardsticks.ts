/** What the figures are compared with, in processes of their own: an empty route, and a database engine asked directly. */
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { superviseChild } from '../local/child-process.ts';
import { childEnvironment } from '../local/config.ts';
import { findProgram } from '../local/programs.ts';
import { memoryTable } from '../test/test-table.ts';
import { requestText } from './load.ts';

/** Beside the bundle of the benchmarks. */
const PROGRAM = fileURLToPath(new URL('bench-empty-route.js', import.meta.url));
const READY_WITHIN_MS = 20_000;

export interface Yardstick extends AsyncDisposable {
  url: string;
  pid: number;
  /** What is to be sent to it. */
  request: string;
}

/** @param node the Node.js that runs it */
export async function startEmptyRoute(node = process.execPath): Promise<Yardstick> {
  const env = childEnvironment();
  let url = '';
  const child = await superviseChild({
    name: 'the empty route',
    argv: [node, PROGRAM],
    env,
    ready: {
      line(text) {
        url = text;
        return text.startsWith('http://');
      },
    },
    readyWithinMs: READY_WITHIN_MS,
    setpriv: findProgram('setpriv', env.PATH ?? ''),
    log: pino({ level: 'silent' }),
  });
  return {
    url,
    pid: child.pid ?? 0,
    request: requestText(url, 'GET', '/'),
    [Symbol.asyncDispose]: () => child.stop(),
  };
}

/**
 * A second embedded engine, which listens on a port: that of `npm start` can be reached by its server only. Its URL is
 * also one for `DYNAMODB_ENDPOINT`.
 */
export async function startEngine(): Promise<Yardstick> {
  const table = memoryTable();
  const key = { pk: 'bench', sk: 'item' };
  await table.open().put({ ...key, d: 'x'.repeat(300) });
  const { endpoint, tableName } = table.settings;
  const json = {
    TableName: tableName,
    Key: { pk: { S: key.pk }, sk: { S: key.sk } },
    ReturnConsumedCapacity: 'INDEXES',
  };
  const headers = {
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Target': 'DynamoDB_20120810.GetItem',
    // The engine wants a time and a signature, and checks neither.
    'X-Amz-Date': '20260101T000000Z',
    Authorization:
      'AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=00',
  };
  return {
    url: endpoint,
    pid: table.database.child.pid ?? 0,
    request: requestText(endpoint, 'POST', '/', { headers, json }),
    [Symbol.asyncDispose]: () => table[Symbol.asyncDispose](),
  };
}
