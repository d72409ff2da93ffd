/**
 * The yardstick of every request: a route of Hono that does nothing, under the adapter that LanReach has too. It has none
 * of LanReach's code, so that a change of that does not move the yardstick.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();
app.get('/', (c) => c.text('ok'));

const server = createServer({ noDelay: true, keepAliveTimeout: 65_000 }, getRequestListener(app.fetch));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit());
