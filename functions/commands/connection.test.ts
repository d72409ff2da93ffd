import mqttPacket from 'mqtt-packet';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServiceError } from '../../shared/errors.ts';
import { holdTheClock, hurried } from '../../test/support/held-clock.ts';
import { type MemoryBroker, startMemoryBroker } from '../../test/support/memory-broker.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { type Connection, openConnection } from './connection.ts';

const TOPIC = 'lr/v1/local/a/home:main/req';
let broker: MemoryBroker;
let connection: Connection;
let warnings: string[];

beforeEach(async () => {
  holdTheClock();
  broker = await startMemoryBroker();
  warnings = [];
  const warn = (fields: object) => void warnings.push((fields as { err: Error }).err.message);
  const log = { info() {}, warn, error() {} };
  connection = openConnection(broker, log, () => {});
});
afterEach(async () => {
  vi.useRealTimers();
  await connection.close();
  await broker[Symbol.asyncDispose]();
});

const publish = (text = 'a request') =>
  connection.publish((instance) => ({ topic: TOPIC, payload: Buffer.from(`${text} of ${instance}`) }));
const payloads = () => broker.published.map(({ payload }) => payload.toString());
/** As a function that is thawed sees it. */
const laterBy = (ms: number) => vi.setSystemTime(Date.now() + ms);
const UNAVAILABLE = { code: 'unavailable', retryAfter: 2 };

test('no buffers are made in advance for all numbers of packets', async () => {
  mqttPacket.writeToStream.cacheNumbers = true;
  await connection.open();
  expect(mqttPacket.writeToStream.cacheNumbers).toBe(false);
});

test('a connection serves many, also those that ask for it while it is being made', async () => {
  const opened = await Promise.all([connection.open(), connection.open(), publish()]);
  opened.push(await connection.open());
  expect(new Set(opened.map(({ instance }) => instance))).toEqual(new Set(broker.connected));
  expect(broker.connected).toHaveLength(1);
});

test.each([
  ['a message that the broker does not acknowledge is sent once more, over a new connection', 0],
  ['a connection that was idle and does not answer a ping is replaced before anything is sent', 10_000],
])('%s', async (_, idleMs) => {
  const first = await connection.open();
  laterBy(idleMs);
  broker.blackHole();
  const second = await hurried(publish());
  expect(second.instance).not.toBe(first.instance);
  expect(payloads()).toEqual([`a request of ${second.instance}`]);
});

test('a broker that stays silent is unavailable, within the limits, and is tried anew by the next caller', async () => {
  await connection.open();
  const since = Date.now();
  broker.blackHole();
  broker.isSilent = true;
  await expect(hurried(publish())).rejects.toMatchObject(UNAVAILABLE);
  expect(Date.now() - since).toBeLessThan(5_000);
  broker.isSilent = false;
  await hurried(publish());
  expect(payloads()).toHaveLength(1);
});

test('a connection that was idle is trusted again when it answers a ping, and after minutes replaced without a question', async () => {
  const first = await connection.open();
  laterBy(10_000);
  expect(await publish()).toBe(first);
  expect(broker.connected).toHaveLength(1);
  laterBy(300_000);
  expect((await publish()).instance).not.toBe(first.instance);
});

test.each(['connect', 'subscribe'] as const)(
  'a broker that does not let it %s is unavailable, and the log says why it could not connect',
  async (step) => {
    broker.lets[step] = false;
    const refused = publish();
    await expect(refused).rejects.toBeInstanceOf(ServiceError);
    await expect(refused).rejects.toMatchObject(UNAVAILABLE);
    expect(broker.published).toEqual([]);
    if (step === 'connect') expect(warnings).toEqual(['Unexpected server response: 403']);
    broker.lets[step] = true;
    await publish();
  },
);

test('who listens for the end of a connection hears of it, at once when it is over, and not when it left', async () => {
  const live = await connection.open();
  const heard: string[] = [];
  live.onClosed(() => heard.push('stayed'));
  live.onClosed(() => heard.push('left'))();
  broker.cut();
  await waitFor('the end', () => heard.length > 0);
  live.onClosed(() => heard.push('came late'));
  expect(heard).toEqual(['stayed', 'came late']);
});

test('closing ends the connection, also one that is being made', async () => {
  const opening = connection.open();
  await connection.close();
  const live = await opening;
  await new Promise<void>((resolve) => live.onClosed(resolve));
  expect(broker.connected).toHaveLength(1);
});
