/** Strangers at the embedded broker: connections that show no certificate. */
import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import mqtt from 'mqtt';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { makeAgentKey } from '../test/agent-key.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { type Broker, startBroker } from './broker.ts';
import { type CertificateAuthority, openCertificateAuthority } from './certificate-authority.ts';

const AGENT = 'local:home:main';

const folder = makeTestFolder();
let authority: CertificateAuthority;
let identity: { cert: string; key: string };
let broker: Broker;
const sockets: Socket[] = [];

beforeAll(async () => {
  authority = await openCertificateAuthority(join(folder.path, 'ca'), ['127.0.0.1']);
  const key = await makeAgentKey();
  identity = { cert: (await authority.issue(AGENT, key.csr)).certificate, key: key.key };
});
afterAll(() => folder.remove());
beforeEach(async () => {
  const store = async () => {};
  broker = await startBroker({
    authority,
    host: '127.0.0.1',
    port: 0,
    log: pino({ level: 'silent' }),
    ingest: { local: { result: store, presence: store, sightings: store, measurements: store, connection: store } },
  });
});
afterEach(async () => {
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
  await broker.close();
});

/** A TCP connection, from an address of this host, that says nothing. */
async function silent(localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connectTcp({ host: '127.0.0.1', port: broker.port, localAddress });
  socket.on('error', () => {}).resume();
  sockets.push(socket);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

const closed = (socket: Socket) => vi.waitUntil(() => socket.closed, { timeout: 60_000 });

async function connectAgent(): Promise<void> {
  const client = mqtt.connect({
    protocol: 'mqtts',
    host: '127.0.0.1',
    port: broker.port,
    ca: authority.certificate,
    ...identity,
    clientId: AGENT,
    protocolVersion: 4,
    reconnectPeriod: 0,
  });
  client.on('error', () => {});
  await vi.waitUntil(() => client.connected, { timeout: 60_000 });
  expect(broker.isConnected(AGENT)).toBe(true);
  client.end(true);
}

test('a connection that does not complete its handshake within ten seconds is ended, also one that dribbles', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const [still, dribbling] = [await silent(), await silent()];
  dribbling.write(Buffer.from([0x16])); // The first byte of a handshake.
  // The broker has taken both: it has answered one that came behind them.
  const behind = await silent();
  behind.write('no TLS');
  await closed(behind);
  vi.advanceTimersByTime(9_000);
  dribbling.write(Buffer.from([0x03]));
  await new Promise((resolve) => setImmediate(resolve));
  expect([still.closed, dribbling.closed]).toEqual([false, false]);
  vi.advanceTimersByTime(1_000);
  await Promise.all([closed(still), closed(dribbling)]);
});

test('of an address with more than a hundred silent connections the oldest is ended, and its agents still connect', async () => {
  const others = await silent('127.0.0.2');
  const first = await silent();
  const rest = await Promise.all(Array.from({ length: 99 }, () => silent()));
  await new Promise((resolve) => setImmediate(resolve));
  expect(first.closed).toBe(false);
  await silent();
  await closed(first);
  await connectAgent();
  // One made room for the agent.
  await expect.poll(() => rest.filter((socket) => socket.closed).length, { timeout: 60_000 }).toBe(1);
  expect(others.closed).toBe(false);
});
