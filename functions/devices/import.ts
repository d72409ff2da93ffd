/** Imports: parses the devices in a file, and plans how they change a collection. */
import { v4 as uuid } from 'uuid';
import { MAX_IMPORT_ROWS, MAX_NAMED_LINES, MAX_TEXT } from '../../shared/api/devices.ts';
import {
  BLANK_DEVICE,
  DEVICE_FIELD_KINDS,
  DEVICE_FIELDS,
  type DeviceField,
  type DeviceRecord,
  type FieldKind,
  INTERNET,
} from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import { formatIp, parseIp, parseMac } from '../../shared/network.ts';
import { startOf } from '../../shared/text.ts';
import type { Change } from '../dynamodb/change-row.ts';
import { type StoredDevice, WITHOUT_MAC } from '../dynamodb/device-codec.ts';
import type { Snapshot } from '../dynamodb/snapshot.ts';
import { inSlices } from '../load/slices.ts';
import { type CsvRow, parseCsv, unescapeFormula } from './csv.ts';

/** A parsed file: its valid rows, and why the others were left out. */
export interface ImportFile {
  /** Fields that the file has a column for. */
  rows: Partial<DeviceRecord>[];
  skipped: NamedLines;
  /** Lines that were imported with a corrected value. */
  adjusted: NamedLines;
  /** Column names that are not known; only the first of them, and shortened. */
  ignoredColumns: string[];
  /** MACs in any row, valid or not: `mode=replace` does not delete their devices. */
  named: Set<string>;
}

/** Lines of the file, each with a reason. All are counted, but only as many are listed as an answer may hold. */
export interface NamedLines {
  count: number;
  named: { line: number; reason: string }[];
}

export interface ImportPlan extends Change {
  inserted: number;
  updated: number;
}

/** The meaning of a column: a field of the record, or the status word, which sets several of them. */
type Column = DeviceField | 'devStatus';

/** Column names in lower case: those of the record, and those of the six-column export. */
const COLUMNS = new Map<string, Column>([
  ...DEVICE_FIELDS.map((field) => [field.toLowerCase(), field] as const),
  ['devip', 'devLastIP'],
  ['devstatus', 'devStatus'],
]);

/** How many ignored column names are reported, and how much of each. */
const MAX_IGNORED_NAMES = 100;
const MAX_NAME = 100;

/**
 * Parses the file and validates each row by itself.
 * @throws {ServiceError} `malformed_csv` when it is not CSV, or has no header with at least one known column;
 *   `payload_too_large` when it has too many rows
 */
export async function readImport(bytes: Uint8Array): Promise<ImportFile> {
  const file: ImportFile = { rows: [], skipped: noLines(), adjusted: noLines(), ignoredColumns: [], named: new Set() };
  let take: ((row: CsvRow) => void) | undefined;
  let rows = 0;
  for await (const batch of parseCsv(bytes)) {
    for (const row of batch) {
      if (take === undefined) {
        take = rowReader(file, row.cells);
      } else if (++rows > MAX_IMPORT_ROWS) {
        const most = MAX_IMPORT_ROWS.toLocaleString('en');
        throw new ServiceError('payload_too_large', `The file has more than ${most} rows: import it in parts`);
      } else {
        take(row);
      }
    }
  }
  if (take === undefined) throw withoutHeader();
  return file;
}

const noLines = (): NamedLines => ({ count: 0, named: [] });

function note(lines: NamedLines, line: number, reason: string): void {
  lines.count++;
  if (lines.named.length < MAX_NAMED_LINES) lines.named.push({ line, reason });
}

/** Parses the header. @returns a function that adds a row to the file */
function rowReader(file: ImportFile, header: readonly string[]): (row: CsvRow) => void {
  const columns = header.map((name) => COLUMNS.get(name.trim().toLowerCase()) ?? null);
  if (columns.every((column) => column === null)) throw withoutHeader();
  const twice = columns.find((column, i) => column !== null && columns.indexOf(column) !== i);
  if (twice) throw new ServiceError('malformed_csv', `The first line of the file names the column ${twice} twice`);

  const unknown = header.filter((name, i) => columns[i] === null && name.trim() !== '');
  file.ignoredColumns = unknown.slice(0, MAX_IGNORED_NAMES).map((name) => name.slice(0, MAX_NAME));
  // A file with unknown columns is not our export, so an apostrophe in it is part of the text and not an escape.
  const isTamed = unknown.length === 0;
  const known = columns.flatMap((column, at) => (column === null ? [] : [{ column, at }]));
  const macColumn = columns.indexOf('devMac');
  return ({ line, cells }) => {
    if (cells.every((cell) => cell.trim() === '')) return; // Spreadsheets write a blank line like this.
    const mac = macOf(cells[macColumn]?.trim() ?? '');
    const problem =
      cells.length !== columns.length
        ? `has ${cells.length} columns, expected ${columns.length}`
        : mac !== null && file.named.has(mac)
          ? `devMac: ${mac} occurs earlier in the file`
          : null;
    if (mac !== null) file.named.add(mac);
    const read = problem ?? readRow(known, cells, isTamed);
    if (typeof read === 'string') return note(file.skipped, line, read);
    file.rows.push(read.row);
    if (read.changes.length > 0) note(file.adjusted, line, read.changes.join('; '));
  };
}

function withoutHeader(): ServiceError {
  return new ServiceError(
    'malformed_csv',
    'The first line of the file names no known column, such as devName or devMac',
  );
}

/** @returns the MAC in canonical form, `Internet`, or null */
function macOf(cell: string): string | null {
  return cell.toLowerCase() === INTERNET.toLowerCase() ? INTERNET : parseMac(cell);
}

/** @returns the values of the row and what was corrected, or why the row is not imported */
function readRow(
  columns: readonly { column: Column; at: number }[],
  cells: readonly string[],
  isTamed: boolean,
): { row: Partial<DeviceRecord>; changes: string[] } | string {
  const row: Partial<Record<DeviceField, string | number>> = {};
  const changes: string[] = [];
  let status: Partial<DeviceRecord> = {};
  for (const { column, at } of columns) {
    const cell = cells[at] ?? '';
    if (column === 'devStatus') {
      const meant = STATUS.get(cell.trim().toLowerCase().replace('-', ''));
      if (meant === undefined)
        return `devStatus: ${quote(cell)} is not a status; expected online, offline, down, archived or new`;
      status = meant;
      continue;
    }
    const kind: FieldKind = DEVICE_FIELD_KINDS[column];
    let value = kind === 'text' ? (isTamed ? unescapeFormula(cell) : cell) : READ[kind](cell);
    if (kind === 'parent' && value === null) {
      // A wrong parent does not invalidate the device.
      changes.push(`${column}: ${quote(cell)} is ${EXPECTED.parent}; left empty`);
      value = '';
    }
    if (typeof value === 'string' && value.length > MAX_TEXT) {
      changes.push(`${column}: cut at ${MAX_TEXT} characters`);
      value = startOf(value, MAX_TEXT);
    }
    if (value === null) return `${column}: ${quote(cell)} is ${EXPECTED[kind]}`;
    row[column] = value;
  }
  return { row: { ...status, ...row } as Partial<DeviceRecord>, changes };
}

/** The fields that each status word sets. A column for one of these fields takes precedence. */
const STATUS = new Map<string, Partial<DeviceRecord>>([
  ['', {}],
  ['null', {}],
  ['online', { devPresentLastScan: 1 }],
  ['offline', { devPresentLastScan: 0 }],
  ['down', { devPresentLastScan: 0, devAlertDown: 1 }],
  ['archived', { devIsArchived: 1 }],
  ['new', { devIsNew: 1 }],
]);

/** Converts a cell to a value; null when the cell is invalid. Inventories write a missing value as `null`. */
const READ: Record<Exclude<FieldKind, 'text'>, (cell: string) => string | number | null> = {
  mac: (cell) => readMac(cell),
  parent: (cell) => readMac(cell),
  address: (cell) => {
    const text = bare(cell);
    if (text === '' || text.toLowerCase() === UNKNOWN) return '';
    const ip = parseIp(text);
    return ip === null ? null : formatIp(ip);
  },
  flag: (cell) => {
    const text = bare(cell);
    return text === '' || text === '0' ? 0 : text === '1' ? 1 : null;
  },
  time: (cell) => readTime(bare(cell)),
};

/** The text that inventories write for an address that was never seen. */
const UNKNOWN = '(unknown)';

const EXPECTED: Record<FieldKind, string> = {
  mac: 'no MAC address',
  parent: 'no MAC address',
  address: 'no IP address',
  flag: 'neither 0 nor 1',
  time: 'not a time such as 2026-11-01 08:15:00',
  text: 'no text',
};

function readMac(cell: string): string | null {
  const text = bare(cell);
  return text === '' ? '' : macOf(text);
}

function bare(cell: string): string {
  const text = cell.trim();
  return text.toLowerCase() === 'null' ? '' : text;
}

const TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?$/;

/** A time with an offset is converted to UTC; one without is taken as UTC. */
function readTime(text: string): string | null {
  if (text === '') return '';
  const [whole, date, clock, offset = 'Z'] = TIME.exec(text) ?? [];
  if (whole === undefined) return null;
  const at = new Date(`${date}T${clock}${offset}`);
  if (Number.isNaN(at.getTime())) return null;
  // The engine turns the 30th of February into a day in March; compare with the day that was written.
  if (offset === 'Z' && !at.toISOString().startsWith(String(date))) return null;
  return formatTime(at);
}

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export function formatTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

function quote(cell: string): string {
  return JSON.stringify(cell.length > 40 ? `${cell.slice(0, 40)}…` : cell);
}

/**
 * Plans what the file changes in the collection. A device is identified by its MAC. A row without a MAC matches a
 * device without a MAC that has the same values in every column of the file, so that a repeated import adds nothing.
 */
export async function planImport(
  { rows, named }: ImportFile,
  snapshot: Snapshot,
  mode: 'merge' | 'replace',
  now: Date,
): Promise<ImportPlan> {
  const takeMatch = matchByFields(snapshot.devices.filter(({ key }) => key.startsWith(WITHOUT_MAC)));
  const spared = new Set<string>();
  const plan: ImportPlan = { put: [], remove: [], inserted: rows.length, updated: 0 };
  for await (const slice of inSlices(rows)) {
    for (const row of slice) {
      const known = row.devMac ? snapshot.get(row.devMac) : await takeMatch(row);
      const key = known?.key ?? (row.devMac || `${WITHOUT_MAC}${uuid()}`);
      spared.add(key);
      if (known) plan.updated++;
      const record = merge(known?.record, row, now);
      if (known === undefined || DEVICE_FIELDS.some((field) => record[field] !== known.record[field])) {
        plan.put.push({ key, record });
      }
    }
  }
  if (mode === 'merge') return plan;
  for await (const slice of inSlices(snapshot.devices)) {
    for (const { key } of slice) if (!spared.has(key) && !named.has(key)) plan.remove.push(key);
  }
  return plan;
}

/** Finds, for a row without a MAC, a device with the same values in every field of the row; each device only once. */
function matchByFields(
  devices: readonly StoredDevice[],
): (row: Partial<DeviceRecord>) => Promise<StoredDevice | undefined> {
  const left = new Set(devices);
  /** An index of the devices for each set of fields. The rows of a file have only a few different sets. */
  const indexes = new Map<string, Map<string, StoredDevice[]>>();
  return async (row) => {
    if (left.size === 0) return undefined;
    const fields = DEVICE_FIELDS.filter((field) => field in row);
    const index = indexes.get(fields.join()) ?? (await groupByFingerprint(devices, fields));
    indexes.set(fields.join(), index);
    const alike = index.get(fingerprint(row, fields)) ?? [];
    for (let match = alike.pop(); match !== undefined; match = alike.pop()) {
      if (left.delete(match)) return match;
    }
    return undefined;
  };
}

async function groupByFingerprint(
  devices: readonly StoredDevice[],
  fields: readonly DeviceField[],
): Promise<Map<string, StoredDevice[]>> {
  const groups = new Map<string, StoredDevice[]>();
  for await (const slice of inSlices(devices)) {
    for (const device of slice) {
      const print = fingerprint(device.record, fields);
      const alike = groups.get(print);
      if (alike) alike.push(device);
      else groups.set(print, [device]);
    }
  }
  return groups;
}

function fingerprint(record: Partial<DeviceRecord>, fields: readonly DeviceField[]): string {
  return JSON.stringify(fields.map((field) => record[field] ?? null));
}

function merge(known: DeviceRecord | undefined, row: Partial<DeviceRecord>, now: Date): DeviceRecord {
  const merged = { ...(known ?? BLANK_DEVICE), ...row };
  // Without a time the device would always, or never, be the latest one.
  if (merged.devFirstConnection === '') merged.devFirstConnection = known?.devFirstConnection || formatTime(now);
  return merged;
}
