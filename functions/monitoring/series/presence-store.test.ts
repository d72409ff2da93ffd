/** When devices were online, by a clock that the test holds: what the journal gives is what happened. */
import { expect, test } from 'vitest';
import { BLANK_DEVICE, type DeviceRecord } from '../../../shared/device.ts';
import { seeded } from '../../../test/support/seeded.ts';
import { storeSite } from '../../../test/support/stored-site.ts';
import { memoryTable } from '../../../test/test-table.ts';
import type { StoredDevice } from '../../devices/collection/device-codec.ts';
import { openStores } from '../../stores.ts';
import { onlineIn, type StateChange } from './presence.ts';
import { openPresenceStore } from './presence-store.ts';

const SITE = 'home';
const START = Date.UTC(2026, 10, 2) / 1000;
const HOUR = 3_600;
const DAY = 24 * HOUR;
const MACS = ['02:00:00:00:00:01', '02:00:00:00:00:02', '~5c0b6d6e-0000-4000-8000-000000000003'];

async function openAt(start: number) {
  let second = start;
  const stores = openStores(memoryTable().open(), () => new Date(second * 1000));
  const at = (time: number) => (second = time);
  await storeSite(stores, SITE, new Date(start * 1000));
  const put = (key: string, fields: Partial<DeviceRecord>, noticed?: number) =>
    stores.devices.change(SITE, { actor: 'home:main', cause: 'sighting' }, (snapshot) => {
      const known = snapshot.get(key)?.record ?? BLANK_DEVICE;
      const sightings = { main: { epoch: 1, n: second, online: true, since: second * 1000 } };
      const device: StoredDevice = { key, record: { ...known, ...fields }, sightings };
      const when = noticed === undefined ? {} : { noticed: new Map([[key, noticed * 1000]]) };
      return { put: [device], remove: [], ...when };
    });
  const record = (type: 'site-dark' | 'site-back', at: number) => {
    const change = { put: [], remove: [], occurrences: [{ type, at }] };
    return stores.devices.change(SITE, { actor: 'service', cause: 'observation' }, () => change);
  };
  return { ...stores, presence: openPresenceStore(stores.devices, () => new Date(second * 1000)), at, put, record };
}

test('five days of devices that come and go, are reported late, and of a site without an agent for a while', async () => {
  const { presence, at, put, record } = await openAt(START);
  /** How each device was. */
  const happened = new Map(MACS.map((mac) => [mac, [] as StateChange[]]));
  const isOnline = (turns: readonly StateChange[]) => turns.findLast(({ is }) => is !== null)?.is ?? false;
  const dark = { from: START + 2.3 * DAY, until: START + 2.9 * DAY };
  const random = seeded(7);
  const turn = async (mac: string, time: number, noticed: number) => {
    const turns = happened.get(mac) ?? [];
    const is = !isOnline(turns);
    turns.push({ at: noticed, is });
    at(time);
    await put(mac, { devPresentLastScan: is ? 1 : 0, devFirstConnection: '' }, noticed);
  };
  for (const [i, mac] of MACS.entries()) await turn(mac, START + i * HOUR, START + i * HOUR);
  for (let time = START + 3 * HOUR; time < START + 5 * DAY; time += 600) {
    at(time);
    const isDark = time >= dark.from && time < dark.until;
    if (time === dark.from) {
      await record('site-dark', time);
      for (const turns of happened.values()) turns.push({ at: time, is: null });
    }
    if (time === dark.until) {
      await record('site-back', time);
      for (const turns of happened.values()) turns.push({ at: time, is: isOnline(turns) });
    }
    // The last device stays as it is.
    const late = Math.floor(random() * 120);
    if (!isDark && time !== dark.until && random() < 0.05)
      await turn(MACS[Math.floor(random() * 2)] as string, time, time - late);
  }
  const now = START + 5 * DAY;
  at(now);
  const compare = async () => {
    for (const [mac, one] of happened) {
      const turns = await presence.read(SITE, mac, { from: START - DAY, until: now });
      for (let from = START - DAY; from < now; from += HOUR) {
        const span = { from, until: from + HOUR };
        expect([mac, from, onlineIn(turns, span)]).toEqual([mac, from, onlineIn(one, span)]);
      }
    }
  };
  await compare();
  at(now + 80 * DAY);
  await compare();
  // The journal keeps 90 days: what was before them is not known.
  at(now + 100 * DAY);
  for (const mac of MACS) expect(await presence.read(SITE, mac, { from: START - DAY, until: now })).toEqual([]);
});

test('nothing is known before its first connection, and after it was deleted', async () => {
  const { devices, presence, at, put } = await openAt(START);
  const [mac = ''] = MACS;
  await put(mac, { devPresentLastScan: 1, devFirstConnection: '2026-11-02 06:00:00' });
  at(START + 20 * HOUR);
  const known = async (until: number) =>
    onlineIn(await presence.read(SITE, mac, { from: START, until }), { from: START, until });
  expect(await known(START + 20 * HOUR)).toEqual({ online: 14 * HOUR, known: 14 * HOUR });
  await devices.change(SITE, { actor: 'a', cause: 'delete' }, () => ({ put: [], remove: [mac] }));
  at(START + 23 * HOUR);
  expect((await known(START + 23 * HOUR)).known).toBeLessThanOrEqual(20 * HOUR);
});
