/** What a device of LanReach is in NetBox. */
import { formatIp, parseIp, parseRange, rangeOf, rangeWithin } from '../../shared/addresses.ts';
import type { DeviceFields } from '../../shared/device.ts';
import { startOf } from '../../shared/text.ts';

/** A device as NetBox is to have it. */
export interface Wanted {
  /** `<site>/<MAC>`, by which it is known again. */
  id: string;
  mac: string;
  name: string;
  manufacturer: string;
  model: string;
  role: string;
  /** With the length of its network; null without one. */
  address: string | null;
}

/** A device that is ours in NetBox. */
export interface Placed {
  wanted: Wanted;
  /** Its id there, and those of its primary addresses. */
  device: { id: number; primary_ip4: { id: number } | null; primary_ip6: { id: number } | null };
  isNew: boolean;
}

export interface SyncOptions {
  /** Also what a person has entered is made as it is here. */
  takesOver: boolean;
  /** The VRF of the addresses; null for the global table. */
  vrf: string | null;
}

/** Longest names that NetBox takes. */
const MOST = { name: 64, model: 100, slug: 100 };

/** Null for what is no device of an inventory: without a MAC or with one that it made up, archived, or the internet. */
export function wantedOf(
  site: string,
  device: Pick<
    DeviceFields,
    | 'devMac'
    | 'devName'
    | 'devFQDN'
    | 'devLastIP'
    | 'devType'
    | 'devVendor'
    | 'devModel'
    | 'devIsArchived'
    | 'devRandomMAC'
  >,
  networks: readonly string[],
): Wanted | null {
  const { devMac: mac, devName, devFQDN, devIsArchived, devRandomMAC, devVendor, devModel, devType } = device;
  if (!/^(?:[0-9A-F]{2}:){5}[0-9A-F]{2}$/.test(mac) || devIsArchived === 1 || devRandomMAC === 1) return null;
  const isNamed = devName !== '' && !/^\((?:unknown|name not found)\)$/.test(devName);
  return {
    id: `${site}/${mac}`,
    mac,
    name: startOf(isNamed ? devName : devFQDN || mac, MOST.name).trim(),
    manufacturer: startOf(devVendor || 'Unknown', MOST.model).trim(),
    model: startOf(devModel || 'Unknown', MOST.model).trim(),
    role: startOf(devType || 'Unknown', MOST.model).trim(),
    address: addressIn(device.devLastIP, networks),
  };
}

/** An address with the length of the smallest of these networks that has it. */
function addressIn(text: string, networks: readonly string[]): string | null {
  const address = parseIp(text);
  if (address === null) return null;
  const range = rangeOf({ ...address, zone: null });
  const lengths = networks.flatMap((network) => {
    const outer = parseRange(network);
    return outer !== null && rangeWithin(range, outer) ? [outer.prefix] : [];
  });
  return `${formatIp({ ...address, zone: null })}/${Math.max(...(lengths.length > 0 ? lengths : [range.prefix]))}`;
}

/** The name of something in the URLs of NetBox. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return startOf(slug || 'unknown', MOST.slug);
}

/** By which a type of devices is known: the slug of its manufacturer, and its model. */
export function typeKey({ manufacturer, model }: Pick<Wanted, 'manufacturer' | 'model'>): string {
  return `${slugOf(manufacturer)}\n${model.toLowerCase()}`;
}

/** The same name for another device. */
export function nameWith(name: string, mac: string): string {
  const tail = mac.replaceAll(':', '').slice(-6);
  return `${startOf(name, MOST.name - tail.length - 3)} (${tail})`;
}
