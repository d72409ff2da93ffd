/** Whether a device is there, by what agents have said last of each of its MACs. */
import type { DeviceKey, LastSighting, Member, Sightings, StoredDevice } from './collection/device-codec.ts';

/** Which agents there are, and which of them are heard now. */
export interface Hearing {
  isKnown(agent: string): boolean;
  isHeard(agent: string): boolean;
}

/** As if all agents were heard: for who knows none of them. */
export const ALL_HEARD: Hearing = { isKnown: () => true, isHeard: () => true };

/** One MAC of a device. */
interface OneMac {
  mac: DeviceKey;
  member: Member | undefined;
  sightings: Sightings;
  /** Whether it is there; null when nobody who knows it is heard. */
  online: boolean | null;
  /** Whether any agent said last that it is there, and since when. */
  saidOnline: number | null;
}

/**
 * Online if an agent that is heard says so of any of its MACs; offline if all that are heard say so. Where nobody who knows it
 * is heard, it keeps the state that it had. The address is that of the MAC that came last. What agents have said that are
 * gone is dropped.
 */
export function withPresence(device: StoredDevice, hearing: Hearing): StoredDevice {
  const macs = macsOf(device, hearing);
  const wasOnline = device.record.devPresentLastScan === 1;
  const isUnheard = macs.every(({ online }) => online !== true) && macs.some(({ online }) => online === null);
  const isKept = isUnheard && wasOnline && (device.joined === undefined || macs.some(isLeftOnline));
  const online = isKept || macs.some(({ online }) => online === true);
  const { sightings: _, joined: __, ...rest } = device;
  const own = macs[0]?.sightings ?? {};
  return {
    ...rest,
    ...(Object.keys(own).length === 0 ? {} : { sightings: own }),
    ...(device.joined === undefined ? {} : { joined: joinedOf(macs) }),
    record: {
      ...device.record,
      devPresentLastScan: online ? 1 : 0,
      ...(device.joined === undefined || !online
        ? {}
        : { devLastIP: currentOf(macs)?.member?.ip || device.record.devLastIP }),
    },
  };
}

/** The MAC that a device of several uses now: of those that are there the one that came last. Null when none is. */
export function currentMac(device: StoredDevice, hearing: Hearing): DeviceKey | null {
  return currentOf(macsOf(device, hearing))?.mac ?? null;
}

/** Whether an agent said last that the MAC is there. */
export function isSaidOnline(sightings: Sightings): boolean {
  return Object.values(sightings).some(({ online }) => online);
}

const isLeftOnline = ({ online, saidOnline }: OneMac) => online === null && saidOnline !== null;

function currentOf(macs: readonly OneMac[]): OneMac | undefined {
  return macs
    .filter((one) => one.online === true || isLeftOnline(one))
    .reduce<OneMac | undefined>(
      (last, one) => (last === undefined || (one.saidOnline ?? 0) > (last.saidOnline ?? 0) ? one : last),
      undefined,
    );
}

/** Its own MAC first. */
function macsOf({ key, sightings, joined = {} }: StoredDevice, hearing: Hearing): OneMac[] {
  const others = Object.entries(joined).filter(([mac]) => mac !== key);
  return [
    oneMac(key, sightings ?? {}, joined[key], hearing),
    ...others.map(([mac, member]) => oneMac(mac, member.sightings, member, hearing)),
  ];
}

function oneMac(mac: DeviceKey, all: Sightings, member: Member | undefined, hearing: Hearing): OneMac {
  const said: [string, LastSighting][] = Object.entries(all).filter(([agent]) => hearing.isKnown(agent));
  const heard = said.filter(([agent]) => hearing.isHeard(agent));
  const online = heard.length === 0 && said.length > 0 ? null : heard.some(([, last]) => last.online);
  const since = said.flatMap(([, last]) => (last.online ? [last.since] : []));
  return {
    mac,
    member,
    sightings: said.length === Object.keys(all).length ? all : Object.fromEntries(said),
    online,
    saidOnline: since.length === 0 ? null : Math.max(...since),
  };
}

/** The members without what agents have said that are gone. */
function joinedOf([own, ...others]: readonly OneMac[]): Record<DeviceKey, Member> {
  const all = [...(own === undefined ? [] : [{ ...own, sightings: {} }]), ...others];
  return Object.fromEntries(
    all.flatMap(({ mac, member, sightings }) => (member === undefined ? [] : [[mac, { ...member, sightings }]])),
  );
}
