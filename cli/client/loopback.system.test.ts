import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { health } from '../../shared/api/health.ts';
import { closeServer, listenOnLoopback } from '../../test/support/loopback.ts';
import { urlForOthers } from './loopback.ts';

test('others are told an address of this host at which the API answers, and none where it does not or something else does', async () => {
  let answer: unknown = health.health.example.response;
  const server = createServer((_request, response) => response.end(JSON.stringify(answer)));
  onTestFinished(() => closeServer(server));
  const port = await listenOnLoopback(server);
  // Addresses of loopback, which stand for those of a LAN: nobody listens at the first.
  const lan = ['127.0.0.9', '127.0.0.1'].map((address) => ({ address, internal: false }));
  const probed = () => urlForOthers(`http://localhost:${port}`, { eth0: lan });
  expect(await probed()).toBe(`http://127.0.0.1:${port}`);
  answer = { status: 'something else' };
  expect(await probed()).toBeNull();
});
