/** Hooks in the built worker: from a change of a collection, by its queue, to what became of the delivery. */
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cloud, HOME, startCloud } from './cloud.ts';
import { wholeOf } from './gateway.ts';
import { neededRuntime, ROOT, runtime } from './needed-runtime.ts';

describe.skipIf(runtime === null)('the worker, for hooks', () => {
  let cloud: Cloud;
  beforeAll(async () => {
    cloud = await startCloud(ROOT, neededRuntime());
    await cloud.working[Symbol.asyncDispose](); // Tasks are carried out below.
  });
  afterAll(() => cloud[Symbol.asyncDispose]());

  async function invoke(event: object): Promise<unknown> {
    const { body } = await cloud.functions.worker.invoke(event);
    return JSON.parse((await wholeOf(body)).toString());
  }

  test('does not reach this host, whatever name leads to it, and says so', async () => {
    const body = { url: 'https://localhost:9/secret-path-of-a-hook', events: ['imported', 'new'] };
    const added = await cloud.request('POST', '/hooks', { body });
    expect([added.status, added.text]).toMatchObject([201, expect.not.stringContaining('secret-path')]);
    const { id } = added.json as { id: string };
    const none = { batchItemFailures: [] };
    const { queue } = cloud.tasks;
    /** Lambda's way with what is in the queue now. */
    async function carryOut(event: SQSEvent): Promise<void> {
      expect(event.Records).toHaveLength(1);
      expect(await invoke(event)).toEqual(none);
      for (const record of event.Records) queue.delete(record);
    }
    // A new hook is woken, and finds nothing to send.
    await carryOut(queue.receive());
    await carryOut(queue.receive());
    const content = Buffer.from('devMac,devName\n00:1E:06:00:00:01,nas').toString('base64');
    expect((await cloud.request('POST', '/devices/import', { body: { content } })).status).toBe(200);
    // The function that has made the import wakes the hooks of the site, and that has each take a turn.
    const woken = queue.receive();
    expect(woken.Records.map(({ body: text }) => JSON.parse(text))).toEqual([{ site: HOME }]);
    await carryOut(woken);
    const turns = queue.receive();
    expect(turns.Records).toMatchObject([{ attributes: { MessageGroupId: id } }]);
    await carryOut(turns);

    const { json } = await cloud.request('GET', `/hooks/${id}/deliveries`);
    const { deliveries } = json as { deliveries: { reason: string }[] };
    expect(deliveries).toMatchObject([{ event: 'imported', state: 'pending', attempts: 1, status: null }]);
    expect(deliveries[0]?.reason).toMatch(
      /^its host is at (?:127\.0\.0\.1|::1), which is an address of this host or of an overlay network: not allowed$/,
    );
    // To be tried again later, in a group of its own, so that it holds up no other hook.
    cloud.tasks.passTime(15 * 60_000);
    expect(queue.receive().Records).toMatchObject([{ attributes: { MessageGroupId: id } }]);
  });

  test('refuses what cannot work when a hook is added', async () => {
    for (const url of [
      'http://example.org/x',
      'https://127.0.0.1/x',
      'https://169.254.169.254/latest',
      'ftp://x',
      'x',
    ]) {
      const { status, json } = await cloud.request('POST', '/hooks', { body: { url, events: ['new'] } });
      expect([url, status, json]).toMatchObject([url, 400, { errors: [{ path: 'url' }] }]);
    }
  });
});
