import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { admin } from '../../shared/api/admin.ts';
import { listenOnLoopback } from '../../test/support/loopback.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { callApi } from './api-client.ts';
import { EnrolmentError, enrol } from './exchange-code.ts';

test('what the API says cannot steer a terminal', async () => {
  const message = `no\u001b[2J\u0007\n${'x'.repeat(10_000)}`;
  const body = { success: false, error: 'Forbidden', message, code: 'enrolment_refused', requestId: 'r' };
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(403).end(JSON.stringify(body)));
  });
  const port = await listenOnLoopback(server);
  try {
    const url = `http://127.0.0.1:${port}`;
    const call = callApi(admin.enrolAgent, url, { code: 'lre_x', csr: '-----BEGIN CERTIFICATE REQUEST-----' });
    const message = await call.catch((error: Error) => error.message);
    expect(message).toMatch(/refused the request: no\ufffd\[2J\ufffd x{900,1000}$/);
  } finally {
    server.close();
  }
});

test('a host whose answer is lost asks again with the same key and name, and gives up when it is refused', async () => {
  const refusal = (code: string) =>
    JSON.stringify({ success: false, error: 'x', message: `it is ${code}`, code, requestId: 'r' });
  const requests: unknown[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    requests.push(JSON.parse(text));
    if (requests.length === 1) request.socket.destroy();
    else if (requests.length === 2) response.writeHead(502).end('<html>');
    else if (requests.length === 3) response.writeHead(503).end(refusal('unavailable'));
    else response.writeHead(403).end(refusal('enrolment_refused'));
  });
  const port = await listenOnLoopback(server);
  await using folder = makeTestFolder();
  try {
    const enrolled = enrol('lre_x', `http://127.0.0.1:${port}`, folder.path, () => {}, 'till-7');
    await expect(enrolled).rejects.toThrow(EnrolmentError);
    expect(requests).toHaveLength(4);
    expect(requests[0]).toMatchObject({ code: 'lre_x', name: 'till-7' });
    for (const again of requests) expect(again).toEqual(requests[0]);
  } finally {
    server.close();
  }
  const nowhere = enrol('lre_x', `http://127.0.0.1:${port}`, folder.path);
  await expect(nowhere).rejects.toThrow('Cannot reach');
});
