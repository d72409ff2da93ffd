/** What becomes of site home and its devices, each at a time of a clock that is held. */
import { vi } from 'vitest';
import type { Occurrence } from '../../functions/devices/collection/change-row.ts';
import type { Stores } from '../../functions/stores.ts';
import { BLANK_DEVICE, type DeviceRecord } from '../../shared/device.ts';
import { agentId } from '../../shared/identity.ts';

const MAIN = agentId('home', 'main');
type Devices = Pick<Stores, 'devices'>;

/** Agent main sees a device with these fields. */
export function sightAt({ devices }: Devices, time: number, mac: string, changed: Partial<DeviceRecord>) {
  vi.setSystemTime(time);
  return devices.change('home', { actor: MAIN, cause: 'sighting' }, (snapshot) => {
    const record = { ...(snapshot.get(mac)?.record ?? { ...BLANK_DEVICE, devMac: mac }), ...changed };
    const sightings = { main: { epoch: 1, n: time, online: record.devPresentLastScan === 1, since: time } };
    return { put: [{ key: mac, record, sightings }], remove: [] };
  });
}

export function observeAt({ devices }: Devices, time: number, occurrence: Omit<Occurrence, 'at'>) {
  vi.setSystemTime(time);
  const occurrences = [{ ...occurrence, at: time / 1000 }];
  return devices.change('home', { actor: MAIN, cause: 'observation' }, () => ({ put: [], remove: [], occurrences }));
}
