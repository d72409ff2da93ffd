import { expect, test } from 'vitest';
import { topics } from '../../shared/agent/topics.ts';
import { DirectTopics } from './direct-topics.ts';

const CLIENT = 'prod:home:main';

async function sent(of: DirectTopics, isAcknowledged = true): Promise<string> {
  let on = '';
  const sending = of.publish('sightings', async (topic) => {
    on = topic;
    if (!isAcknowledged) throw new Error('the connection has ended');
  });
  if (isAcknowledged) await sending;
  else await expect(sending).rejects.toThrow('ended');
  return on;
}

test('a session in which several messages fail counts as one, and one that is acknowledged makes up for those before', async () => {
  const direct = new DirectTopics(CLIENT);
  expect([direct.offer, await sent(direct)]).toEqual([false, topics.sightings(CLIENT)]);
  for (let session = 0; session < 3; session++) {
    direct.offered(true);
    for (const isAcknowledged of [true, false, false]) {
      expect(await sent(direct, isAcknowledged)).toBe(topics.direct('sightings', CLIENT));
    }
    direct.connected();
    expect(direct.offer).toBe(false);
  }
});

test('after two sessions in a row it does without, whatever it is offered', async () => {
  const direct = new DirectTopics(CLIENT);
  for (let session = 0; session < 2; session++) {
    direct.connected();
    direct.offered(true);
    await sent(direct, false);
  }
  direct.connected();
  direct.offered(true);
  expect([direct.offer, await sent(direct)]).toEqual([undefined, topics.sightings(CLIENT)]);
});
