/**
 * Presence by a source, such as a controller of access points, in networks that no scan covers. Scans decide where they cover
 * the network. Of two witnesses of one device, the former keeps it until it has missed it, so that they cannot contradict
 * each other: a device does not flap between them.
 * @promise A lease takes no device online or offline: `agent/discovery/witness.test.ts`.
 */
import { parseIp, range, rangeOf, rangeWithin } from '../../shared/network.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import { isLocal } from '../tools/target-policy.ts';
import { sortIps } from './addresses.ts';
import { firstSeen, observe, resumed } from './device-presence.ts';
import type { Device } from './known-devices-file.ts';
import { newDevice } from './new-device.ts';

/** What a source has just read. */
export interface Testimony {
  /** Its name. */
  source: string;
  /** By MAC. A host without `lastSeen` has a lease, or the like, which says nothing of its presence. */
  hosts: ReadonlyMap<string, { addresses: readonly string[]; lastSeen?: number | undefined }>;
  /** Whether scans cover the network of an address. */
  isScanned(ip: string): boolean;
  /** Whether it could not be read before: then silence counts from now on. */
  hadGap: boolean;
  /** Whether it is read no more: its devices are forgotten. */
  isRemoved?: boolean;
}

interface Witnessed {
  changed: { device: Device; changes: Partial<Device> }[];
  added: Device[];
  /** Known only by a lease that is over, or by a source that is read no more. */
  forgotten: string[];
}

/** Of a device that scans see. */
export const BY_SCANS = { source: undefined, leased: undefined };

/** A device that was last seen longer ago is not there, however late the source notices. */
export const SEEN_WITHIN_MS = 15 * MINUTE_MS;

export function witnessed(devices: ReadonlyMap<string, Device>, testimony: Testimony, at: number): Witnessed {
  const { source, hosts, isScanned, hadGap, isRemoved = false } = testimony;
  const result: Witnessed = { changed: [], added: [], forgotten: [] };
  const change = (device: Device, changes: Partial<Device>) => result.changed.push({ device, changes });
  // What it knows at first is no news.
  const baseline = ![...devices.values()].some((device) => device.source === source);
  for (const device of devices.values()) {
    if (device.source !== source || hosts.has(device.mac)) continue;
    if (device.leased === true || isRemoved) result.forgotten.push(device.mac);
    else change(device, { presence: missed(device, hadGap, at) });
  }
  for (const [mac, { addresses, lastSeen }] of hosts) {
    const device = devices.get(mac);
    const place = placeIn(addresses, isScanned, at);
    const isPresent = lastSeen !== undefined && at - lastSeen <= SEEN_WITHIN_MS;
    if (device === undefined) {
      if (place === null || (lastSeen !== undefined && !isPresent)) continue;
      const added = { ...newDevice({ mac, ...place, baseline }, at), source };
      if (isPresent) result.added.push({ ...added, presence: firstSeen(lastSeen) });
      else result.added.push({ ...added, leased: true, presence: { ...firstSeen(at), online: false } });
      continue;
    }
    const isOwn = device.source === source;
    const isNews = isPresent && (device.leased === true || lastSeen > device.presence.seenAt);
    if (isNews && place !== null && (isOwn || mayTakeOver(device, isScanned))) {
      const presence = device.leased === true ? firstSeen(lastSeen) : observe(device.presence, 'seen', lastSeen);
      change(device, { ...place, source, leased: undefined, presence });
    } else if (isOwn && device.leased === true) {
      if (place === null) result.forgotten.push(mac);
      else change(device, place);
    } else if (isOwn) {
      change(device, { presence: missed(device, hadGap, at) });
    }
  }
  return result;
}

/** Offline after three readings in a row that missed it, and 15 minutes of silence: the grace of devices that sleep. */
function missed({ presence }: Device, hadGap: boolean, at: number): Device['presence'] {
  return observe(hadGap ? resumed(presence, at) : presence, 'absent', at, { sleeps: true });
}

/** Whether the former witness of a device has missed it, or does not watch the device's network any more. */
function mayTakeOver({ presence, source, leased, ip }: Device, isScanned: (ip: string) => boolean): boolean {
  if (leased === true || !presence.online || presence.misses > 0) return true;
  return source === undefined && (ip === null || !isScanned(ip));
}

const NOWHERE = ['127.0.0.0/8', '169.254.0.0/16'].map(range);

/** Null for a device in a network that scans cover, and without a private IPv4 address, which tells networks apart. */
function placeIn(addresses: readonly string[], isScanned: (ip: string) => boolean, at: number) {
  const ipv4 = addresses.filter((ip) => !ip.includes(':'));
  const ip = ipv4.find(isPrivate);
  if (ip === undefined || ipv4.some(isScanned)) return null;
  return { ip, network: networkAround(ip), addresses: sortIps(addresses).map((each) => ({ ip: each, at })) };
}

function isPrivate(text: string): boolean {
  const ip = parseIp(text);
  if (ip === null) return false;
  const one = rangeOf(ip);
  return isLocal(one) && !NOWHERE.some((each) => rangeWithin(one, each));
}

/** A source seldom says how large its networks are: so each counts by its blocks of 256 addresses. */
function networkAround(ip: string): string {
  return `${ip.slice(0, ip.lastIndexOf('.'))}.0/24`;
}
