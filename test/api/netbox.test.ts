/** The devices of sites in NetBox: made once, kept up to date, and never over what a person has entered. */
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../cli/client/api.ts';
import type { World } from '../../cli/client/world.ts';
import { syncAll } from '../../cli/commands/netbox.ts';
import { exported } from '../../cli/declared/export.ts';
import { FakeNetBox } from '../support/cli/netbox.ts';
import { startTestApi, type TestApi } from '../support/in-process.ts';

const CSV = [
  'devMac,devName,devLastIP,devType,devVendor,devModel,devIsArchived,devRandomMAC',
  '00:1E:06:00:00:01,switch,192.168.1.2,Switch,Ubiquiti,USW-24,0,0',
  '00:1E:06:00:00:02,nas,192.168.1.20,NAS,Synology,DS220,0,0',
  '00:1E:06:00:00:03,nas,192.168.1.21,NAS,Synology,DS220,0,0',
  '00:1E:06:00:00:04,,192.168.1.22,,,,0,0',
  '00:1E:06:00:00:05,old,192.168.1.23,,,,1,0',
  '02:1E:06:00:00:06,phone,192.168.1.24,,,,0,1',
  ',no mac,192.168.1.25,,,,0,0',
].join('\r\n');

let api: TestApi;
let netbox: FakeNetBox;
let site: string;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  netbox = new FakeNetBox();
  site = await api.addSite(CSV);
});

/** The client of the command line, on the API in this process. */
const client = {
  async ask(route: string, { query = {}, site: ofSite }: { query?: object; site?: string } = {}) {
    const [method = '', path = ''] = route.split(' ');
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const answer = await api.request(method, `${path}?${new URLSearchParams(given)}`, ofSite ? { site: ofSite } : {});
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json;
  },
} as unknown as Api;

function sync(options: Partial<Parameters<typeof syncAll>[2]> = {}, within = 60_000) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const waits: number[] = [];
  const access = {
    ...{ url: 'https://inventory.invalid/netbox', token: netbox.token, signal: AbortSignal.timeout(within) },
    ...{ fetch: netbox.fetch, wait: async (ms: number) => waits.push(ms) },
  };
  const done = syncAll({ client, world: { env: {}, ...streams } as World }, access, { sites: [site], ...options });
  return Object.assign(done, { waits });
}

const named = (name: string) => netbox.all('dcim/devices').find((device) => device.name === name)!;
const addressesIn = () => netbox.all('ipam/ip-addresses').map(({ address }) => address);

test('devices come with their types, roles, interfaces, MACs and addresses, and a second run changes nothing', async () => {
  const report = await sync();
  expect(report).toMatchObject({ kept: [], refused: [], created: { 'dcim/devices': 4, 'ipam/ip-addresses': 4 } });
  const devices = netbox.all('dcim/devices');
  expect(devices.map(({ name }) => name)).toEqual(['switch', 'nas', 'nas (000003)', '00:1E:06:00:00:04']);
  expect(devices[0]).toMatchObject({
    tags: [{ slug: 'lanreach' }],
    custom_fields: { lanreach_id: `${site}/00:1E:06:00:00:01` },
  });
  expect(netbox.all('dcim/sites')).toMatchObject([{ slug: site }]);
  expect(netbox.all('dcim/device-types').map(({ model }) => model)).toEqual(['USW-24', 'DS220', 'Unknown']);
  expect(netbox.all('dcim/device-roles').map(({ slug }) => slug)).toEqual(['switch', 'nas', 'unknown']);
  expect(netbox.all('dcim/mac-addresses')).toHaveLength(4);
  for (const one of netbox.all('dcim/interfaces')) expect(one.primary_mac_address).not.toBeNull();
  for (const device of devices) expect(device.primary_ip4).not.toBeNull();
  expect(addressesIn()).toEqual(['192.168.1.2/32', '192.168.1.20/32', '192.168.1.21/32', '192.168.1.22/32']);

  const { writes } = netbox;
  expect(await sync()).toEqual({ created: {}, updated: {}, kept: [], refused: [] });
  expect(netbox.writes).toBe(writes);
});

test('what has changed here changes there, but not what a person has changed there', async () => {
  await sync();
  const changed =
    'devMac,devName,devLastIP,devType\r\n00:1E:06:00:00:01,core,192.168.1.3,Router\r\n00:1E:06:00:00:02,vault,192.168.1.20,NAS';
  await api.importCsv(changed, site);
  const role = netbox.enter('dcim/device-roles', { name: 'Storage', slug: 'storage' });
  Object.assign(named('nas'), { name: 'NAS of the office', role: role.id });
  const chosen = netbox.enter('ipam/ip-addresses', { address: '10.0.0.9/24' });
  named('switch').primary_ip4 = chosen.id;

  const report = await sync();
  expect(netbox.all('dcim/device-roles').map(({ slug }) => slug)).toContain('router');
  const core = named('core');
  expect(core.role).toBe(netbox.all('dcim/device-roles').find(({ slug }) => slug === 'router')!.id);
  expect(core.primary_ip4).toBe(chosen.id);
  expect(addressesIn()).toContain('192.168.1.3/32');
  expect(addressesIn()).not.toContain('192.168.1.2/32');
  expect(named('NAS of the office')).toMatchObject({ role: role.id });
  expect(report.kept).toEqual([
    'NAS of the office (00:1E:06:00:00:02): somebody has changed its name',
    'NAS of the office (00:1E:06:00:00:02): somebody has changed its role',
  ]);
  await sync({ takeOver: true });
  expect(named('vault').role).not.toBe(role.id);
});

test('devices that a person has entered are found by MAC or name, left alone, and taken over when that is asked for', async () => {
  const there = netbox.enter('dcim/sites', { name: 'Main office', slug: site });
  const maker = netbox.enter('dcim/manufacturers', { name: 'ubiquiti', slug: 'ubnt' });
  const type = netbox.enter('dcim/device-types', { manufacturer: maker.id, model: 'Rack switch', slug: 'rack' });
  const role = netbox.enter('dcim/device-roles', { name: 'Switch', slug: 'switch' });
  const device = { device_type: type.id, role: role.id, site: there.id };
  const byMac = netbox.enter('dcim/devices', { ...device, name: 'sw-1', serial: 'A1' });
  const port = netbox.enter('dcim/interfaces', { device: byMac.id, name: 'eth0', type: 'other' });
  const on = { assigned_object_type: 'dcim.interface', assigned_object_id: port.id };
  port.primary_mac_address = netbox.enter('dcim/mac-addresses', { mac_address: '00:1E:06:00:00:01', ...on }).id;
  netbox.enter('dcim/devices', { ...device, name: 'NAS' });
  netbox.enter('ipam/ip-addresses', { address: '192.168.1.22/24' });
  const entered = structuredClone(netbox.all('dcim/devices'));

  const report = await sync();
  expect(netbox.all('dcim/devices').slice(0, 2)).toEqual(entered);
  expect(netbox.all('dcim/devices')).toHaveLength(3); // The one without a name.
  expect(report.kept).toEqual([
    'switch (00:1E:06:00:00:01): its MAC is in NetBox already',
    'nas (00:1E:06:00:00:02): its name is in NetBox already',
    'nas (00:1E:06:00:00:03): its name is in NetBox already',
    'the address 192.168.1.22/32 of 00:1E:06:00:00:04 is in NetBox already',
  ]);

  const taken = await sync({ takeOver: true });
  expect(taken.refused).toEqual([]);
  expect(netbox.all('dcim/devices')).toHaveLength(3);
  expect(named('switch')).toMatchObject({ id: byMac.id, serial: 'A1', tags: [{ slug: 'lanreach' }] });
  expect(netbox.all('dcim/interfaces').filter((one) => one.device === byMac.id)).toHaveLength(1);
  expect(netbox.all('dcim/manufacturers').map(({ name }) => name)).not.toContain('Ubiquiti');
  expect(await sync({ takeOver: true })).toMatchObject({ created: {}, updated: {} });
});

test('sites with the same networks have VRFs of their own, by a tag of theirs', async () => {
  const other = await api.addSite(CSV.replaceAll('00:1E:06', '00:1E:07'));
  for (const id of [site, other]) await api.request('PATCH', `/sites/${id}`, { body: { tags: [`of-${site}`] } });
  expect((await sync({ sites: [`tag:of-${site}`], vrf: 'LAN of {site}' })).refused).toEqual([]);
  expect(netbox.all('ipam/vrfs').map(({ name }) => name)).toEqual([`LAN of ${site}`, `LAN of ${other}`]);
  expect(netbox.all('ipam/ip-addresses')).toHaveLength(8);
});

test('a dry run says the same and writes nothing', async () => {
  const planned = await sync({ dryRun: true });
  expect(netbox.writes).toBe(0);
  expect(planned.created).toEqual((await sync()).created);
});

test('a refused device does not take the others along', async () => {
  const there = netbox.enter('dcim/sites', { name: 'x', slug: site });
  const create = netbox.fetch;
  netbox.fetch = async (request) => {
    const isDevices = request.method === 'POST' && request.url.endsWith('/dcim/devices/');
    const body = isDevices ? await request.clone().text() : '';
    const refusal = { name: ['not by our rules'] };
    return body.includes('"switch"') ? Response.json([refusal], { status: 400 }) : create(request);
  };
  const report = await sync();
  expect(report.refused).toEqual(['switch (00:1E:06:00:00:01): name: not by our rules']);
  expect(netbox.all('dcim/devices').filter((device) => device.site === there.id)).toHaveLength(3);
});

test('a NetBox that is busy is asked again when it says, and no longer than there is time', async () => {
  const busy = (status: number, after?: string) => () =>
    new Response('later', { status, headers: after === undefined ? {} : { 'retry-after': after } });
  netbox.instead.push(busy(429, '7'), busy(503));
  const run = sync();
  expect((await run).refused).toEqual([]);
  expect(run.waits[0]).toBe(7_000);
  expect(run.waits).toHaveLength(2);

  netbox.instead.push(busy(429, '3600'));
  await expect(sync()).rejects.toThrow('wants to be left alone for 3600 s');
  netbox.fetch = async ({ signal }) => {
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    throw new Error('never');
  };
  await expect(sync({}, 50)).rejects.toThrow('The time is over');
});

test('what is no NetBox, too old, or refuses the token, says so; the token is nowhere', async () => {
  netbox.version = '4.1.9';
  await expect(sync()).rejects.toThrow('NetBox 4.1.9 is too old');
  netbox.instead.push(() => new Response('{"detail":"Invalid token"}', { status: 403 }));
  const refused = await sync().catch((error: Error) => error.message);
  expect(refused).toContain('NetBox refuses the token');
  expect(refused).not.toContain(netbox.token);
  netbox.instead.push(() => new Response('<html>', { status: 200 }));
  await expect(sync()).rejects.toThrow('is this the URL of NetBox');
  await expect(sync({ sites: ['nowhere'] })).rejects.toThrow('There is no site "nowhere"');
  const noTag = 'No site that the token may use has the tag "nosuch"';
  await expect(sync({ sites: ['tag:nosuch'] })).rejects.toThrow(noTag);
  await expect(exported(client, 'tag:nosuch', false)).rejects.toThrow(noTag);
});
