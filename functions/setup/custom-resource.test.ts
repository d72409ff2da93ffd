import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ServiceError } from '../../shared/errors.ts';
import { ConfigError } from '../config.ts';
import type { Log } from '../log.ts';
import { serveRequest } from './custom-resource.ts';
import { UnsettledError } from './first-token.ts';
import { SecretError } from './token-secret.ts';

interface Answer {
  method: string | undefined;
  headers: Record<string, unknown>;
  body: Record<string, string>;
}

const answers: Answer[] = [];
const logged: string[] = [];
const note = (fields: object, message: string) => {
  const errors = Object.values(fields).map((value) => (value instanceof Error ? value.stack : value));
  logged.push(JSON.stringify([message, fields, errors]));
};
const log: Log = { info: note, warn: note, error: note };
let status: number[];
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  answers.push({
    method: request.method,
    headers: request.headers,
    body: JSON.parse(Buffer.concat(chunks).toString()),
  });
  response.writeHead(status.shift() ?? 200).end();
});
let url: string;

beforeEach(async () => {
  answers.length = 0;
  logged.length = 0;
  status = [];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/answer?Signature=keep-it-to-yourself`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const event = (RequestType: string) => ({
  RequestType,
  ServiceToken: 'arn:aws:lambda:eu-central-1:123456789012:function:Setup',
  ResponseURL: url,
  StackId: 'arn:aws:cloudformation:eu-central-1:123456789012:stack/LanReach/1',
  RequestId: '5f0e',
  ResourceType: 'Custom::FirstToken',
  LogicalResourceId: 'FirstToken',
  ...(RequestType === 'Create' ? {} : { PhysicalResourceId: 'first-token' }),
  ResourceProperties: { DeployedAt: '2026-01-01T00:00:00.000Z' },
});
const OVER = { until: 0, answerUntil: Number.POSITIVE_INFINITY };
const patience = () => ({ until: Date.now() + 600_000, answerUntil: Date.now() + 600_000 });

test.each(['Create', 'Update'])('%s is carried out, and answered as the signed address wants it', async (type) => {
  const asked: string[] = [];
  await serveRequest(event(type), async (id) => asked.push(id), patience(), log);
  expect(asked).toEqual(['5f0e']);
  expect(answers).toHaveLength(1);
  const [{ method, headers, body }] = answers as [Answer];
  expect(method).toBe('PUT');
  expect(headers['content-type'] ?? '').toBe('');
  expect(headers['content-length']).toBe(String(JSON.stringify(body).length));
  expect(body).toEqual({
    Status: 'SUCCESS',
    Reason: 'The first token is provided for',
    PhysicalResourceId: 'first-token',
    StackId: 'arn:aws:cloudformation:eu-central-1:123456789012:stack/LanReach/1',
    RequestId: '5f0e',
    LogicalResourceId: 'FirstToken',
  });
});

test('a deletion touches nothing, and succeeds also after a creation that failed', async () => {
  const untouched = async () => expect.unreachable();
  await serveRequest(event('Delete'), untouched, patience(), log);
  expect(answers[0]?.body.Status).toBe('SUCCESS');
});

test('what fails at first is tried again', async () => {
  let failures = 3;
  const provide = async () => {
    if (failures-- > 0) throw Object.assign(new Error('not yet'), { name: 'AccessDeniedException' });
  };
  await serveRequest(event('Create'), provide, patience(), log);
  expect(failures).toBe(-1);
  expect(answers.map(({ body }) => body.Status)).toEqual(['SUCCESS']);
});

test.each([
  [new ConfigError('TABLE_NAME is not set'), 'TABLE_NAME is not set'],
  [new UnsettledError(), 'The first token could not be settled: write "none" into its secret, and deploy again'],
])('what time does not heal fails at once: %s', async (error, told) => {
  let attempts = 0;
  const provide = async () => {
    attempts++;
    throw error;
  };
  await serveRequest(event('Create'), provide, patience(), log);
  expect(attempts).toBe(1);
  expect(answers[0]?.body).toMatchObject({ Status: 'FAILED', Reason: `First token: ${told}` });
});

test.each([
  [
    new SecretError('Secrets Manager, GetSecretValue: AccessDeniedException', false),
    'Secrets Manager, GetSecretValue: AccessDeniedException',
  ],
  [new ServiceError('unavailable', 'The database cannot be reached'), 'The database cannot be reached'],
  [new TypeError('who knows what stands here'), 'TypeError; the log of the function says more'],
])('when the time is up the deployment fails with a reason: %s', async (error, told) => {
  await serveRequest(event('Create'), () => Promise.reject(error), OVER, log);
  expect(answers[0]?.body).toMatchObject({
    Status: 'FAILED',
    Reason: `First token: ${told}`,
    PhysicalResourceId: 'first-token',
  });
});

test('what hangs is answered for when the time is up', async () => {
  const soon = { until: Date.now() + 50, answerUntil: Date.now() + 600_000 };
  await serveRequest(event('Create'), () => new Promise(() => {}), soon, log);
  expect(answers[0]?.body).toMatchObject({
    Status: 'FAILED',
    Reason: 'First token: it has taken too long; the log of the function says more',
  });
});

test('what failed before is told, not that the last try was cut off', async () => {
  const soon = { until: Date.now() + 200, answerUntil: Date.now() + 600_000 };
  let attempts = 0;
  const provide = async () => {
    if (attempts++ === 0) throw new SecretError('Secrets Manager, GetSecretValue: AccessDeniedException', false);
    await new Promise(() => {});
  };
  await serveRequest(event('Create'), provide, soon, log);
  expect(attempts).toBe(2);
  expect(answers[0]?.body.Reason).toBe('First token: Secrets Manager, GetSecretValue: AccessDeniedException');
});

test('an answer that does not arrive is sent again', async () => {
  status = [503, 500];
  await serveRequest(event('Create'), async () => {}, patience(), log);
  expect(answers).toHaveLength(3);
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
});

test('an answer that never arrives ends the run with an error, so that Lambda makes another; no log has the address', async () => {
  status = [403];
  const over = { until: Date.now() + 600_000, answerUntil: 0 };
  const ending = serveRequest(event('Create'), async () => {}, over, log);
  await expect(ending).rejects.toThrow(/^cannot answer CloudFormation: HTTP status 403$/);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await expect(serveRequest(event('Create'), async () => {}, over, log)).rejects.toThrow(
    /^cannot answer .*: TypeError$/,
  );
  expect(logged).toHaveLength(2);
  expect(logged.join('\n')).not.toContain('keep-it-to-yourself');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

test.each([null, {}, { RequestType: 'Create' }])('%j is no request of CloudFormation', async (wrong) => {
  const untouched = async () => expect.unreachable();
  await expect(serveRequest(wrong, untouched, patience(), log)).rejects.toThrow('not a request of CloudFormation');
});
