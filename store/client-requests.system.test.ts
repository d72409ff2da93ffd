/** The AWS SDK's own client makes the same requests as ours, for every kind of call that is made of the table. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import * as sdk from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sweep } from '../local/sweeper.ts';
import { listenOnLoopback } from '../test/support/loopback.ts';
import { regionalEndpoint } from './client.ts';
import { createTable, type Item, Table } from './table.ts';

const REGION = 'eu-central-1';
const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const SESSION = 'IQoJb3JpZ2luX2VjEXAMPLE//////////+token=';

interface Received {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

let received: Received[] = [];
/** Answers by operation; else an empty object. */
let answers: Record<string, { status: number; body: object }[]> = {};
let endpoint: string;
const server = createServer(async (request, response) => {
  const { method, url: path, headers } = request;
  received.push({ method, path, headers, body: await text(request) });
  const operation = String(headers['x-amz-target']).split('.')[1] ?? '';
  const { status, body } = answers[operation]?.shift() ?? { status: 200, body: {} };
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
});

beforeAll(async () => {
  endpoint = `http://127.0.0.1:${await listenOnLoopback(server)}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  answers = {};
});

async function requestsOf(act: () => Promise<unknown>): Promise<Received[]> {
  received = [];
  await act();
  return received;
}

function openTable(
  sessionToken: string | null = SESSION,
  bulkWrites: 'batch' | 'transactions' = 'batch',
  path = '',
): Table {
  const credentials = () => ({ ...KEYS, sessionToken });
  return new Table({ tableName: 'items', endpoint: endpoint + path, region: REGION, credentials, bulkWrites });
}

/** What of a request decides what DynamoDB does. The token of a transaction is random. */
function essence({ method, path, headers, body }: Received) {
  const { ClientRequestToken, ...input } = JSON.parse(body);
  if (ClientRequestToken !== undefined) expect(ClientRequestToken).toMatch(/^[0-9a-f-]{36}$/);
  const { host, 'content-type': type, 'x-amz-target': target, 'x-amz-security-token': session } = headers;
  return { method, path, host, type, target, session, hasToken: ClientRequestToken !== undefined, input };
}

/** The header Authorization that the SDK would compute for these headers and this body. */
async function signedBySdk({ method = '', path = '', headers, body }: Received, sessionToken: string | null) {
  const signer = new SignatureV4({
    service: 'dynamodb',
    region: REGION,
    credentials: { ...KEYS, ...(sessionToken === null ? {} : { sessionToken }) },
    sha256: Sha256,
    applyChecksum: false,
  });
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers['x-amz-date'])) ?? [];
  const { host = '', 'content-type': type = '', 'x-amz-target': target } = headers;
  const signed = await signer.sign(
    {
      method,
      protocol: 'http:',
      hostname: host,
      path,
      query: {},
      headers: { host, 'content-type': type, 'x-amz-target': String(target) },
      body,
    },
    { signingDate: new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) },
  );
  return signed.headers.authorization;
}

const KEY = { pk: 'S#home', sk: 'D#äöü €' };
const ITEM = { ...KEY, d: '{"name":"Größe \\"x\\" \u{1F600}"}', n: -1.5, bytes: new Uint8Array([0, 1, 254, 255]) };
const METERED = { ReturnConsumedCapacity: 'INDEXES' } as const;
const IF = { condition: '#n = :was AND attribute_exists(pk)', values: { was: 7 } };
const IF_INPUT = {
  ConditionExpression: '#n = :was AND attribute_exists(pk)',
  ExpressionAttributeNames: { '#n': 'n' },
  ExpressionAttributeValues: { ':was': 7 },
};
const inTable = { TableName: 'items', ...METERED };

async function drained(pages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pages);
}

const calls: [string, (table: Table) => Promise<unknown>, (client: DynamoDBDocumentClient) => Promise<unknown>][] = [
  [
    'GetItem',
    (table) => table.get(KEY, { consistent: true }),
    (client) => client.send(new GetCommand({ ...inTable, Key: KEY, ConsistentRead: true })),
  ],
  [
    'GetItem of some attributes',
    (table) => table.get(KEY, { attributes: ['n', 'd'] }),
    (client) =>
      client.send(
        new GetCommand({
          ...inTable,
          Key: KEY,
          ConsistentRead: false,
          ProjectionExpression: 'pk, sk, #n, #d',
          ExpressionAttributeNames: { '#n': 'n', '#d': 'd' },
        }),
      ),
  ],
  [
    'BatchGetItem',
    (table) => table.getAll([KEY, { pk: 'a', sk: 'b' }], { consistent: true }),
    (client) =>
      client.send(
        new BatchGetCommand({
          RequestItems: { items: { Keys: [KEY, { pk: 'a', sk: 'b' }], ConsistentRead: true } },
          ...METERED,
        }),
      ),
  ],
  [
    'Query',
    (table) => drained(table.query('S#home', 'D#', { descending: true, limit: 7, startAfter: 'D#5' })),
    (client) =>
      client.send(
        new QueryCommand({
          ...inTable,
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
          ExpressionAttributeValues: { ':pk': 'S#home', ':prefix': 'D#' },
          ConsistentRead: false,
          ScanIndexForward: false,
          Limit: 7,
          ExclusiveStartKey: { pk: 'S#home', sk: 'D#5' },
        }),
      ),
  ],
  [
    'Query of a whole partition',
    (table) => drained(table.query('S#home', null, { consistent: true })),
    (client) =>
      client.send(
        new QueryCommand({
          ...inTable,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': 'S#home' },
          ConsistentRead: true,
          ScanIndexForward: true,
          Limit: 4000,
        }),
      ),
  ],
  [
    'PutItem',
    (table) => table.put(ITEM, IF),
    (client) => client.send(new PutCommand({ ...inTable, Item: ITEM, ...IF_INPUT })),
  ],
  [
    'UpdateItem',
    (table) => table.update(KEY, { set: { d: 'x' }, add: { ver: 1 }, remove: ['n'] }),
    (client) =>
      client.send(
        new UpdateCommand({
          ...inTable,
          Key: KEY,
          UpdateExpression: 'SET #d = :d ADD #ver :ver REMOVE #n',
          ExpressionAttributeNames: { '#d': 'd', '#ver': 'ver', '#n': 'n' },
          ExpressionAttributeValues: { ':d': 'x', ':ver': 1 },
        }),
      ),
  ],
  [
    'DeleteItem',
    (table) => table.remove(KEY, IF),
    (client) => client.send(new DeleteCommand({ ...inTable, Key: KEY, ...IF_INPUT })),
  ],
  [
    'BatchWriteItem',
    (table) => table.bulk([{ put: ITEM as Item }, { remove: KEY }], async () => {}),
    (client) =>
      client.send(
        new BatchWriteCommand({
          RequestItems: { items: [{ PutRequest: { Item: ITEM } }, { DeleteRequest: { Key: KEY } }] },
          ...METERED,
        }),
      ),
  ],
  [
    'TransactWriteItems',
    (table) => table.transact([{ put: ITEM as Item, expression: IF }, { remove: KEY }, { check: KEY, expression: IF }]),
    (client) =>
      client.send(
        new TransactWriteCommand({
          TransactItems: [
            { Put: { TableName: 'items', Item: ITEM, ...IF_INPUT } },
            { Delete: { TableName: 'items', Key: KEY } },
            { ConditionCheck: { TableName: 'items', Key: KEY, ...IF_INPUT } },
          ],
          ...METERED,
        }),
      ),
  ],
  [
    'Scan',
    (table) => sweep(table, new Date(1_700_000_000_000)),
    (client) =>
      client.send(
        new ScanCommand({
          TableName: 'items',
          FilterExpression: '#ttl < :now',
          ProjectionExpression: 'pk, sk',
          ExpressionAttributeNames: { '#ttl': 'ttl' },
          ExpressionAttributeValues: { ':now': 1_700_000_000 },
          Limit: 200,
        }),
      ),
  ],
];

test.each(calls)('%s is the request that the SDK makes, and signed as it signs', async (_, ours, theirs) => {
  const table = openTable();
  const client = new sdk.DynamoDBClient({ endpoint, region: REGION, credentials: { ...KEYS, sessionToken: SESSION } });
  const made = await requestsOf(() => ours(table));
  const expected = await requestsOf(() => theirs(DynamoDBDocumentClient.from(client)));
  expect(made.map(essence)).toEqual(expected.map(essence));
  for (const request of made) expect(request.headers.authorization).toBe(await signedBySdk(request, SESSION));
  table.client.destroy();
  client.destroy();
});

test('so are those that make the table', async () => {
  const table = openTable();
  const described = { TableName: 'items' };
  const script = () => ({
    DescribeTable: [
      { status: 400, body: { __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException', message: 'none' } },
      { status: 200, body: { Table: { TableStatus: 'ACTIVE' } } },
    ],
  });
  answers = script();
  const made = await requestsOf(() => createTable(table));
  answers = script();
  const client = new sdk.DynamoDBClient({ endpoint, region: REGION, credentials: { ...KEYS, sessionToken: SESSION } });
  const expected = await requestsOf(async () => {
    await expect(client.send(new sdk.DescribeTableCommand(described))).rejects.toThrow(sdk.ResourceNotFoundException);
    await client.send(
      new sdk.CreateTableCommand({
        TableName: 'items',
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
        ],
      }),
    );
    await sdk.waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, described);
    await client.send(
      new sdk.UpdateTimeToLiveCommand({
        TableName: 'items',
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      }),
    );
  });
  expect(made.map(essence)).toEqual(expected.map(essence));
  table.client.destroy();
  client.destroy();
});

test.each([
  ['permanent keys', null, ''],
  ['a path in front, with characters that are encoded', SESSION, '/a/b%20c'],
])('the signature is right with %s', async (_, session, path) => {
  const table = openTable(session, 'batch', path);
  const [request] = await requestsOf(() => table.get(KEY));
  expect(request?.path).toBe(path === '' ? '/' : path);
  expect(request?.headers['x-amz-security-token']).toBe(session ?? undefined);
  if (request !== undefined) expect(request.headers.authorization).toBe(await signedBySdk(request, session));
  table.client.destroy();
});

test.each([
  'eu-central-1',
  'us-east-1',
  'il-central-1',
  'mx-central-1',
  'us-gov-west-1',
  'cn-north-1',
  'eusc-de-east-1',
  'us-iso-east-1',
  'us-isob-east-1',
  'us-isof-south-1',
  'eu-isoe-west-1',
])('the host of %s is the one that the SDK chooses', (region) => {
  const { config } = new sdk.DynamoDBClient({ region });
  const { url } = config.endpointProvider({ Region: region, UseFIPS: false, UseDualStack: false });
  expect(new URL(regionalEndpoint(region))).toEqual(url);
});
