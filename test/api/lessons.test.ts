/** What a person says of one device is offered for those like it, to tokens that may know. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Observation } from '../../shared/agent/observations.ts';
import { devices } from '../../shared/api/devices.ts';
import { BLANK_DEVICE } from '../../shared/device.ts';
import { featuresOf } from '../../shared/recognition/features.ts';
import { packObserved } from '../../store/devices/observed.ts';
import { PARTITIONS } from '../../store/rows.ts';
import { eraseSite } from '../support/erase-site.ts';
import { startTestApi, type TestApi } from '../support/in-process.ts';

let system: TestApi;
beforeAll(async () => {
  system = await startTestApi();
});
afterAll(() => system.close());

const MAC = '00:1E:06:AA:BB:01';
const said = (...texts: string[]): Observation[] =>
  texts.map((text) => {
    const [source, ...value] = text.split(' ');
    return { source: source as Observation['source'], value: value.join(' '), at: 1_000 };
  });

/** A site with one device that says this. */
async function siteWith(...texts: string[]) {
  const site = await system.addSite();
  const observed = packObserved({ main: said(...texts) }) ?? '';
  await system.context.devices.change(site, { actor: 'x', cause: 'sighting' }, () => ({
    put: [{ key: MAC, record: { ...BLANK_DEVICE, devMac: MAC, devVendor: 'Acme' }, observed }],
    remove: [],
  }));
  const ask = (method: string, path: string, body?: unknown, token?: string) =>
    system.request(method, path, {
      site,
      ...(body === undefined ? {} : { body }),
      ...(token === undefined ? {} : { token }),
    });
  const offers = async (token?: string) =>
    devices.explainDevice.response.parse((await ask('GET', `/devices/${MAC}/evidence`, undefined, token)).json)
      .looksLike;
  return { site, ask, offers };
}

test('what a person calls one device is offered for one like it at another site, and for no other', async () => {
  const cabin = await siteWith('upnp-model Frobnicator 3000', 'mac-vendor Acme');
  const flat = await siteWith('upnp-model Frobnicator 3000');
  const other = await siteWith('upnp-model Frobnicator 4000');
  expect(await flat.offers()).toEqual([]);
  await cabin.ask('PATCH', `/devices/${MAC}`, { devType: 'Frobnicator', devModel: 'F3' });
  const offer = {
    type: 'Frobnicator',
    vendor: 'Acme',
    model: 'F3',
    sites: 1,
    devices: 1,
    because: ['upnp-model Frobnicator 3000'],
  };
  expect(await flat.offers()).toEqual([offer]);
  expect([await other.offers(), await cabin.offers()]).toEqual([[], []]);

  // A token that may not use the site where it was said learns nothing of it.
  const body = { name: 'flat', scopes: ['devices:read'], sites: [flat.site] };
  const { json } = await system.request('POST', '/tokens', { body });
  expect(await flat.offers((json as { token: string }).token)).toEqual([]);

  // Taken over by an ordinary edit, it is no offer any more, and speaks for itself at the next device.
  await flat.ask('PATCH', '/devices', { devices: [MAC], set: { devType: 'Frobnicator', devModel: 'F3' } });
  expect(await flat.offers()).toEqual([]);
  const third = await siteWith('upnp-model Frobnicator 3000');
  expect(await third.offers()).toEqual([{ ...offer, sites: 2, devices: 2 }]);

  // Taken back, it is forgotten; so is what was said at a site that is removed.
  await cabin.ask('PATCH', `/devices/${MAC}`, { devType: '', devModel: '' });
  expect(await third.offers()).toEqual([offer]);
  await eraseSite(system, system.context, flat.site);
  expect(await third.offers()).toEqual([]);
  for await (const page of system.context.table.query(PARTITIONS.lessons, null)) expect(page).toEqual([]);
});

test('devices are alike by what all of a model say, not by what one of them says', () => {
  expect(featuresOf(said('mdns-text _ipp._tcp ty=HL-L2350DW', 'mdns nas-1.local', 'upnp-id uuid:1'))).toEqual([
    'mdns-text _ipp._tcp ty=HL-L2350DW',
  ]);
  const plug = (serial: string) =>
    featuresOf(said('mac-vendor Acme', `mdns plug-${serial}.local`, 'dhcp-class udhcp 1.2'));
  expect(plug('a1b2c3')).toEqual(['dhcp Acme: udhcp 1.2', 'name Acme: plug-#']);
  expect(plug('ffee01')).toEqual(plug('a1b2c3'));
  expect(featuresOf(said('mac-vendor Acme', 'dns kitchen.lan'))).toEqual([]);
});
