/**
 * What becomes of a collection by what an agent has seen. Sightings may come repeated, late and in any order: of what one
 * agent says of a device, the newest counts, and saying it again changes nothing. What a person has set stays.
 */
import { RELEARN_MS, type Sighting, type SightingsBatch } from '../../shared/agent/discovery.ts';
import { BLANK_DEVICE, type DeviceField, type DeviceRecord, INTERNET, UNKNOWN_NAMES } from '../../shared/device.ts';
import type { Change } from '../dynamodb/change-row.ts';
import type { LastSighting, Sightings, StoredDevice } from '../dynamodb/device-codec.ts';
import type { Snapshot } from '../dynamodb/snapshot.ts';
import { formatTime } from './time.ts';

export interface Source {
  /** Name of the agent within its site. */
  agent: string;
  /** Names of all agents of the site, and whether each is connected. */
  agents: ReadonlyMap<string, { connected: boolean }>;
  now: Date;
}

/**
 * Discovery adds no devices to a collection that has as many: more than a network of this size has, and a bound for an
 * agent that makes them up.
 */
export const MAX_DISCOVERED = 20_000;

/** The devices that are different after a batch, and those that would be too many. */
export function mergeSightings(
  snapshot: Snapshot,
  batch: SightingsBatch,
  source: Source,
): { put: StoredDevice[]; refused: number } {
  const gateway = gatewayOf(snapshot, batch);
  let room = MAX_DISCOVERED - snapshot.size;
  let refused = 0;
  const put: StoredDevice[] = [];
  // The gateway first: where a batch is merged in parts, it is there when the others hang themselves below it.
  for (const sighting of [...batch.sightings].sort((a, b) => Number(b.gateway ?? false) - Number(a.gateway ?? false))) {
    const known = snapshot.get(sighting.mac);
    // A device that somebody has deleted does not come back because it is still gone.
    if (known === undefined && !sighting.online) continue;
    if (known === undefined && room-- <= 0) {
      refused++;
      continue;
    }
    // What the agent has said before may mean something else by now: another agent has come or gone.
    const seen = withSighting(known, sighting, batch.epoch, source) ?? (known && reconsidered(known, source));
    const after = belowGateway(seen, gateway);
    if (after !== undefined && after !== known) put.push(after);
  }
  return { put: [...put, ...forgotten(snapshot, batch, source)], refused };
}

/** The change that carries out a part of it. */
export function partOf(devices: readonly StoredDevice[], size: number): Change {
  return { put: devices.slice(0, size), remove: [] };
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
  const record: DeviceRecord = { ...(known?.record ?? { ...BLANK_DEVICE, devMac: sighting.mac, devIsNew: 1 }) };
  const seenAt = formatTime(new Date(Math.min(sighting.seenAt, source.now.getTime())));
  if (seenAt > record.devLastConnection) record.devLastConnection = seenAt;
  if (record.devFirstConnection === '') record.devFirstConnection = formatTime(new Date(since));
  if (sighting.ip !== null) record.devLastIP = sighting.ip;
  if (sighting.vendor !== undefined && !isSet('devVendor')) record.devVendor = sighting.vendor;
  if (!isSet('devName')) {
    if (sighting.name !== undefined) record.devName = sighting.name.text;
    else if (known === undefined) record.devName = UNKNOWN_NAMES[0] ?? '';
  }
  return withPresence({ ...known, key: sighting.mac, record, sightings }, source);
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
