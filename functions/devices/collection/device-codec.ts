/**
 * Converts between devices and items. The record of a device is one attribute, a JSON array in the order of its fields:
 * DynamoDB charges for the names of attributes in every item, and a list reads all devices of a site. So no condition can
 * name a field, and a field can never be moved or removed.
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

/** `~` sorts after every letter and digit, so the devices without a MAC are one range of keys at the end. */
export const WITHOUT_MAC = '~';

export interface StoredDevice {
  key: DeviceKey;
  record: DeviceRecord;
  /** What each agent says of the device, by the agent's name. */
  sightings?: Sightings;
  /** Fields that a person has set, by hand or by an import: discovery leaves them alone. */
  byPerson?: readonly DeviceField[];
  /** What was observed of it, packed: see observed.ts. */
  observed?: string;
  /** The MACs of a device that has several, by MAC, its own among them. The others have no rows of their own. */
  joined?: Joined;
}

export type Joined = Readonly<Record<string, Member>>;

/** One of several MACs of a device. */
export interface Member {
  /** When it was joined (Unix, ms). */
  joinedAt: number;
  /** When it was last seen (Unix, ms). */
  seenAt: number;
  /** Its last address; empty when none is known. */
  ip: string;
  /** What each agent says of it. Of the device's own MAC that stands in the device. */
  sightings: Sightings;
}

/** What agents said last of a device. */
export type Sightings = Readonly<Record<string, LastSighting>>;

/** What one agent said last: `epoch` and `n` order what it says; `since` is when that began (Unix, ms). */
export interface LastSighting {
  epoch: number;
  n: number;
  online: boolean;
  since: number;
}

/** The parts of a stored device beside its record, as they are stored: omitted where there is nothing to say. */
const StoredSightings = z.record(AgentName, z.tuple([z.int(), z.int(), z.literal([0, 1]), z.int()]));
const StoredMembers = z.record(z.string(), z.tuple([z.int(), z.int(), z.string(), StoredSightings]));
const StoredFields = z.array(z.int().min(1).max(DEVICE_FIELDS.length));

/**
 * The form of the stored record: an array of the schema's number and the fields in the order of DEVICE_FIELDS, which are
 * texts and numbers. Blank fields at the end are left out, and get their blank values when the row is read; so does a
 * field that was added after the row was written. Behind the fields, a device with extra columns has them as an object.
 */
const SCHEMA = 1;

/** The record is one attribute `d`, because attribute names are billed and parsed, and a list reads all of them. */
export function encodeDevice(site: SiteId, device: StoredDevice, version: number): Item {
  const { s, p, o, j } = besideOf(device);
  const item: Item = { ...rows.device(site, device.key), d: JSON.stringify(packRecord(device.record)), v: version };
  if (s !== undefined) item.s = JSON.stringify(s);
  if (p !== undefined) item.p = JSON.stringify(p);
  if (typeof o === 'string') item.o = o;
  if (j !== undefined) item.j = JSON.stringify(j);
  return item;
}

/**
 * What a deleted device leaves behind, so that the deletion can be undone and no write of a slow process can bring the
 * device back by accident. It expires by itself.
 */
export function encodeTombstone(site: SiteId, device: StoredDevice, version: number, at: Date): Item {
  const deletedAt = Math.floor(at.getTime() / 1000);
  return { ...encodeDevice(site, device, version), deletedAt, ttl: deletedAt + RESTORABLE_DAYS * 86_400 };
}

export const isTombstone = (item: Item): boolean => item.deletedAt !== undefined;

/** @throws when the item is malformed, because it must not be taken for a device without a name */
export function decodeDevice(item: Item): StoredDevice {
  const values: unknown = typeof item.d === 'string' ? JSON.parse(item.d) : null;
  if (!Array.isArray(values)) throw new Error(`unreadable device ${item.pk} ${item.sk}`);
  const record = unpackRecord(values, `${item.pk} ${item.sk}`);
  const keyOfRow = item.sk.slice(PREFIXES.device.length);
  // A part of `sk` would keep all of it in memory: about 70 bytes a device.
  const key = record.devMac === keyOfRow ? record.devMac : keyOfRow;
  const { s, p, o, j } = item;
  if (s === undefined && p === undefined && o === undefined && j === undefined) return { key, record };
  const parsed = (attribute: unknown) => (typeof attribute === 'string' ? JSON.parse(attribute) : undefined);
  return { key, record, ...withBeside({ s: parsed(s), p: parsed(p), o, j: parsed(j) }) };
}

/** The names of what is stored of a device beside its record. */
export const BESIDE = ['s', 'p', 'o', 'j'] as const;
type Beside = Partial<Record<(typeof BESIDE)[number], unknown>>;

/**
 * What is stored of a device beside its record: what agents say (`s`), the fields that people have set (`p`), what was
 * observed (`o`), and other MACs of it (`j`).
 */
export function besideOf({ sightings = {}, byPerson = [], observed, joined = {} }: StoredDevice): Beside {
  const beside: Beside = {};
  if (Object.keys(sightings).length > 0) beside.s = packSightings(sightings);
  if (byPerson.length > 0) beside.p = byPerson.map(positionOf).sort((a, b) => a - b);
  if (observed !== undefined) beside.o = observed;
  const members = Object.entries(joined).map(([mac, { joinedAt, seenAt, ip, sightings }]) => [
    mac,
    [joinedAt, seenAt, ip, packSightings(sightings)],
  ]);
  if (members.length > 0) beside.j = Object.fromEntries(members);
  return beside;
}

function packSightings(sightings: Sightings): Record<string, unknown> {
  const said = Object.entries(sightings).map(([agent, last]) => [
    agent,
    [last.epoch, last.n, last.online ? 1 : 0, last.since],
  ]);
  return Object.fromEntries(said);
}

function unpackSightings(said: z.infer<typeof StoredSightings>): Sightings {
  return Object.fromEntries(
    Object.entries(said).map(([agent, [epoch, n, online, since]]) => [
      agent,
      { epoch, n, online: online === 1, since },
    ]),
  );
}

/** @throws when these are not what `besideOf` gives */
export function withBeside({ s, p, o, j }: Beside): Omit<StoredDevice, 'key' | 'record'> {
  const beside: Omit<StoredDevice, 'key' | 'record'> = {};
  const sightings = s === undefined ? {} : unpackSightings(StoredSightings.parse(s));
  if (Object.keys(sightings).length > 0) beside.sightings = sightings;
  const byPerson = p === undefined ? [] : fieldsAt(p);
  if (byPerson.length > 0) beside.byPerson = byPerson;
  if (typeof o === 'string') beside.observed = o;
  if (j !== undefined) {
    beside.joined = Object.fromEntries(
      Object.entries(StoredMembers.parse(j)).map(([mac, [joinedAt, seenAt, ip, said]]) => [
        mac,
        { joinedAt, seenAt, ip, sightings: unpackSightings(said) },
      ]),
    );
  }
  return beside;
}

/**
 * The lists of fields that have been read, by their stored form: the devices of an import all have the same. One list for
 * all of them saves 10 MB of 100,000 devices, and half of the time in which they are read.
 */
const lists = new Map<string, readonly DeviceField[]>();
/** Far more than people make. */
const MAX_LISTS = 1_000;

function fieldsAt(positions: unknown): readonly DeviceField[] {
  const name = JSON.stringify(positions);
  const known = lists.get(name);
  if (known !== undefined) return known;
  const fields = StoredFields.parse(positions).flatMap((position) => DEVICE_FIELDS[position - 1] ?? []);
  if (lists.size < MAX_LISTS) lists.set(name, fields);
  return fields;
}

/** The list, as one object for all devices that have the same. */
export function sharedFields(fields: readonly DeviceField[]): readonly DeviceField[] {
  return fields.length === 0 ? fields : fieldsAt(fields.map(positionOf));
}

/** The record as it is stored; see SCHEMA. */
export function packRecord(record: DeviceRecord): unknown[] {
  const values: unknown[] = [SCHEMA, ...DEVICE_FIELDS.map((field) => record[field])];
  while (values.at(-1) === BLANK_DEVICE[DEVICE_FIELDS[values.length - 2] as DeviceField]) values.pop();
  if (Object.keys(record.extra).length > 0) values.push(record.extra);
  return values;
}

/** Where a field stands in the stored values. */
export function positionOf(field: DeviceField): number {
  return POSITIONS.get(field) ?? 0;
}

const POSITIONS = new Map(DEVICE_FIELDS.map((field, i) => [field, i + 1]));

/** @param name names the device in the error for values of another schema */
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

/** Whether two devices with the same key are stored in the same way. */
export function isSameDevice(one: StoredDevice, other: StoredDevice): boolean {
  return sameRecord(one.record, other.record) && JSON.stringify(besideOf(one)) === JSON.stringify(besideOf(other));
}
