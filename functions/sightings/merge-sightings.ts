/**
 * What becomes of a collection by what an agent has seen. Sightings may come repeated, late and in any order: of what one
 * agent says of a device, the newest counts, and saying it again changes nothing. What a person has set stays.
 */
import { RELEARN_MS, type Sighting, type SightingsBatch } from '../../shared/agent/discovery.ts';
import { MAX_OBSERVATION_CHARACTERS, type Observation, TOLD_OTHERWISE } from '../../shared/agent/observations.ts';
import { BLANK_DEVICE, type DeviceField, type DeviceRecord, INTERNET, UNKNOWN_NAMES } from '../../shared/device.ts';
import { startOf } from '../../shared/text.ts';
import type { Change } from '../devices/collection/change-row.ts';
import type { DeviceKey, LastSighting, Sightings, StoredDevice } from '../devices/collection/device-codec.ts';
import { type Observed, SCANS, unpackObserved } from '../devices/collection/observed.ts';
import type { Snapshot } from '../devices/collection/snapshot.ts';
import { APART, withMembers } from '../devices/members.ts';
import { placed, placementOf } from '../devices/placements.ts';
import { currentMac, type Hearing, withPresence } from '../devices/presence.ts';
import { recognized } from '../devices/recognized.ts';
import { formatTime } from '../devices/time.ts';
import { joinByThemselves } from './join-by-themselves.ts';
import { observedFields } from './observed-fields.ts';

export interface Source {
  /** Name of the agent within its site. */
  agent: string;
  /** Names of all agents of the site, and whether each is connected. */
  agents: ReadonlyMap<string, { connected: boolean }>;
  now: Date;
  /** Whether the sightings are about the time before what the agent says of these devices now. */
  isEarlier?: boolean;
  /** Devices that were deleted, and are new again now that they are seen. Default: none. */
  deleted?: ReadonlySet<DeviceKey>;
  /** Whether devices are put where the evidence shows them, as the site has set it. Default: no. */
  acceptParents?: boolean;
  /** As the site has set it. */
  archiveRandomAfterDays?: number | undefined;
}

/**
 * Discovery adds no devices to a collection that has as many: more than a network of this size has, and a bound for an
 * agent that makes them up.
 */
export const MAX_DISCOVERED = 20_000;

/**
 * A device that made its MAC up and does not come back: it has made another one up since. After so many days it is archived,
 * unless a person has ever set anything of it, or the site wants another time.
 */
const ARCHIVE_MADE_UP_AFTER_DAYS = 7;

/** The devices that are different after a batch, when that was noticed, and how many devices would be too many. */
export function mergeSightings(
  snapshot: Snapshot,
  batch: SightingsBatch,
  source: Source,
): Required<Pick<Change, 'put' | 'remove' | 'noticed' | 'told'>> & { refused: number } {
  const gateway = gatewayOf(snapshot, batch);
  let room = MAX_DISCOVERED - snapshot.size;
  let refused = 0;
  const put = new Map<DeviceKey, StoredDevice>();
  const findMerged = (mac: string) => put.get(snapshot.deviceOf(mac)?.key ?? mac) ?? snapshot.deviceOf(mac);
  const noticed = new Map<DeviceKey, number>();
  for (const sighting of batch.sightings) {
    const before = snapshot.deviceOf(sighting.mac);
    // Another of its MACs may have been told of in the same message.
    const known = before && (put.get(before.key) ?? before);
    // A device that somebody has deleted does not come back because it is still gone.
    if (known === undefined && !sighting.online) continue;
    if (known === undefined && room-- <= 0) {
      refused++;
      continue;
    }
    const told = withSighting(known, sighting, batch.epoch, source);
    // What the agent has said before may mean something else by now: another agent has come or gone.
    const merged = belowGateway(told ?? (known && reconsidered(known, source)), gateway);
    const placement = merged && source.acceptParents ? placementOf(merged, findMerged) : null;
    const after = placement === null ? merged : placed(placement);
    if (after === undefined || after === known) continue;
    put.set(after.key, after);
    if (told !== undefined) noticed.set(after.key, noticedAt(sighting, known, after, source));
  }
  for (const device of forgotten(snapshot, put, batch, source)) put.set(device.key, device);
  for (const device of outlived(snapshot, put, batch, source)) put.set(device.key, device);
  const { remove, told } = joinByThemselves(snapshot, put, source.now);
  return { put: [...put.values()], remove, told, noticed, refused };
}

/**
 * When the agent noticed what makes the device another one (Unix, ms). That a deleted device is there again is noticed now,
 * however long the agent has known it.
 */
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

/** The device after one sighting of one of its MACs; undefined when the agent has said something newer already, or just that. */
function withSighting(
  known: StoredDevice | undefined,
  sighting: Sighting,
  epoch: number,
  source: Source,
): StoredDevice | undefined {
  const { mac, online, n } = sighting;
  const said = saidOf(known, mac);
  const last = said[source.agent];
  if (last !== undefined && !isNewer({ epoch, n }, last) && source.isEarlier !== true) return undefined;
  const now = source.now.getTime();
  const since = Math.min(sighting.since, now);
  const seen = Math.min(sighting.seenAt, now);
  const isSet = (field: DeviceField) => known?.byPerson?.includes(field) ?? false;
  // What the first look at a network finds is no news: it was there before anybody looked.
  const unknown: DeviceRecord = { ...BLANK_DEVICE, devMac: mac, devIsNew: sighting.baseline ? 0 : 1 };
  const record: DeviceRecord = { ...(known?.record ?? unknown) };
  const seenAt = formatTime(new Date(seen));
  if (seenAt > record.devLastConnection) record.devLastConnection = seenAt;
  if (record.devFirstConnection === '') record.devFirstConnection = formatTime(new Date(since));
  if (known === undefined) record.devName = UNKNOWN_NAMES[0] ?? '';
  // It was archived because it seemed to be gone for good, and nobody has asked for that.
  if (online && record.devRandomMAC === 1 && !isSet('devIsArchived')) record.devIsArchived = 0;
  const sightings = { ...said, [source.agent]: { epoch, n, online, since } };
  const hearing = hearingOf(source);
  const device = withPresence(
    withSightingsOf(
      { ...known, key: known?.key ?? mac, record },
      mac,
      sightings,
      { ip: sighting.ip, seen },
      source.now,
    ),
    hearing,
  );
  // Of several MACs, the one that the device uses now says what it is; that another one has gone says nothing.
  const current = known?.joined === undefined ? mac : currentMac(device, hearing);
  if (current !== mac && (online || current !== null)) return device;
  const { devRandomMAC, ...fields } = observedFields(sighting);
  const told = { ...fields, ...(mac === device.key ? { devRandomMAC } : {}) };
  const after: DeviceRecord = { ...device.record };
  if (sighting.ip !== null) after.devLastIP = sighting.ip;
  for (const [field, value] of Object.entries(told) as [DeviceField, never][]) {
    if (!isSet(field)) after[field] = value;
  }
  return recognized({ ...device, record: after, observed: withObservations(known, sighting, source) });
}

/**
 * The next step of each device, when some have gone or come without being told: an agent that was cut off says that with how
 * they are now. As a batch of its own it becomes events, and part of an outage, as it would have then.
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
    const said = saidOf(snapshot.deviceOf(sighting.mac), sighting.mac)[agent];
    if (said === undefined || said.epoch !== epoch || !isNewer({ epoch, n: sighting.n }, said)) continue;
    const step = absences
      .flatMap(([from, seenAt, to]) => [
        { online: false, since: from, seenAt },
        { online: true, since: to, seenAt: to },
      ])
      // None of the future: it would be stored as of now, and come again.
      .filter(({ since }) => since > said.since && since < sighting.since && since <= now.getTime())
      .find(({ online }) => online !== said.online);
    if (step !== undefined) steps.push({ ...others, ...step, n: said.n, changedAt: step.since });
    else if (sighting.online !== said.online) last.push(sighting);
  }
  if (steps.length === 0) return null;
  // Who has gone with them, and is still gone, belongs to them.
  const until = Math.max(...steps.map(({ since }) => since));
  return { epoch, n, covers: null, sightings: [...steps, ...last.filter(({ since }) => since <= until)] };
}

/** What agents have said of one MAC of a device. */
function saidOf(device: StoredDevice | undefined, mac: DeviceKey): Sightings {
  if (device === undefined || device.key === mac) return device?.sightings ?? {};
  return device.joined?.[mac]?.sightings ?? {};
}

/** The device with what agents say of one of its MACs. */
function withSightingsOf(
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

/** What was observed of a device, with what an agent says of it now, and without what agents have said that are gone. */
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
  const told = sighting.observations ?? former.filter(({ source }) => !TOLD_OTHERWISE.has(source));
  // By another of its MACs it was called something, of which this one says nothing yet.
  const sources = new Set(fields.map(({ source }) => source));
  const kept =
    known?.joined === undefined
      ? []
      : former.filter(({ source }) => TOLD_OTHERWISE.has(source) && source !== 'gateway' && !sources.has(source));
  const whose = Object.entries(others).filter(([who]) => who === SCANS || agents.has(who));
  return { ...Object.fromEntries(whose), [agent]: [...fields, ...kept, ...told] };
}

/** What a sighting says of a device in fields of its own. */
function fieldsAsObservations({ name, vendor, gateway, ip }: Sighting): Omit<Observation, 'at'>[] {
  return [
    ...(name === undefined ? [] : [{ source: name.source, value: startOf(name.text, MAX_OBSERVATION_CHARACTERS) }]),
    ...(vendor === undefined ? [] : [{ source: 'mac-vendor' as const, value: vendor }]),
    ...(gateway !== true || ip === null ? [] : [{ source: 'gateway' as const, value: ip }]),
  ];
}

/** Agents that are connected are heard, and so is the one that speaks. */
function hearingOf({ agent, agents }: Source): Hearing {
  return {
    isKnown: (name) => agents.has(name),
    isHeard: (name) => name === agent || agents.get(name)?.connected === true,
  };
}

/** The device with the presence that follows from what agents have said; itself when that is the one it has. */
function reconsidered(device: StoredDevice, source: Source): StoredDevice {
  const after = withPresence(device, hearingOf(source));
  return after.record.devPresentLastScan === device.record.devPresentLastScan ? device : after;
}

const isNewer = (a: Pick<LastSighting, 'epoch' | 'n'>, b: Pick<LastSighting, 'epoch' | 'n'>) =>
  a.epoch > b.epoch || (a.epoch === b.epoch && a.n > b.n);

/** The device through which the others reach other networks: the topology has its root there. */
function gatewayOf(snapshot: Snapshot, { sightings }: SightingsBatch): string | null {
  const seen = sightings.find(({ gateway, online }) => gateway === true && online);
  if (seen !== undefined) return snapshot.deviceOf(seen.mac)?.key ?? seen.mac;
  return snapshot.derive(
    'gateway',
    (devices) => devices.find(({ record }) => record.devParentMAC === INTERNET && record.devMac !== '')?.key ?? null,
  );
}

/** A device that nobody has put anywhere hangs on the gateway, and the gateway on the internet. */
function belowGateway(device: StoredDevice | undefined, gateway: string | null): StoredDevice | undefined {
  if (device === undefined || gateway === null || device.record.devParentMAC !== '') return device;
  if (device.byPerson?.includes('devParentMAC') || device.key === INTERNET) return device;
  return { ...device, record: { ...device.record, devParentMAC: device.key === gateway ? INTERNET : gateway } };
}

/**
 * The devices that a digest lacks although the agent once knew them: it has dropped them, or lost them with everything
 * that it knew and not seen them again since.
 */
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
  const left = (mac: DeviceKey, said: Sightings = {}): Sightings | null => {
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
    const own = left(device.key, device.sightings);
    const members = Object.entries(device.joined ?? {}).flatMap(([mac, member]) => {
      const sightings = left(mac, member.sightings);
      return sightings === null ? [] : [[mac, { ...member, sightings }] as const];
    });
    if (own === null && members.length === 0) return [];
    const after: StoredDevice = { ...device, ...(own === null ? {} : { sightings: own }) };
    if (members.length > 0) after.joined = { ...device.joined, ...Object.fromEntries(members) };
    return [withPresence(after, hearingOf(source))];
  });
}

/** The devices in the range of a digest that made their MAC up and are gone for good, archived. */
function outlived(
  snapshot: Snapshot,
  changed: ReadonlyMap<DeviceKey, StoredDevice>,
  { covers }: SightingsBatch,
  { now, archiveRandomAfterDays = ARCHIVE_MADE_UP_AFTER_DAYS }: Source,
): StoredDevice[] {
  if (covers === null) return [];
  const [from, to] = covers;
  const before = formatTime(new Date(now.getTime() - archiveRandomAfterDays * 86_400_000));
  return snapshot.devices.flatMap((known) => {
    if (known.key < from || known.key > to) return [];
    const device = changed.get(known.key) ?? known;
    // What people have joined they want to keep.
    if (device.byPerson?.some((field) => field !== APART) || device.joined !== undefined) return [];
    const { devRandomMAC, devIsArchived, devPresentLastScan, devLastConnection } = device.record;
    const isOutlived =
      devRandomMAC === 1 && devIsArchived === 0 && devPresentLastScan === 0 && devLastConnection < before;
    return isOutlived ? [{ ...device, record: { ...device.record, devIsArchived: 1 } }] : [];
  });
}
