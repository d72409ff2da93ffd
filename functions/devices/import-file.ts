import * as z from 'zod';
import { MAX_IMPORT_ROWS, MAX_NAMED_LINES } from '../../shared/api/device-import.ts';
import {
  DEVICE_FIELD_KINDS,
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
import { parseMac } from '../../shared/network.ts';
import { startOf, thousands } from '../../shared/text.ts';
import { unescapeFormula } from '../http/csv-text.ts';
import { type CsvRow, parseCsv } from './csv.ts';
import { type ExtraColumn, type ExtraValues, fitting } from './extra-columns.ts';
import { faultOf, quote, READ, statusIn } from './import-cells.ts';
import { type Column, headerOf, withoutHeader } from './import-header.ts';

/** A parsed file: its valid rows, and why the others were left out. */
export interface ImportFile {
  rows: ImportRow[];
  /** Names in the header that mean no field, and can be kept as extra columns. */
  extraColumns: string[];
  skipped: NamedLines;
  /** How many rows of these could not be read: what they are about is not known. */
  unreadable: number;
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
  extra: ExtraValues;
  /** Values that were corrected. */
  changes: readonly string[];
}

/** Lines of the file, each with a reason. All are counted, but only as many are listed as an answer may hold. */
export interface NamedLines {
  count: number;
  named: { line: number; reason: string }[];
}

/** How many ignored column names are reported, and how much of each. */
const MAX_IGNORED_NAMES = 100;
const MAX_NAME = 100;

/**
 * Parses the file and validates each row by itself.
 * @throws {ServiceError} `malformed_csv` when it is not CSV, or has no header with at least one known column;
 *   `payload_too_large` when it has too many rows
 */
export async function readImport(bytes: Uint8Array): Promise<ImportFile> {
  const file: ImportFile = {
    rows: [],
    extraColumns: [],
    skipped: noLines(),
    unreadable: 0,
    ignoredColumns: [],
    named: new Set(),
  };
  let take: RowReader | undefined;
  let rows = 0; // With the header.
  for await (const batch of parseCsv(bytes)) {
    for (const row of batch) {
      if (++rows > MAX_IMPORT_ROWS + 1) {
        const most = thousands(MAX_IMPORT_ROWS);
        throw new ServiceError('payload_too_large', `The file has more than ${most} rows: import it in parts`);
      }
      if (row.cells.every((cell) => cell.trim() === '')) continue; // Spreadsheets write a blank line like this.
      if (take === undefined) take = rowReader(file, row.cells);
      else take.row(row);
    }
  }
  if (take === undefined) throw withoutHeader();
  take.requireMacs();
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

interface RowReader {
  /** Adds a row to the file. */
  row(row: CsvRow): void;
  /** @throws {ServiceError} `malformed_csv` when no row has a MAC, and a column that is no field is full of them */
  requireMacs(): void;
}

/** Parses the header. */
function rowReader(file: ImportFile, header: readonly string[]): RowReader {
  const names = header.map((name) => name.trim());
  const { columns, isTamed } = headerOf(names);
  /** Columns without a name at the end are those of a spreadsheet. */
  const width = names.findLastIndex((name) => name !== '') + 1;

  const extra = new Map<string, number>();
  const ignored: string[] = [];
  for (const [at, name] of names.entries()) {
    if (columns[at] !== null || name === '') continue;
    if (extra.size < MAX_EXTRA_COLUMNS && !extra.has(name) && z.validate(ExtraName, name)) extra.set(name, at);
    else ignored.push(header[at] ?? '');
  }
  file.extraColumns = [...extra.keys()];
  file.ignoredColumns = truncateNames(ignored);
  const fields = columns.flatMap((column, at) => (column === null ? [] : [{ column, at }]));
  const shared = new Map(fields.map(({ column }) => [column, new SharedTexts()]));
  const layout: Layout = { fields, extra: [...extra].map(([name, at]) => ({ name, at })), isTamed, shared };
  const macColumn = columns.indexOf('devMac');
  const strays = columns.flatMap((column, at) => (column === null ? [{ at, macs: 0, others: 0 }] : []));

  function lookForMacs(cells: readonly string[]): void {
    for (const stray of strays) {
      const cell = cells[stray.at]?.trim() ?? '';
      if (cell === '') continue;
      if (parseMac(cell) !== null && !/^\d+$/.test(cell)) stray.macs++;
      else stray.others++;
    }
  }

  return {
    row({ line, cells }) {
      const mac = parseDeviceMac(cells[macColumn]?.trim() ?? '');
      const isWhole = cells.length >= width && cells.slice(names.length).every((cell) => cell.trim() === '');
      const read = isWhole ? readRow(layout, cells) : `has ${cells.length} columns, expected ${width}`;
      if (mac !== null && file.named.has(mac) && isWhole) {
        return addRemark(file.skipped, line, `devMac: ${mac} occurs earlier in the file`);
      }
      if (mac !== null) file.named.add(mac);
      if (file.named.size === 0) lookForMacs(cells);
      if (typeof read !== 'string') return void file.rows.push({ line, ...read });
      file.unreadable++;
      return addRemark(file.skipped, line, read);
    },
    requireMacs() {
      const stray = strays.find(({ macs, others }) => macs > others);
      if (file.named.size > 0 || stray === undefined) return;
      const name = names[stray.at] ? quote(names[stray.at] ?? '') : `number ${stray.at + 1}`;
      const message = `The column ${name} of the file holds MAC addresses, and devMac none: call that column devMac, or take it out`;
      throw new ServiceError('malformed_csv', message);
    },
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

/** As many names as an answer holds, each as long as it may be. */
export function truncateNames(names: readonly string[]): string[] {
  return names.slice(0, MAX_IGNORED_NAMES).map((name) => name.slice(0, MAX_NAME));
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
      const meant = statusIn(cell);
      if (meant === undefined) changes.push(`devStatus: ${quote(cell)} is no status; left as it was`);
      else status = meant;
      continue;
    }
    const kind: FieldKind = DEVICE_FIELD_KINDS[column];
    if (isText(kind)) {
      const text = fitText(column, kind, textOf(at), changes);
      if (text !== null) row[column] = text;
      continue;
    }
    const value = READ[kind](cell);
    if (value !== null) row[column] = value;
    else if (kind === 'mac' || kind === 'address') return `${column}: ${faultOf(kind, cell)}`;
    else changes.push(`${column}: ${faultOf(kind, cell)}; left as it was`);
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

/** Null for one of which a part would mean something else. */
function fitText(field: DeviceField, kind: TextKind, text: string, changes: string[]): string | null {
  const most = MAX_LENGTHS[kind];
  if (text.length <= most) return text;
  changes.push(
    kind === 'text'
      ? `${field}: cut at ${most} characters`
      : `${field}: longer than ${most} characters; left as it was`,
  );
  return kind === 'text' ? startOf(text, most) : null;
}

/** The values of the extra columns, in their order; null where one is too long, or does not fit beside the others. */
function readExtra(columns: readonly ExtraColumn[], textOf: (at: number) => string, changes: string[]): ExtraValues {
  const values = columns.map(({ name, at }) => {
    const text = textOf(at);
    if (text.length <= MAX_EXTRA_VALUE) return text;
    changes.push(`${name}: longer than ${MAX_EXTRA_VALUE} characters; left as it was`);
    return null;
  });
  const inOrder = columns.map(({ name }, at) => ({ name, at }));
  const left = new Set(fitting(inOrder, values, 0, changes).left);
  return values.map((value, at) => (left.has(columns[at]?.name ?? '') ? null : value));
}
