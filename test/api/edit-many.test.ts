/** Edits of many devices at once, as their users see them; one system, a site of its own for each test. */
import { expect, test } from 'vitest';
import type * as z from 'zod';
import { openDeviceStore } from '../../functions/devices/collection/device-store.ts';
import type { Snapshot } from '../../functions/devices/collection/snapshot.ts';
import { planEdit } from '../../functions/devices/edit.ts';
import type { ListedDevice } from '../../shared/api/device-list.ts';
import { devices } from '../../shared/api/devices.ts';
import type { DeviceRecord } from '../../shared/device.ts';
import type { RequestOptions } from '../api-client.ts';
import { macOf } from '../support/fixtures.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

const macs = (count: number, from = 0) => Array.from({ length: count }, (_, i) => macOf(from + i));

/** A site with so many devices, every other one online, and requests about it. */
async function site(count: number, more = '') {
  const lines = macs(count).map((mac, i) => `device ${i},${mac},${i % 2 === 0 ? 'online' : 'offline'}`);
  const name = await system.addSite(`devName,devMac,devStatus\n${lines.join('\n')}\n${more}`);
  const ask = (method: string, path: string, options: RequestOptions = {}) =>
    system.request(method, path, { site: name, ...options });
  async function edit(body: unknown, query = '') {
    const { status, json, text } = await ask('PATCH', `/devices${query}`, { body });
    expect([status, text]).toMatchObject([200, expect.any(String)]);
    return devices.editDevices.response.parse(json);
  }
  async function all(): Promise<DeviceRecord[]> {
    const list = (await ask('GET', '/devices?fields=all')).json as { devices: z.infer<typeof ListedDevice>[] };
    return list.devices.map(({ key: _, watch: __, ...record }): DeviceRecord => record);
  }
  const one = async (mac: string) => devices.getDevice.response.parse((await ask('GET', `/devices/${mac}`)).json);
  const version = async () => (await system.context.devices.snapshot(name)).version;
  const audited = async () => (await ask('GET', '/audit?limit=1')).json as { entries: [{ requestId: string }] };
  return { name, ask, edit, all, one, version, audited };
}

test('the fields are set for each device, and count as set by a person; the answer says what became of each', async () => {
  const { name, ask, edit, all, one, version, audited } = await site(5);
  const [first = '', second = '', third = '', fourth = ''] = macs(5);
  await ask('PATCH', `/devices/${third}`, { body: { devOwner: 'me', devLocation: 'attic' } });
  const [before, versionBefore] = [await all(), await version()];

  const absent = '00:1E:06:FF:FF:FF';
  const set = { devLocation: 'attic', devFavorite: 1, devIsArchived: 0, devOwner: 'me' } as const;
  const done = await edit({ devices: [first, second, third, absent], set });
  expect(done).toEqual({ success: true, updated: 3, unchanged: 0, missing: [absent], change: expect.any(String) });
  expect(await version()).toBe(versionBefore + 1);
  expect(Number(done.change)).toBe(versionBefore + 1);
  expect(await all()).toEqual(before.map((record, i) => (i < 3 ? { ...record, ...set } : record)));
  for (const mac of [first, second, third]) {
    expect((await one(mac)).setByPerson).toEqual(expect.arrayContaining(Object.keys(set)));
  }
  expect((await one(fourth)).setByPerson).not.toContain('devLocation');
  expect((await audited()).entries[0]).toMatchObject({
    site: name,
    action: 'devices.edit',
    detail: { updated: 3, fields: 'devFavorite, devIsArchived, devOwner, devLocation' },
  });
});

test('a value that was there already is an edit until a person has set it; what changes nothing writes nothing', async () => {
  const { name, edit, version, audited } = await site(4);
  const set = { devGroup: '' };
  expect(await edit({ devices: macs(3), set })).toMatchObject({ updated: 3, unchanged: 0 });
  expect(await edit({ devices: macs(4), set })).toMatchObject({ updated: 1, unchanged: 3 });
  const [versionBefore, auditedBefore] = [await version(), await audited()];
  const again = await system.measured('PATCH', '/devices', { site: name, body: { devices: macs(4), set } });
  expect(again.json).toEqual({ success: true, updated: 0, unchanged: 4, missing: [], change: null });
  expect(again.consumed.writeUnits).toBe(0);
  expect(await edit({ devices: ['00:1E:06:FF:FF:FF'], set })).toMatchObject({ updated: 0, missing: { length: 1 } });
  expect([await version(), await audited()]).toEqual([versionBefore, auditedBefore]);
});

test('devices are named by MACs in any notation, as Internet, and by their keys; named twice, one counts once', async () => {
  const { ask, edit, all } = await site(2, 'sensor,,offline\nWAN,Internet,online\n');
  const { nodes } = devices.networkTopology.response.parse((await ask('GET', '/devices/network/topology')).json);
  const key = nodes.find(({ name }) => name === 'sensor')?.id ?? '';
  const named = [macOf(0), macOf(0).toLowerCase(), '001e.0600.0001', '001E06000001', 'internet', key, '~0000'];
  const done = await edit({ devices: named, set: { devOwner: 'me' } });
  expect(done).toMatchObject({ updated: 4, unchanged: 0, missing: ['~0000'] });
  expect((await all()).map(({ devOwner }) => devOwner)).toEqual(['me', 'me', 'me', 'me']);
});

test('a parent on which one of the devices would hang itself is refused, and a loop that was imported is left alone', async () => {
  const { name, ask, edit, all } = await site(5);
  const [a = '', b = '', c = '', d = '', e = ''] = macs(5);
  await edit({ devices: [b], set: { devParentMAC: a } });
  await edit({ devices: [c], set: { devParentMAC: b } });
  const before = await all();
  for (const [named, parent, message] of [
    [[a, d, e], d, `${d} cannot hang on itself`],
    [[a, d], b, `${b} hangs on ${a}`],
    [[d, a], c, `${c} hangs on ${a}`],
  ] as const) {
    const body = { devices: named, set: { devParentMAC: parent, devOwner: 'me' } };
    for (const query of ['', '?dryRun=true']) {
      const refused = await ask('PATCH', `/devices${query}`, { body });
      const errors = [{ path: 'set.devParentMAC', message: expect.stringContaining(message) }];
      expect([refused.status, refused.json]).toMatchObject([400, { errors }]);
    }
    const [device = ''] = named.filter((mac) => mac === parent || mac === a);
    const alone = await ask('PATCH', `/devices/${parent === d ? d : device}`, { body: { devParentMAC: parent } });
    const errors = [{ path: 'devParentMAC', message: expect.stringContaining(message) }];
    expect([alone.status, alone.json]).toMatchObject([400, { errors }]);
  }
  expect(await all()).toEqual(before);
  // The whole branch under d, with c where it was.
  expect(await edit({ devices: [a, e], set: { devParentMAC: d } })).toMatchObject({ updated: 2 });
  expect(await edit({ devices: [a, b], set: { devParentMAC: '' } })).toMatchObject({ updated: 2 });

  await system.importCsv(`devMac,devParentMAC\n${d},${e}\n${e},${d}\n`, name);
  expect(await edit({ devices: [d, a], set: { devParentMAC: e, devOwner: 'me' } })).toMatchObject({ updated: 2 });
});

test('a dry run says the same and changes nothing', async () => {
  const { edit, all, version, audited } = await site(40);
  const [before, versionBefore, auditedBefore] = [await all(), await version(), await audited()];
  const body = { devices: macs(39, 5), set: { devIsArchived: 1 } };
  const counts = { success: true, updated: 35, unchanged: 0, missing: macs(4, 40) };
  expect(await edit(body, '?dryRun=true')).toEqual({ ...counts, change: null });
  expect([await all(), await version(), await audited()]).toEqual([before, versionBefore, auditedBefore]);
  expect(await edit(body)).toEqual({ ...counts, change: expect.any(String) });
});

test.each([10, 60])('edits and sightings of the same %i devices at the same time: nothing is lost', async (count) => {
  const { name, edit, all, ask } = await site(count);
  const { context } = system;
  const elsewhere = openDeviceStore(context.table, () => new Date());
  const keys = macs(count);
  const seen = (snapshot: Snapshot) => ({
    put: snapshot.devices.map((one) => ({ ...one, record: { ...one.record, devLastIP: '10.0.0.1' } })),
    remove: [],
  });
  await Promise.all([
    edit({ devices: keys, set: { devOwner: 'me' } }),
    elsewhere.change(name, { actor: 'other', cause: 'edit' }, (snapshot) =>
      planEdit(snapshot, keys, { devLocation: 'attic' }),
    ),
    elsewhere.change(name, { actor: `${name}:main`, cause: 'sighting' }, seen),
    edit({ devices: keys, set: { devGroup: 'lab', devFavorite: 1 } }),
    ask('PATCH', `/devices/${macOf(1)}`, { body: { devName: 'nas' } }),
  ]);
  const expected = { devOwner: 'me', devLocation: 'attic', devLastIP: '10.0.0.1', devGroup: 'lab', devFavorite: 1 };
  const records = await all();
  expect(records).toMatchObject(
    keys.map((devMac, i) => ({ ...expected, devMac, ...(i === 1 ? { devName: 'nas' } : {}) })),
  );
  // A process that has just started reads the rows themselves.
  const cold = await openDeviceStore(context.table, () => new Date()).snapshot(name);
  expect(cold.devices.map(({ record }) => record)).toEqual(records);
  const byPerson = ['devOwner', 'devLocation', 'devGroup', 'devFavorite'];
  for (const device of cold.devices) expect(device.byPerson).toEqual(expect.arrayContaining(byPerson));
});

test('all that match a filter are edited in one change, as the list shows them', async () => {
  const { ask, edit, all, version } = await site(1_200, 'camera,00:1E:06:FF:FF:01,archived\n');
  const before = await version();
  const match = { status: 'my', text: 'device 1' };
  const { json } = await ask('GET', '/devices?fields=all&limit=10000&status=my&text=device%201');
  const listed = (json as { devices: DeviceRecord[] }).devices.map(({ devMac }) => devMac);
  const total = listed.length;
  const set = { devGroup: 'lab' };
  expect(await edit({ match, set }, '?dryRun=true')).toMatchObject({ updated: total, change: null });
  expect(await edit({ match, set })).toMatchObject({ updated: total, unchanged: 0, missing: [] });
  expect(await version()).toBe(before + 1);
  const lab = (await all()).filter(({ devGroup }) => devGroup === 'lab').map(({ devMac }) => devMac);
  expect(lab).toEqual(listed);
  expect(await edit({ match: { group: 'lab' }, set })).toMatchObject({ updated: 0, unchanged: total });
  // Only devices that an agent watches are listed as online, and none is here.
  expect(await edit({ match: { status: 'online' }, set })).toMatchObject({ updated: 0, unchanged: 0 });
  for (const body of [{ set }, { match: {}, set }, { match: { tpye: 'NAS' }, set }, { match, devices: macs(1), set }]) {
    expect((await ask('PATCH', '/devices', { body })).status, JSON.stringify(body)).toBe(400);
  }
});
