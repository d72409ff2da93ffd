/** Creates known devices, and derives facts about them. */
import { firstSeen, type Traits } from './device-presence.ts';
import type { Device } from './known-devices-file.ts';
import type { NetworkScan } from './scan.ts';
import { isRandomMac, vendorOf } from './vendor.ts';
import { isIn } from './watched-networks.ts';

type Seen = Pick<Device, 'mac' | 'ip' | 'addresses' | 'network' | 'baseline'>;

export function newDevice(seen: Seen, at: number): Device {
  return {
    ...seen,
    n: 0,
    changedAt: at,
    name: null,
    vendor: vendorOf(seen.mac),
    gateway: false,
    conflict: null,
    alerts: false,
    presence: firstSeen(at),
    namedAt: null,
    namedIp: null,
    observations: [],
    observedN: 0,
  };
}

/** The input to the rule of presence. */
export function traitsOf({ mac, alerts }: Device): Traits {
  return { sleeps: isRandomMac(mac), alerts };
}

/** The device that was offline for longest; null when all are online. */
export function longestGone(devices: Iterable<Device>): Device | null {
  let oldest: Device | null = null;
  for (const device of devices) {
    const isOlder = oldest === null || device.presence.seenAt < oldest.presence.seenAt;
    if (!device.presence.online && isOlder) oldest = device;
  }
  return oldest;
}

/** The network that contains the device's address; else the one in which it was last seen. */
export function networkOf({ ip, network }: Pick<Device, 'ip' | 'network'>, scans: readonly NetworkScan[]): string {
  const scan = scans.find((each) => ip !== null && !ip.includes(':') && isIn(ip, each.network.range));
  return scan?.network.cidr ?? network;
}
