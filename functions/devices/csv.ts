/** CSV files (RFC 4180), as spreadsheets and other inventories write them. */
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { ServiceError } from '../../shared/errors.ts';
import { validationError } from '../http/errors.ts';

/** One line of the file, in cells. `line` is where it begins; the header is line 1. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/** Cells that a spreadsheet would run as a formula, with the apostrophes that tame them. Both directions use it. */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/;

/** Rows that are formatted in one go. */
const BATCH = 500;

/** The text of a file with these columns; quoted only where it must be, lines ended by CRLF. */
export function* csvLines(
  columns: readonly string[],
  rows: readonly Record<string, string | number>[],
): Generator<string> {
  yield format([[...columns]]);
  for (let at = 0; at < rows.length; at += BATCH) {
    yield format(rows.slice(at, at + BATCH).map((row) => columns.map((column) => tame(String(row[column] ?? '')))));
  }
}

function format(rows: string[][]): string {
  return stringify(rows, { record_delimiter: 'windows', quoted_match: /^\s|\s$|;/ });
}

function tame(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

/** What the cell held before `csvLines` tamed it. */
export function untame(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/**
 * The text of an import: an uploaded file, or base64 in JSON.
 * @throws {ServiceError} `missing_file` when there is neither, `malformed_csv` when it is no UTF-8,
 *   `validation_failed` when `content` is no base64
 */
export function uploadedText(upload: Uint8Array | null, content: string | undefined): string {
  if (upload === null && content === undefined) {
    throw new ServiceError('missing_file', 'Send the CSV file as the form field "file", or as base64 in "content"');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(upload ?? decodeBase64(content ?? ''));
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('malformed_csv', 'The file is not text in UTF-8');
  }
}

function decodeBase64(content: string): Uint8Array {
  const text = content.replace(/[\r\n\t ]/g, ''); // `base64` breaks its lines.
  if (text.length % 4 === 1 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    throw validationError([{ path: 'content', message: 'expected base64' }]);
  }
  return Buffer.from(text, 'base64');
}

/**
 * The rows of a file, blank lines left out. The delimiter is `,` or `;`, whichever splits the first line into more
 * cells. Rows may differ in their number of cells.
 * @throws {ServiceError} `malformed_csv` when a quote is out of place or never closed
 */
export async function parseCsv(text: string): Promise<CsvRow[]> {
  const firstLine = text.slice(0, text.search(/\r?\n|\r|$/));
  const delimiter = firstLine.split(';').length > firstLine.split(',').length ? ';' : ',';
  const bytes = Buffer.from(text);
  const lineAt = lineCounter(bytes);
  const parser = parse({ bom: true, delimiter, info: true, relax_column_count: true, skip_empty_lines: true });
  const rows: CsvRow[] = [];
  const done = (async () => {
    let end = 0;
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { bytes: number } }>) {
      rows.push({ line: lineAt(end), cells: record });
      end = info.bytes;
    }
  })();
  parser.end(bytes);
  try {
    await done;
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : 'unknown error';
    throw new ServiceError('malformed_csv', `The file is not CSV: ${what.slice(0, 200)}`);
  }
  return rows;
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Gives the line on which the next row begins behind a place in the file, blank lines passed over. Places must come in
 * rising order. (The parser's own count takes a CRLF inside quotes for two lines.)
 */
function lineCounter(bytes: Uint8Array): (from: number) => number {
  let line = 1;
  let at = 0;
  return (from) => {
    for (; at < bytes.length && (at < from || bytes[at] === LF || bytes[at] === CR); at++) {
      if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) line++;
    }
    return line;
  };
}
