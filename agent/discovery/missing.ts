/** Which devices a cycle did not find, and what follows for their presence. */
import { areMany, needsRescan, type Observation, observe, type PresenceState, resumed } from './device-presence.ts';
import { isDue } from './evidence.ts';
import type { Device } from './known-devices-file.ts';
import { networkOf, traitsOf } from './new-device.ts';
import type { NetworkScan } from './scan.ts';

/** A device that a cycle should have found. */
export interface Missing {
  mac: string;
  ip: string;
  network: string;
}

/** Devices whose name lookup is due: new ones, ones with a new address, and after `everyMs`. */
export function unnamedOf(devices: readonly Readonly<Device>[], at: number, everyMs: number): Missing[] {
  return devices.flatMap(({ mac, ip, network, presence, namedAt, namedIp }) =>
    ip !== null && presence.online && (namedIp !== ip || isDue(namedAt, everyMs, at)) ? [{ mac, ip, network }] : [],
  );
}

/** The devices to scan for a second time. */
export function missingOf(
  devices: readonly Readonly<Device>[],
  scans: readonly NetworkScan[],
  valid: ReadonlySet<string>,
  seen: ReadonlySet<string>,
): Missing[] {
  return devices.flatMap((device) => {
    const { mac, ip, presence } = device;
    const network = networkOf(device, scans);
    const isMissing = valid.has(network) && !seen.has(mac) && needsRescan(presence);
    return isMissing && ip !== null ? [{ mac, ip, network }] : [];
  });
}

interface CycleResults {
  scans: readonly NetworkScan[];
  /** Networks in which the cycle counts. */
  valid: ReadonlySet<string>;
  seen: ReadonlySet<string>;
  /** The devices that the rescan found, by network. */
  again: ReadonlyMap<string, ReadonlySet<string>>;
  /** Networks in which silence counts from now on. */
  blind: ReadonlySet<string>;
}

/** The presence of the devices that were online and not found; those that sources see are theirs. */
export function unseenAfter(
  devices: readonly Device[],
  { scans, valid, seen, again, blind }: CycleResults,
  at: number,
): [Device, PresenceState][] {
  const online = devices.flatMap((device) => {
    const network = networkOf(device, scans);
    const isOnline = device.presence.online && device.source === undefined;
    return isOnline ? [{ device, network, isMissed: valid.has(network) && !seen.has(device.mac) }] : [];
  });
  const silent = online.filter(({ device, isMissed }) => isMissed && device.presence.misses === 0).length;
  const withMany = areMany(silent, online.length);
  const presenceOf = ({ device, network, isMissed }: (typeof online)[number], withAnother: boolean) => {
    const presence = blind.has(network) ? resumed(device.presence, at) : device.presence;
    const found = again.get(network);
    let observation: Observation = isMissed ? 'missed' : 'unknown';
    if (isMissed && found !== undefined && needsRescan(presence)) {
      observation = found.has(device.mac) ? 'seen' : 'absent';
    }
    return observe(presence, observation, at, { ...traitsOf(device), withMany, withAnother });
  };
  const unseen = online.filter(({ device }) => !seen.has(device.mac));
  const isAnyGone = unseen.some((one) => !presenceOf(one, false).online);
  return unseen.map((one) => [one.device, presenceOf(one, isAnyGone)]);
}
