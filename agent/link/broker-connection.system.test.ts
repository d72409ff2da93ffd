import { createServer, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { topics } from '../../shared/agent/topics.ts';
import { CLIENT, IDENTITY, INSTANCE, startTestBroker } from '../../test/support/agent/broker.ts';
import { listenOnLoopback } from '../../test/support/loopback.ts';
import { makeTestAuthority } from '../../test/support/test-authority.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { BrokerConnection, type LinkOptions } from './broker-connection.ts';
import { ConnectError, endpointOf, tryConnection } from './session.ts';

const log = pino({ level: 'silent' });
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function openLink(port: number, changes: Partial<LinkOptions> = {}) {
  const seen = { ups: 0, downs: 0, messages: [] as string[] };
  const link = new BrokerConnection({
    client: CLIENT,
    dial: () => ({ protocol: 'mqtt', host: '127.0.0.1', port }),
    onMessage: async (_topic, payload) => void seen.messages.push(payload.toString()),
    onUp: () => seen.ups++,
    onDown: () => seen.downs++,
    describe: () => ({ version: '1.2.3', networks: ['192.0.2.0/24'] }),
    log,
    ...changes,
  });
  link.open();
  return { link, seen, [Symbol.asyncDispose]: () => link.close() };
}

/** A log that reports before which waits a link dials again. */
const delayLog = (onDelay: (delayMs: number) => void) => {
  const write = (line: string) => void (line.includes('delayMs') && onDelay(JSON.parse(line).delayMs));
  return pino({ level: 'debug' }, { write });
};

test('a link says that it is there, hears what is for its agent, and says good-bye', async () => {
  await using broker = await startTestBroker();
  await using open = openLink(broker.port);
  expect(await broker.presence('online')).toMatchObject({ version: '1.2.3', networks: ['192.0.2.0/24'] });
  await broker.sendRaw(topics.request(CLIENT), Buffer.from('request'));
  await broker.sendRaw(topics.control(CLIENT), Buffer.from('control'));
  await broker.sendRaw(topics.request('local:home:other'), Buffer.from('for another'));
  await waitFor('both', () => open.seen.messages.length === 2);
  expect(open.seen.messages).toEqual(['request', 'control']);
  await open.link.publish(topics.reply(INSTANCE, CLIENT), Buffer.from('{"id":"x"}'));
  await open.link.drain();
  await open.link.close();
  expect(broker.presences.map(({ state }) => state)).toEqual(['online', 'draining', 'offline']);
  expect(new Set(broker.presences.map(({ session }) => session)).size).toBe(1);
  await expect(open.link.publish('lr/v1/local/s/x', Buffer.from(''))).rejects.toThrow('not connected');
});

test('a link whose broker ends the session twice for what it hands to a rule does without rules', async () => {
  await using broker = await startTestBroker();
  await using open = openLink(broker.port);
  broker.allows.rules = false;
  for (const sessions of [1, 2]) {
    await waitFor('a session', () => open.seen.ups === sessions && broker.presences.at(-1)?.direct === false);
    open.link.offerDirect(true);
    await expect(open.link.publishToIngest('sightings', Buffer.from('{}'))).rejects.toThrow();
  }
  await waitFor('the third session', () => open.seen.ups === 3 && broker.presences.at(-1)?.state === 'online');
  expect(broker.presences.at(-1)).not.toHaveProperty('direct'); // So that the service does not repeat it.
  open.link.offerDirect(true);
  await open.link.publishToIngest('sightings', Buffer.from('{}'));
  await waitFor('the sightings', () => broker.topics.at(-1) === topics.sightings(CLIENT));
});

test('a broken connection leaves the last will of its own session, which is not retained, and is replaced by a new one', async () => {
  await using broker = await startTestBroker();
  await using open = openLink(broker.port);
  const first = await broker.presence('online');
  await open.link.publish(topics.reply(INSTANCE, CLIENT), Buffer.from('{"id":"x"}'));
  broker.cut();
  const will = await broker.presence('offline');
  expect(broker.retained).toEqual([]);
  const second = await waitFor('another session', () =>
    broker.presences.find(({ state, session }) => state === 'online' && session !== first.session),
  );
  expect(will.session).toBe(first.session);
  expect(second.session).toBeGreaterThan(first.session);
  await waitFor('both', () => open.seen.ups === 2);
  expect(open.seen.downs).toBe(1);
});

test('ingest-only messages go to their rule once that is offered, in each session', async () => {
  await using broker = await startTestBroker();
  await using open = openLink(broker.port);
  expect(await broker.presence('online')).toMatchObject({ direct: false });
  await open.link.publishToIngest('sightings', Buffer.from('{}'));
  open.link.offerDirect(true);
  await open.link.announce();
  await open.link.publishToIngest('sightings', Buffer.from('{}'));
  await waitFor('both', () => broker.topics.length === 4);
  expect(broker.topics).toEqual([
    topics.presence(CLIENT),
    topics.sightings(CLIENT),
    topics.direct('presence', CLIENT),
    topics.direct('sightings', CLIENT),
  ]);
  expect(broker.presences[1]).toMatchObject({ state: 'online', direct: true });
  broker.cut();
  await waitFor('the next session', () => broker.topics.length === 6);
  // A last will, too, because the offer does not include it.
  expect(broker.topics.slice(4)).toEqual([topics.presence(CLIENT), topics.presence(CLIENT)]);
  expect(broker.presences[3]).toMatchObject({ state: 'online', direct: false });
});

test('the presence is published when it has changed, and after each connect', async () => {
  await using broker = await startTestBroker();
  let version = '1';
  await using open = openLink(broker.port, { describe: () => ({ version }) });
  await broker.presence('online');
  await open.link.announce();
  version = '2';
  await open.link.announce();
  await open.link.announce();
  await waitFor('the changed presence', () => broker.presences[1]); // The broker acknowledges it before it hands it on.
  broker.cut();
  await waitFor('the presence of the next session', () => broker.presences[3]);
  expect(broker.presences).toMatchObject([
    { state: 'online', version: '1' },
    { state: 'online', version: '2' },
    { state: 'offline' },
    { state: 'online', version: '2' },
  ]);
});

test('a broker that is away for some seconds is looked for at intervals that keep to how long it has been away', async () => {
  await using broker = await startTestBroker();
  const waits: { delayMs: number; awayMs: number }[] = [];
  let stoppedAt = 0;
  const log = delayLog((delayMs) => waits.push({ delayMs, awayMs: performance.now() - stoppedAt }));
  await using open = openLink(broker.port, { log });
  await waitFor('the link', () => open.link.connected);
  stoppedAt = performance.now();
  await broker.stop();
  await waitFor('two waits', () => waits.length > 1);
  await broker.start();
  await waitFor('the link', () => open.link.connected);
  for (const { delayMs, awayMs } of waits) expect(delayMs).toBeLessThanOrEqual(Math.max(1_000, awayMs * 2) + 1);
});

test('a peer that accepts connections and says nothing does not hold a close up', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  const port = await listenOnLoopback(server);
  vi.useFakeTimers({ toFake: ['setTimeout'] }); // So that no limit is ever reached that the close could wait for.
  const open = openLink(port);
  await waitFor('a connection', () => sockets[0]);
  await open.link.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

test('the end point of an identity carries its certificate; on port 443 it asks for MQTT', () => {
  const endpoint = { protocol: 'mqtts', host: 'broker.example.org', port: 8883, key: 'k', cert: 'c', ca: 'a' };
  expect(endpointOf({ ...IDENTITY, broker: 'mqtts://broker.example.org' })).toEqual(endpoint);
  const firewalled = { host: '::1', port: 443, ALPNProtocols: ['x-amzn-mqtt-ca'] };
  expect(endpointOf(IDENTITY, 'mqtts://[::1]:443')).toMatchObject(firewalled);
});

test('a connection can be tried: it comes as far as a link, and leaves no trace', async () => {
  await using broker = await startTestBroker();
  await tryConnection(CLIENT, { protocol: 'mqtt', host: '127.0.0.1', port: broker.port }, new AbortController().signal);
  expect(broker.connections).toEqual([CLIENT]);
  // What comes later would have been behind it: the same broker takes another connection first.
  await using open = openLink(broker.port);
  await broker.presence('online');
  expect(broker.presences.map(({ session }) => session)).toHaveLength(1);
  expect(open.seen.ups).toBe(1);
});

test('a connection that does not come about says how far it came', async () => {
  const never = new AbortController().signal;
  const authority = await makeTestAuthority();
  await using broker = await startTestBroker(authority.broker);
  const { port } = broker;
  const at = { protocol: 'mqtts', host: '127.0.0.1', port, ca: authority.certificate } as const;
  // No certificate of its own: TLS 1.3 lets the client believe that all is well before the broker looks.
  await expect(tryConnection(CLIENT, at, never)).rejects.toMatchObject({ name: 'ConnectError', reached: 'broker' });
  const { certificate: ca } = await makeTestAuthority();
  const unverified = { reached: 'host', cause: { code: expect.stringMatching(/CERT|VERIFY|ISSUER/) } };
  await expect(tryConnection(CLIENT, { ...at, ca }, never)).rejects.toMatchObject(unverified);
  await broker.stop();
  const refused = { reached: 'nothing', cause: { code: 'ECONNREFUSED' } };
  await expect(tryConnection(CLIENT, at, never)).rejects.toMatchObject(refused);
  await broker.start();
  await expect(tryConnection(CLIENT, at, AbortSignal.abort())).rejects.toThrow(ConnectError);
});

test('a link that changes its connection dials at once, and the agent does not appear offline', async () => {
  await using broker = await startTestBroker();
  const delays: number[] = [];
  await using open = openLink(broker.port, { log: delayLog((delayMs) => delays.push(delayMs)) });
  const first = await broker.presence('online');
  open.link.reconnect();
  open.link.publishLossy(topics.reply(INSTANCE, CLIENT), Buffer.from('{"id":"x"}'));
  await waitFor('both', () => open.seen.ups === 2);
  await open.link.publish(topics.reply(INSTANCE, CLIENT), Buffer.from('{"id":"x"}'));
  await broker.sendRaw(topics.request(CLIENT), Buffer.from('request'));
  await waitFor('the request', () => open.seen.messages[0]);
  expect(broker.connections).toEqual([CLIENT, CLIENT]);
  expect(delays).toEqual([]);
  expect(open.seen.downs).toBe(1);
  const second = await waitFor('the second', () => broker.presences[1]);
  expect(broker.presences.map(({ state }) => state)).toEqual(['online', 'online']);
  expect(second.session).toBeGreaterThan(first.session);
  await open.link.close();
  expect(broker.presences.at(-1)).toMatchObject({ state: 'offline', session: second.session });
});

test('where the next attempt fails, another one follows within a second or so, however long the connection had lasted', async () => {
  await using broker = await startTestBroker();
  const now = vi.spyOn(performance, 'now');
  let dialled = 0;
  await using open = openLink(broker.port, {
    dial() {
      if (++dialled === 2) throw new Error('no identity');
      return { protocol: 'mqtt', host: '127.0.0.1', port: broker.port };
    },
  });
  await broker.presence('online');
  const started = Date.now();
  now.mockImplementation(() => Date.now() - started + 86_400_000); // It has lasted for a day.
  open.link.reconnect();
  await waitFor('both', () => open.seen.ups === 2);
  expect(dialled).toBe(3);
});
