/** Which devices a cycle has not seen, and what follows from it. */
import { areMany, needsSecondLook, type Observation, observe, type PresenceState, resumed } from './device-presence.ts';
import type { Device } from './known-devices-file.ts';
import { networkOf, traitsOf } from './new-device.ts';
import type { NetworkScan } from './scan.ts';

/** A device that a cycle has not seen although it should have. */
export interface Missing {
  mac: string;
  ip: string;
  network: string;
}

/** Devices whose name is to be looked for: new, changed, or not asked for so long. */
export function unnamedOf(devices: readonly Readonly<Device>[], at: number, everyMs: number): Missing[] {
  return devices.flatMap(({ mac, ip, network, presence, namedAt, namedIp }) => {
    const isDue = namedAt === null || namedIp !== ip || at - namedAt >= everyMs || at < namedAt;
    return ip !== null && presence.online && isDue ? [{ mac, ip, network }] : [];
  });
}

/** The devices that are to be looked for a second time. */
export function missingOf(
  devices: readonly Readonly<Device>[],
  scans: readonly NetworkScan[],
  valid: ReadonlySet<string>,
  seen: ReadonlySet<string>,
): Missing[] {
  return devices.flatMap((device) => {
    const { mac, ip, presence } = device;
    const network = networkOf(device, scans);
    const isMissing = valid.has(network) && !seen.has(mac) && needsSecondLook(presence);
    return isMissing && ip !== null ? [{ mac, ip, network }] : [];
  });
}

interface Looks {
  scans: readonly NetworkScan[];
  /** Networks in which the cycle counts. */
  valid: ReadonlySet<string>;
  seen: ReadonlySet<string>;
  /** What the second look has found, by network. */
  again: ReadonlyMap<string, ReadonlySet<string>>;
  /** Networks in which silence is counted anew. */
  blind: ReadonlySet<string>;
}

/** The presence of those that were online and were not seen. */
export function unseenAfter(
  devices: readonly Device[],
  { scans, valid, seen, again, blind }: Looks,
  at: number,
): [Device, PresenceState][] {
  const online = devices.flatMap((device) => {
    const network = networkOf(device, scans);
    return device.presence.online ? [{ device, network, isMissed: valid.has(network) && !seen.has(device.mac) }] : [];
  });
  const silent = online.filter(({ device, isMissed }) => isMissed && device.presence.misses === 0).length;
  const withMany = areMany(silent, online.length);
  const judge = ({ device, network, isMissed }: (typeof online)[number], withAnother: boolean) => {
    const presence = blind.has(network) ? resumed(device.presence, at) : device.presence;
    const found = again.get(network);
    let observation: Observation = isMissed ? 'missed' : 'unknown';
    if (isMissed && found !== undefined && needsSecondLook(presence)) {
      observation = found.has(device.mac) ? 'seen' : 'absent';
    }
    return observe(presence, observation, at, { ...traitsOf(device), withMany, withAnother });
  };
  const unseen = online.filter(({ device }) => !seen.has(device.mac));
  const isAnyGone = unseen.some((one) => !judge(one, false).online);
  return unseen.map((one) => [one.device, judge(one, isAnyGone)]);
}
