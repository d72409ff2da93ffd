/** The fields of a device record that a sighting sets directly, and that no other field depends on. */
import type { Conflict, Sighting } from '../../shared/agent/discovery.ts';
import type { DeviceRecord } from '../../shared/device.ts';
import { formatIp, parseIp, range, rangeOf, rangeWithin } from '../../shared/network.ts';

type Fields = 'devRandomMAC' | 'devAddresses' | 'devPrimaryIPv4' | 'devPrimaryIPv6' | 'devConflict';
type Observed = Partial<Pick<DeviceRecord, Fields>>;

/** Fields that are missing are unknown to this sighting, and stay as they were. */
export function observedFields({ random, ips, conflict }: Pick<Sighting, 'random' | 'ips' | 'conflict'>): Observed {
  return {
    devRandomMAC: random === true ? 1 : 0,
    devConflict: conflict === undefined ? '' : conflictInWords(conflict),
    ...(ips === undefined || ips.length === 0 ? {} : addressesOf(ips)),
  };
}

/** Not routable, so never a primary address. */
const LINK_LOCAL = ['169.254.0.0/16', 'fe80::/10'].map(range);

function addressesOf(ips: readonly string[]): Observed {
  const global = ips
    .flatMap((text) => parseIp(text) ?? [])
    .filter((ip) => !LINK_LOCAL.some((link) => rangeWithin(rangeOf(ip), link)))
    .sort((a, b) => (a.value < b.value ? -1 : 1));
  const lowest = (family: 4 | 6) => {
    const found = global.find((ip) => ip.family === family);
    return found === undefined ? '' : formatIp(found);
  };
  // A single address is in devLastIP: a journal of many sightings must not repeat it three times.
  const devAddresses = ips.length > 1 ? ips.join(',') : '';
  return { devAddresses, devPrimaryIPv4: lowest(4), devPrimaryIPv6: lowest(6) };
}

/** One sentence for people, of at most 255 characters. */
function conflictInWords({ kind, ip, others }: Conflict): string {
  const named = others.join(', ');
  switch (kind) {
    case 'address':
      return `${ip} is also claimed by ${named}`;
    case 'gateway':
      return `${ip}, the address of the gateway, is also claimed by ${named}`;
    case 'dhcp':
      return `hands out addresses, as ${named} ${others.length === 1 ? 'does' : 'do'} too`;
  }
}
