/**
 * Converts between devices and items. The record of a device is one attribute `d`, a JSON array in the order of its fields:
 * names of attributes are billed in every item, and a list reads all devices of a site. So no condition can name a field,
 * and a field can never be moved or removed.
 */
import * as z from 'zod';
import {
  BLANK_DEVICE,
  DEVICE_FIELDS,
  type DeviceField,
  type DeviceRecord,
  RESTORABLE_DAYS,
  sameRecord,
} from '../../../shared/device.ts';
import { AgentName, type SiteId } from '../../../shared/identity.ts';
import { PREFIXES, rows } from '../../table/rows.ts';
import type { Item } from '../../table/table.ts';

/** The key of a device within its site: its MAC, `Internet`, or `~<uuid>` for a device without a MAC. */
export type DeviceKey = string;

/** Sorts after every letter and digit, so that devices without a MAC are one range of keys at the end. */
export const WITHOUT_MAC = '~';

export interface StoredDevice {
  key: DeviceKey;
  record: DeviceRecord;
  sightings?: Sightings;
  /** Fields that a person has set, by editing or by an import: discovery leaves them alone. */
  byPerson?: readonly DeviceField[];
  /** Observations, packed: see observed.ts. */
  observed?: string;
  /** All MACs of a device that has several, including its own. The others have no rows of their own. */
  joined?: Joined;
}

export type Joined = Readonly<Record<string, Member>>;

export interface Member {
  /** When it was joined (Unix, ms). */
  joinedAt: number;
  /** When it was last seen (Unix, ms). */
  seenAt: number;
  /** Its last address; empty when none is known. */
  ip: string;
  /** The agents' last reports; for the device's own MAC they are in the device. */
  sightings: Sightings;
}

export type Sightings = Readonly<Record<string, LastSighting>>;

/** An agent's last report: `epoch` and `n` order its reports; `since` is when the state began (Unix, ms). */
export interface LastSighting {
  epoch: number;
  n: number;
  online: boolean;
  since: number;
}

/** The stored forms of what a device has beside its record; missing when empty. */
const StoredSightings = z.record(AgentName, z.tuple([z.int(), z.int(), z.literal([0, 1]), z.int()]));
const StoredMembers = z.record(z.string(), z.tuple([z.int(), z.int(), z.string(), StoredSightings]));
const StoredFields = z.array(z.int().min(1).max(DEVICE_FIELDS.length));

/**
 * The stored record: an array of the schema's number and the fields in the order of DEVICE_FIELDS, texts and numbers.
 * Trailing blank fields are omitted, and read as blank; so are fields that were added after the row was written. Extra
 * columns follow as an object.
 */
const SCHEMA = 1;

export function encodeDevice(site: SiteId, device: StoredDevice, version: number): Item {
  const { s, p, o, j } = besideOf(device);
  const item: Item = { ...rows.device(site, device.key), d: JSON.stringify(packRecord(device.record)), v: version };
  if (s !== undefined) item.s = JSON.stringify(s);
  if (p !== undefined) item.p = JSON.stringify(p);
  if (typeof o === 'string') item.o = o;
  if (j !== undefined) item.j = JSON.stringify(j);
  return item;
}

/** The row of a deleted device, for undoing that, and so that a slow process cannot write it again. It expires. */
export function encodeTombstone(site: SiteId, device: StoredDevice, version: number, at: Date): Item {
  const deletedAt = Math.floor(at.getTime() / 1000);
  return { ...encodeDevice(site, device, version), deletedAt, ttl: deletedAt + RESTORABLE_DAYS * 86_400 };
}

export const isTombstone = (item: Item): boolean => item.deletedAt !== undefined;

/** @throws when the item is malformed, because it must not pass as a device without a name */
export function decodeDevice(item: Item): StoredDevice {
  const values: unknown = typeof item.d === 'string' ? JSON.parse(item.d) : null;
  if (!Array.isArray(values)) throw new Error(`unreadable device ${item.pk} ${item.sk}`);
  const record = unpackRecord(values, `${item.pk} ${item.sk}`);
  const keyOfRow = item.sk.slice(PREFIXES.device.length);
  // A slice of `sk` would keep all of it in memory: about 70 bytes a device.
  const key = record.devMac === keyOfRow ? record.devMac : keyOfRow;
  const { s, p, o, j } = item;
  if (s === undefined && p === undefined && o === undefined && j === undefined) return { key, record };
  const parsed = (attribute: unknown) => (typeof attribute === 'string' ? JSON.parse(attribute) : undefined);
  return { key, record, ...withBeside({ s: parsed(s), p: parsed(p), o, j: parsed(j) }) };
}

/** What is stored beside the record: last reports (`s`), fields set by people (`p`), observations (`o`), joined MACs (`j`). */
export const BESIDE = ['s', 'p', 'o', 'j'] as const;
type Beside = Partial<Record<(typeof BESIDE)[number], unknown>>;

export function besideOf({ sightings = {}, byPerson = [], observed, joined = {} }: StoredDevice): Beside {
  const beside: Beside = {};
  if (Object.keys(sightings).length > 0) beside.s = packSightings(sightings);
  if (byPerson.length > 0) beside.p = byPerson.map(positionOf).sort((a, b) => a - b);
  if (observed !== undefined) beside.o = observed;
  const members = Object.entries(joined);
  const packed = ({ joinedAt, seenAt, ip, sightings }: Member) => [joinedAt, seenAt, ip, packSightings(sightings)];
  if (members.length > 0) beside.j = mapValues(members, packed);
  return beside;
}

function mapValues<From, To>(entries: readonly [string, From][], convert: (value: From) => To): Record<string, To> {
  return Object.fromEntries(entries.map(([name, value]) => [name, convert(value)]));
}

function packSightings(sightings: Sightings): Record<string, unknown> {
  return mapValues(Object.entries(sightings), ({ epoch, n, online, since }) => [epoch, n, online ? 1 : 0, since]);
}

function unpackSightings(stored: z.infer<typeof StoredSightings>): Sightings {
  return mapValues(Object.entries(stored), ([epoch, n, online, since]) => ({ epoch, n, online: online === 1, since }));
}

/** @throws when the values are not from `besideOf` */
export function withBeside({ s, p, o, j }: Beside): Omit<StoredDevice, 'key' | 'record'> {
  const beside: Omit<StoredDevice, 'key' | 'record'> = {};
  const sightings = s === undefined ? {} : unpackSightings(StoredSightings.parse(s));
  if (Object.keys(sightings).length > 0) beside.sightings = sightings;
  const byPerson = p === undefined ? [] : fieldsAt(p);
  if (byPerson.length > 0) beside.byPerson = byPerson;
  if (typeof o === 'string') beside.observed = o;
  if (j !== undefined) {
    beside.joined = mapValues(Object.entries(StoredMembers.parse(j)), ([joinedAt, seenAt, ip, stored]) => ({
      ...{ joinedAt, seenAt, ip },
      sightings: unpackSightings(stored),
    }));
  }
  return beside;
}

/** Interned lists of fields, by stored form: for 100,000 imported devices that saves 10 MB, and half of the reading time. */
const lists = new Map<string, readonly DeviceField[]>();
/** Far more than people create. */
const MAX_LISTS = 1_000;

function fieldsAt(positions: unknown): readonly DeviceField[] {
  const name = JSON.stringify(positions);
  const known = lists.get(name);
  if (known !== undefined) return known;
  const fields = StoredFields.parse(positions).flatMap((position) => DEVICE_FIELDS[position - 1] ?? []);
  if (lists.size < MAX_LISTS) lists.set(name, fields);
  return fields;
}

/** The interned list. */
export function sharedFields(fields: readonly DeviceField[]): readonly DeviceField[] {
  return fields.length === 0 ? fields : fieldsAt(fields.map(positionOf));
}

export function packRecord(record: DeviceRecord): unknown[] {
  const values: unknown[] = [SCHEMA, ...DEVICE_FIELDS.map((field) => record[field])];
  while (values.at(-1) === BLANK_DEVICE[DEVICE_FIELDS[values.length - 2] as DeviceField]) values.pop();
  if (Object.keys(record.extra).length > 0) values.push(record.extra);
  return values;
}

export const positionOf = (field: DeviceField): number => POSITIONS.get(field) ?? 0;

const POSITIONS = new Map(DEVICE_FIELDS.map((field, i) => [field, i + 1]));

/** @param name names the device in the error for another schema */
export function unpackRecord(values: readonly unknown[], name: string): DeviceRecord {
  if (values[0] !== SCHEMA) throw new Error(`unreadable device ${name}`);
  const record: Record<string, unknown> = { ...BLANK_DEVICE };
  const extra = values.at(-1);
  const hasExtra = typeof extra === 'object';
  if (hasExtra) record.extra = extra;
  const fields = Math.min(values.length - (hasExtra ? 2 : 1), DEVICE_FIELDS.length);
  for (let i = 0; i < fields; i++) record[DEVICE_FIELDS[i] as DeviceField] = values[i + 1];
  return record as DeviceRecord;
}

export function isSameDevice(one: StoredDevice, other: StoredDevice): boolean {
  return sameRecord(one.record, other.record) && JSON.stringify(besideOf(one)) === JSON.stringify(besideOf(other));
}
