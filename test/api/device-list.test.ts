/** `GET /devices` with filters, sorted and in pages, as its users see it. */
import { beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { ListedDevice } from '../../shared/api/device-list.ts';
import { devices } from '../../shared/api/devices.ts';
import { DeviceSummary } from '../../shared/device.ts';
import { testApi } from '../support/test-api.ts';

let site: string;
const system = testApi();
beforeAll(async () => {
  site = await system.addSite(
    [
      'devName,devMac,devLastIP,devType,devGroup,devVendor,devPresentLastScan,devIsArchived',
      'nas 10,00:1E:06:00:00:01,10.0.0.10,NAS,lab,Acme & Söhne,1,0',
      'NAS 9,00:1E:06:00:00:02,10.0.0.9,NAS,lab,,0,0',
      'camera,00:1E:06:00:00:03,fd00::1,Camera,,Acme & Söhne,1,0',
      'old nas,00:1E:06:00:00:04,,NAS,lab,,0,1',
      'sensor,,10.0.0.200,,,,1,0',
    ].join('\n'),
  );
});

const get = (query: string, headers: Record<string, string> = {}) =>
  system.request('GET', `/devices${query}`, { site, headers });
const Page = devices.listDevices.response.extend({ devices: z.array(DeviceSummary) });

async function names(query: string): Promise<string[]> {
  return Page.parse((await get(query)).json).devices.map(({ devName }) => devName);
}

test.each([
  ['?text=sohne%20camera', ['camera']],
  ['?type=', ['sensor']],
  ['?group=lab&status=my', ['nas 10', 'NAS 9']],
  [`?vendor=${encodeURIComponent('Acme & Söhne')}`, ['nas 10', 'camera']],
  ['?type=NAS&text=10.0&sort=-name', ['nas 10', 'NAS 9']],
  ['?sort=name', ['camera', 'NAS 9', 'nas 10', 'old nas', 'sensor']],
  ['?sort=-ip', ['camera', 'sensor', 'nas 10', 'NAS 9', 'old nas']],
])('the whole list of %s', async (query, expected) => {
  expect(await names(query)).toEqual(expected);
});

test('a row of all fields has the key that names the device', async () => {
  for (const query of ['?fields=all', '?fields=all&sort=name', '?fields=all&limit=10']) {
    const list = z.object({ devices: z.array(ListedDevice) }).parse((await get(query)).json).devices;
    expect(list).toHaveLength(5);
    for (const { key, devMac, devName } of list) {
      expect(key).toMatch(devMac === '' ? /^~/ : devMac);
      const one = await system.request('GET', `/devices/${encodeURIComponent(key)}`, { site });
      expect(one.json).toMatchObject({ key, devName });
    }
  }
});

test('a client that has the list gets 304, until something changes', async () => {
  const own = await system.addSite('devName,devMAC\nnas,00:1E:06:AA:BB:01\n');
  const ask = (query: string, headers = {}) => system.request('GET', `/devices${query}`, { site: own, headers });
  for (const query of ['?limit=2', '?sort=name', '?type=&limit=1&fields=all']) {
    const etag = (await ask(query)).headers.get('etag') ?? expect.fail('no ETag');
    const again = await ask(query, { 'If-None-Match': etag });
    expect([again.status, again.text, again.headers.get('lanreach-stale-since')]).toEqual([304, '', 'none']);
    await system.request('PATCH', '/devices/00:1E:06:AA:BB:01', { site: own, body: { devName: `after ${query}` } });
    expect((await ask(query, { 'If-None-Match': etag })).status).toBe(200);
  }
});

test('the list of one site is not the unchanged list of another one, or of all fields', async () => {
  const [first, second] = [await system.addSite(), await system.addSite()];
  const etagOf = async (site: string, query: string) =>
    (await system.request('GET', `/devices${query}`, { site })).headers.get('etag');
  const seen = new Set<string | null>();
  for (const site of [first, second]) {
    for (const query of ['', '?fields=all', '?status=my', '?limit=2', '/by-status', '/export']) {
      seen.add(await etagOf(site, query));
    }
  }
  expect(seen.size).toBe(12);
});
