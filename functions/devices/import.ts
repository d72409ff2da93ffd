/** Plans imports: how the rows of a file change a collection. */
import { randomUUID } from 'node:crypto';
import {
  BLANK_DEVICE,
  DEVICE_FIELD_KINDS,
  DEVICE_FIELDS,
  type DeviceField,
  type DeviceFields,
  type DeviceRecord,
  OBSERVED_FIELDS,
  sameRecord,
  UNKNOWN_NAMES,
} from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import { thousands } from '../../shared/text.ts';
import { inSlices } from '../table/slices.ts';
import type { Change } from './collection/change-row.ts';
import { type StoredDevice, WITHOUT_MAC } from './collection/device-codec.ts';
import type { Snapshot } from './collection/snapshot.ts';
import { alsoByPerson } from './edit.ts';
import { acceptedColumns, type ExtraColumn, mergeExtra } from './extra-columns.ts';
import { completeTime } from './import-cells.ts';
import { addRemark, type ImportFile, type ImportRow, type NamedLines, noLines, truncateNames } from './import-file.ts';
import { isRecognized } from './recognized.ts';
import { formatTime } from './time.ts';

export interface ImportPlan extends Change {
  inserted: number;
  updated: number;
  /** Lines that are not imported, because their MAC is joined with another device. */
  skipped: NamedLines;
  /** Lines that are imported with a corrected value. */
  adjusted: NamedLines;
  /** Those of the file, and the extra columns that exceed the collection's limit. */
  ignoredColumns: string[];
}

/**
 * Replacing needs to know everything that a file names: unreadable rows hide it, and a failed export names nothing.
 * @param allowSkipped whether the caller accepts to lose the devices of unreadable rows
 * @throws {ServiceError} `replace_refused`
 */
export function requireReplaceable(file: ImportFile, allowSkipped: boolean): void {
  const { rows, named, skipped, unreadable } = file;
  if (rows.length === 0 && named.size === 0) {
    const message = 'The file names no device: mode=replace would remove all of them';
    throw new ServiceError('replace_refused', message, { skipped });
  }
  if (unreadable === 0 || allowSkipped) return;
  const [first] = skipped.named;
  const count = unreadable === 1 ? 'a row' : `${thousands(unreadable)} rows`;
  const message = `mode=replace removes nothing while ${count} cannot be read, such as line ${first?.line}: ${first?.reason}`;
  const fields = [{ path: 'query.allowSkipped', message: 'expected true to remove also what these rows may name' }];
  throw new ServiceError('replace_refused', message, { skipped, fields });
}

/** Devices are matched by MAC; without one by equal values in all columns of the file, so that a repeated import adds nothing. */
export async function planImport(
  { rows, named, extraColumns, ignoredColumns }: ImportFile,
  snapshot: Snapshot,
  mode: 'merge' | 'replace',
  now: Date,
): Promise<ImportPlan> {
  const columns = await acceptedColumns(extraColumns, snapshot);
  const accepted = new Set(columns.map(({ name }) => name));
  const withoutMac = snapshot.devices.filter(({ key }) => key.startsWith(WITHOUT_MAC));
  const takeMatch = matchByContent(withoutMac.reverse(), columns); // `pop` takes the first of equals first.
  const spared = new Set<string>();
  const plan: ImportPlan = {
    put: [],
    remove: [],
    inserted: rows.length,
    updated: 0,
    skipped: noLines(),
    adjusted: noLines(),
    ignoredColumns: truncateNames([...ignoredColumns, ...extraColumns.filter((name) => !accepted.has(name))]),
  };
  for await (const slice of inSlices(rows)) {
    for (const row of slice) {
      const mac = row.fields.devMac;
      const known = mac ? snapshot.deviceOf(mac) : await takeMatch(row);
      if (mac && known !== undefined && known.key !== mac) {
        addRemark(plan.skipped, row.line, `devMac: ${mac} is joined with the device ${known.key}`);
        plan.inserted--;
        spared.add(known.key);
        continue;
      }
      const key = known?.key ?? (mac || `${WITHOUT_MAC}${randomUUID()}`);
      spared.add(key);
      if (known) plan.updated++;
      const changes = [...row.changes];
      const record = merge(known?.record, row, columns, changes, now, known?.joined !== undefined);
      if (changes.length > 0) addRemark(plan.adjusted, row.line, changes.join('; '));
      const byPerson = alsoByPerson(known, setFields(row.fields, known));
      const isMarked = byPerson.length === (known?.byPerson?.length ?? 0);
      if (known && isMarked && sameRecord(record, known.record)) continue;
      plan.put.push({ ...known, key, record, ...(byPerson.length === 0 ? {} : { byPerson }) });
    }
  }
  if (mode === 'merge') return plan;
  for await (const slice of inSlices(snapshot.devices)) {
    for (const { key } of slice) if (!spared.has(key) && !named.has(key)) plan.remove.push(key);
  }
  return plan;
}

/**
 * The fields that a row sets and discovery must not overwrite, because an import counts as a person's decision. Empty cells
 * set nothing, nor do placeholder names, or values that match what recognition has found: importing an export does not
 * confirm all of it.
 */
function setFields(fields: Partial<DeviceFields>, known: StoredDevice | undefined): DeviceField[] {
  const set: DeviceField[] = [];
  for (const field of Object.keys(fields) as DeviceField[]) {
    const value = fields[field];
    if (value === undefined || value === '' || value === 0 || OBSERVED_FIELDS.includes(field)) continue;
    if (known?.observed !== undefined && isRecognized(field) && value === known.record[field]) continue;
    if (field !== 'devName' || !UNKNOWN_NAMES.includes(String(value))) set.push(field);
  }
  return set;
}

/** Finds, for a row without a MAC, a device with the same values in every column of the row; each device only once. */
function matchByContent(
  devices: readonly StoredDevice[],
  columns: readonly ExtraColumn[],
): (row: ImportRow) => Promise<StoredDevice | undefined> {
  const left = new Set(devices);
  /** An index of the devices for each set of fields. The rows of a file have few different sets. */
  const indexes = new Map<string, Map<string, StoredDevice[]>>();
  const inDevice = ({ extra }: DeviceRecord) =>
    columns.map(({ name }) => (Object.hasOwn(extra, name) ? extra[name] : ''));
  return async (row) => {
    if (left.size === 0) return undefined;
    const fields = DEVICE_FIELDS.filter((field) => field in row.fields);
    const fingerprintOf = ({ record }: StoredDevice) => fingerprint(record, fields, inDevice(record));
    const index = indexes.get(fields.join()) ?? (await groupBy(devices, fingerprintOf));
    indexes.set(fields.join(), index);
    const inRow = columns.map(({ at }) => row.extra[at] ?? '');
    const alike = index.get(fingerprint(row.fields, fields, inRow)) ?? [];
    for (let match = alike.pop(); match !== undefined; match = alike.pop()) {
      if (left.delete(match)) return match;
    }
    return undefined;
  };
}

async function groupBy(
  devices: readonly StoredDevice[],
  fingerprintOf: (device: StoredDevice) => string,
): Promise<Map<string, StoredDevice[]>> {
  const groups = new Map<string, StoredDevice[]>();
  for await (const slice of inSlices(devices)) {
    for (const device of slice) {
      const print = fingerprintOf(device);
      const alike = groups.get(print);
      if (alike) alike.push(device);
      else groups.set(print, [device]);
    }
  }
  return groups;
}

function fingerprint(
  record: Partial<DeviceFields>,
  fields: readonly DeviceField[],
  extra: readonly (string | undefined)[],
): string {
  // A spreadsheet leaves the seconds out.
  const values = fields.map((field) => (isTime(field) ? record[field]?.slice(0, 16) : record[field]) ?? null);
  return JSON.stringify([...values, ...extra]);
}

const TIMES = ['devFirstConnection', 'devLastConnection'] as const satisfies DeviceField[];

const isTime = (field: DeviceField): field is (typeof TIMES)[number] => DEVICE_FIELD_KINDS[field] === 'time';

function merge(
  known: DeviceRecord | undefined,
  { fields, extra }: ImportRow,
  columns: readonly ExtraColumn[],
  changes: string[],
  now: Date,
  isJoined: boolean,
): DeviceRecord {
  const before = known ?? BLANK_DEVICE;
  const merged = { ...before, ...fields, extra: mergeExtra(before.extra, columns, extra, changes) };
  for (const field of TIMES) {
    const given = fields[field];
    if (given) merged[field] = completeTime(given, before[field]);
  }
  // The collection knows which MACs are joined; a file does not.
  if (isJoined) merged.devOtherMACs = before.devOtherMACs;
  // Without a time the device would always, or never, be the latest one.
  if (merged.devFirstConnection === '') merged.devFirstConnection = known?.devFirstConnection || formatTime(now);
  return merged;
}
