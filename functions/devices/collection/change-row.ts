/**
 * The journal of a collection: one row for each change, under the version that the collection has after it, with who changed
 * what, and the values before. Writing it commits a change, outdated snapshots catch up from it, and events follow from it.
 *
 * The devices of a change of many are in rows of their own, its parts, which are written before it.
 */
import * as z from 'zod';
import { DeviceEvent, EventType, MAX_MEMBERS } from '../../../shared/api/events.ts';
import { DEVICE_FIELDS, type DeviceField, type DeviceRecord, NO_EXTRA } from '../../../shared/device.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { PREFIXES, rows } from '../../table/rows.ts';
import { inSlices } from '../../table/slices.ts';
import type { ConditionalWrite, Item } from '../../table/table.ts';
import {
  BESIDE,
  besideOf,
  type DeviceKey,
  isSameDevice,
  packRecord,
  positionOf,
  type StoredDevice,
  unpackRecord,
  withBeside,
} from './device-codec.ts';
import { packText, unpackText } from './packed-text.ts';
import type { Snapshot } from './snapshot.ts';

/** What a change does: devices written whole, and devices deleted. No key occurs twice. */
export interface Change {
  put: StoredDevice[];
  remove: DeviceKey[];
  /** When a device changed (Unix, ms), where that was before the change is written: agents may report late. */
  noticed?: ReadonlyMap<DeviceKey, number>;
  /** The ids of the outages with which devices have gone or come back. */
  outages?: ReadonlyMap<DeviceKey, string>;
  /** Events that are only recorded in the journal. */
  occurrences?: readonly Occurrence[];
  /** Rows that are written with the journal's entry, all or none. */
  also?: readonly ConditionalWrite[];
}

/** Something that happened without changing a device. */
const Occurrence = z.object({
  type: EventType,
  /** Unix, s. */
  at: z.int(),
  device: z.string().optional(),
  ...DeviceEvent.pick({ subject: true, detail: true, reasonCode: true }).shape,
  /** The keys of the affected devices, or some of them. */
  members: z.array(z.string()).max(MAX_MEMBERS).optional(),
  count: z.int().optional(),
});
export type Occurrence = z.infer<typeof Occurrence>;

export const Cause = z.enum(['edit', 'import', 'delete', 'restore', 'sighting', 'observation', 'join']);
export type Cause = z.infer<typeof Cause>;

export interface Origin {
  /** Id of a token or of an agent. */
  actor: string;
  cause: Cause;
}

/**
 * The values before and after, by position in DEVICE_FIELDS counted from 1, `x` for extra columns, or a name of BESIDE. Null
 * for a missing value; also before the values of ONLY_AFTER, which no reader needs, while a row is written for every
 * sighting.
 */
const Edits = z.record(z.string().regex(/^(?:[1-9]\d{0,2}|[xspoj])$/), z.tuple([z.unknown(), z.unknown()]));
export type Edits = z.infer<typeof Edits>;

/** What the journal has only as it is after a change. */
export const ONLY_AFTER: ReadonlySet<string> = new Set(['s', 'o', 'j']);

/** A device was added with these values, edited, or deleted when it had this name and these values. */
const Beside = z.partialRecord(z.enum(BESIDE), z.unknown());
export const DeviceChange = z.union([
  z.tuple([z.string(), z.literal('+'), z.array(z.unknown()), Beside]),
  z.tuple([z.string(), z.literal('='), Edits]),
  // Earlier entries have the name alone.
  z.tuple([z.string(), z.literal('-'), z.string(), z.array(z.unknown()).optional(), Beside.optional()]),
]);
export type DeviceChange = z.infer<typeof DeviceChange>;

export const Lags = z.array(z.int().min(0));

/**
 * The stored form: time (Unix, s), actor, cause, and the devices, or how many were written and deleted and the number of
 * parts. Then, unless all are 0, how many seconds earlier each device changed: one number when it is the same for all. Then
 * the occurrences. Then, by outage, the indexes of the devices that have gone or come back with it.
 */
const Body = z.tuple([
  z.int(),
  z.string(),
  Cause,
  z.union([
    z.array(DeviceChange),
    z.object({ put: z.int().min(0), removed: z.int().min(0), parts: z.int().min(0).optional() }),
  ]),
  Lags.optional(),
  z.array(Occurrence).optional(),
  z.record(z.string(), z.array(z.int().min(0))).optional(),
]);

export interface JournalEntry extends Origin {
  /** Of the collection after the change. */
  version: number;
  at: Date;
  /** Distinguishes this change from others that compete for the same version. */
  id: string;
  /** Null when they are in the parts. */
  devices: DeviceChange[] | null;
  parts?: number;
  /** How many seconds before `at` each device changed; null when all changed at `at`. */
  lags: readonly number[] | null;
  counts: { put: number; removed: number };
  occurrences?: readonly Occurrence[];
  /** The ids of the outages with which devices have gone or come back. */
  outages?: ReadonlyMap<DeviceKey, string>;
}

/** Longest body as JSON, so that compressing it takes some milliseconds at most. */
const MAX_BODY_CHARACTERS = 1_000_000;
/** Longest stored body. DynamoDB takes 400 KB, honest agents' messages a tenth; inventive ones should not fill the table. */
const MAX_BODY_BYTES = 64 * 1024;

/** The change without what has no effect: devices that are written as they already are, or deleted and do not exist. */
export async function effectOf(base: Snapshot, { put, remove }: Change): Promise<Pick<Change, 'put' | 'remove'>> {
  const changed: StoredDevice[] = [];
  for await (const slice of inSlices(put)) {
    for (const device of slice) {
      const known = base.get(device.key);
      if (known === undefined || !isSameDevice(known, device)) changed.push(device);
    }
  }
  return { put: changed, remove: remove.filter((key) => base.get(key) !== undefined) };
}

const STATUS_FIELDS = ['devAlertDown', 'devIsArchived'] as const satisfies DeviceField[];
/** Fields that discovery learns. Whether that is an event depends on how long the device has been known. */
export const LEARNT: readonly DeviceField[] = [
  ...(['devName', 'devType', 'devVendor', 'devModel', 'devParentMAC', 'devParentPort'] as const),
];

/**
 * What differs between two devices, as `Edits` has it, plus fields that its events depend on, where they are set: a device
 * that went away is down if people want alerts of it, and whether a learnt field is an event depends on the device's first
 * connection.
 */
function differences(before: StoredDevice, after: StoredDevice): [name: string, values: [unknown, unknown]][] {
  const presenceChanges = before.record.devPresentLastScan !== after.record.devPresentLastScan;
  const isLearnt = LEARNT.some((name) => before.record[name] !== after.record[name] && !after.byPerson?.includes(name));
  const found: [name: string, values: [unknown, unknown]][] = [];
  // No list for each unchanged field: an import compares half a million.
  for (const field of DEVICE_FIELDS) {
    const [from, to] = [before.record[field], after.record[field]];
    const isContext =
      (presenceChanges && to === 1 && STATUS_FIELDS.some((name) => name === field)) ||
      (isLearnt && field === 'devFirstConnection' && to !== '');
    if (from !== to || isContext) found.push([String(positionOf(field)), [from, to]]);
  }
  const [partsBefore, partsAfter] = [partsOf(before), partsOf(after)];
  for (const name of ['x', ...BESIDE] as const) {
    const [from, to] = [partsBefore[name] ?? null, partsAfter[name] ?? null];
    if (from !== to && JSON.stringify(from) !== JSON.stringify(to))
      found.push([name, [ONLY_AFTER.has(name) ? null : from, to]]);
  }
  return found;
}

function partsOf(device: StoredDevice): { x?: unknown } & ReturnType<typeof besideOf> {
  const { extra } = device.record;
  return { ...besideOf(device), ...(Object.keys(extra).length === 0 ? {} : { x: extra }) };
}

export function diffDevices(base: Snapshot, { put, remove }: Change): DeviceChange[] {
  const written = put.map((device): DeviceChange => {
    const known = base.get(device.key);
    if (known === undefined) return [device.key, '+', packRecord(device.record), besideOf(device)];
    return [device.key, '=', Object.fromEntries(differences(known, device))];
  });
  const deleted = remove
    .flatMap((key) => base.get(key) ?? [])
    .map((one): DeviceChange => [one.key, '-', one.record.devName, packRecord(one.record), besideOf(one)]);
  return [...written, ...deleted];
}

export function deletedIn(changes: readonly DeviceChange[]): StoredDevice[] {
  return changes.flatMap((change): StoredDevice[] => {
    if (change[1] !== '-') return [];
    const [key, , , record, beside] = change;
    return record === undefined ? [] : [deviceIn(key, record, beside)];
  });
}

function deviceIn(key: DeviceKey, record: readonly unknown[], beside: z.infer<typeof Beside> = {}): StoredDevice {
  return { key, record: unpackRecord(record, key), ...withBeside(beside) };
}

/** How many seconds before `at` each of these changes happened; null when all happened at `at`. */
export function lagsOf(
  devices: readonly DeviceChange[],
  at: Date,
  noticed: ReadonlyMap<DeviceKey, number> | undefined,
): number[] | null {
  const second = (ms: number) => Math.floor(ms / 1000);
  const lags = devices.map(([key]) => Math.max(0, second(at.getTime()) - second(noticed?.get(key) ?? at.getTime())));
  return lags.some((lag) => lag > 0) ? lags : null;
}

/** @returns null when the entry is too long for a row */
export function encodeEntry(site: SiteId, entry: JournalEntry): Item | null {
  const body: z.input<typeof Body> = [
    Math.floor(entry.at.getTime() / 1000),
    entry.actor,
    entry.cause,
    entry.devices ?? { ...entry.counts, parts: entry.parts },
  ];
  if (entry.devices !== null && entry.lags !== null) body.push(packedLags(entry.lags));
  const { occurrences = [], outages } = entry;
  const places = placesOf(entry.devices, outages);
  if (occurrences.length > 0 || places !== null) body.push(...(body.length === 4 ? [[]] : []), [...occurrences]);
  if (places !== null) body.push(places);
  const text = JSON.stringify(body);
  if (text.length > MAX_BODY_CHARACTERS) return null;
  const key = rows.change(site, entry.version);
  const d = packText(text, key.pk);
  return d.length > MAX_BODY_BYTES ? null : { ...key, id: entry.id, d };
}

/** One number when it is the same for all. */
export function packedLags(lags: readonly number[] | null): number[] {
  const [first, ...others] = lags ?? [];
  return first !== undefined && others.every((lag) => lag === first) ? [first] : [...(lags ?? [])];
}

export function unpackedLags(lags: readonly number[], devices: readonly DeviceChange[]): number[] | null {
  const [lagOfAll = 0] = lags.length === 1 ? lags : [];
  return lags.length === 0 ? null : devices.map((_, i) => lags[i] ?? lagOfAll);
}

/** By outage, the indexes of its devices in the entry; null when there are none. */
function placesOf(devices: JournalEntry['devices'], outages: JournalEntry['outages']): Record<string, number[]> | null {
  const places: Record<string, number[]> = {};
  for (const [place, [key]] of (devices ?? []).entries()) {
    const outage = outages?.get(key);
    if (outage !== undefined) places[outage] = [...(places[outage] ?? []), place];
  }
  return Object.keys(places).length === 0 ? null : places;
}

/** @throws when the item is no journal entry */
export function decodeEntry(item: Item): JournalEntry {
  const body = Body.parse(JSON.parse(unpackText(item.d, item.pk)));
  const [seconds, actor, cause, changed, lags = [], occurrences = [], places = {}] = body;
  const devices = Array.isArray(changed) ? changed : null;
  const removed = devices?.filter(([, kind]) => kind === '-').length ?? 0;
  return {
    version: Number(item.sk.slice(PREFIXES.change.length)),
    at: new Date(seconds * 1000),
    id: String(item.id),
    actor,
    cause,
    devices,
    lags: devices && unpackedLags(lags, devices),
    ...(Array.isArray(changed)
      ? { counts: { put: changed.length - removed, removed } }
      : { counts: { put: changed.put, removed: changed.removed }, parts: changed.parts ?? 0 }),
    ...(occurrences.length === 0 ? {} : { occurrences }),
    ...outagesAt(places, devices),
  };
}

function outagesAt(places: Record<string, number[]>, devices: JournalEntry['devices']): Pick<JournalEntry, 'outages'> {
  const outages = new Map<DeviceKey, string>();
  for (const [outage, some] of Object.entries(places)) {
    for (const place of some) {
      const key = devices?.[place]?.[0];
      if (key !== undefined) outages.set(key, outage);
    }
  }
  return outages.size === 0 ? {} : { outages };
}

/** The change that catches the snapshot up. Skips edits of missing devices, which a later change deleted while it loaded. */
export function changeOf(base: Snapshot, changes: Iterable<DeviceChange>): Change {
  const after = new Map<DeviceKey, StoredDevice | null>();
  for (const change of changes) {
    const [key, kind, detail] = change;
    const known = after.has(key) ? after.get(key) : base.get(key);
    if (kind === '-') after.set(key, null);
    else if (kind === '+') after.set(key, deviceIn(key, detail, change[3]));
    else if (known) after.set(key, withEdits(known, detail, 'after'));
  }
  return {
    put: [...after.values()].filter((device) => device !== null),
    remove: [...after].filter(([, device]) => device === null).map(([key]) => key),
  };
}

/** The device with the values after the edits, or before them. @param skipped names of edits that are left out */
export function withEdits(
  device: StoredDevice,
  edits: Edits,
  side: 'before' | 'after',
  skipped: ReadonlySet<string> = new Set(),
): StoredDevice {
  const record: Record<string, unknown> = { ...device.record };
  const parts: Record<string, unknown> = partsOf(device);
  for (const [name, values] of Object.entries(edits)) {
    if (skipped.has(name)) continue;
    const value = values[side === 'before' ? 0 : 1];
    const field = DEVICE_FIELDS[Number(name) - 1];
    if (field !== undefined) record[field] = value;
    else if (value === null) delete parts[name];
    else parts[name] = value;
  }
  const { x: extra = NO_EXTRA, ...beside } = parts;
  return { key: device.key, record: { ...record, extra } as DeviceRecord, ...withBeside(beside) };
}
