/**
 * Merges an agent's sightings into a collection. They may arrive repeated, late and in any order: of what one agent reports on
 * a device, the newest counts, and repeating it changes nothing. What a person has set stays.
 */
import { RELEARN_MS, type Sighting, type SightingsBatch } from '../../shared/agent/discovery.ts';
import { MAX_OBSERVATION_CHARACTERS, type Observation, REPORTED_OTHERWISE } from '../../shared/agent/observations.ts';
import { BLANK_DEVICE, type DeviceField, type DeviceRecord, INTERNET, UNKNOWN_NAMES } from '../../shared/device.ts';
import { startOf } from '../../shared/text.ts';
import type { Change } from '../devices/collection/change-row.ts';
import {
  type DeviceKey,
  isSameDevice,
  type LastSighting,
  type Sightings,
  type StoredDevice,
} from '../devices/collection/device-codec.ts';
import { type Observed, SCANS, unpackObserved } from '../devices/collection/observed.ts';
import type { Snapshot } from '../devices/collection/snapshot.ts';
import { APART, withMembers } from '../devices/members.ts';
import { placed, placementOf } from '../devices/placements.ts';
import { currentMac, type Hearing, withPresence } from '../devices/presence.ts';
import { recognized } from '../devices/recognized.ts';
import { formatTime } from '../devices/time.ts';
import { autoJoin } from './auto-join.ts';
import { observedFields } from './observed-fields.ts';

export interface Source {
  /** The agent's name within its site. */
  agent: string;
  /** All agents of the site by name, and whether each is connected. */
  agents: ReadonlyMap<string, { connected: boolean }>;
  now: Date;
  /** Whether the sightings are of a time before the agent's present ones of these devices. */
  isEarlier?: boolean;
  /** Deleted devices that become new again by being seen. Default: none. */
  deleted?: ReadonlySet<DeviceKey>;
  /** Whether devices get the parents that the evidence shows, as the site is set. Default: no. */
  acceptParents?: boolean;
  /** As the site is set; default: 7. */
  archiveRandomAfterDays?: number | undefined;
}

/** Discovery adds no devices beyond this: more than a network has, and a limit for an agent that invents them. */
export const MAX_DISCOVERED = 20_000;

/** Days until a vanished device with a randomized MAC is archived, unless a person has set anything on it: it has another MAC. */
const ARCHIVE_RANDOM_AFTER_DAYS = 7;

/** The devices that a batch changes, when the agent noticed that, and how many new devices were rejected. */
export function mergeSightings(
  snapshot: Snapshot,
  batch: SightingsBatch,
  source: Source,
): Required<Pick<Change, 'put' | 'remove' | 'noticed' | 'occurrences'>> & { refused: number } {
  const gateway = gatewayOf(snapshot, batch);
  let room = MAX_DISCOVERED - snapshot.size;
  let refused = 0;
  const put = new Map<DeviceKey, StoredDevice>();
  const findMerged = (mac: string) => put.get(snapshot.deviceOf(mac)?.key ?? mac) ?? snapshot.deviceOf(mac);
  const noticed = new Map<DeviceKey, number>();
  for (const sighting of batch.sightings) {
    const before = snapshot.deviceOf(sighting.mac);
    // Another of its MACs may be in the same message.
    const known = before && (put.get(before.key) ?? before);
    // A deleted device does not come back by being reported offline, nor by a lease.
    const isKnownByLease = sighting.unmonitored === true && source.deleted?.has(sighting.mac) !== true;
    if (known === undefined && !sighting.online && !isKnownByLease) continue;
    if (known === undefined && room-- <= 0) {
      refused++;
      continue;
    }
    const sighted = withSighting(known, sighting, batch.epoch, source);
    // Even an old report may count differently by now: another agent has come or gone.
    const merged = belowGateway(sighted ?? (known && reconsidered(known, source)), gateway);
    const placement = merged && source.acceptParents ? placementOf(merged, findMerged) : null;
    const after = placement === null ? merged : placed(placement);
    if (after === undefined || after === known) continue;
    put.set(after.key, after);
    if (sighted !== undefined) noticed.set(after.key, noticedAt(sighting, known, after, source));
  }
  for (const device of forgotten(snapshot, put, batch, source)) put.set(device.key, device);
  for (const device of vanished(snapshot, put, batch, source)) put.set(device.key, device);
  const { remove, occurrences } = autoJoin(snapshot, put, source.now);
  return { put: [...put.values()], remove, occurrences, noticed, refused };
}

/** When the agent noticed the change (Unix, ms): now for a deleted device, however long the agent has known it. */
function noticedAt(
  { changedAt, since, mac }: Sighting,
  known: StoredDevice | undefined,
  after: StoredDevice,
  { now, deleted }: Source,
): number {
  if (deleted?.has(mac) === true) return now.getTime();
  const presenceChanged = known?.record.devPresentLastScan !== after.record.devPresentLastScan;
  return Math.min(changedAt ?? (presenceChanged ? since : now.getTime()), now.getTime());
}

/** The device after a sighting of one of its MACs; undefined when the agent has already reported the same or something newer. */
function withSighting(
  known: StoredDevice | undefined,
  sighting: Sighting,
  epoch: number,
  source: Source,
): StoredDevice | undefined {
  const { mac, online, n } = sighting;
  const reported = sightingsOf(known, mac);
  const last = reported[source.agent];
  if (last !== undefined && !isNewer({ epoch, n }, last) && source.isEarlier !== true) return undefined;
  const now = source.now.getTime();
  const since = Math.min(sighting.since, now);
  const seen = Math.min(sighting.seenAt, now);
  const isSet = (field: DeviceField) => known?.byPerson?.includes(field) ?? false;
  // Devices found by the first scan of a network are not marked as new.
  const unknown: DeviceRecord = { ...BLANK_DEVICE, devMac: mac, devIsNew: sighting.baseline ? 0 : 1 };
  const record: DeviceRecord = { ...(known?.record ?? unknown) };
  const isUnmonitored = sighting.unmonitored === true;
  if (!isUnmonitored) {
    const seenAt = formatTime(new Date(seen));
    if (seenAt > record.devLastConnection) record.devLastConnection = seenAt;
    if (record.devFirstConnection === '') record.devFirstConnection = formatTime(new Date(since));
  }
  if (known === undefined) record.devName = UNKNOWN_NAMES[0] ?? '';
  // It was archived automatically because it seemed to be gone for good.
  if (online && record.devRandomMAC === 1 && !isSet('devIsArchived')) record.devIsArchived = 0;
  const base = { ...known, key: known?.key ?? mac, record };
  const hearing = hearingOf(source);
  const { [source.agent]: former, ...others } = reported;
  const reports = (sightings: Sightings) =>
    withPresence(withSightings(base, mac, sightings, { ip: sighting.ip, seen }, source.now), hearing);
  let device: StoredDevice = base;
  if (!isUnmonitored) device = reports({ ...others, [source.agent]: { epoch, n, online, since } });
  // A lease is no report of presence, and an agent that has no more does not see the device any longer.
  else if (former !== undefined) device = reports(others);
  // Only the MAC that the device uses now describes it; that another one has gone means nothing.
  const current = known?.joined === undefined ? mac : currentMac(device, hearing);
  if (current !== mac && (online || current !== null)) return device;
  const { devRandomMAC, ...fields } = observedFields(sighting);
  const observed = { ...fields, ...(mac === device.key ? { devRandomMAC } : {}) };
  const after: DeviceRecord = { ...device.record };
  if (sighting.ip !== null) after.devLastIP = sighting.ip;
  for (const [field, value] of Object.entries(observed) as [DeviceField, never][]) {
    if (!isSet(field)) after[field] = value;
  }
  const changed = recognized({ ...device, record: after, observed: withObservations(known, sighting, source) });
  // Without a report, nothing but its content shows whether a sighting is new.
  return isUnmonitored && known !== undefined && isSameDevice(known, changed) ? known : changed;
}

/**
 * The next earlier step of each device that has gone or come while the agent was cut off: it reports such absences together
 * with the present state. As a batch of its own a step becomes events, and part of an outage, as it would have then.
 * @returns null when there is none: a batch whose steps are stored has none left
 */
export function earlierSteps(
  snapshot: Snapshot,
  { epoch, n, sightings }: SightingsBatch,
  { agent, now }: Pick<Source, 'agent' | 'now'>,
): SightingsBatch | null {
  const steps: Sighting[] = [];
  const last: Sighting[] = [];
  for (const sighting of sightings) {
    const { absences = [], observations: _, baseline: __, ...others } = sighting;
    const reported = sightingsOf(snapshot.deviceOf(sighting.mac), sighting.mac)[agent];
    if (reported === undefined || reported.epoch !== epoch || !isNewer({ epoch, n: sighting.n }, reported)) continue;
    const step = absences
      .flatMap(([from, seenAt, to]) => [
        { online: false, since: from, seenAt },
        { online: true, since: to, seenAt: to },
      ])
      // None of the future: it would be stored with the present time, and found again.
      .filter(({ since }) => since > reported.since && since < sighting.since && since <= now.getTime())
      .find(({ online }) => online !== reported.online);
    if (step !== undefined) steps.push({ ...others, ...step, n: reported.n, changedAt: step.since });
    else if (sighting.online !== reported.online) last.push(sighting);
  }
  if (steps.length === 0) return null;
  // Devices that have gone with them, and are still gone, belong to them.
  const until = Math.max(...steps.map(({ since }) => since));
  return { epoch, n, covers: null, sightings: [...steps, ...last.filter(({ since }) => since <= until)] };
}

/** The agents' last reports on one MAC of a device. */
function sightingsOf(device: StoredDevice | undefined, mac: DeviceKey): Sightings {
  if (device === undefined || device.key === mac) return device?.sightings ?? {};
  return device.joined?.[mac]?.sightings ?? {};
}

function withSightings(
  device: StoredDevice,
  mac: DeviceKey,
  sightings: Sightings,
  { ip, seen }: { ip: string | null; seen: number },
  now: Date,
): StoredDevice {
  const { joined } = device;
  if (joined === undefined) return { ...device, sightings };
  const isOwn = mac === device.key;
  const former = joined[mac] ?? { joinedAt: now.getTime(), seenAt: 0, ip: '', sightings: {} };
  const member = { ...former, seenAt: Math.max(former.seenAt, seen), ip: ip ?? former.ip };
  const members = { ...joined, [mac]: { ...member, sightings: isOwn ? {} : sightings } };
  return withMembers({ ...device, ...(isOwn ? { sightings } : {}) }, members, now);
}

/** The observations of a device with this agent's present ones, without those of removed agents. */
function withObservations(
  known: StoredDevice | undefined,
  sighting: Sighting,
  { agent, agents, now }: Source,
): Observed {
  const { [agent]: former = [], ...others } = unpackObserved(known?.observed);
  const at = Math.min(sighting.changedAt ?? now.getTime(), now.getTime());
  const fields = fieldsAsObservations(sighting).map((each) => ({
    ...each,
    at: former.find(({ source, value }) => source === each.source && value === each.value)?.at ?? at,
  }));
  const observations = sighting.observations ?? former.filter(({ source }) => !REPORTED_OTHERWISE.has(source));
  // Names seen with another of its MACs stay until this one has a name.
  const sources = new Set(fields.map(({ source }) => source));
  const kept =
    known?.joined === undefined
      ? []
      : former.filter(({ source }) => REPORTED_OTHERWISE.has(source) && source !== 'gateway' && !sources.has(source));
  const present = Object.entries(others).filter(([observer]) => observer === SCANS || agents.has(observer));
  return { ...Object.fromEntries(present), [agent]: [...fields, ...kept, ...observations] };
}

/** The observations that a sighting has in fields of their own. */
function fieldsAsObservations({ name, vendor, gateway, ip }: Sighting): Omit<Observation, 'at'>[] {
  return [
    ...(name === undefined ? [] : [{ source: name.source, value: startOf(name.text, MAX_OBSERVATION_CHARACTERS) }]),
    ...(vendor === undefined ? [] : [{ source: 'mac-vendor' as const, value: vendor }]),
    ...(gateway !== true || ip === null ? [] : [{ source: 'gateway' as const, value: ip }]),
  ];
}

/** Connected agents count, and the one that reports. */
function hearingOf({ agent, agents }: Source): Hearing {
  return {
    isKnown: (name) => agents.has(name),
    isHeard: (name) => name === agent || agents.get(name)?.connected === true,
  };
}

/** The device with the presence that follows from all reports; the same object when that is unchanged. */
function reconsidered(device: StoredDevice, source: Source): StoredDevice {
  const after = withPresence(device, hearingOf(source));
  return after.record.devPresentLastScan === device.record.devPresentLastScan ? device : after;
}

const isNewer = (a: Pick<LastSighting, 'epoch' | 'n'>, b: Pick<LastSighting, 'epoch' | 'n'>) =>
  a.epoch > b.epoch || (a.epoch === b.epoch && a.n > b.n);

/** The device through which the others reach other networks: the root of the topology. */
function gatewayOf(snapshot: Snapshot, { sightings }: SightingsBatch): string | null {
  const seen = sightings.find(({ gateway, online }) => gateway === true && online);
  if (seen !== undefined) return snapshot.deviceOf(seen.mac)?.key ?? seen.mac;
  const isRoot = ({ record }: StoredDevice) => record.devParentMAC === INTERNET && record.devMac !== '';
  return snapshot.derive('gateway', (devices) => devices.find(isRoot)?.key ?? null);
}

/** A device without a parent hangs on the gateway, and the gateway on the internet. */
function belowGateway(device: StoredDevice | undefined, gateway: string | null): StoredDevice | undefined {
  if (device === undefined || gateway === null || device.record.devParentMAC !== '') return device;
  if (device.byPerson?.includes('devParentMAC') || device.key === INTERNET) return device;
  return { ...device, record: { ...device.record, devParentMAC: device.key === gateway ? INTERNET : gateway } };
}

/** The devices that a digest lacks although the agent once reported them: dropped, or unseen since it lost its state. */
function forgotten(
  snapshot: Snapshot,
  changed: ReadonlyMap<DeviceKey, StoredDevice>,
  batch: SightingsBatch,
  source: Source,
): StoredDevice[] {
  const { covers, epoch, sightings } = batch;
  if (covers === null) return [];
  const [from, to] = covers;
  const hasRelearned = source.now.getTime() - epoch >= RELEARN_MS;
  const seen = new Set(sightings.map(({ mac }) => mac));
  const othersOf = (mac: DeviceKey, said: Sightings = {}): Sightings | null => {
    const { [source.agent]: last, ...others } = said;
    const isForgotten =
      last !== undefined &&
      isNewer(batch, last) &&
      (last.epoch === epoch || hasRelearned) &&
      from <= mac &&
      mac <= to &&
      !seen.has(mac);
    return isForgotten ? others : null;
  };
  return snapshot.devices.flatMap((known) => {
    const device = changed.get(known.key) ?? known;
    const own = othersOf(device.key, device.sightings);
    const members = Object.entries(device.joined ?? {}).flatMap(([mac, member]) => {
      const sightings = othersOf(mac, member.sightings);
      return sightings === null ? [] : [[mac, { ...member, sightings }] as const];
    });
    if (own === null && members.length === 0) return [];
    const after: StoredDevice = { ...device, ...(own === null ? {} : { sightings: own }) };
    if (members.length > 0) after.joined = { ...device.joined, ...Object.fromEntries(members) };
    return [withPresence(after, hearingOf(source))];
  });
}

/** The devices in the range of a digest with a randomized MAC that are gone for good, archived. */
function vanished(
  snapshot: Snapshot,
  changed: ReadonlyMap<DeviceKey, StoredDevice>,
  { covers }: SightingsBatch,
  { now, archiveRandomAfterDays = ARCHIVE_RANDOM_AFTER_DAYS }: Source,
): StoredDevice[] {
  if (covers === null) return [];
  const [from, to] = covers;
  const before = formatTime(new Date(now.getTime() - archiveRandomAfterDays * 86_400_000));
  return snapshot.devices.flatMap((known) => {
    if (known.key < from || known.key > to) return [];
    const device = changed.get(known.key) ?? known;
    // Joined devices stay, because people have joined them.
    if (device.byPerson?.some((field) => field !== APART) || device.joined !== undefined) return [];
    const { devRandomMAC, devIsArchived, devPresentLastScan, devLastConnection } = device.record;
    const isGone = devRandomMAC === 1 && devIsArchived === 0 && devPresentLastScan === 0 && devLastConnection < before;
    return isGone ? [{ ...device, record: { ...device.record, devIsArchived: 1 } }] : [];
  });
}
