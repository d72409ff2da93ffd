/** Proposed places of devices, from what an agent says to what people accept; one system, a site of its own for each test. */
import { expect, test } from 'vitest';
import type { StoredDevice } from '../../functions/devices/collection/device-codec.ts';
import { packObserved } from '../../functions/devices/collection/observed.ts';
import { Snapshot } from '../../functions/devices/collection/snapshot.ts';
import { placementOf, placementsIn } from '../../functions/devices/placements.ts';
import { mergeSightings, type Source } from '../../functions/sightings/merge-sightings.ts';
import type { Observation } from '../../shared/agent/observations.ts';
import { devices } from '../../shared/api/devices.ts';
import { BLANK_DEVICE, INTERNET } from '../../shared/device.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

const macOf = (i: number) => `00:1E:06:AA:BB:0${i}`;
const [ROUTER, SWITCH, NAS, TV, OTHER] = [0, 1, 2, 3, 4].map(macOf) as [string, string, string, string, string];
type Said = [source: Observation['source'], value: string];

function device(key: string, parent: string, said: Said[] = [], rest: Partial<StoredDevice> = {}): StoredDevice {
  const observed = packObserved({ main: said.map(([source, value], i) => ({ source, value, at: 1_000 * (i + 1) })) });
  const record = { ...BLANK_DEVICE, devMac: key, devName: `device ${key.at(-1)}`, devParentMAC: parent };
  return { key, record, ...(observed === undefined ? {} : { observed }), ...rest };
}
const LAN = [
  device(ROUTER, INTERNET, [['parent-bridge', `${SWITCH} Gi0/1`]]),
  device(SWITCH, ROUTER, [['parent-lldp', `${SWITCH} Gi0/9`]]),
  device(NAS, ROUTER, [
    ['parent-route', ROUTER],
    ['parent-bridge', `${SWITCH} Gi0/4`],
  ]),
  device(TV, ROUTER, [['parent-lldp', `${SWITCH} Gi0/5`]], { byPerson: ['devParentPort'] }),
];

async function site(all = LAN) {
  const name = await system.addSite();
  await system.context.devices.change(name, { actor: 'x', cause: 'sighting' }, () => ({ put: [...all], remove: [] }));
  const ask = (method: string, path: string, body?: unknown, headers = {}) =>
    system.request(method, path, { site: name, headers, body });
  const proposals = async (query = '') =>
    devices.listPlacements.response.parse((await ask('GET', `/devices/network/proposals${query}`)).json);
  const accept = async (body?: object, query = '') =>
    devices.acceptPlacements.response.parse(
      (await ask('POST', `/devices/network/proposals/accept${query}`, body)).json,
    );
  return { name, ask, proposals, accept };
}

test('what is shown is a better place than the default, with its reasons; never the root, itself, or what a person set', async () => {
  const { ask, proposals } = await site();
  expect(await proposals()).toEqual({
    success: true,
    proposals: [
      {
        device: { key: NAS, name: 'device 2' },
        parent: { key: SWITCH, name: 'device 1' },
        port: 'Gi0/4',
        confidence: 0.85,
        because: [{ source: 'parent-bridge', value: `${SWITCH} Gi0/4` }],
        present: { parent: ROUTER, port: '' },
      },
    ],
    total: 1,
    nextCursor: null,
  });
  const etag = (await ask('GET', '/devices/network/proposals')).headers.get('etag') ?? '';
  expect((await ask('GET', '/devices/network/proposals', undefined, { 'if-none-match': etag })).status).toBe(304);
});

test('a site that begins to accept places takes over what is proposed already, and a later one may be another', async () => {
  const { name, proposals } = await site([...LAN, device(OTHER, ROUTER, [['parent-bridge', `${SWITCH} Gi0/6`]])]);
  expect((await proposals()).total).toBe(2);
  const change = (acceptParents: boolean) =>
    system.request('PATCH', `/sites/${name}`, { body: { discovery: { acceptParents } } });
  expect((await change(false)).status).toBe(200);
  expect((await proposals()).total).toBe(2);
  expect((await change(true)).status).toBe(200);
  expect((await proposals()).total).toBe(0);
  const { devices: all } = await system.context.devices.snapshot(name);
  const nas = all.find(({ key }) => key === NAS);
  expect(nas?.record).toMatchObject({ devParentMAC: SWITCH, devParentPort: 'Gi0/4' });
  expect(nas?.byPerson).toBeUndefined();
});

test('a proposal that is accepted is a person’s word, one change and one entry of the audit', async () => {
  const { name, ask, proposals, accept } = await site([...LAN, device(OTHER, '', [['parent-lldp', SWITCH]])]);
  const version = async () => (await system.context.devices.snapshot(name)).version;
  const before = await version();
  expect(await accept({}, '?dryRun=true')).toMatchObject({ accepted: 2, change: null });
  expect((await proposals('?limit=1')).nextCursor).not.toBeNull();
  expect(await accept({ macs: [NAS, TV] })).toMatchObject({ accepted: 1, skipped: 1, change: String(before + 1) });
  expect(await accept()).toMatchObject({ accepted: 1, skipped: 0 });
  expect(await accept()).toMatchObject({ accepted: 0, change: null });
  expect(await version()).toBe(before + 2);
  const nas = devices.getDevice.response.parse((await ask('GET', `/devices/${NAS}`)).json);
  expect(nas).toMatchObject({ devParentMAC: SWITCH, devParentPort: 'Gi0/4' });
  expect(nas.setByPerson).toEqual(expect.arrayContaining(['devParentMAC', 'devParentPort']));
  expect((await proposals()).proposals).toEqual([]);
  expect((await ask('GET', '/audit?limit=1')).json).toMatchObject({
    entries: [{ action: 'devices.place', detail: { placed: 1 } }],
  });
});

test('proposals make no loop, neither together nor one by one', async () => {
  const loop = [
    device(ROUTER, INTERNET),
    device(SWITCH, '', [['parent-lldp', `${OTHER} 1`]]),
    device(OTHER, '', [
      ['parent-lldp', `${SWITCH} 2`],
      ['parent-route', ROUTER],
    ]),
  ];
  const found = await placementsIn(new Snapshot('home', 1, loop));
  expect(found.map(({ key, parent }) => [key, parent.key])).toEqual([
    [SWITCH, OTHER],
    [OTHER, ROUTER],
  ]);
  const hanging = new Snapshot('home', 1, [device(NAS, ''), device(SWITCH, NAS)]);
  expect(placementOf(device(NAS, '', [['parent-lldp', SWITCH]]), (mac) => hanging.deviceOf(mac))).toBeNull();
});

test('where the site says so, places are taken over as they are seen, until a better one is', async () => {
  let snapshot = new Snapshot('home', 1, [device(ROUTER, INTERNET), device(SWITCH, ROUTER), device(OTHER, ROUTER)]);
  const now = new Date();
  const source: Source = { agent: 'main', agents: new Map([['main', { connected: true }]]), now, acceptParents: true };
  let n = 0;
  const seen = async (value: string, settings = source) => {
    const at = now.getTime();
    const observations: Observation[] = [{ source: 'parent-bridge', value, at }];
    const one = { mac: NAS, n: ++n, online: true, since: at, seenAt: at, ip: '10.0.0.2', observations };
    const { put } = mergeSightings(snapshot, { epoch: 1, n, covers: null, sightings: [one] }, settings);
    snapshot = await snapshot.with(put, [], snapshot.version + 1);
    const { record, byPerson } = snapshot.get(NAS) ?? {};
    return [record?.devParentMAC, record?.devParentPort, byPerson];
  };
  expect(await seen(`${SWITCH} 1`, { ...source, acceptParents: false })).toEqual([ROUTER, '', undefined]);
  expect(await seen(`${SWITCH} 1`)).toEqual([SWITCH, '1', undefined]);
  expect(await seen(`${OTHER} 7`)).toEqual([OTHER, '7', undefined]);
});
