/** Digests from the API to their receivers, with a clock that the test moves. */
import { expect, test, vi } from 'vitest';
import { HookMessage } from '../../shared/api/hook-events.ts';
import { hooks } from '../../shared/api/hooks.ts';
import { openTurns } from '../support/background-work.ts';
import { SILENT as log } from '../support/ingest-messages.ts';
import { testApi } from '../support/test-api.ts';
import { startReceiver } from './receiver.ts';

const system = testApi({ now: Date.UTC(2026, 10, 2, 7, 30), privateHooks: true });

const MAC = '00:1E:06:AA:BB:01';

test('once a day, at its time on the clock of the site, what has changed since the last digest is one message', async () => {
  const { context, request } = system;
  await using receiver = await startReceiver();
  const site = await system.addSite(`devName,devMac\nnas,${MAC}\n`);
  await request('PATCH', `/sites/${site}`, { body: { timeZone: 'Europe/Berlin' } });
  vi.setSystemTime(Date.UTC(2026, 10, 2, 7, 35));
  const body = { url: receiver.url, events: [], digest: { every: 'day', at: '09:00' } };
  const added = await request('POST', '/hooks', { site, body });
  expect([added.status, added.json]).toMatchObject([201, { events: [], digest: { every: 'day', at: '09:00' } }]);
  const { id: hook } = hooks.addHook.response.parse(added.json);

  const settings = { allowPrivate: true, resolve: async () => [] };
  const take = openTurns({ ...context, queue: { send: async () => {} }, settings, log });

  async function tick(at: number): Promise<HookMessage[]> {
    vi.setSystemTime(at);
    receiver.received.length = 0;
    // Two processes at once, and one that comes later.
    await Promise.all([take({ site, hook }), take({ site, hook })]);
    await take({ site, hook });
    return receiver.received.map(({ body }) => HookMessage.parse(JSON.parse(body)));
  }

  vi.setSystemTime(Date.UTC(2026, 10, 2, 7, 40));
  await request('PATCH', `/devices/${MAC}`, { site, body: { devName: 'store' } });
  vi.setSystemTime(Date.UTC(2026, 10, 2, 7, 50));
  await request('PATCH', `/devices/${MAC}`, { site, body: { devName: 'vault' } });
  expect(await tick(Date.UTC(2026, 10, 2, 7, 59))).toEqual([]);
  const sentences = [{ text: 'was renamed: "nas" → "store" → "vault"', count: 2 }];
  const digest = {
    ...{ since: '2026-11-02T07:35:00.000Z', until: '2026-11-02T08:00:00.000Z', summary: '1 device changed.' },
    ...{ changes: [{ device: { name: 'vault' }, sentences }], more: 0 },
  };
  expect(await tick(Date.UTC(2026, 10, 2, 8, 20))).toMatchObject([
    { type: 'digest', timestamp: digest.until, data: { type: 'digest', site, digest } },
  ]);
  expect(await tick(Date.UTC(2026, 10, 2, 23, 0))).toEqual([]);
  expect(await tick(Date.UTC(2026, 10, 3, 8, 0))).toMatchObject([
    { data: { digest: { since: '2026-11-02T08:00:00.000Z', summary: 'Nothing changed.', changes: [] } } },
  ]);

  const told = await request('GET', `/hooks/${hook}/deliveries`, { site });
  expect(hooks.listDeliveries.response.parse(told.json).deliveries).toMatchObject([
    { event: 'digest', state: 'delivered', at: '2026-11-03T08:00:00.000Z' },
    { event: 'digest', state: 'delivered', at: '2026-11-02T08:00:00.000Z' },
  ]);

  // It stops with the hook, and tells nothing of the time in between.
  await request('PATCH', `/hooks/${hook}`, { site, body: { enabled: false } });
  await request('PATCH', `/devices/${MAC}`, { site, body: { devName: 'unheard' } });
  expect(await tick(Date.UTC(2026, 10, 4, 8, 0))).toEqual([]);
  await request('PATCH', `/hooks/${hook}`, { site, body: { enabled: true } });
  expect(await tick(Date.UTC(2026, 10, 5, 8, 0))).toMatchObject([
    { data: { digest: { since: '2026-11-04T08:00:00.000Z', summary: 'Nothing changed.' } } },
  ]);
});

test('a hook tells of events, or has a digest, or both', async () => {
  const site = await system.addSite();
  const url = 'https://hooks.example.org/x';
  const post = (body: object) => system.request('POST', '/hooks', { site, body: { url, ...body } });
  const neither = { status: 400, json: { errors: [{ path: 'events', message: expect.stringContaining('digest') }] } };
  expect(await post({ events: [] })).toMatchObject(neither);
  for (const digest of [
    { every: 'day', at: '25:00' },
    { every: 'week', at: '08:00' },
    { every: 'day', at: '08:00', weekday: 'monday' },
    { every: 'month', at: '08:00' },
  ]) {
    expect(await post({ events: ['new'], digest })).toMatchObject({ status: 400 });
  }
  const digest = { every: 'week', weekday: 'monday', at: '08:00' };
  const both = await post({ events: ['new'], digest });
  expect([both.status, both.json]).toMatchObject([201, { events: ['new'], digest }]);
  const { id } = hooks.addHook.response.parse(both.json);
  const patch = (body: object) => system.request('PATCH', `/hooks/${id}`, { site, body });
  expect(await patch({ events: [] })).toMatchObject({ status: 200, json: { events: [], digest } });
  expect(await patch({ digest: null })).toMatchObject(neither);
  const events = { digest: null, events: ['down'] };
  expect(await patch(events)).toMatchObject({ status: 200, json: events });
});
