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

/**
 * The version of the stored form, which is an array of this number and the fields in the order of DEVICE_FIELDS. Fields
 * are only ever added at the end; rows that were written before get their blank values.
 */
const SCHEMA = 1;

/** The record is one attribute `d`, because attribute names are billed and parsed, and a list reads all of them. */
export function encodeDevice(site: SiteId, { key, record }: StoredDevice, version: number): Item {
  return {
    ...rows.device(site, key),
    d: JSON.stringify([SCHEMA, ...DEVICE_FIELDS.map((field) => record[field])]),
    v: version,
  };
}

/** @throws when the item is malformed, because it must not be taken for a device without a name */
export function decodeDevice(item: Item): StoredDevice {
  const values: unknown = typeof item.d === 'string' ? JSON.parse(item.d) : null;
  if (!Array.isArray(values) || values[0] !== SCHEMA) throw new Error(`unreadable device ${item.pk} ${item.sk}`);
  const record: Record<string, unknown> = { ...BLANK_DEVICE };
  for (const [i, field] of DEVICE_FIELDS.entries()) {
    const value: unknown = values[i + 1];
    if (value !== undefined) record[field] = value;
  }
  return { key: item.sk.slice(PREFIXES.device.length), record: record as DeviceRecord };
}
