/** CSV files (RFC 4180), as spreadsheets and other inventories write them. */
import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse';
import { ServiceError } from '../../shared/errors.ts';
import { type CsvCells, csvHeader, csvRows } from '../http/csv-text.ts';
import { validationError } from '../http/errors.ts';
import { yieldToEventLoop } from '../table/slices.ts';

/** One row of the file. `line` is the line on which it begins; the header is line 1. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/** Rows that are formatted before other requests get their turn. */
const BATCH = 500;

/** The CSV text with these columns. */
export function* csvLines<Item>(
  columns: readonly string[],
  items: readonly Item[],
  rowOf: (item: Item) => CsvCells,
): Generator<string> {
  yield csvHeader(columns);
  for (let at = 0; at < items.length; at += BATCH) yield csvRows(columns, items.slice(at, at + BATCH).map(rowOf));
}

/**
 * The content of an uploaded file, or of base64 in JSON.
 * @throws {ServiceError} `missing_file` when there is neither, `malformed_csv` when it is not UTF-8,
 *   `validation_failed` when `content` is not base64
 */
export async function uploadedFile(upload: Uint8Array | null, content: string | undefined): Promise<Uint8Array> {
  if (upload === null && content === undefined) {
    throw new ServiceError('missing_file', 'Send the CSV file as the form field "file", or as base64 in "content"');
  }
  const file = upload ?? (await decodeBase64(content ?? ''));
  if (!isUtf8(file)) throw new ServiceError('malformed_csv', 'The file is not UTF-8 text; save it with that encoding');
  return file;
}

/** Characters of base64 that are checked before other requests get their turn. */
const SLICE_CHARACTERS = 256 * 1024;

/** Classes of characters. Blanks are allowed, because `base64` breaks lines. */
const [DIGIT, BLANK, PADDING] = [1, 2, 3];
const BASE64 = new Uint8Array(128);
for (const code of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'))
  BASE64[code] = DIGIT;
for (const code of Buffer.from('\r\n\t ')) BASE64[code] = BLANK;
BASE64['='.charCodeAt(0)] = PADDING;

async function decodeBase64(content: string): Promise<Uint8Array> {
  const refusal = validationError([{ path: 'content', message: 'expected base64' }]);
  let digits = 0;
  let padding = 0;
  for (let i = 0; i < content.length; i++) {
    if (i % SLICE_CHARACTERS === SLICE_CHARACTERS - 1) await yieldToEventLoop();
    const kind = BASE64[content.charCodeAt(i)];
    if (kind === BLANK) continue;
    if (kind === PADDING) padding++;
    else if (kind === DIGIT && padding === 0) digits++;
    else throw refusal;
  }
  if (padding > 2 || (digits + padding) % 4 === 1) throw refusal;
  return Buffer.from(content, 'base64');
}

/** Bytes that are parsed before other requests get their turn: at most 2,000 rows, which take a few milliseconds. */
const SLICE_BYTES = 4 * 1024;
/** Longest row. A text of a device has at most 4,000 characters, but other inventories put pictures into cells. */
const MAX_ROW_BYTES = 256 * 1024;

/**
 * Yields the rows of a file without blank lines, in batches, as they are parsed; between batches other requests get
 * their turn. Parses only as far as the caller reads. The delimiter is `,` or `;`, whichever splits the first line into
 * more cells. Rows may differ in their number of cells.
 * @throws {ServiceError} `malformed_csv` when a quote is misplaced or never closed, or a row is too long
 */
export async function* parseCsv(file: Uint8Array): AsyncGenerator<CsvRow[]> {
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(file),
    relax_column_count: true,
    skip_empty_lines: true,
  });
  parser.on('error', () => {}); // The pending call below throws the error.
  const lines = rowLines(file);
  const row = (cells: string[]): CsvRow => ({ line: lines.next(), cells });
  try {
    for (let at = 0; at < file.length; at += SLICE_BYTES) {
      const parsed = new Promise<void>((resolve, reject) => {
        parser.write(file.subarray(at, at + SLICE_BYTES), (error) => (error ? reject(error) : resolve()));
      });
      const rows: CsvRow[] = [];
      for (let next = parser.read(); next !== null; next = parser.read()) rows.push(row(next));
      await parsed;
      yield rows;
      const { start, line } = lines.peek(at + SLICE_BYTES);
      if (at + SLICE_BYTES - start > MAX_ROW_BYTES) {
        throw new Error(`the row on line ${line} is longer than ${MAX_ROW_BYTES / 1024} KB; is a quote never closed?`);
      }
      await yieldToEventLoop();
    }
    parser.end();
    const rows: CsvRow[] = [];
    for await (const next of parser) rows.push(row(next));
    yield rows;
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : 'unknown error';
    throw new ServiceError('malformed_csv', `The file is not CSV: ${what.slice(0, 200)}`);
  } finally {
    parser.destroy();
  }
}

function delimiterOf(file: Uint8Array): ',' | ';' {
  const start = Buffer.from(file.subarray(0, MAX_ROW_BYTES)).toString('latin1');
  const unquoted = start.replaceAll(/"(?:[^"]|"")*(?:"|$)/g, ''); // The names of columns may have either of them.
  const firstLine = unquoted.slice(0, unquoted.search(/[\r\n]|$/));
  return firstLine.split(';').length > firstLine.split(',').length ? ';' : ',';
}

const [QUOTE, LF, CR] = Buffer.from('"\n\r');
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Finds the line on which each row begins, skipping blank lines. A row ends at the first line end outside of quotes,
 * and all rows end in the same way as the first. (The parser's own count takes a CRLF inside quotes for two lines, and
 * makes the parser eight times slower.)
 */
function rowLines(file: Uint8Array) {
  let line = 1;
  let at = BYTE_ORDER_MARK.equals(file.subarray(0, 3)) ? 3 : 0;
  let rowEnd: 'LF' | 'CRLF' | 'CR' | undefined;

  function endsRow(): boolean {
    const here = file[at] === LF ? 'LF' : file[at] !== CR ? undefined : file[at + 1] === LF ? 'CRLF' : 'CR';
    if (here === undefined) return false;
    rowEnd ??= here;
    return here === rowEnd || (rowEnd === 'CR' && here === 'CRLF');
  }

  /** Advances by one byte, or over both bytes of a CRLF that ends a row. */
  function step(isRowEnd: boolean): void {
    if (isRowEnd && rowEnd === 'CRLF') at++;
    if (file[at] === LF || (file[at] === CR && file[at + 1] !== LF)) line++;
    at++;
  }

  return {
    /** Where the next row begins, within the part that has been parsed. */
    peek(parsed: number): { start: number; line: number } {
      while (at < parsed && endsRow()) step(true);
      return { start: at, line };
    },

    /** Returns the line of the next row, and advances past that row. */
    next(): number {
      const { line: first } = this.peek(file.length);
      let quoted = false;
      while (at < file.length) {
        const isRowEnd = !quoted && endsRow();
        if (file[at] === QUOTE) quoted = !quoted;
        step(isRowEnd);
        if (isRowEnd) break;
      }
      return first;
    },
  };
}
