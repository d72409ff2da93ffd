import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runToEnd } from '../../local/child-process.ts';
import { bundledFunction } from '../../test/lambda/bundled-function.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Answers a request without a token, and prints the status and which parts of undici have been loaded. */
const PROGRAM = `
  import { PassThrough } from 'node:stream';
  globalThis.awslambda = {
    streamifyResponse: (handler) => handler,
    HttpResponseStream: { from: (stream, { statusCode }) => (console.log(statusCode), stream) },
  };
  const { handler } = await import(process.argv[1]);
  const event = { path: '/devices', httpMethod: 'GET', headers: { Host: 'host' }, requestContext: {} };
  await handler(event, new PassThrough().resume(), {});
  console.log(process.moduleLoadList.filter((name) => name.includes('undici')));
`;

test('a function answers without loading undici', async () => {
  using folder = makeTestFolder();
  bundledFunction(ROOT, 'data', folder.path);
  const env = {
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    TABLE_NAME: 'lanreach',
    STAGE: 'prod',
    AWS_REGION: 'eu-central-1',
    IOT_ENDPOINT: '127.0.0.1:1',
    AGENT_BROKER: 'mqtts://127.0.0.1:1',
    AGENT_POLICY: 'agents',
    TASK_QUEUE_URL: 'https://127.0.0.1:1/tasks',
  };
  const program = [process.execPath, '--input-type=module', '-e', PROGRAM, join(folder.path, 'index.mjs')] as const;
  const { output } = await runToEnd(program, { env, timeoutMs: 60_000 });
  expect(output.split('\n').filter((line) => !line.startsWith('{'))).toEqual(['403', '[]']);
});
