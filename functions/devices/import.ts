/** An import: which devices a file describes, and what that changes in a collection. */
import { v4 as uuid } from 'uuid';
import { DEVICE_FIELDS, type DeviceField, type DeviceRecord, INTERNET } from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import { formatIp, parseIp, parseMac } from '../../shared/network.ts';
import { BLANK_DEVICE, FLAGS, type StoredDevice, WITHOUT_MAC } from '../dynamodb/device-codec.ts';
import type { Change } from '../dynamodb/device-store.ts';
import type { Snapshot } from '../dynamodb/snapshot.ts';
import { parseCsv, untame } from './csv.ts';

/** A file that has been read: what its good rows say, and why the others were left out. */
export interface ImportFile {
  /** Fields that the file has a column for. */
  rows: Partial<DeviceRecord>[];
  skipped: { line: number; reason: string }[];
  /** MACs that any row names, good or bad: `mode=replace` spares them. */
  named: ReadonlySet<string>;
}

export interface ImportPlan extends Change {
  inserted: number;
  updated: number;
}

/** What a column holds: a field of the record, or the status word, which stands for several of them. */
type Column = DeviceField | 'devStatus' | null;

/** Names of columns in lower case: the record's own, and those of the six-column export. */
const COLUMNS = new Map<string, Column>([
  ...DEVICE_FIELDS.map((field) => [field.toLowerCase(), field] as const),
  ['devip', 'devLastIP'],
  ['devstatus', 'devStatus'],
]);

const MAX_CELL = 4000;

/**
 * Reads the file and judges every row by itself.
 * @throws {ServiceError} `malformed_csv` when there is no header with at least one column that is known
 */
export async function readImport(text: string): Promise<ImportFile> {
  const [header, ...lines] = await parseCsv(text);
  const columns = header?.cells.map((name) => COLUMNS.get(name.trim().toLowerCase()) ?? null) ?? [];
  if (columns.every((column) => column === null)) {
    throw new ServiceError(
      'malformed_csv',
      'The first line of the file names no known column, such as devName or devMac',
    );
  }
  const twice = columns.find((column, i) => column !== null && columns.indexOf(column) !== i);
  if (twice) throw new ServiceError('malformed_csv', `The first line of the file names the column ${twice} twice`);

  const rows: Partial<DeviceRecord>[] = [];
  const skipped: ImportFile['skipped'] = [];
  const named = new Set<string>();
  for (const { line, cells } of lines) {
    if (cells.every((cell) => cell.trim() === '')) continue; // A blank line, as spreadsheets write it.
    const mac = macIn(columns, cells);
    const problem =
      cells.length !== columns.length
        ? `has ${cells.length} columns, expected ${columns.length}`
        : mac !== null && named.has(mac)
          ? `devMac: ${mac} occurs earlier in the file`
          : null;
    if (mac !== null) named.add(mac);
    const row = problem ?? readRow(columns, cells);
    if (typeof row === 'string') skipped.push({ line, reason: row });
    else rows.push(row);
  }
  return { rows, skipped, named };
}

function macIn(columns: Column[], cells: string[]): string | null {
  const cell = cells[columns.indexOf('devMac')]?.trim();
  return cell === undefined ? null : macOf(cell);
}

/** @returns the MAC in canonical form, `Internet`, or null */
function macOf(cell: string): string | null {
  return cell.toLowerCase() === INTERNET.toLowerCase() ? INTERNET : parseMac(cell);
}

/** @returns what the row says, or why it cannot be taken over */
function readRow(columns: Column[], cells: string[]): Partial<DeviceRecord> | string {
  const row: Partial<DeviceRecord> = {};
  let status: Partial<DeviceRecord> = {};
  for (const [i, column] of columns.entries()) {
    if (column === null) continue;
    const cell = cells[i] ?? '';
    if (cell.length > MAX_CELL) return `${column}: longer than ${MAX_CELL} characters`;
    if (column === 'devStatus') {
      const meant = STATUS.get(cell.trim().toLowerCase().replace('-', ''));
      if (meant === undefined) return `devStatus: ${quote(cell)} is none of online, offline, down, archived, new`;
      status = meant;
      continue;
    }
    const value = READ[kindOf(column)](cell);
    if (value === null) return `${column}: ${quote(cell)} is ${EXPECTED[kindOf(column)]}`;
    Object.assign(row, { [column]: value });
  }
  return { ...status, ...row };
}

/** What each status word sets. A column of its own for one of these fields outweighs it. */
const STATUS = new Map<string, Partial<DeviceRecord>>([
  ['', {}],
  ['null', {}],
  ['online', { devPresentLastScan: 1 }],
  ['offline', { devPresentLastScan: 0 }],
  ['down', { devPresentLastScan: 0, devAlertDown: 1 }],
  ['archived', { devIsArchived: 1 }],
  ['new', { devIsNew: 1 }],
]);

type Kind = 'mac' | 'parent' | 'address' | 'flag' | 'time' | 'text';

function kindOf(field: DeviceField): Kind {
  if (FLAGS.has(field)) return 'flag';
  switch (field) {
    case 'devMac':
      return 'mac';
    case 'devParentMAC':
      return 'parent';
    case 'devLastIP':
      return 'address';
    case 'devFirstConnection':
    case 'devLastConnection':
      return 'time';
    default:
      return 'text';
  }
}

/** From a cell to a value; null when the cell makes no sense. Inventories write a missing value as `null`. */
const READ: Record<Kind, (cell: string) => string | number | null> = {
  mac: (cell) => readMac(cell),
  parent: (cell) => readMac(cell),
  address: (cell) => {
    const text = bare(cell);
    const ip = parseIp(text);
    return text === '' ? '' : ip === null ? null : formatIp(ip);
  },
  flag: (cell) => {
    const text = bare(cell);
    return text === '' || text === '0' ? 0 : text === '1' ? 1 : null;
  },
  time: (cell) => readTime(bare(cell)),
  text: (cell) => untame(cell),
};

const EXPECTED: Record<Kind, string> = {
  mac: 'no MAC address',
  parent: 'no MAC address',
  address: 'no IP address',
  flag: 'neither 0 nor 1',
  time: 'no time such as 2026-11-01 08:15:00',
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

/** A time with an offset is turned into UTC; one without is taken as UTC. */
function readTime(text: string): string | null {
  if (text === '') return '';
  const [whole, date, clock, offset = 'Z'] = TIME.exec(text) ?? [];
  if (whole === undefined) return null;
  const at = new Date(`${date}T${clock}${offset}`);
  if (Number.isNaN(at.getTime())) return null;
  // The engine rolls the 30th of February over; the day that was written must come back.
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
 * What the file changes in the collection. A device is known by its MAC; a row without one is known when a device
 * without MAC says the same in every column of the file, so that a repeated import adds nothing.
 */
export function planImport(
  { rows, named }: ImportFile,
  snapshot: Snapshot,
  mode: 'merge' | 'replace',
  now: Date,
): ImportPlan {
  const takeTwin = twinsOf(snapshot.devices.filter(({ key }) => key.startsWith(WITHOUT_MAC)));
  const spared = new Set<string>();
  const put: StoredDevice[] = [];
  let updated = 0;
  for (const row of rows) {
    const known = row.devMac ? snapshot.get(row.devMac) : takeTwin(row);
    const key = known?.key ?? (row.devMac || `${WITHOUT_MAC}${uuid()}`);
    spared.add(key);
    if (known) updated++;
    const record = merge(known?.record, row, now);
    if (known === undefined || DEVICE_FIELDS.some((field) => record[field] !== known.record[field])) {
      put.push({ key, record });
    }
  }
  const remove =
    mode === 'replace'
      ? snapshot.devices.filter(({ key }) => !spared.has(key) && !named.has(key)).map(({ key }) => key)
      : [];
  return { put, remove, inserted: rows.length, updated };
}

/** Gives, for a row without MAC, a device that says the same in every field of the row; each device only once. */
function twinsOf(devices: readonly StoredDevice[]): (row: Partial<DeviceRecord>) => StoredDevice | undefined {
  const left = new Set(devices);
  /** For each set of fields: the devices by what they say in them. Rows of one file differ in few sets. */
  const indexes = new Map<string, Map<string, StoredDevice[]>>();
  return (row) => {
    if (left.size === 0) return undefined;
    const fields = DEVICE_FIELDS.filter((field) => field in row);
    const index = indexes.get(fields.join()) ?? groupBySaying(devices, fields);
    indexes.set(fields.join(), index);
    const alike = index.get(saying(row, fields)) ?? [];
    for (let twin = alike.pop(); twin !== undefined; twin = alike.pop()) {
      if (left.delete(twin)) return twin;
    }
    return undefined;
  };
}

function groupBySaying(devices: readonly StoredDevice[], fields: readonly DeviceField[]): Map<string, StoredDevice[]> {
  const groups = new Map<string, StoredDevice[]>();
  for (const device of devices) {
    const said = saying(device.record, fields);
    const alike = groups.get(said);
    if (alike) alike.push(device);
    else groups.set(said, [device]);
  }
  return groups;
}

function saying(record: Partial<DeviceRecord>, fields: readonly DeviceField[]): string {
  return JSON.stringify(fields.map((field) => record[field] ?? null));
}

function merge(known: DeviceRecord | undefined, row: Partial<DeviceRecord>, now: Date): DeviceRecord {
  const merged = { ...(known ?? BLANK_DEVICE), ...row };
  // Without it the device would never be the latest, or always.
  if (merged.devFirstConnection === '') merged.devFirstConnection = known?.devFirstConnection || formatTime(now);
  return merged;
}
