import mqttPacket from 'mqtt-packet';
import { expect, test } from 'vitest';
import { topics } from '../../shared/agent/topics.ts';
import { CLIENT, startTestBroker } from '../../test/support/agent/broker.ts';
import { openSession } from './session.ts';

const TOPIC = topics.presence(CLIENT);
const WITHIN_MS = 10_000;

function open(port: number) {
  const endpoint = { protocol: 'mqtt', host: '127.0.0.1', port } as const;
  const { signal } = new AbortController();
  return openSession(CLIENT, endpoint, { number: 1, onMessage: async () => {}, signal });
}

test('no buffers are made in advance for all numbers of packets', async () => {
  await using broker = await startTestBroker();
  mqttPacket.writeToStream.cacheNumbers = true;
  const session = await open(broker.port);
  expect(mqttPacket.writeToStream.cacheNumbers).toBe(false);
  await session.leave();
});

test('no more messages are sent than the broker takes unacknowledged, and more once it has acknowledged some', async () => {
  await using broker = await startTestBroker();
  const session = await open(broker.port);
  const sent = Array.from({ length: 91 }, () => session.publish(TOPIC, '{}', WITHIN_MS));
  const refused = (await Promise.allSettled(sent)).flatMap((result, i) => (result.status === 'rejected' ? [i] : []));
  expect(refused).toEqual([90]);
  await session.publish(TOPIC, '{}', WITHIN_MS);
  await session.leave();
});

test('what waits for the broker, and what comes later, fails when the connection has ended', async () => {
  await using broker = await startTestBroker();
  const session = await open(broker.port);
  const cause = new Error('cut');
  const waiting = expect(session.publish(TOPIC, '{}', WITHIN_MS)).rejects.toMatchObject({ cause });
  session.end(cause);
  await waiting;
  expect(await session.ended).toBe(cause);
  await expect(session.publish(TOPIC, '{}', WITHIN_MS)).rejects.toThrow('the connection to the broker has ended');
  await session.leave();
});
