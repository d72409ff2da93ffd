/** Whether a device is online, by the last report of each agent on each of its MACs. */
import type { DeviceKey, LastSighting, Member, Sightings, StoredDevice } from './collection/device-codec.ts';

/** Which agents exist, and which of them are connected now. */
export interface Hearing {
  isKnown(agent: string): boolean;
  isHeard(agent: string): boolean;
}

/** Treats all agents as connected: for callers that do not know them. */
export const ALL_HEARD: Hearing = { isKnown: () => true, isHeard: () => true };

interface OneMac {
  mac: DeviceKey;
  member: Member | undefined;
  sightings: Sightings;
  /** Null when no agent that has reported on it is connected. */
  online: boolean | null;
  /** Since when an agent's last report has it online; null when none has. */
  reportedOnline: number | null;
}

/**
 * Online if a connected agent reports any of its MACs online; offline if all connected ones report it offline. Without a
 * connected agent that has reported on it, the state stays as it was. The address is that of the MAC that came last.
 * Reports of removed agents are dropped.
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

/** The MAC that a device with several uses now: among those online the one that came last. Null when none is online. */
export function currentMac(device: StoredDevice, hearing: Hearing): DeviceKey | null {
  return currentOf(macsOf(device, hearing))?.mac ?? null;
}

/** Whether any agent's last report has the MAC online. */
export function isReportedOnline(sightings: Sightings): boolean {
  return Object.values(sightings).some(({ online }) => online);
}

const isLeftOnline = ({ online, reportedOnline }: OneMac) => online === null && reportedOnline !== null;

function currentOf(macs: readonly OneMac[]): OneMac | undefined {
  const online = macs.filter((one) => one.online === true || isLeftOnline(one));
  return online.sort((a, b) => (b.reportedOnline ?? 0) - (a.reportedOnline ?? 0))[0];
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
  const known: [string, LastSighting][] = Object.entries(all).filter(([agent]) => hearing.isKnown(agent));
  const heard = known.filter(([agent]) => hearing.isHeard(agent));
  const online = heard.length === 0 && known.length > 0 ? null : heard.some(([, last]) => last.online);
  const since = known.flatMap(([, last]) => (last.online ? [last.since] : []));
  return {
    mac,
    member,
    sightings: known.length === Object.keys(all).length ? all : Object.fromEntries(known),
    online,
    reportedOnline: since.length === 0 ? null : Math.max(...since),
  };
}

function joinedOf([own, ...others]: readonly OneMac[]): Record<DeviceKey, Member> {
  const all = [...(own === undefined ? [] : [{ ...own, sightings: {} }]), ...others];
  return Object.fromEntries(
    all.flatMap(({ mac, member, sightings }) => (member === undefined ? [] : [[mac, { ...member, sightings }]])),
  );
}
