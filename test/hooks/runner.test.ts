/** What sends the messages of hooks on one machine: that a hook with much to do leaves room for others. */
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { hookWorker } from '../support/background-work.ts';
import { deliveriesOf, device, idsOf, makeClock, makeSite, openProcess, put } from './processes.ts';
import { startReceiver, status } from './receiver.ts';

const silent = pino({ level: 'silent' });

test('receivers that fail and hang, with many events each, hold up no other', async () => {
  await using failing = await startReceiver();
  await using good = await startReceiver();
  failing.answer = (response) => {
    if (failing.received.length % 2 === 0) status(500)(response, { path: '', headers: {}, body: '' });
  };
  const clock = makeClock();
  const process = openProcess({ clock });
  for (let i = 0; i < 4; i++) {
    const site = await makeSite(clock, failing.url);
    await put(process, site, ...Array.from({ length: 20 }, (_, j) => device(j)));
  }
  const site = await makeSite(clock, good.url);
  await put(process, site, device(1), device(2));
  const worker = hookWorker({ ...process, now: () => new Date() }, { allowPrivate: true }, silent);
  worker.start();
  await expect.poll(() => good.received.length).toBe(2);
  expect(failing.received.length).toBeLessThanOrEqual(4);
  await worker.close();
});

test('events that no receiver had when the worker was stopped go out after its next start, under the same id', async () => {
  await using receiver = await startReceiver();
  receiver.answer = () => {}; // The attempt is under way when the worker stops.
  const clock = makeClock();
  const site = await makeSite(clock, receiver.url);
  const process = openProcess({ clock });
  await put(process, site, device(1));
  const start = () => {
    const worker = hookWorker({ ...process, now: () => new Date() }, { allowPrivate: true }, silent);
    worker.start();
    return worker;
  };
  const first = start();
  await expect.poll(() => receiver.received.length).toBe(1);
  await first.close();
  receiver.answer = status(204);
  const second = start();
  await expect.poll(() => deliveriesOf(process, site)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  await second.close();
  expect(idsOf(receiver)).toHaveLength(1);
});
