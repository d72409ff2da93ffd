/** A device that is seen for the first time, and to which network a device belongs. */
import { firstSeen } from './device-presence.ts';
import type { Device } from './known-devices-file.ts';
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
