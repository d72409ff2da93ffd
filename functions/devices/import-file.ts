import { isIPv4 } from 'node:net';
import * as z from 'zod';
import { MAX_IMPORT_ROWS, MAX_NAMED_LINES } from '../../shared/api/device-import.ts';
import {
  DEVICE_FIELD_KINDS,
  DEVICE_FIELDS,
  type DeviceField,
  type DeviceFields,
  ExtraName,
  type FieldKind,
  MAX_EXTRA_COLUMNS,
  MAX_EXTRA_VALUE,
  MAX_LENGTHS,
  parseDeviceMac,
} from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import { formatIp, parseIp } from '../../shared/network.ts';
import { startOf, thousands } from '../../shared/text.ts';
import { unescapeFormula } from '../http/csv-text.ts';
import { type CsvRow, parseCsv } from './csv.ts';
import { type ExtraColumn, fitting } from './extra-columns.ts';
import { formatTime } from './time.ts';

/** A parsed file: its valid rows, and why the others were left out. */
export interface ImportFile {
  rows: ImportRow[];
  /** Names in the header that mean no field, and can be kept as extra columns. */
  extraColumns: string[];
  skipped: NamedLines;
  /** Names in the header that cannot be kept; the first of them, and shortened. */
  ignoredColumns: string[];
  /** MACs in any row, valid or not: `mode=replace` does not delete their devices. */
  named: Set<string>;
}

/** A valid row. */
export interface ImportRow {
  line: number;
  /** Fields that the file has a column for, or that its status word sets. */
  fields: Partial<DeviceFields>;
  /** What it says in each of the file's `extraColumns`. */
  extra: readonly string[];
  /** Values that were corrected. */
  changes: readonly string[];
}

/** Lines of the file, each with a reason. All are counted, but only as many are listed as an answer may hold. */
export interface NamedLines {
  count: number;
  named: { line: number; reason: string }[];
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
  const file: ImportFile = { rows: [], extraColumns: [], skipped: noLines(), ignoredColumns: [], named: new Set() };
  let take: ((row: CsvRow) => void) | undefined;
  let rows = 0;
  for await (const batch of parseCsv(bytes)) {
    for (const row of batch) {
      if (take === undefined) {
        take = rowReader(file, row.cells);
      } else if (++rows > MAX_IMPORT_ROWS) {
        const most = thousands(MAX_IMPORT_ROWS);
        throw new ServiceError('payload_too_large', `The file has more than ${most} rows: import it in parts`);
      } else {
        take(row);
      }
    }
  }
  if (take === undefined) throw withoutHeader();
  return file;
}

export const noLines = (): NamedLines => ({ count: 0, named: [] });

export function addRemark(lines: NamedLines, line: number, reason: string): void {
  lines.count++;
  if (lines.named.length < MAX_NAMED_LINES) lines.named.push({ line, reason });
}

/** The remarks of both, in the order of the lines. */
export function together(one: NamedLines, other: NamedLines): NamedLines {
  const named = [...one.named, ...other.named].sort((a, b) => a.line - b.line);
  return { count: one.count + other.count, named: named.slice(0, MAX_NAMED_LINES) };
}

/** Parses the header. @returns a function that adds a row to the file */
function rowReader(file: ImportFile, header: readonly string[]): (row: CsvRow) => void {
  const names = header.map((name) => name.trim());
  const columns = names.map((name) => COLUMNS.get(name.toLowerCase()) ?? null);
  if (columns.every((column) => column === null)) throw withoutHeader();
  const twice = columns.find((column, i) => column !== null && columns.indexOf(column) !== i);
  if (twice) throw new ServiceError('malformed_csv', `The first line of the file names the column ${twice} twice`);

  const extra = new Map<string, number>();
  const ignored: string[] = [];
  for (const [at, name] of names.entries()) {
    if (columns[at] !== null || name === '') continue;
    if (extra.size < MAX_EXTRA_COLUMNS && !extra.has(name) && z.validate(ExtraName, name)) extra.set(name, at);
    else ignored.push(header[at] ?? '');
  }
  file.extraColumns = [...extra.keys()];
  file.ignoredColumns = truncateNames(ignored);
  const isTamed = isOwnLayout(columns.filter((_, at) => names[at] !== ''));
  const fields = fieldsIn(columns);
  const shared = new Map(fields.map(({ column }) => [column, new SharedTexts()]));
  const layout: Layout = { fields, extra: [...extra].map(([name, at]) => ({ name, at })), isTamed, shared };
  const macColumn = columns.indexOf('devMac');
  return ({ line, cells }) => {
    if (cells.every((cell) => cell.trim() === '')) return; // Spreadsheets write a blank line like this.
    const mac = parseDeviceMac(cells[macColumn]?.trim() ?? '');
    const problem =
      cells.length !== columns.length
        ? `has ${cells.length} columns, expected ${columns.length}`
        : mac !== null && file.named.has(mac)
          ? `devMac: ${mac} occurs earlier in the file`
          : null;
    if (mac !== null) file.named.add(mac);
    const read = problem ?? readRow(layout, cells);
    if (typeof read === 'string') return addRemark(file.skipped, line, read);
    file.rows.push({ line, ...read });
  };
}

/** Where the header has what. */
interface Layout {
  fields: readonly { column: Column; at: number }[];
  extra: readonly ExtraColumn[];
  /** Whether cells have the apostrophes that an export of ours puts in front of formulas. */
  isTamed: boolean;
  /** One string for all rows that have the same text in a column, such as a vendor: they stay in memory. */
  shared: ReadonlyMap<Column, SharedTexts>;
}

/** Different texts of a column that are shared. In a column that has more, such as the names, few are the same. */
const MAX_SHARED_TEXTS = 1_000;

class SharedTexts {
  readonly #known = new Map<string, string>();

  share(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size < MAX_SHARED_TEXTS) this.#known.set(text, text);
    return text;
  }
}

function fieldsIn(columns: readonly (Column | null)[]): Layout['fields'] {
  return columns.flatMap((column, at) => (column === null ? [] : [{ column, at }]));
}

/**
 * Whether a header may be that of an export of ours: it has nothing but fields, or fields in the order of our exports and
 * other columns behind them. Some may be missing, because people take columns away. In the file of another system, which
 * has them in another order, an apostrophe belongs to the text.
 */
function isOwnLayout(columns: readonly (Column | null)[]): boolean {
  const others = columns.indexOf(null);
  if (others === -1) return true;
  const places = columns.slice(0, others).map((column) => FIELD_NAMES.indexOf(String(column)));
  const isInOrder = places.every((place, i) => place > (places[i - 1] ?? -1));
  return isInOrder && columns.slice(others).every((column) => column === null);
}

const FIELD_NAMES: readonly string[] = DEVICE_FIELDS;

/** As many names as an answer holds, each as long as it may be. */
export function truncateNames(names: readonly string[]): string[] {
  return names.slice(0, MAX_IGNORED_NAMES).map((name) => name.slice(0, MAX_NAME));
}

function withoutHeader(): ServiceError {
  return new ServiceError(
    'malformed_csv',
    'The first line of the file names no known column, such as devName or devMac',
  );
}

/** @returns the values of the row and what was corrected, or why the row is not imported */
function readRow(
  { fields, extra, isTamed, shared }: Layout,
  cells: readonly string[],
): Omit<ImportRow, 'line'> | string {
  const row: Partial<Record<DeviceField, string | number>> = {};
  const changes: string[] = [];
  const textOf = (at: number) => (isTamed ? unescapeFormula(cells[at] ?? '') : (cells[at] ?? ''));
  let status: Partial<DeviceFields> = {};
  for (const { column, at } of fields) {
    const cell = cells[at] ?? '';
    if (column === 'devStatus') {
      const meant = STATUS.get(cell.trim().toLowerCase().replace('-', ''));
      if (meant === undefined)
        return `devStatus: ${quote(cell)} is not a status; expected online, offline, down, archived or new`;
      status = meant;
      continue;
    }
    const kind: FieldKind = DEVICE_FIELD_KINDS[column];
    if (isText(kind)) {
      row[column] = fitText(column, kind, textOf(at), changes);
      continue;
    }
    let value = READ[kind](cell);
    if (kind === 'parent' && value === null) {
      // A wrong parent does not invalidate the device.
      changes.push(`${column}: ${quote(cell)} is ${EXPECTED.parent}; left empty`);
      value = '';
    }
    if (value === null) return `${column}: ${quote(cell)} is ${EXPECTED[kind]}`;
    row[column] = value;
  }
  for (const { column } of fields) {
    if (column === 'devStatus') continue;
    const value = row[column];
    if (typeof value === 'string') row[column] = shared.get(column)?.share(value) ?? value;
  }
  return {
    fields: { ...status, ...row } as Partial<DeviceFields>,
    extra: extra.length === 0 ? NONE : readExtra(extra, textOf, changes),
    changes: changes.length === 0 ? NONE : changes,
  };
}

/** One for all rows, of which there can be 200,000. */
const NONE: readonly string[] = Object.freeze([]);

type TextKind = keyof typeof MAX_LENGTHS;

function isText(kind: FieldKind): kind is TextKind {
  return Object.hasOwn(MAX_LENGTHS, kind);
}

function fitText(field: DeviceField, kind: TextKind, text: string, changes: string[]): string {
  const most = MAX_LENGTHS[kind];
  if (text.length <= most) return text;
  changes.push(
    kind === 'text' ? `${field}: cut at ${most} characters` : `${field}: longer than ${most} characters; left empty`,
  );
  return kind === 'text' ? startOf(text, most) : '';
}

/** The values of the extra columns, in their order; empty where one is too long, or does not fit beside the others. */
function readExtra(columns: readonly ExtraColumn[], textOf: (at: number) => string, changes: string[]): string[] {
  const values = columns.map(({ name, at }) => {
    const text = textOf(at);
    if (text.length <= MAX_EXTRA_VALUE) return text;
    changes.push(`${name}: left out; longer than ${MAX_EXTRA_VALUE} characters`);
    return '';
  });
  const fit = new Map(
    fitting(
      columns.map(({ name }, at) => ({ name, at })),
      values,
      0,
      changes,
    ),
  );
  return columns.map(({ name }) => fit.get(name) ?? '');
}

/** The fields that each status word sets. A column for one of these fields takes precedence. */
const STATUS = new Map<string, Partial<DeviceFields>>([
  ['', {}],
  ['null', {}],
  ['online', { devPresentLastScan: 1 }],
  ['offline', { devPresentLastScan: 0 }],
  ['down', { devPresentLastScan: 0, devAlertDown: 1 }],
  ['archived', { devIsArchived: 1 }],
  ['new', { devIsNew: 1 }],
]);

/** Converts a cell to a value; null when the cell is invalid. Inventories write a missing value as `null`. */
const READ: Record<Exclude<FieldKind, TextKind>, (cell: string) => string | number | null> = {
  mac: (cell) => readMac(cell),
  parent: (cell) => readMac(cell),
  address: (cell) => {
    const text = bare(cell);
    if (text === '' || text.toLowerCase() === UNKNOWN) return '';
    if (isIPv4(text)) return text; // Node.js accepts only the canonical form, and is ten times as fast.
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

const EXPECTED: Record<Exclude<FieldKind, TextKind>, string> = {
  mac: 'no MAC address',
  parent: 'no MAC address',
  address: 'no IP address',
  flag: 'neither 0 nor 1',
  time: 'not a time such as 2026-11-01 08:15:00',
};

function readMac(cell: string): string | null {
  const text = bare(cell);
  return text === '' ? '' : parseDeviceMac(text);
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
  const time = formatTime(at);
  // The engine turns the 30th of February into a day in March; compare with the day that was written.
  return offset === 'Z' && !time.startsWith(String(date)) ? null : time;
}

function quote(cell: string): string {
  return JSON.stringify(cell.length > 40 ? `${cell.slice(0, 40)}…` : cell);
}
