import { beforeAll, expect, test } from 'vitest';
import { devices } from '../../shared/api/devices.ts';
import { DEVICE_FIELDS, type DeviceRecord } from '../../shared/device.ts';
import { COLUMNS, DEVICES, EXTRA, NETALERTX_EXPORT } from '../netalertx-export.ts';
import { COLLECTION } from '../support/fixtures.ts';
import { testApi } from '../support/test-api.ts';

const DASHBOARD = 'http://homer.lan:8080';
const TOTALS = [4, 1, 1, 1, 1, 1];

/** Lets pages of one origin in; the other one lets in those of all. */
const system = testApi({ corsOrigins: [DASHBOARD] });
const openToAll = testApi({ corsOrigins: ['*'] });
beforeAll(async () => void (await system.importCsv(COLLECTION)));

test('Homepage, widget of version 2: the totals, asked for with a media type and without a body', async () => {
  const response = await ask(`${system.url}/devices/totals`, {
    headers: { authorization: `Bearer ${system.token}`, 'content-type': 'application/json' },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  const totals = devices.countDevices.response.parse(await response.json());
  expect(totals).toEqual(TOTALS);
});

/** As a program that knows nothing but the URL and a token. */
const ask = (url: string, init: RequestInit = {}, at = system) => at.service(new Request(url, init));

test.each([
  ['its origin', system, DASHBOARD],
  ['all origins', openToAll, '*'],
])('Homer, in a browser: the preflight carries no token; CORS_ORIGINS names %s', async (_, at, allowed) => {
  const asks = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' };
  const preflight = { method: 'OPTIONS', headers: { origin: DASHBOARD, ...asks } };
  const answer = await ask(`${at.url}/devices/totals`, preflight, at);
  expect(answer.status).toBe(204);
  expect(answer.headers.get('access-control-allow-origin')).toBe(allowed);
  expect(answer.headers.get('access-control-allow-methods')).toContain('GET');
  expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization');
  for (const [secret, status] of [
    [at.token, 200],
    ['wrong', 403],
  ] as const) {
    const headers = { origin: DASHBOARD, authorization: `Bearer ${secret}` };
    const response = await ask(`${at.url}/devices/totals`, { headers }, at);
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([status, allowed]);
  }
});

test('netalertx-ui: there is no GraphQL, and the list is found under the prefix /api', async () => {
  const body = { query: '{ devices { devices { devName } } }' };
  expect((await system.request('POST', '/graphql', { body })).status).toBe(404);
  const list = devices.listDevices.response.parse((await system.request('GET', '/api/devices')).json);
  expect(list.devices).toHaveLength(5);
});

test('dashboards in TypeScript: devices by every status that they ask for, and the topology', async () => {
  const counts = { online: 1, offline: 3, down: 1, new: 1, favorites: 1, connected: 1, all: 4, my: 4, archived: 1 };
  for (const [status, count] of Object.entries(counts)) {
    const { json } = await system.request('GET', `/devices/by-status?status=${status}`);
    expect([status, devices.listByStatus.response.parse(json).length]).toEqual([status, count]);
  }
  const { json } = await system.request('GET', '/devices/network/topology');
  expect(devices.networkTopology.response.parse(json).nodes).toHaveLength(5);
});

test('Home Assistant: REST sensors read the totals by place or by name, and its health check needs no token', async () => {
  // As the integration `rest` asks.
  const headers = { authorization: `Bearer ${system.token}`, accept: '*/*', 'accept-encoding': 'gzip, deflate, br' };
  const answerTo = async (path: string) => (await ask(system.url + path, { headers })).json();
  expect(await answerTo('/devices/totals')).toEqual(TOTALS);
  const named = devices.countDevicesByName.response.parse(await answerTo('/devices/totals/named'));
  expect(named.totals).toEqual({ devices: 4, connected: 1, favorites: 1, new: 1, down: 1, archived: 1 });
  expect(Object.values(named.totals)).toEqual(TOTALS);
  expect((await system.request('GET', '/health', { token: null })).status).toBe(200);
});

test('clients for Home Assistant and assistants: one device under its old path', async () => {
  const { json } = await system.request('GET', '/device/02-a0-00-00-00-02');
  const nas = { devMac: '02:A0:00:00:00:02', devName: 'nas', devLastIP: '192.168.1.20', devStatus: 'offline' };
  expect(json).toMatchObject(nas);
  expect((await system.request('GET', '/device/02:A0:00:00:00:99')).status).toBe(404);
});

test('Ansible: the inventory script reads the full records, by a setting; tags in comments make groups of hosts', async () => {
  const site = await system.addSite(
    'devName,devMac,devLastIP,devFQDN,devComments\n' +
      'nas,02:A0:00:00:00:12,192.168.1.20,nas.lan.,"TAGS=linux,backup; VARS_user=me"\n' +
      'tv,02:A0:00:00:00:13,192.168.1.21,,\n',
  );
  const token = await system.createToken({ scopes: ['devices:read'], sites: [site] });
  // The script appends the path to the port.
  const url = `${system.url}/devices?fields=all&script=/devices`;
  const response = await ask(url, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  expect(response.status).toBe(200);
  const { devices: hosts } = (await response.json()) as { devices: Record<string, string>[] };
  expect(
    hosts.map(({ devFQDN, devName, devLastIP, devComments }) => [devFQDN || devName, devLastIP, devComments]),
  ).toEqual([
    ['nas.lan.', '192.168.1.20', 'TAGS=linux,backup; VARS_user=me'],
    ['tv', '192.168.1.21', ''],
  ]);
});

test('scripts: the scheme of the token in small letters is fine, a token in the query is not', async () => {
  const bearer = await ask(`${system.url}/devices/totals`, { headers: { authorization: `bearer ${system.token}` } });
  expect(bearer.status).toBe(200);
  expect((await ask(`${system.url}/devices/totals?token=${system.token}`)).status).toBe(403);
});

test('scripts: search by a part of a MAC with dashes, with a limit that is kept; nothing found is no error', async () => {
  const search = async (query: string, limit: number) =>
    (await system.request('POST', '/devices/search', { body: { query, limit } })).json;
  const both = { success: true, devices: [{ devName: 'router' }, { devName: 'nas' }] };
  expect(await search('02-a0-00', 50)).toMatchObject(both);
  expect(await search('02-a0-00', 1)).toMatchObject({ success: true, devices: [{ devName: 'router' }] });
  expect(await search('no such device', 1)).toMatchObject({ success: true, devices: [] });
  for (const body of [{ status: 'down' }, {}]) {
    const headers = { 'if-none-match': '*' };
    const { json, headers: answered } = await system.request('POST', '/devices/by-status', { body, headers });
    expect([answered.get('etag'), answered.get('cache-control')]).toEqual([null, 'no-store']);
    expect(devices.queryByStatus.response.parse(json)).toHaveLength('status' in body ? 1 : 5);
  }
});

test('of a full export of that system nothing is lost, and an export of ours takes it to another site', async () => {
  expect(COLUMNS).toHaveLength(49);
  const recordsOf = async (site: string) =>
    devices.listDevices.response.parse((await system.request('GET', '/devices?fields=all', { site })).json)
      .devices as DeviceRecord[];
  const exportOf = async (site: string, format: string) =>
    system.request('GET', `/devices/export/${format}?columns=all`, { site });

  const site = await system.addSite();
  expect((await system.importCsv(NETALERTX_EXPORT, site)).json).toMatchObject({
    inserted: 3,
    skipped_count: 0,
    adjusted_count: 0,
    ignored_columns: [],
  });
  const records = await recordsOf(site);
  // If one of these has become a field: what rows have in `extra` under its name has to become the field as well.
  expect([...new Set(records.flatMap(({ extra }) => Object.keys(extra)))].sort()).toEqual([...EXTRA].sort());
  for (const device of DEVICES) {
    const found = records.find(({ devMac }) => devMac.toLowerCase() === device.devMac?.toLowerCase());
    const cells: Record<string, unknown> = { ...found, ...found?.extra };
    for (const [column, cell] of Object.entries(device)) {
      const means = cell === 'null' ? '' : cell;
      expect([column, String(cells[column]).toLowerCase()]).toEqual([column, means.toLowerCase()]);
    }
  }

  const csv = await exportOf(site, 'csv');
  expect(csv.text.split('\r\n')[0]?.split(',')).toEqual([...DEVICE_FIELDS, ...[...EXTRA].sort()]);
  const copy = await system.addSite(csv.text);
  expect(await recordsOf(copy)).toEqual(records);
  expect((await exportOf(copy, 'csv')).text).toBe(csv.text);
  const json = await exportOf(site, 'json');
  expect((await exportOf(copy, 'json')).text).toBe(json.text);
  const { data, columns } = devices.exportDevices.response.parse(json.json);
  expect(columns).toEqual([...DEVICE_FIELDS, ...[...EXTRA].sort()]);
  expect(data).toContainEqual(expect.objectContaining({ devMac: '02:A0:00:00:00:01', devSkipRepeated: '24' }));
  expect(Object.keys(data[0] ?? {})).not.toContain('extra');
});
