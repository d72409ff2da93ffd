/**
 * Devices with several MACs: joining them, and splitting them again. Pure.
 * @promise A MAC belongs to one device: `test/api/joined.test.ts`.
 */
import { type DeviceField, type DeviceRecord, MAX_JOINED, MAX_LENGTHS, OBSERVED_FIELDS } from '../../shared/device.ts';
import type { Occurrence } from './collection/change-row.ts';
import {
  type DeviceKey,
  type Joined,
  type Member,
  type StoredDevice,
  sharedFields,
} from './collection/device-codec.ts';
import { type Observed, unpackObserved } from './collection/observed.ts';
import { ALL_HEARD, isReportedOnline, withPresence } from './presence.ts';
import { recognized } from './recognized.ts';
import { formatTime, readTime } from './time.ts';

/** In `byPerson` of a device that a person has split off: it is neither proposed for joining nor joined automatically. */
export const APART: DeviceField = 'devOtherMACs';

/** The other MACs of a device, the most recently seen first. */
export function othersOf({ key, joined = {} }: Pick<StoredDevice, 'key' | 'joined'>): [DeviceKey, Member][] {
  return Object.entries(joined)
    .filter(([mac]) => mac !== key)
    .sort(([a, one], [b, other]) => other.seenAt - one.seenAt || (a < b ? -1 : 1));
}

/** The device with these MACs, up to the limit. A MAC that was not seen for 400 days is dropped. */
export function withMembers({ joined: _, ...device }: StoredDevice, joined: Joined, now: Date): StoredDevice {
  const oldest = now.getTime() - 400 * 86_400_000;
  const kept = othersOf({ key: device.key, joined })
    .filter(([, { seenAt, joinedAt }]) => Math.max(seenAt, joinedAt) >= oldest)
    .slice(0, MAX_JOINED);
  const macs = kept.map(([mac]) => mac);
  const room = Math.floor((MAX_LENGTHS.label + 1) / 'AA:BB:CC:DD:EE:FF,'.length);
  const record: DeviceRecord = { ...device.record, devOtherMACs: macs.slice(0, room).join(',') };
  if (kept.length === 0) return { ...device, record };
  const own = joined[device.key];
  const members = [...(own === undefined ? [] : [[device.key, own] as const]), ...kept];
  // Ordered by MAC: the order by last sighting changes with every sighting.
  return { ...device, record, joined: Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function membersFrom(device: StoredDevice, joinedAt: number): Record<DeviceKey, Member> {
  const { key, record, sightings = {}, joined = {} } = device;
  const own = joined[key] ?? { ip: record.devLastIP, seenAt: readTime(record.devLastConnection) };
  return { ...joined, [key]: { joinedAt, ip: own.ip, seenAt: own.seenAt, sightings } };
}

/** The device with the MACs of the others, and with fields that people have set only on others, from the first that has each. */
export function joined(owner: StoredDevice, others: readonly StoredDevice[], now: Date): StoredDevice {
  const at = now.getTime();
  const { [owner.key]: own, ...former } = membersFrom(owner, at);
  const members: Record<DeviceKey, Member> = { ...former };
  for (const other of others) Object.assign(members, membersFrom(other, at));
  if (own !== undefined) members[owner.key] = { ...own, sightings: {} };

  const all = [owner, ...others];
  const record: Record<string, unknown> = { ...owner.record };
  const set = new Set(owner.byPerson?.filter((field) => field !== APART));
  for (const other of others) {
    for (const field of other.byPerson ?? []) {
      if (set.has(field) || OBSERVED_FIELDS.includes(field)) continue;
      set.add(field);
      record[field] = other.record[field];
    }
  }
  const keys = new Set(others.map(({ key }) => key));
  if (keys.has(String(record.devParentMAC))) record.devParentMAC = '';
  const firsts = all.map((one) => one.record.devFirstConnection).filter((time) => time !== '');
  const last = all.reduce((a, b) => (b.record.devLastConnection > a.record.devLastConnection ? b : a));
  record.devFirstConnection = firsts.sort()[0] ?? '';
  record.devLastConnection = last.record.devLastConnection;
  record.devLastIP = last.record.devLastIP || owner.record.devLastIP;
  record.devPresentLastScan = all.some((one) => one.record.devPresentLastScan === 1) ? 1 : 0;
  // It was archived as gone for good; but it came back, under another MAC.
  if (!set.has('devIsArchived') && all.some((one) => one.record.devIsArchived === 0)) record.devIsArchived = 0;

  const { byPerson: _, observed: __, ...rest } = owner;
  const fields = sharedFields([...set]);
  const device = { ...rest, record: record as DeviceRecord, ...(fields.length === 0 ? {} : { byPerson: fields }) };
  const whole = withMembers(device, members, now);
  const isSeen = all.some((one) => one.sightings !== undefined);
  return recognized({ ...(isSeen ? withPresence(whole, ALL_HEARD) : whole), observed: observedOf(all) });
}

/** The observations of all: of each agent those of the device that was seen last. */
function observedOf(all: readonly StoredDevice[]): Observed {
  const byTime = [...all].sort((a, b) => (a.record.devLastConnection < b.record.devLastConnection ? -1 : 1));
  return Object.assign({}, ...byTime.map(({ observed }) => unpackObserved(observed)));
}

/** The device without some of its other MACs. Its state stays if no agent has seen any of the rest. */
export function withoutMembers(owner: StoredDevice, macs: ReadonlySet<DeviceKey>, now: Date): StoredDevice {
  const all = owner.joined ?? {};
  const left = Object.fromEntries(Object.entries(all).filter(([mac]) => !macs.has(mac)));
  const after = withMembers(owner, left, now);
  if (owner.sightings === undefined && othersOf(owner).every(([, one]) => Object.keys(one.sightings).length === 0))
    return after;
  const own = all[owner.key]?.ip ?? '';
  const record = { ...after.record };
  if (after.joined === undefined && own !== '') record.devLastIP = own;
  return withPresence({ ...after, record }, ALL_HEARD);
}

/** A MAC as a device of its own: as when it was joined, if kept, plus what was seen since; not joined automatically again. */
export function asOwnDevice(mac: DeviceKey, member: Member, former: StoredDevice): StoredDevice {
  const { sightings, ip, seenAt } = member;
  const record: DeviceRecord = { ...former.record, devMac: mac };
  const seen = formatTime(new Date(seenAt));
  if (seenAt > 0 && seen > record.devLastConnection) record.devLastConnection = seen;
  if (ip !== '') record.devLastIP = ip;
  if (Object.keys(sightings).length > 0) record.devPresentLastScan = isReportedOnline(sightings) ? 1 : 0;
  return {
    ...former,
    key: mac,
    record,
    ...(Object.keys(sightings).length === 0 ? {} : { sightings }),
    byPerson: alsoApart(former),
  };
}

/** What people have set on a device, including that it is apart from others. */
export function alsoApart({ byPerson = [] }: StoredDevice): readonly DeviceField[] {
  return sharedFields([...new Set([...byPerson, APART])]);
}

/** For the history of a device: MACs were joined with it, or split from it. */
export function occurrenceOf(
  type: 'joined' | 'split',
  device: DeviceKey,
  macs: readonly DeviceKey[],
  at: Date,
): Occurrence {
  const detail = { macs: macs.slice(0, 27).join(',') }; // As many as fit into the detail of an event.
  return { type, at: Math.floor(at.getTime() / 1000), device, detail, count: macs.length };
}
