/** What has become of a site in a span of time, with a clock that the test moves. */
import { expect, test, vi } from 'vitest';
import type { DeviceKey } from '../../functions/devices/collection/device-codec.ts';
import { changes } from '../../shared/api/changes.ts';
import { aroundCalls } from '../support/database-calls.ts';
import { testApi } from '../support/test-api.ts';

const START = Date.UTC(2026, 10, 1, 8);
const MINUTE = 60_000;
const DAY = 86_400_000;
const MAC = '00:1E:06:AA:BB:01';

const system = testApi({ now: START });

const iso = (at: number) => new Date(at).toISOString();

async function site(csv?: string) {
  vi.setSystemTime(START);
  const name = await system.addSite(csv);
  const ask = (method: string, path: string, body?: unknown) => system.request(method, path, { site: name, body });
  const { devices } = system.context;
  return {
    name,
    ask,
    /** What an agent saw, at a time before it tells it. */
    async seen(record: object, noticedAt = Date.now()) {
      const noticed = new Map<DeviceKey, number>([[MAC, noticedAt]]);
      await devices.change(name, { actor: `${name}:main`, cause: 'sighting' }, (snapshot) => {
        const known = snapshot.get(MAC) ?? expect.fail('no device');
        return { put: [{ ...known, record: { ...known.record, ...record } }], remove: [], noticed };
      });
    },
    async changed(query: Record<string, string> = {}) {
      const { status, json, text } = await ask('GET', `/changes?${new URLSearchParams(query)}`);
      expect([status, text]).toMatchObject([200, expect.any(String)]);
      return changes.listChanges.response.parse(json);
    },
  };
}

test('a span is told by device, in sentences, by the time at which things happened', async () => {
  const { ask, seen, changed } = await site(`devName,devMac\nnas,${MAC}\n`);
  vi.setSystemTime(START + DAY);
  await seen({ devPresentLastScan: 1, devLastIP: '192.168.1.20' });
  vi.setSystemTime(START + DAY + 10 * MINUTE);
  await seen({ devPresentLastScan: 0 });
  vi.setSystemTime(START + DAY + 40 * MINUTE);
  // The agent was cut off, and tells late that it was back after five minutes.
  await seen({ devPresentLastScan: 1, devLastIP: '192.168.1.21' }, START + DAY + 15 * MINUTE);
  vi.setSystemTime(START + DAY + 80 * MINUTE);
  await ask('POST', '/devices/import', {
    content: Buffer.from('devName,devMac\nx,00:1E:06:AA:BB:02\n').toString('base64'),
  });

  const day = { until: iso(START + DAY + 80 * MINUTE), since: iso(START + 80 * MINUTE), truncated: false };
  expect(await changed()).toMatchObject(day);
  vi.setSystemTime(START + DAY + 81 * MINUTE);
  const { summary, changes: groups } = await changed({ since: iso(START + DAY) });
  expect(summary).toBe('1 device imported, 1 device changed.');
  expect(groups).toMatchObject([
    { device: { name: 'x' }, sentences: [{ text: 'was imported' }] },
    {
      device: { mac: MAC, name: 'nas' },
      count: 4,
      sentences: [
        { at: iso(START + DAY + 15 * MINUTE), text: 'came online; was offline for 5 min', count: 3 },
        { at: iso(START + DAY + 15 * MINUTE), text: 'address 192.168.1.20 → .21', count: 1 },
      ],
    },
  ]);

  // What was recorded after the end of the span, and happened in it, is in it.
  const until = iso(START + DAY + 20 * MINUTE);
  expect((await changed({ since: iso(START + DAY), until })).changes).toMatchObject([{ count: 4 }]);
  const quiet = { since: iso(START + DAY + 30 * MINUTE), until: iso(START + DAY + 35 * MINUTE) };
  expect((await changed(quiet)).summary).toBe('Nothing changed.');
  const first = await changed({ since: iso(START + DAY), limit: '1' });
  expect(first).toMatchObject({ changes: [{ device: { name: 'x' } }], truncated: true });
});

test('a span of long ago costs what it holds, not what came after it', async () => {
  const { name, seen, changed } = await site(`devName,devMac\nnas,${MAC}\n`);
  for (let day = 1; day <= 60; day++) {
    vi.setSystemTime(START + day * DAY);
    for (let i = 0; i < 20; i++) await seen({ devComments: `${day} ${i}` });
  }
  const found: number[] = [];
  const restore = aroundCalls(system.context.table, ({ method, args }, pass) => {
    if (method === 'query' && args[1] === 'C#') found.push(Number((args[2] as { limit?: number }).limit));
    return pass();
  });
  const { changes: groups } = await changed({ since: iso(START + DAY), until: iso(START + 3 * DAY) });
  restore();
  expect(groups).toMatchObject([{ count: 40, device: { name: 'nas' } }]);
  // Single entries, by which the end of the span is found among 1,200; and one page.
  expect(found.filter((limit) => limit === 1).length).toBeLessThan(15);
  expect(found.filter((limit) => limit > 1)).toEqual([200]);
  expect((await system.context.devices.snapshot(name)).size).toBe(1);
});

test('a span that nothing is known of is refused, and the field is named', async () => {
  const { ask } = await site();
  vi.setSystemTime(START + 100 * DAY);
  const refusal = async (query: Record<string, string>) =>
    (await ask('GET', `/changes?${new URLSearchParams(query)}`)).json as { errors: object[] };
  const now = START + 100 * DAY;
  const message = 'expected a time within the last 90 days';
  expect((await refusal({ since: iso(START) })).errors).toEqual([{ path: 'query.since', message }]);
  for (const query of [
    { since: iso(now - DAY), until: iso(now - 2 * DAY) },
    { since: iso(now + DAY) },
    { since: 'friday' },
  ]) {
    expect(await refusal(query)).toMatchObject({ code: 'validation_failed', errors: [{ path: 'query.since' }] });
  }
});
