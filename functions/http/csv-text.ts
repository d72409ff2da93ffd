/** Writes CSV (RFC 4180) that spreadsheets can open without running anything in it. */
import { stringify } from 'csv-stringify/sync';

/**
 * Cells that a spreadsheet could run as a formula, including those that are already escaped by apostrophes.
 * Spreadsheets skip invisible characters in front of the sign: blanks, line ends, control and format characters, and
 * those that Unicode declares ignorable.
 */
const FORMULA = /^'*(?:[\t\r\n]|[\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠])/u;

/** By column; a missing one is an empty cell. */
export type CsvCells = Readonly<Record<string, string | number>>;

/** @param bom prepends a byte order mark, without which Excel on Windows does not read the file as UTF-8 */
export function csvHeader(columns: readonly string[], bom = false): string {
  return `${bom ? '\ufeff' : ''}${format([[...columns]])}`;
}

/** Rows with these columns; quoted only where necessary, with lines ended by CRLF. */
export function csvRows(columns: readonly string[], rows: readonly CsvCells[]): string {
  return format(rows.map((row) => columns.map((column) => escapeFormula(cellOf(row, column)))));
}

/** A column may be called like something that every object inherits, such as `constructor`. */
const cellOf = (row: CsvCells, column: string): string => (Object.hasOwn(row, column) ? String(row[column]) : '');

function format(rows: string[][]): string {
  // Many programs end a row at a lone LF or CR too, although this file uses CRLF.
  return stringify(rows, { record_delimiter: 'windows', quoted_match: /^\s|\s$|[;\r\n]/ });
}

const escapeFormula = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell);

/** Undoes the escaping of `csvRows`. */
export function unescapeFormula(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}
