/** The collection as it was: `?at=`. */
import { expect, test, vi } from 'vitest';
import { devices } from '../../shared/api/devices.ts';
import { testApi } from '../support/test-api.ts';

const START = Date.UTC(2026, 10, 1, 8);
const MINUTE = 60_000;
const DAY = 86_400_000;

const system = testApi({ now: START });

const iso = (at: number) => new Date(at).toISOString();
const macOf = (i: number) => `00:1E:06:AA:BB:${i.toString(16).padStart(2, '0').toUpperCase()}`;
const csvOf = (count: number, status = 'online') =>
  [
    'devName,devMac,devParentMAC,devStatus',
    ...Array.from({ length: count }, (_, i) => `d${i},${macOf(i)},${macOf(0)},${status}`),
  ].join('\n');

async function site(csv: string) {
  vi.setSystemTime(START);
  const name = await system.addSite(csv);
  const request = (method: string, path: string, options: object = {}) =>
    system.request(method, path, { site: name, ...options });
  const get = async (path: string, at: number | null, query: Record<string, string> = {}) => {
    const all = { ...query, ...(at === null ? {} : { at: iso(at) }) };
    return request('GET', `${path}?${new URLSearchParams(all)}`);
  };
  const names = async (at: number | null, query = {}) => {
    const { json, text } = await get('/devices', at, query);
    expect(text).toContain('"success":true');
    return devices.listDevices.response.parse(json).devices.map(({ devName }) => devName);
  };
  return { name, request, get, names };
}

test('the list, the totals and the topology are as they were, also what was deleted since', async () => {
  const { request, get, names } = await site(csvOf(5));
  const before = {
    list: (await get('/devices', null)).json,
    full: (await get('/devices', null, { fields: 'all' })).json,
    totals: (await get('/devices/totals', null)).json,
    topology: (await get('/devices/network/topology', null)).json,
  };
  vi.setSystemTime(START + 10 * MINUTE);
  await request('PATCH', `/devices/${macOf(1)}`, { body: { devName: 'renamed', devParentMAC: '', devFavorite: 1 } });
  vi.setSystemTime(START + 20 * MINUTE);
  await request('DELETE', `/devices/${macOf(2)}`);
  vi.setSystemTime(START + 30 * MINUTE);
  await request('POST', '/devices/restore');
  await request('DELETE', '/devices', { body: { macs: [macOf(3)] } });
  vi.setSystemTime(START + 2 * DAY);

  expect(await names(null)).toEqual(['d0', 'renamed', 'd2', 'd4']);
  const at = START + MINUTE;
  expect((await get('/devices', at)).json).toEqual(before.list);
  expect((await get('/devices', at, { fields: 'all' })).json).toEqual(before.full);
  expect((await get('/devices/totals', at)).json).toEqual(before.totals);
  expect((await get('/devices/totals/named', at)).json).toMatchObject({ totals: { devices: 5, favorites: 0 } });
  expect((await get('/devices/network/topology', at)).json).toEqual(before.topology);
  expect(await names(START + 15 * MINUTE)).toEqual(['d0', 'renamed', 'd2', 'd3', 'd4']);
  expect(await names(START + 25 * MINUTE)).toEqual(['d0', 'renamed', 'd3', 'd4']);
  expect(await names(at, { text: 'd1' })).toEqual(['d1']);
});

test('pages are all of one moment, and an answer that is known is not made again', async () => {
  const { request, get } = await site(csvOf(5));
  vi.setSystemTime(START + 10 * MINUTE);
  await request('DELETE', `/devices/${macOf(1)}`);
  vi.setSystemTime(START + 20 * MINUTE);
  const at = START + MINUTE;
  for (const path of ['/devices', '/devices/network/topology']) {
    const first = await get(path, at, { limit: '2' });
    const { nextCursor: cursor } = first.json as { nextCursor: string };
    const second = (await get(path, at, { limit: '2', cursor })).json as { devices?: object[]; nodes?: object[] };
    expect(second.devices ?? second.nodes).toMatchObject(
      path === '/devices' ? [{ devName: 'd2' }, { devName: 'd3' }] : [{ name: 'd2' }, { name: 'd3' }, { name: 'd0' }],
    );
    for (const other of [null, at + MINUTE]) {
      const errors = [{ path: 'query.cursor', message: expect.stringMatching(/\bat$/) }];
      expect(await get(path, other, { limit: '2', cursor })).toMatchObject({ status: 400, json: { errors } });
    }
    for (const query of [{}, { limit: '2' }]) {
      const etag = (await get(path, at, query)).headers.get('etag') ?? '';
      const again = (moment: number) =>
        request('GET', `${path}?${new URLSearchParams({ ...query, at: iso(moment) })}`, {
          headers: { 'if-none-match': etag },
        });
      expect((await again(at)).status).toBe(304);
      expect((await again(at + MINUTE)).status).toBe(200);
    }
  }
});

test('a moment of which nothing is known is refused, and why it cannot be shown is said', async () => {
  const { name, request, get } = await site(csvOf(3));
  const refusal = async (at: number, query: Record<string, string> = {}) => {
    const { status, json } = await get('/devices', at, query);
    const { errors, message } = json as { errors?: { path: string; message: string }[]; message: string };
    return [status, errors?.[0]?.path ?? null, errors?.[0]?.message ?? message];
  };
  expect(await refusal(START + MINUTE)).toEqual([400, 'query.at', 'expected a time that is not in the future']);
  vi.setSystemTime(START + 5 * MINUTE);
  expect(await refusal(START - MINUTE)).toEqual([
    400,
    'query.at',
    `expected a time after ${iso(START)}, when "${name}" was added`,
  ]);
  expect(await refusal(START + MINUTE, { watch: 'watched' })).toMatchObject([400, 'query.watch', expect.any(String)]);

  await system.importCsv(csvOf(60, 'offline'), name);
  vi.setSystemTime(START + 10 * MINUTE);
  await request('DELETE', '/devices'); // Of many at once, which can be undone.
  vi.setSystemTime(START + 15 * MINUTE);
  expect((await get('/devices/totals', START + 6 * MINUTE)).json).toEqual([60, 0, 0, 0, 0, 0]);
  // And the import before it.
  expect((await get('/devices/totals', START + MINUTE)).json).toEqual([3, 3, 0, 0, 0, 0]);
  vi.setSystemTime(START + 95 * DAY);
  expect(await refusal(START + MINUTE)).toEqual([400, 'query.at', 'expected a time within the last 90 days']);
});
