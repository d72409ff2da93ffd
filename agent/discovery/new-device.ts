/** A device that is seen for the first time, and to which network a device belongs. */
import { firstSeen } from './device-presence.ts';
import type { Device } from './known-devices-file.ts';
import type { FoundName } from './names.ts';
import type { NetworkScan } from './scan.ts';
import { vendorOf } from './vendor.ts';
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

/** The network of these scans that a device belongs to by its address; else the one in which it was seen last. */
export function networkOf({ ip, network }: Pick<Device, 'ip' | 'network'>, scans: readonly NetworkScan[]): string {
  const scan = scans.find((each) => ip !== null && !ip.includes(':') && isIn(ip, each.network.range));
  return scan?.network.cidr ?? network;
}

/** The device that has been offline for longest; null when all are online. */
export function longestGone(devices: Iterable<Device>): Device | null {
  let oldest: Device | null = null;
  for (const device of devices) {
    const isOlder = oldest === null || device.presence.seenAt < oldest.presence.seenAt;
    if (!device.presence.online && isOlder) oldest = device;
  }
  return oldest;
}

const RANK = { dns: 0, mdns: 1, netbios: 2 } as const;

/** Whether what was found takes the place of a name: one that is as good, or any where the name server takes it back. */
export function isBetterName(former: Device['name'], { name, dnsKnowsNone }: FoundName): boolean {
  return (
    former === null ||
    (name !== null && RANK[name.source] <= RANK[former.source]) ||
    (former.source === 'dns' && dnsKnowsNone)
  );
}
