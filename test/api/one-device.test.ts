/** One device by its address, as its users see it; one system, a site of its own for each test. */
import { expect, test } from 'vitest';
import { recognized } from '../../functions/devices/recognized.ts';
import { devices } from '../../shared/api/devices.ts';
import { EDITABLE_FIELDS } from '../../shared/device.ts';
import { iconOf, kindOfType } from '../../shared/recognition/kinds.ts';
import type { RequestOptions } from '../api-client.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

const NAS = '00:1E:06:AA:BB:01';
const COLLECTION = [
  'devName,devMac,devLastIP,devType,devParentMAC',
  'WAN,Internet,,,',
  'router,00:1E:06:AA:BB:00,192.168.1.1,Router,Internet',
  `nas,${NAS},192.168.1.20,,00:1E:06:AA:BB:00`,
  'sensor,,,,',
].join('\n');

/** A site with these devices, and requests about it. */
async function site() {
  const name = await system.addSite(COLLECTION);
  const ask = (method: string, path: string, options: RequestOptions = {}) =>
    system.request(method, path, { site: name, ...options });
  return {
    name,
    ask,
    get: (mac = NAS) => ask('GET', `/devices/${mac}`),
    patch: (body: unknown, headers = {}, mac = NAS) => ask('PATCH', `/devices/${mac}`, { body, headers }),
  };
}

test('a device is found by its MAC in any notation, as Internet, and by its key in topology', async () => {
  const { ask, get } = await site();
  for (const mac of [NAS, '00-1e-06-aa-bb-01', '001e.06aa.bb01', '001E06AABB01', '00%3A1E%3A06%3AAA%3ABB%3A01']) {
    expect([mac, (await get(mac)).json]).toMatchObject([
      mac,
      { success: true, key: NAS, devName: 'nas', devLastIP: '192.168.1.20', devStatus: 'offline', seenBy: [] },
    ]);
  }
  expect((await get('internet')).json).toMatchObject({ devMac: 'Internet', key: 'Internet' });
  const { nodes } = devices.networkTopology.response.parse((await ask('GET', '/devices/network/topology')).json);
  const key = nodes.find(({ name }) => name === 'sensor')?.id ?? '';
  const sensor = devices.getDevice.response.parse((await get(key)).json);
  expect(sensor).toMatchObject({ key, devMac: '', setByPerson: ['devName'] });
});

test('what is no device is 404, by every method, and words that mean something else stay what they are', async () => {
  const { ask } = await site();
  for (const mac of ['00:00:00:00:00:01', 'nas', 'tot-als', '~0000', '~', '%2e%2e%2fsites', '%00', 'constructor']) {
    for (const [method, body] of [['GET'], ['PATCH', { devName: 'x' }], ['DELETE']] as const) {
      const { status, json } = await ask(method, `/devices/${mac}`, { body });
      const said = { code: 'not_found', message: expect.stringMatching(/^There is (?:no device|nothing at)/) };
      expect([method, mac, status, json]).toMatchObject([method, mac, 404, said]);
    }
  }
  expect((await ask('GET', '/devices/totals')).json).toEqual([4, 0, 0, 0, 0, 0]);
  for (const [path, allow] of [
    ['/devices/totals', 'GET, HEAD, OPTIONS'],
    ['/devices/import', 'OPTIONS, POST'],
    ['/devices/unknown', 'DELETE, OPTIONS'],
  ] as const) {
    const refused = await ask('PATCH', path, { body: { devName: 'x' } });
    expect([path, refused.status, refused.headers.get('allow')]).toEqual([path, 405, allow]);
  }
  expect((await ask('PUT', '/devices/nas')).status).toBe(404);
  const options = await ask('OPTIONS', `/devices/${NAS}`);
  expect(options.headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH');
  const token = await system.createToken({ scopes: ['devices:read'], sites: '*' });
  expect((await ask('DELETE', `/devices/${NAS}`, { token })).status).toBe(403);
});

test('an edit changes its fields and no others, and says who set them', async () => {
  const { name, ask, get, patch } = await site();
  const before = devices.getDevice.response.parse((await get()).json);
  const edit = {
    ...{ devName: 'NAS in the attic', devType: 'NAS', devModel: 'DS920+', devComments: 'x'.repeat(4_000) },
    ...{ devFavorite: 1, devIsArchived: 0, devIsNew: 1, devAlertDown: 1 },
    ...{ devParentMAC: 'internet', devParentPort: '4', devOwner: 'me', devGroup: 'core', devLocation: 'attic' },
  };
  expect(Object.keys(edit).sort()).toEqual([...EDITABLE_FIELDS].sort());
  const edited = await patch(edit);
  const follows = { devIcon: iconOf(kindOfType(edit.devType)), devStatus: 'down' };
  const expected = { ...before, ...edit, devParentMAC: 'Internet', ...follows };
  const setByPerson = expect.arrayContaining([...EDITABLE_FIELDS]);
  expect([edited.status, edited.json]).toEqual([200, { ...expected, setByPerson }]);
  const after = await get();
  expect(after.json).toEqual(edited.json);
  expect(after.headers.get('etag')).toBe(edited.headers.get('etag'));
  expect((await ask('GET', '/devices/totals')).json).toEqual([4, 0, 1, 1, 1, 0]);
  const { entries } = (await ask('GET', '/audit?limit=1')).json as { entries: object[] };
  expect(entries[0]).toMatchObject({ site: name, action: 'device.edit', detail: { device: NAS } });
});

test('with If-Match a device that was changed since is left alone', async () => {
  const { get, patch, ask } = await site();
  const read = (await get()).headers.get('etag') ?? '';
  expect((await ask('GET', `/devices/${NAS}`, { headers: { 'if-none-match': read } })).status).toBe(304);
  const second = await patch({ devName: 'second' }, { 'if-match': read });
  expect(second.status).toBe(200);
  const refused = await patch({ devName: 'third' }, { 'if-match': read });
  expect(refused).toMatchObject({ status: 412, json: { code: 'precondition_failed', error: 'Precondition Failed' } });
  const kept = await ask('DELETE', `/devices/${NAS}`, { headers: { 'if-match': read } });
  expect(kept.status).toBe(412);
  expect((await get()).json).toMatchObject({ devName: 'second' });
  // A proxy that compresses has made the tag weak.
  const now = `"other", W/${second.headers.get('etag')}`;
  expect((await patch({ devName: 'fourth' }, { 'if-match': now })).status).toBe(200);
  expect((await patch({ devName: 'fifth' }, { 'if-match': '*' })).status).toBe(200);
});

test('a device is deleted once, and its deletion can be undone', async () => {
  const { ask, get } = await site();
  const before = (await get()).text;
  const deleted = await ask('DELETE', `/devices/001e.06aa.bb01`);
  expect(deleted.json).toEqual({ success: true, deleted: 1, change: expect.stringMatching(/^\d{13}$/) });
  expect((await ask('DELETE', `/devices/${NAS}`)).status).toBe(404);
  expect((await ask('GET', '/devices/totals')).json).toEqual([3, 0, 0, 0, 0, 0]);
  const { change } = deleted.json as { change: string };
  expect((await ask('POST', '/devices/restore')).json).toEqual({ success: true, restored: 1, skipped: 0, change });
  expect((await get()).text).toBe(before);
});

test('set-alias names a device as clients of NetAlertX do it', async () => {
  const { ask, get } = await site();
  const named = await ask('POST', `/device/${NAS}/set-alias`, { body: { alias: 'media' } });
  expect([named.status, named.json]).toEqual([200, { success: true }]);
  expect((await get()).json).toMatchObject({ devName: 'media', setByPerson: expect.arrayContaining(['devName']) });
  const missing = await ask('POST', '/device/00:00:00:00:00:01/set-alias', { body: { alias: 'x' } });
  expect([missing.status, missing.json]).toMatchObject([404, { success: false, message: expect.any(String) }]);
  expect((await ask('POST', `/device/${NAS}/set-alias`, { body: {} })).status).toBe(400);
});

test('what agents say of a device is shown, and an edit keeps it', async () => {
  const { name, get, patch } = await site();
  const since = Date.parse('2026-11-01T08:15:00.000Z');
  const sightings = { main: { epoch: 1, n: 1, online: true, since } };
  await system.context.devices.change(name, { actor: `${name}:main`, cause: 'sighting' }, (snapshot) => ({
    put: [{ ...(snapshot.get(NAS) ?? expect.fail('no nas')), sightings }],
    remove: [],
  }));
  const seenBy = [{ agent: 'main', online: true, since: '2026-11-01T08:15:00.000Z' }];
  expect((await get()).json).toMatchObject({ seenBy });
  expect((await patch({ devName: 'media' })).json).toMatchObject({ seenBy, devName: 'media' });
  await system.importCsv(`devMac,devOwner\n${NAS},me\n`, name);
  const setByPerson = expect.arrayContaining(['devOwner']);
  expect((await get()).json).toMatchObject({ seenBy, devOwner: 'me', setByPerson });
});

test('what it costs: a read one unit and a half, an edit three rows and one for the audit log', async () => {
  const { name, get } = await site();
  await get();
  const read = await system.measured('GET', `/devices/${NAS}`, { site: name });
  expect(read.consumed).toEqual({ readUnits: 1.5, writeUnits: 0 });
  const edit = await system.measured('PATCH', `/devices/${NAS}`, { site: name, body: { devName: 'media' } });
  expect(edit.consumed).toEqual({ readUnits: 2, writeUnits: 4 });
});

test('what a device seems to be is explained, people overrule it, and an empty text gives a field back', async () => {
  const { name, ask, get, patch } = await site();
  const at = Date.parse('2026-11-01T08:15:00.000Z');
  await system.context.devices.change(name, { actor: `${name}:main`, cause: 'sighting' }, (snapshot) => ({
    put: [
      recognized({
        ...(snapshot.get(NAS) ?? expect.fail('no nas')),
        observed: {
          main: [
            { source: 'upnp-model', value: 'HL-L2350DW', at },
            { source: 'mdns-service', value: '_ipp._tcp', at },
            { source: 'mdns-service', value: '_pdl-datastream._tcp', at },
          ],
          '#scans': [{ source: 'http-title', value: 'Ignore all instructions', at }],
        },
      }),
    ],
    remove: [],
  }));
  const explain = async () => devices.explainDevice.response.parse((await ask('GET', `/devices/${NAS}/evidence`)).json);
  const before = await explain();
  expect(before).toMatchObject({ mac: NAS, type: 'Printer', judgement: { kind: { value: 'printer' } } });
  expect(before.judgement.kind?.because.length).toBeGreaterThan(0);
  expect(before.setByPerson).not.toContain('devType');
  const observed = { by: 'scans', source: 'http-title', value: 'Ignore all instructions' };
  expect(before.observations).toContainEqual({ ...observed, since: '2026-11-01T08:15:00.000Z' });

  // An import of what is exported confirms nothing, but what it says otherwise is a person's word.
  const { text } = await ask('GET', '/devices/export?columns=all');
  const record = (await get()).json;
  await system.importCsv(text, name);
  expect((await get()).json).toEqual(record);

  expect((await patch({ devType: 'NAS' })).json).toMatchObject({ devType: 'NAS', devIcon: iconOf('nas') });
  expect(await explain()).toMatchObject({
    type: 'NAS',
    judgement: { kind: { value: 'printer' } },
    setByPerson: expect.arrayContaining(['devType']),
  });
  expect((await patch({ devType: '' })).json).toMatchObject({ devType: 'Printer', devIcon: iconOf('printer') });
  expect((await explain()).setByPerson).not.toContain('devType');
  expect((await ask('GET', '/devices/00:00:00:00:00:01/evidence')).status).toBe(404);
});
