import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nettools } from '../../shared/api/nettools.ts';
import { BLANK_DEVICE, type DeviceRecord } from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { StoredDevice } from '../devices/collection/device-codec.ts';
import { Snapshot } from '../devices/collection/snapshot.ts';
import { lastSeenFirst, planWake } from './wake.ts';

const NAS = '00:1E:06:AA:BB:01';

function device(record: Partial<DeviceRecord>, rest: Partial<StoredDevice> = {}): StoredDevice {
  const key = record.devMac || '~0b1c9d1e';
  return { key, record: { ...BLANK_DEVICE, ...record }, ...rest };
}

const macOf = (i: number) => `00:1E:06:AA:CC:${i.toString(16).padStart(2, '0').toUpperCase()}`;

/** What a request would lead to, at a site with these devices. */
async function plan(body: object, devices: readonly StoredDevice[] | Error) {
  const warnings: unknown[] = [];
  const log: Log = { info() {}, warn: (fields) => void warnings.push(fields), error() {} };
  const store = {
    async snapshot() {
      if (devices instanceof Error) throw devices;
      return new Snapshot('home', 1, devices);
    },
    async find(_: string, key: string) {
      if (devices instanceof Error) throw devices;
      return devices.find((one) => one.key === key) ?? null;
    },
  };
  const planned = await planWake({ devices: store as never, log }, 'home', nettools.wakeOnLan.body.parse(body));
  return { ...planned, warnings };
}

test('a MAC that is not in the collection is woken as it is', async () => {
  expect(await plan({ devMac: '001e.06aa.bb01' }, [])).toEqual({
    command: { tool: 'wakeonlan', mac: NAS },
    wish: { preferred: [], near: undefined },
    warnings: [],
  });
  expect(await plan({ devMac: NAS, verify: true }, [])).toMatchObject({ command: { tool: 'wakeonlan', verify: true } });
});

test('the last address goes with a command that is verified, if it is an IPv4 address', async () => {
  const at = (devLastIP: string) => [device({ devMac: NAS, devLastIP })];
  expect((await plan({ devMac: NAS }, at('192.168.1.20'))).command).toEqual({ tool: 'wakeonlan', mac: NAS });
  expect((await plan({ devMac: NAS, verify: true }, at('192.168.1.20'))).command).toMatchObject({ ip: '192.168.1.20' });
  for (const other of ['', 'fe80::1', '192.168.001.020']) {
    expect((await plan({ devMac: NAS, verify: true }, at(other))).command).not.toHaveProperty('ip');
  }
});

test('a device is found by its whole name in any letter case, or by its last address, and archived ones are passed over', async () => {
  const devices = [
    device({ devMac: NAS, devName: 'NAS Küche', devLastIP: '192.168.1.20' }),
    device({ devMac: macOf(1), devName: 'nas küche 2', devLastIP: '192.168.1.21' }),
    device({ devMac: macOf(2), devName: 'nas küche', devLastIP: '192.168.1.20', devIsArchived: 1 }),
  ];
  for (const body of [{ devName: 'nas KÜCHE' }, { devName: ' nas küche ' }, { devLastIP: '192.168.1.20' }]) {
    expect((await plan(body, devices)).command.mac).toBe(NAS);
  }
});

test.each([
  [{ devName: 'attic' }, 'No device of site "home" has the name "attic"'],
  [{ devLastIP: '192.168.1.99' }, 'No device of site "home" has the address 192.168.1.99'],
])('%j is not found', async (body, message) => {
  const devices = [device({ devMac: NAS, devName: 'attic', devIsArchived: 1 })];
  await expect(plan(body, devices)).rejects.toMatchObject({ code: 'not_found', message });
});

test('a name that several devices have is a conflict, which lists ten of them with name and address', async () => {
  const devices = Array.from({ length: 12 }, (_, i) =>
    device({ devMac: macOf(i), devName: i === 0 ? 'LAB pc' : 'lab PC', devLastIP: `192.168.1.${i}` }),
  );
  const refused = plan({ devName: 'lab pc' }, devices);
  await expect(refused).rejects.toMatchObject({ code: 'conflict' });
  const { message } = (await refused.catch((error: unknown) => error)) as ServiceError;
  expect(message).toMatch(/^12 devices of site "home" have the name "lab pc"; name one by its MAC: /);
  expect(message).toContain(`${macOf(0)} (LAB pc, 192.168.1.0); ${macOf(1)} (lab PC, 192.168.1.1); `);
  expect(message).toMatch(/\(lab PC, 192\.168\.1\.9\); and 2 more$/);
});

test('a device without a MAC is refused, and the field that named it is named', async () => {
  const devices = [device({ devMac: '', devName: 'camera', devLastIP: '10.0.0.1' })];
  const fields = [{ path: 'devName', message: expect.stringContaining('"camera" has none') }];
  await expect(plan({ devName: 'camera' }, devices)).rejects.toMatchObject({ code: 'validation_failed', fields });
  const byAddress = plan({ devLastIP: '10.0.0.1' }, devices);
  await expect(byAddress).rejects.toMatchObject({ fields: [{ path: 'devLastIP' }] });
});

test('a MAC can be woken when its row cannot be read, but not during an outage', async () => {
  const planned = await plan({ devMac: NAS }, new Error('unreadable device'));
  expect(planned).toMatchObject({ command: { mac: NAS }, warnings: [{ device: NAS }] });
  const outage = new ServiceError('unavailable', 'no database');
  await expect(plan({ devMac: NAS }, outage)).rejects.toBe(outage);
});

test.each([
  [{}, 'devMac'],
  [{ devMac: NAS, devName: 'nas' }, 'devName'],
  [{ devName: 'nas', devLastIP: '10.0.0.1' }, 'devLastIP'],
  [{ devName: ' ' }, 'devName'],
  [{ devLastIP: 'nas' }, 'devLastIP'],
  [{ devMac: NAS, verify: 'yes' }, 'verify'],
])('%j is no request', (body, field) => {
  const { error } = nettools.wakeOnLan.body.safeParse(body);
  expect(error?.issues.map(({ path }) => path)).toEqual([[field]]);
});

test('first the agents that see it now, the one to which it came last before the others; then those that lost it, the last one first', () => {
  const said = fc.record({ epoch: fc.nat(), n: fc.nat(), online: fc.boolean(), since: fc.nat() });
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), said), (sightings) => {
      const order = lastSeenFirst(sightings).map((name) => sightings[name]!);
      expect(order).toHaveLength(Object.keys(sightings).length);
      for (const [i, { online, since }] of order.slice(1).entries()) {
        const before = order[i]!;
        expect(before.online === online ? before.since >= since : before.online).toBe(true);
      }
    }),
  );
});

test('the agent that saw the device is preferred, and the network of its address comes next', async () => {
  const seen = (online: boolean, since: number) => ({ epoch: 1, n: 1, online, since });
  const sightings = { main: seen(false, 5_000), attic: seen(true, 1_000), cellar: seen(true, 2_000) };
  const { wish } = await plan({ devMac: NAS }, [device({ devMac: NAS, devLastIP: '10.0.0.7' }, { sightings })]);
  expect(wish).toMatchObject({ preferred: ['cellar', 'attic', 'main'], near: { prefix: 32 } });
});
