/** Converts between devices and DynamoDB items. */
import { BLANK_DEVICE, DEVICE_FIELDS, type DeviceRecord } from '../../shared/device.ts';
import type { SiteId } from '../../shared/identity.ts';
import { PREFIXES, rows } from './rows.ts';
import type { Item } from './table.ts';

/** The key of a device within its site: its MAC, `Internet`, or `~<uuid>` for a device without a MAC. */
export type DeviceKey = string;

/** `~` sorts after every letter and digit, so the devices without a MAC are one range of keys at the end. */
export const WITHOUT_MAC = '~';

export interface StoredDevice {
  key: DeviceKey;
  record: DeviceRecord;
}

/** How long a deleted device can be brought back. */
export const RESTORABLE_DAYS = 30;

/**
 * The version of the stored form, which is an array of this number and the fields in the order of DEVICE_FIELDS. Fields
 * are only ever added at the end; rows that were written before get their blank values.
 */
const SCHEMA = 1;

/** The record is one attribute `d`, because attribute names are billed and parsed, and a list reads all of them. */
export function encodeDevice(site: SiteId, { key, record }: StoredDevice, version: number): Item {
  return { ...rows.device(site, key), d: JSON.stringify(valuesOf(record)), v: version };
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
  return { key: item.sk.slice(PREFIXES.device.length), record: recordOf(values, `${item.pk} ${item.sk}`) };
}

/** The record as it is stored: the number of the schema, then the fields in the order of DEVICE_FIELDS. */
export function valuesOf(record: DeviceRecord): unknown[] {
  return [SCHEMA, ...DEVICE_FIELDS.map((field) => record[field])];
}

/** @param name what a message calls the device when its values are of another schema */
export function recordOf(values: readonly unknown[], name: string): DeviceRecord {
  if (values[0] !== SCHEMA) throw new Error(`unreadable device ${name}`);
  const record: Record<string, unknown> = { ...BLANK_DEVICE };
  for (const [i, field] of DEVICE_FIELDS.entries()) {
    const value = values[i + 1];
    if (value !== undefined) record[field] = value;
  }
  return record as DeviceRecord;
}
