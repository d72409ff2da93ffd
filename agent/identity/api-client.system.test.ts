import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { admin } from '../../shared/api/admin.ts';
import { listenOnLoopback } from '../../test/support/loopback.ts';
import { askApi } from './api-client.ts';

test('what the API says cannot steer a terminal', async () => {
  const message = `no\u001b[2J\u0007\n${'x'.repeat(10_000)}`;
  const body = { success: false, error: 'Forbidden', message, code: 'enrolment_refused', requestId: 'r' };
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(403).end(JSON.stringify(body)));
  });
  const port = await listenOnLoopback(server);
  try {
    const url = `http://127.0.0.1:${port}`;
    const asked = askApi(admin.enrolAgent, url, { code: 'lre_x', csr: '-----BEGIN CERTIFICATE REQUEST-----' });
    const told = await asked.catch((error: Error) => error.message);
    expect(told).toMatch(/refused the request: no\ufffd\[2J\ufffd x{900,1000}$/);
  } finally {
    server.close();
  }
});
