/** What an agent tells of a device, as fields of its record that no other field depends on. */
import type { Conflict, Sighting } from '../../shared/agent/discovery.ts';
import type { DeviceRecord } from '../../shared/device.ts';
import { formatIp, parseIp, range, rangeOf, rangeWithin } from '../../shared/network.ts';

type Observed = Partial<
  Pick<DeviceRecord, 'devRandomMAC' | 'devAddresses' | 'devPrimaryIPv4' | 'devPrimaryIPv6' | 'devConflict'>
>;

/** A field that is not among them is not known by this sighting, and stays as it was. */
export function observedFields({ random, ips, conflict }: Pick<Sighting, 'random' | 'ips' | 'conflict'>): Observed {
  return {
    devRandomMAC: random === true ? 1 : 0,
    devConflict: conflict === undefined ? '' : conflictInWords(conflict),
    ...(ips === undefined || ips.length === 0 ? {} : addressesOf(ips)),
  };
}

/** Addresses that reach no further than the link, and so are nobody's main address. */
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
  // The only one is in devLastIP already: a journal of many sightings must not say it three times.
  const devAddresses = ips.length > 1 ? ips.join(',') : '';
  return { devAddresses, devPrimaryIPv4: lowest(4), devPrimaryIPv6: lowest(6) };
}

/** One sentence for a person, of at most 255 characters. */
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
