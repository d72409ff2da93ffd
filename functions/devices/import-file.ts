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

export interface ImportFile {
  rows: ImportRow[];
  /** Column names that are no fields, and can be kept as extra columns. */
  extraColumns: string[];
  skipped: NamedLines;
  /** How many of the skipped rows could not be read, so that it is unknown which devices they are about. */
  unreadable: number;
  /** Column names that cannot be kept; the first ones, shortened. */
  ignoredColumns: string[];
  /** MACs in any row, valid or not: `mode=replace` does not delete these devices. */
  named: Set<string>;
}

export interface ImportRow {
  line: number;
  /** Fields that the file has a column for, or that its status word sets. */
  fields: Partial<DeviceFields>;
  /** One value for each of the file's `extraColumns`. */
  extra: ExtraValues;
  changes: readonly string[];
}

/** Lines of the file with reasons. All are counted, but only as many are listed as a response may have. */
export interface NamedLines {
  count: number;
  named: { line: number; reason: string }[];
}

/** How many ignored column names are reported, and how much of each. */
const MAX_IGNORED_NAMES = 100;
const MAX_NAME = 100;

/**
 * Parses the file and validates each row.
 * @throws {ServiceError} `malformed_csv` when it is not CSV, or has no header with at least one known column;
 *   `payload_too_large` when it has too many rows
 */
export async function readImport(bytes: Uint8Array): Promise<ImportFile> {
  const noNames = { extraColumns: [], ignoredColumns: [], named: new Set<string>() };
  const file: ImportFile = { rows: [], skipped: noLines(), unreadable: 0, ...noNames };
  let take: ReturnType<typeof rowReader> | undefined;
  let rows = 0; // With the header.
  for await (const batch of parseCsv(bytes)) {
    for (const row of batch) {
      if (++rows > MAX_IMPORT_ROWS + 1) {
        const most = thousands(MAX_IMPORT_ROWS);
        throw new ServiceError('payload_too_large', `The file has more than ${most} rows: import it in parts`);
      }
      if (row.cells.every((cell) => cell.trim() === '')) continue; // A blank line, as spreadsheets write it.
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

export function mergeRemarks(one: NamedLines, other: NamedLines): NamedLines {
  const named = [...one.named, ...other.named].sort((a, b) => a.line - b.line);
  return { count: one.count + other.count, named: named.slice(0, MAX_NAMED_LINES) };
}

function rowReader(file: ImportFile, header: readonly string[]) {
  const names = header.map((name) => name.trim());
  const { columns, isTamed } = headerOf(names);
  /** Unnamed columns at the end come from spreadsheets. */
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

  function countMacs(cells: readonly string[]): void {
    for (const stray of strays) {
      const cell = cells[stray.at]?.trim() ?? '';
      if (cell === '') continue;
      if (parseMac(cell) !== null && !/^\d+$/.test(cell)) stray.macs++;
      else stray.others++;
    }
  }

  return {
    row({ line, cells }: CsvRow) {
      const mac = parseDeviceMac(cells[macColumn]?.trim() ?? '');
      const isWhole = cells.length >= width && cells.slice(names.length).every((cell) => cell.trim() === '');
      const read = isWhole ? readRow(layout, cells) : `has ${cells.length} columns, expected ${width}`;
      if (mac !== null && file.named.has(mac) && isWhole)
        return addRemark(file.skipped, line, `devMac: ${mac} occurs earlier in the file`);
      if (mac !== null) file.named.add(mac);
      if (file.named.size === 0) countMacs(cells);
      if (typeof read !== 'string') return void file.rows.push({ line, ...read });
      file.unreadable++;
      addRemark(file.skipped, line, read);
    },
    /** @throws {ServiceError} `malformed_csv` when no row has a MAC, and a column that is no field is full of them */
    requireMacs() {
      const stray = strays.find(({ macs, others }) => macs > others);
      if (file.named.size > 0 || stray === undefined) return;
      const name = names[stray.at] ? quote(names[stray.at] ?? '') : `number ${stray.at + 1}`;
      const message = `The column ${name} of the file holds MAC addresses, and devMac none: call that column devMac, or take it out`;
      throw new ServiceError('malformed_csv', message);
    },
  };
}

interface Layout {
  fields: readonly { column: Column; at: number }[];
  extra: readonly ExtraColumn[];
  /** Whether cells have the apostrophes that our exports put in front of formulas. */
  isTamed: boolean;
  /** Interns texts that repeat in a column, such as a vendor: all rows stay in memory. */
  shared: ReadonlyMap<Column, SharedTexts>;
}

/** Distinct texts of a column that are interned. A column with more, such as names, hardly repeats any. */
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

/** Shared by all rows, of which there can be 200,000. */
const NONE: readonly string[] = Object.freeze([]);

type TextKind = keyof typeof MAX_LENGTHS;

const isText = (kind: FieldKind): kind is TextKind => Object.hasOwn(MAX_LENGTHS, kind);

/** Null when a truncated text would mean something else. */
function fitText(field: DeviceField, kind: TextKind, text: string, changes: string[]): string | null {
  const most = MAX_LENGTHS[kind];
  if (text.length <= most) return text;
  const remark = kind === 'text' ? `cut at ${most} characters` : `longer than ${most} characters; left as it was`;
  changes.push(`${field}: ${remark}`);
  return kind === 'text' ? startOf(text, most) : null;
}

/** The values of the extra columns, in their order; null where one is too long by itself or together with the others. */
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
