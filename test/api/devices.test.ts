/** `/devices` as its users see it. One system, a site of its own for each test. */
import { expect, test, vi } from 'vitest';
import { devices } from '../../shared/api/devices.ts';
import { deferred } from '../../shared/async.ts';
import { DEVICE_FIELDS } from '../../shared/device.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

/** What names a change. */
const CHANGE = expect.stringMatching(/^\d{13}$/);
const HEADER = 'devName,devMAC,devIP,devType,devFavorite,devStatus';
const COLLECTION = [
  HEADER,
  'router,00:1E:06:AA:BB:00,192.168.1.1,Router,1,online',
  'nas,00:1E:06:AA:BB:01,192.168.1.20,NAS,0,online',
  'tv,00:1E:06:AA:CC:02,192.168.1.30,TV,1,offline',
  'camera,B8:27:EB:00:00:03,192.168.1.40,Camera,0,down',
  'old laptop,B8:27:EB:00:00:04,,Laptop,1,archived',
  '(unknown),B8:27:EB:00:00:05,192.168.1.50,,0,new',
  'sensor,,,IoT,0,online',
  '(name not found),,,,0,offline',
].join('\n');

test('an empty site: every answer has its shape', async () => {
  const site = await system.addSite();
  const get = async (path: string) => (await system.request('GET', path, { site })).json;
  expect(await get('/devices')).toEqual({ success: true, devices: [] });
  expect(await get('/devices/totals')).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await get('/devices/by-status')).toEqual([]);
  expect(await get('/devices/latest')).toEqual([]);
  expect(await get('/devices/network/topology')).toEqual({ nodes: [], links: [] });
  const columns = HEADER.split(',');
  expect(await get('/devices/export/json')).toEqual({ data: [], columns });
  expect((await system.request('GET', '/devices/export', { site })).text).toBe(`${HEADER}\r\n`);
  const deleted = await system.request('DELETE', '/devices', { site });
  expect(deleted.json).toEqual({ success: true, deleted_count: 0, change: null });
});

test('the list has exactly six fields, archived devices too, in the order of their MACs', async () => {
  const site = await system.addSite(COLLECTION);
  const { json } = await system.request('GET', '/devices', { site });
  const list = devices.listDevices.response.parse(json).devices as Record<string, unknown>[];
  // Those without a MAC come last.
  const macs = COLLECTION.split('\n').map((line) => line.split(',')[1]);
  expect(list.map(({ devMAC }) => devMAC)).toEqual(macs.slice(1));
  for (const device of list) expect(Object.keys(device)).toEqual(HEADER.split(','));
  const address = { devMAC: 'B8:27:EB:00:00:03', devIP: '192.168.1.40' };
  expect(list[3]).toEqual({ devName: 'camera', ...address, devType: 'Camera', devFavorite: 0, devStatus: 'down' });
  const full = await system.request('GET', '/devices?fields=all', { site });
  for (const device of (full.json as { devices: object[] }).devices) {
    expect(Object.keys(device)).toEqual(['key', ...DEVICE_FIELDS, 'extra', 'watch']);
  }
});

test('the topology with all fields has the address, type and status of each device, not of other parents', async () => {
  const site = await system.addSite(
    'devName,devMac,devLastIP,devType,devStatus,devParentMAC\nnas,00:1E:06:AA:BB:01,10.0.0.2,NAS,down,Internet\n',
  );
  const get = async (query: string) =>
    (await system.request('GET', `/devices/network/topology${query}`, { site })).json;
  const nas = { id: '00:1E:06:AA:BB:01', name: 'nas', vendor: expect.any(String) };
  const internet = { id: 'Internet', name: 'Internet', vendor: '' };
  const links = [{ source: 'Internet', target: nas.id, port: '' }];
  expect(await get('')).toEqual({ nodes: [nas, internet], links });
  const nodes = [{ ...nas, ip: '10.0.0.2', type: 'NAS', status: 'down' }, internet];
  expect(await get('?fields=all')).toEqual({ nodes, links });
  expect(await get('?fields=all&limit=1')).toEqual({ nodes, links, nextCursor: null });
});

test('delete by MAC and pattern: what is named and nothing else; without macs all of the site and of no other', async () => {
  const [site, other] = [await system.addSite(COLLECTION), await system.addSite(COLLECTION)];
  const remove = (body?: unknown, query = '', of = site) =>
    system.request('DELETE', `/devices${query}`, { site: of, body });
  const left = async (of = site) =>
    ((await system.request('GET', '/devices', { site: of })).json as { devices: object[] }).devices.length;
  const none = { success: true, deleted_count: 0, change: null };
  expect((await remove({ macs: [] })).json).toEqual(none);
  expect((await remove({ macs: ['00:00:00:00:00:01'] })).json).toEqual(none);
  expect((await remove({ macs: ['00:1E:06:AA:*'] }, '?dryRun=true')).json).toEqual({ ...none, deleted_count: 3 });
  expect(await left()).toBe(8);
  const both = ['00-1e-06-aa-bb-00', '001E06AABB00', '00:1e:06:*:bb:*'];
  expect((await remove({ macs: both })).json).toEqual({ success: true, deleted_count: 2, change: CHANGE });
  expect(await left()).toBe(6);

  const tv = ['00:1E:06:AA:CC:02'];
  for (const body of [{ macs: ['nas'] }, { mac: tv }, { macs: tv, force: true }]) {
    expect([body, (await remove(body)).status]).toEqual([body, 400]);
  }
  for (const query of [
    ...['dryRun=1', 'dryRun=yes', 'dryRun=', 'dryRun=True', 'dryrun=true', 'dryRun=true&dryRun=false', 'macs=x'],
    ...['Site=home', 'site=a&site=b', 'site=home&dryRun=true'], // X-Site says another one.
  ]) {
    expect([query, (await remove(undefined, `?${query}`)).status]).toEqual([query, 400]);
  }
  const headers = { 'content-type': 'application/json' };
  expect((await system.request('DELETE', '/devices', { site, raw: 'all', headers })).status).toBe(400);
  expect(await left()).toBe(6);

  expect((await remove({ macs: null })).json).toEqual({ success: true, deleted_count: 6, change: CHANGE });
  expect([await left(), await left(other)]).toEqual([0, 8]);
  expect((await remove({}, '', other)).json).toEqual({ success: true, deleted_count: 8, change: CHANGE });
});

test('export: a file for spreadsheets, JSON, and a clear no to anything else', async () => {
  const site = await system.addSite(COLLECTION);
  const csv = await system.request('GET', '/devices/export', { site });
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename=devices.csv');
  expect(csv.text.split('\r\n')[1]).toBe('router,00:1E:06:AA:BB:00,192.168.1.1,Router,1,online');
  for (const path of [
    '/devices/export/json',
    '/devices/export/JSON',
    '/devices/export?format=json',
    '/devices/export/json?format=csv',
  ]) {
    const { data, columns } = devices.exportDevices.response.parse((await system.request('GET', path, { site })).json);
    expect(columns).toEqual(HEADER.split(','));
    expect(data).toHaveLength(8);
  }
  for (const path of ['/devices/export/xml', '/devices/export?format=', '/devices/export/toString']) {
    const refused = await system.request('GET', path, { site });
    expect([refused.status, (refused.json as { error: string }).error]).toEqual([400, 'Unsupported format']);
  }
});

test('a CSV export begins with a byte order mark by bom=true, and is imported as the same', async () => {
  const site = await system.addSite(COLLECTION);
  const headers = { authorization: `Bearer ${system.token}`, 'x-site': site };
  const get = async (path: string) => {
    const answer = await system.service(new Request(`http://localhost${path}`, { headers }));
    return Buffer.from(await answer.arrayBuffer())
      .toString()
      .replaceAll('\ufeff', '<BOM>');
  };
  for (const path of [
    '/devices/export?',
    '/devices/export/csv?columns=all&',
    '/audit/export?',
    '/jobs/export?',
    '/series/export?of=speed&',
  ]) {
    const plain = await get(`${path}bom=false`);
    expect([path, await get(`${path}bom=true`)]).toEqual([path, `<BOM>${plain}`]);
  }
  expect(await get('/devices/export/json?bom=true')).not.toContain('<BOM>');
  const content = Buffer.from(`\ufeff${await get('/devices/export?columns=all')}`).toString('base64');
  const again = await system.request('POST', '/devices/import?mode=replace', { site, body: { content } });
  expect(again.json).toMatchObject({ inserted: 8, updated: 8, deleted: 0, skipped: [] });
});

test('an export for NetAlertX has the columns that its importer knows, and no row that it would skip', async () => {
  const rows = [
    'devMac,devName,devLastIP,devVlan,devScan,devLogEvents,Rack',
    '00:1E:06:AA:BB:01,nas,192.168.1.20,20,0,0,1',
    '00:1E:06:AA:BB:02,tv,192.168.1.30,,,,',
    ',sensor,,,,,2',
  ];
  const site = await system.addSite(rows.join('\n'));
  const { text } = await system.request('GET', '/devices/export?columns=netalertx', { site });
  const [header = '', ...lines] = text.trim().split('\r\n');
  const columns = header.split(',');
  const unknown = ['devRandomMAC', 'devAddresses', 'devConflict', 'devModel', 'devOtherMACs', 'Rack', 'devPrimaryIPv4'];
  expect(columns.filter((column) => unknown.includes(column))).toEqual([]);
  expect(columns).toEqual(
    expect.arrayContaining(['devMac', 'devFirstConnection', 'devLastConnection', 'devLastIP', 'devVlan']),
  );
  const cells = lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [columns[i], cell])));
  expect(cells).toMatchObject([
    { devMac: '00:1E:06:AA:BB:01', devScan: '0', devLogEvents: '0' },
    { devMac: '00:1E:06:AA:BB:02', devScan: '1', devLogEvents: '1' },
  ]);
  const { json } = await system.request('GET', '/devices/export/json?columns=netalertx', { site });
  expect(json).toMatchObject({ columns, data: [{ devName: 'nas' }, { devName: 'tv' }] });
});

test('import: as a form and as base64, in every dialect, with a reason for each line that is left out', async () => {
  const text = `\uFEFFdevname;DEVMAC;To be ignored;devip\r\nnas;00-1e-06-aa-bb-01;x;10.0.0.1\r\n\r\nbad;nonsense;x;\r\nshort;1\r\ntwice;001e06aabb01;;\r\n`;
  const expected = {
    success: true,
    inserted: 1,
    updated: 0,
    deleted: 0,
    change: null,
    skipped_lines: [4, 5, 6],
    skipped: [
      { line: 4, reason: 'devMac: "nonsense" is no MAC address' },
      { line: 5, reason: 'has 2 columns, expected 4' },
      { line: 6, reason: 'devMac: 00:1E:06:AA:BB:01 occurs earlier in the file' },
    ],
    skipped_count: 3,
    adjusted: [],
    adjusted_count: 0,
    ignored_columns: ['To be ignored'],
  };
  const site = await system.addSite();
  const body = { content: Buffer.from(text).toString('base64') };
  const rehearse = (more = '') => system.request('POST', `/devices/import?dryRun=true${more}`, { site, body });
  expect((await rehearse()).json).toEqual(expected);
  expect(await rehearse('&mode=replace')).toMatchObject({
    status: 409,
    json: { code: 'replace_refused', skipped: expect.arrayContaining(expected.skipped.slice(0, 1)) },
  });
  expect((await rehearse('&mode=replace&allowSkipped=true')).json).toEqual(expected);
  expect((await system.request('GET', '/devices/totals', { site })).json).toEqual([0, 0, 0, 0, 0, 0]);

  const form = new FormData();
  form.set('file', new Blob([text], { type: 'text/csv' }), 'devices.csv');
  const response = await system.fetch('POST', `/devices/import?site=${site}`, { raw: form });
  expect(await response.json()).toEqual({ ...expected, change: CHANGE });
  expect((await system.importCsv(text, site)).json).toEqual({ ...expected, updated: 1, change: null });
});

test('few imports are carried out at once; of those that wait there are not too many', async () => {
  const site = await system.addSite();
  const { devices: store } = system.context;
  const { promise: held, resolve: release } = deferred<void>();
  const { snapshot } = store;
  const snapshots = vi.spyOn(store, 'snapshot').mockImplementation(async (of) => {
    await held;
    return snapshot(of);
  });
  const body = { content: Buffer.from(HEADER).toString('base64') };
  const started = () => system.request('POST', '/devices/import?dryRun=true', { site, body });
  const first = Array.from({ length: 4 }, started);
  await expect.poll(() => snapshots.mock.calls.length).toBe(4);
  const answers: number[] = [];
  const others = Array.from({ length: 104 }, async () => {
    const { status, headers, json } = await started();
    if (status === 503) expect([headers.get('retry-after'), json]).toMatchObject(['10', { code: 'busy' }]);
    answers.push(status);
  });
  await expect.poll(() => answers).toEqual(Array(8).fill(503));
  expect(snapshots).toHaveBeenCalledTimes(4);
  expect((await system.request('GET', '/devices/totals', { site })).status).toBe(200);
  release();
  for (const one of first) expect((await one).status).toBe(200);
  await Promise.all(others);
  expect(answers.filter((status) => status === 200)).toHaveLength(96);
  snapshots.mockRestore();
});
