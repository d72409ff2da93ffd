/**
 * What becomes of a collection by what an agent has seen. Sightings may come repeated, late and in any order: of what one
 * agent says of a device, the newest counts, and saying it again changes nothing. What a person has set stays.
 */
import { RELEARN_MS, type Sighting, type SightingsBatch } from '../../shared/agent/discovery.ts';
import { MAX_OBSERVATION_CHARACTERS, type Observation, TOLD_OTHERWISE } from '../../shared/agent/observations.ts';
import { BLANK_DEVICE, type DeviceField, type DeviceRecord, INTERNET, UNKNOWN_NAMES } from '../../shared/device.ts';
import { startOf } from '../../shared/text.ts';
import type { Change } from '../../store/devices/change-row.ts';
import type { DeviceKey, LastSighting, Sightings, StoredDevice } from '../../store/devices/device-codec.ts';
import { type Observed, SCANS, unpackObserved } from '../../store/devices/observed.ts';
import type { Snapshot } from '../../store/devices/snapshot.ts';
import { finderIn, placed, placementOf } from '../devices/placements.ts';
import { formatTime } from '../devices/time.ts';
import { observedFields } from './observed-fields.ts';
import { recognized } from './recognized.ts';

export interface Source {
  /** Name of the agent within its site. */
  agent: string;
  /** Names of all agents of the site, and whether each is connected. */
  agents: ReadonlyMap<string, { connected: boolean }>;
  now: Date;
  /** Devices that were deleted, and are new again now that they are seen. Default: none. */
  deleted?: ReadonlySet<DeviceKey>;
  /** Whether devices are put where the evidence shows them, as the site has set it. Default: no. */
  acceptParents?: boolean;
}

/**
 * Discovery adds no devices to a collection that has as many: more than a network of this size has, and a bound for an
 * agent that makes them up.
 */
export const MAX_DISCOVERED = 20_000;

/**
 * A device that made its MAC up and does not come back: it has made another one up since. After this time it is archived,
 * unless a person has ever set anything of it.
 */
const ARCHIVE_MADE_UP_AFTER_MS = 7 * 86_400_000;

/** The devices that are different after a batch, when that was noticed, and how many devices would be too many. */
export function mergeSightings(
  snapshot: Snapshot,
  batch: SightingsBatch,
  source: Source,
): Required<Pick<Change, 'put' | 'remove' | 'noticed'>> & { refused: number } {
  const gateway = gatewayOf(snapshot, batch);
  let room = MAX_DISCOVERED - snapshot.size;
  let refused = 0;
  const put = new Map<DeviceKey, StoredDevice>();
  const find = finderIn(snapshot);
  const findMerged = (mac: string) => put.get(mac) ?? put.get(find(mac)?.key ?? '') ?? find(mac);
  const noticed = new Map<DeviceKey, number>();
  for (const sighting of batch.sightings) {
    const known = snapshot.get(sighting.mac);
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
  for (const device of forgotten(snapshot, batch, source)) put.set(device.key, device);
  for (const device of outlived(snapshot, put, batch, source.now)) put.set(device.key, device);
  return { put: [...put.values()], remove: [], noticed, refused };
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

/** The device after one sighting; undefined when the agent has said something newer already, or just that. */
function withSighting(
  known: StoredDevice | undefined,
  sighting: Sighting,
  epoch: number,
  source: Source,
): StoredDevice | undefined {
  const last = known?.sightings?.[source.agent];
  if (last !== undefined && !isNewer({ epoch, n: sighting.n }, last)) return undefined;
  const { online, n } = sighting;
  const since = Math.min(sighting.since, source.now.getTime());
  const sightings = { ...known?.sightings, [source.agent]: { epoch, n, online, since } };
  const isSet = (field: DeviceField) => known?.byPerson?.includes(field) ?? false;
  // What the first look at a network finds is no news: it was there before anybody looked.
  const unknown: DeviceRecord = { ...BLANK_DEVICE, devMac: sighting.mac, devIsNew: sighting.baseline ? 0 : 1 };
  const record: DeviceRecord = { ...(known?.record ?? unknown) };
  const seenAt = formatTime(new Date(Math.min(sighting.seenAt, source.now.getTime())));
  if (seenAt > record.devLastConnection) record.devLastConnection = seenAt;
  if (record.devFirstConnection === '') record.devFirstConnection = formatTime(new Date(since));
  if (sighting.ip !== null) record.devLastIP = sighting.ip;
  if (known === undefined) record.devName = UNKNOWN_NAMES[0] ?? '';
  for (const [field, value] of Object.entries(observedFields(sighting)) as [DeviceField, never][]) {
    if (!isSet(field)) record[field] = value;
  }
  // It was archived because it seemed to be gone for good, and nobody has asked for that.
  if (online && record.devRandomMAC === 1 && !isSet('devIsArchived')) record.devIsArchived = 0;
  const observed = withObservations(known?.observed, sighting, source);
  return withPresence(recognized({ ...known, key: sighting.mac, record, sightings, observed }), source);
}

/** What was observed of a device, with what an agent says of it now, and without what agents have said that are gone. */
function withObservations(known: string | undefined, sighting: Sighting, { agent, agents, now }: Source): Observed {
  const { [agent]: former = [], ...others } = unpackObserved(known);
  const at = Math.min(sighting.changedAt ?? now.getTime(), now.getTime());
  const told = sighting.observations ?? former.filter(({ source }) => !TOLD_OTHERWISE.has(source));
  const fields = fieldsAsObservations(sighting).map((each) => ({
    ...each,
    at: former.find(({ source, value }) => source === each.source && value === each.value)?.at ?? at,
  }));
  const kept = Object.entries(others).filter(([who]) => who === SCANS || agents.has(who));
  return { ...Object.fromEntries(kept), [agent]: [...fields, ...told] };
}

/** What a sighting says of a device in fields of its own. */
function fieldsAsObservations({ name, vendor, gateway, ip }: Sighting): Omit<Observation, 'at'>[] {
  return [
    ...(name === undefined ? [] : [{ source: name.source, value: startOf(name.text, MAX_OBSERVATION_CHARACTERS) }]),
    ...(vendor === undefined ? [] : [{ source: 'mac-vendor' as const, value: vendor }]),
    ...(gateway !== true || ip === null ? [] : [{ source: 'gateway' as const, value: ip }]),
  ];
}

/** Online if a connected agent says so, offline if all connected agents that know the device say so. */
function withPresence(device: StoredDevice, { agent, agents }: Source): StoredDevice {
  const said: [string, LastSighting][] = Object.entries(device.sightings ?? {}).filter(([name]) => agents.has(name));
  const heard = said.filter(([name]) => name === agent || agents.get(name)?.connected);
  // Where nobody who knows the device is connected, it keeps the state that it had.
  const isUnheard = heard.length === 0 && said.length > 0;
  const online = isUnheard ? device.record.devPresentLastScan === 1 : heard.some(([, last]) => last.online);
  const { sightings: _, ...rest } = device;
  return {
    ...rest,
    ...(said.length === 0 ? {} : { sightings: Object.fromEntries(said) satisfies Sightings }),
    record: { ...device.record, devPresentLastScan: online ? 1 : 0 },
  };
}

/** The device with the presence that follows from what agents have said; itself when that is the one it has. */
function reconsidered(device: StoredDevice, source: Source): StoredDevice {
  const after = withPresence(device, source);
  return after.record.devPresentLastScan === device.record.devPresentLastScan ? device : after;
}

const isNewer = (a: Pick<LastSighting, 'epoch' | 'n'>, b: Pick<LastSighting, 'epoch' | 'n'>) =>
  a.epoch > b.epoch || (a.epoch === b.epoch && a.n > b.n);

/** The device through which the others reach other networks: the topology has its root there. */
function gatewayOf(snapshot: Snapshot, { sightings }: SightingsBatch): string | null {
  const seen = sightings.find(({ gateway, online }) => gateway === true && online);
  if (seen !== undefined) return seen.mac;
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
function forgotten(snapshot: Snapshot, batch: SightingsBatch, source: Source): StoredDevice[] {
  const { covers, epoch, sightings } = batch;
  if (covers === null) return [];
  const [from, to] = covers;
  const hasRelearned = source.now.getTime() - epoch >= RELEARN_MS;
  const seen = new Set(sightings.map(({ mac }) => mac));
  return snapshot.devices.flatMap((device) => {
    const { [source.agent]: last, ...others } = device.sightings ?? {};
    const isForgotten =
      last !== undefined &&
      isNewer(batch, last) &&
      (last.epoch === epoch || hasRelearned) &&
      from <= device.key &&
      device.key <= to &&
      !seen.has(device.key);
    return isForgotten ? [withPresence({ ...device, sightings: others }, source)] : [];
  });
}

/** The devices in the range of a digest that made their MAC up and are gone for good, archived. */
function outlived(
  snapshot: Snapshot,
  changed: ReadonlyMap<DeviceKey, StoredDevice>,
  { covers }: SightingsBatch,
  now: Date,
): StoredDevice[] {
  if (covers === null) return [];
  const [from, to] = covers;
  const before = formatTime(new Date(now.getTime() - ARCHIVE_MADE_UP_AFTER_MS));
  return snapshot.devices.flatMap((known) => {
    if (known.key < from || known.key > to) return [];
    const device = changed.get(known.key) ?? known;
    if ((device.byPerson?.length ?? 0) > 0) return [];
    const { devRandomMAC, devIsArchived, devPresentLastScan, devLastConnection } = device.record;
    const isOutlived =
      devRandomMAC === 1 && devIsArchived === 0 && devPresentLastScan === 0 && devLastConnection < before;
    return isOutlived ? [{ ...device, record: { ...device.record, devIsArchived: 1 } }] : [];
  });
}
