/** What tells the receivers of hooks on one machine: that a hook with much to do leaves room for others. */
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { makeSigningSecret } from '../../functions/hooks/signature.ts';
import { openStores } from '../../functions/stores.ts';
import { createHookRunner } from '../../local/hook-runner.ts';
import { memoryTable } from '../test-table.ts';
import { startReceiver, status } from './receiver.ts';

const engine = memoryTable();

const now = () => new Date();
/** Its rows come last of those of a site. */
const GOOD = 'ffffffffffff';

async function openSite(site: string) {
  const stores = openStores(engine.open(), now);
  const { hooks, deliveries, devices, sites } = stores;
  await devices.create(site, now());
  await sites.add({ id: site, name: site, createdAt: now().toISOString() });
  const createdAt = now().toISOString();
  return {
    async addHook(id: string, url: string): Promise<void> {
      const from = await devices.carriedOut(site);
      const rest = { secret: makeSigningSecret(), enabled: true, createdAt, createdBy: '0123456789abcdef', from };
      await hooks.add(site, id, { url, format: 'json', events: ['new'], skipRandomMacs: false, ...rest });
    },

    async addDeliveries(hook: string, count: number): Promise<void> {
      for (let i = 0; i < count; i++) {
        const about = { device: null, changes: {}, actor: 'x', cause: 'edit' } as const;
        const event = { id: `1.${i}`, at: createdAt, recordedAt: createdAt, type: 'new', site, ...about } as const;
        await deliveries.add(site, { hook, id: `1790000000_${i}`, webhookId: `${hook}_${i}`, event });
      }
    },

    start(clock = now) {
      const runner = createHookRunner({ ...stores, now: clock }, { allowPrivate: true }, pino({ level: 'silent' }));
      return { runner, [Symbol.asyncDispose]: () => runner.close() };
    },
  };
}

test('receivers that fail, with many deliveries each, take no more than their share of the attempts', async () => {
  await using failing = await startReceiver();
  await using good = await startReceiver();
  failing.answer = status(500);
  let failedBefore = 0;
  good.answer = (response) => {
    failedBefore = failing.received.length;
    response.writeHead(204).end();
  };
  const { addHook, addDeliveries, start } = await openSite('failing');
  for (const hook of ['000000000001', '000000000002', '000000000003', '000000000004']) {
    await addHook(hook, failing.url);
    await addDeliveries(hook, 20);
  }
  await addHook(GOOD, good.url);
  await addDeliveries(GOOD, 1);
  await using started = start();
  started.runner.start();
  await expect.poll(() => good.received.length).toBe(1);
  expect(failedBefore).toBeLessThan(40);
});

test('a hook of which more deliveries wait for their time than are kept takes no room from others', async () => {
  await using good = await startReceiver();
  const { addHook, addDeliveries, start } = await openSite('crowded');
  await addHook(GOOD, good.url);
  await addDeliveries(GOOD, 1);
  let waitMs = 86_400_000;
  await using started = start(() => new Date(Date.now() + waitMs));
  const task = { t: 'deliver', site: 'crowded', hook: '000000000001' } as const;
  for (let i = 0; i < 12_000; i++) started.runner.add({ ...task, id: `1790000000_${i}` });
  waitMs = 0;
  started.runner.start();
  await expect.poll(() => good.received.length).toBe(1);
});
