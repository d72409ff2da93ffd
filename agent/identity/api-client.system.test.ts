import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { admin } from '../../shared/api/admin.ts';
import { closeServer, listenOnLoopback } from '../../test/support/loopback.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { callApi } from './api-client.ts';
import { EnrolmentError, enrol } from './exchange-code.ts';

test('what the API says cannot steer a terminal', async () => {
  const message = `no\u001b[2J\u0007\n${'x'.repeat(10_000)}`;
  const body = { success: false, error: 'Forbidden', message, code: 'enrolment_refused', requestId: 'r' };
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(403).end(JSON.stringify(body)));
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  onTestFinished(() => void server.close());
  const call = callApi(admin.enrolAgent, url, { code: 'lre_x', csr: '-----BEGIN CERTIFICATE REQUEST-----' });
  await expect(call).rejects.toThrow(/refused the request: no\ufffd\[2J\ufffd x{900,1000}$/);
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
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  await using folder = makeTestFolder();
  await expect(enrol('lre_x', url, folder.path, () => {}, 'till-7')).rejects.toThrow(EnrolmentError);
  await closeServer(server);
  expect(requests).toHaveLength(4);
  expect(requests[0]).toMatchObject({ code: 'lre_x', name: 'till-7' });
  for (const again of requests) expect(again).toEqual(requests[0]);
  await expect(enrol('lre_x', url, folder.path)).rejects.toThrow('Cannot reach');
});
