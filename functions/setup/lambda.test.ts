/** The function as Lambda invokes it: with variables, an event of CloudFormation, and a standard output that is a log. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context as LambdaContext } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { startTable, type TestTable } from '../../test/test-table.ts';
import { tokenId } from '../auth/token.ts';
import { openStores } from '../dynamodb/stores.ts';
import { SECRET_ARN, type SecretsManager, startSecretsManager } from './testing/secrets-manager.ts';

let table: TestTable;
let secrets: SecretsManager;
let printed = '';
const answers: string[] = [];
const cloudFormation = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  answers.push(Buffer.concat(chunks).toString());
  response.end();
});

beforeAll(async () => {
  table = await startTable();
  secrets = await startSecretsManager();
  await new Promise<void>((resolve) => cloudFormation.listen(0, '127.0.0.1', resolve));
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  vi.restoreAllMocks();
  cloudFormation.closeAllConnections();
  cloudFormation.close();
  await secrets[Symbol.asyncDispose]();
  await table[Symbol.asyncDispose]();
});

async function invoke(RequestType: string, variables: Record<string, string> = {}): Promise<Record<string, string>> {
  const all = {
    TABLE_NAME: table.settings.tableName,
    DYNAMODB_ENDPOINT: table.settings.endpoint,
    FIRST_TOKEN_SECRET: SECRET_ARN,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    ...variables,
  };
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
  const { handler } = await import('./lambda.ts');
  const event = {
    RequestType,
    ResponseURL: `http://127.0.0.1:${(cloudFormation.address() as AddressInfo).port}/?Signature=keep-it`,
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'FirstToken',
  };
  await handler(event, { getRemainingTimeInMillis: () => 120_000 } as LambdaContext);
  return JSON.parse(answers.at(-1)!);
}

test('variables that are missing fail the deployment with their names', async () => {
  expect(await invoke('Create', { FIRST_TOKEN_SECRET: '' })).toMatchObject({
    Status: 'FAILED',
    Reason: 'First token: FIRST_TOKEN_SECRET is not set',
  });
});

test('a deployment, the next one, and the end of the stack', async () => {
  expect(await invoke('Create')).toMatchObject({ Status: 'SUCCESS' });
  const { text } = secrets.current()!;
  expect(await invoke('Update')).toMatchObject({ Status: 'SUCCESS' });
  expect(await invoke('Delete')).toMatchObject({ Status: 'SUCCESS' });
  expect(secrets.values()).toEqual([text]);
  const stores = openStores(table.settings, () => new Date());
  expect((await stores.tokens.list()).map(({ id }) => id)).toEqual([tokenId(text)]);
  stores.table.client.destroy();
});

test('neither the log nor an answer has the token, its digest or the address of the answer', () => {
  const { text } = secrets.current()!;
  const told = printed + answers.join('');
  expect(told).toContain(tokenId(text));
  for (const secret of [text, text.split('.')[1]!, 'keep-it']) expect(told).not.toContain(secret);
});
