/** What agents have heard of devices, as if an agent had reported it. */

import { unpackObserved } from '../../functions/devices/collection/observed.ts';
import { recognized } from '../../functions/devices/recognized.ts';
import type { Observation } from '../../shared/agent/observations.ts';
import type { DeviceField, DeviceRecord } from '../../shared/device.ts';
import type { FilledSystem } from './filled-system.ts';

export type Said = readonly [source: Observation['source'], value: string];

export interface Heard {
  mac: string;
  said: readonly Said[];
  /** Fields that no person has set, whatever an import says. */
  free?: readonly DeviceField[];
  /** Over what is known of it. */
  record?: Partial<DeviceRecord>;
}

const DAY_MS = 86_400_000;

export async function addHeard(lanreach: FilledSystem, site: string, heard: readonly Heard[]): Promise<void> {
  const origin = { actor: `${site}:main`, cause: 'sighting' } as const;
  await lanreach.context.devices.change(site, origin, (snapshot) => ({
    put: heard.map(({ mac, said, free = [], record = {} }) => {
      const known = snapshot.get(mac);
      if (known === undefined) throw new Error(`There is no ${mac}`);
      const main = said.map(([source, value], i) => ({ source, value, at: Date.now() - (i + 1) * DAY_MS }));
      return recognized({
        ...known,
        record: { ...known.record, ...record },
        byPerson: (known.byPerson ?? []).filter((field) => !free.includes(field)),
        observed: { ...unpackObserved(known.observed), main },
      });
    }),
    remove: [],
    noticed: new Map(
      heard.flatMap(({ mac, record }) => (record?.devLastConnection ? [[mac, msOf(record.devLastConnection)]] : [])),
    ),
  }));
}

const msOf = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`);

/** What a network storage says of itself. */
export const STORAGE: readonly Said[] = [
  ['mdns', 'nas-1'],
  ['mdns-service', '_smb._tcp'],
  ['mdns-service', '_adisk._tcp'],
  ['mdns-instance', '_http._tcp DS920'],
  ['mdns-text', '_http._tcp vendor=Synology'],
  ['mdns-text', '_http._tcp model=DS920+'],
  ['upnp-maker', 'Synology'],
  ['upnp-model', 'DS920+'],
  ['upnp-type', 'urn:schemas-upnp-org:device:Basic:1'],
  ['ssdp-server', 'Synology/DSM/192.168.178.6 UPnP/1.0'],
];
