/** CSV files as spreadsheets and other inventories write them, including what deviates from RFC 4180. */
import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse';
import { beginningOf, ROW_ENDS, unwrapped, withoutEqualsSigns } from '../../shared/csv.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type CsvCells, csvHeader, csvRows } from '../http/csv-text.ts';
import { invalid } from '../http/errors.ts';
import { yieldToEventLoop } from '../table/slices.ts';

/** One row of the file. `line` is where it begins; the header is line 1. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/** Rows that are formatted before other requests get a turn. */
const BATCH = 500;

export function* csvLines<Item>(
  columns: readonly string[],
  items: readonly Item[],
  rowOf: (item: Item) => CsvCells,
  bom = false,
): Generator<string> {
  yield csvHeader(columns, bom);
  for (let at = 0; at < items.length; at += BATCH) yield csvRows(columns, items.slice(at, at + BATCH).map(rowOf));
}

/**
 * The content of an uploaded file, or of base64 in JSON.
 * @throws {ServiceError} `missing_file` when there is neither, `malformed_csv` when it is not UTF-8,
 *   `validation_failed` when `content` is not base64
 */
export async function uploadedFile(upload: Uint8Array | null, content: string | undefined): Promise<Uint8Array> {
  if (upload === null && content === undefined)
    throw new ServiceError('missing_file', 'Send the CSV file as the form field "file", or as base64 in "content"');
  const file = upload ?? (await decodeBase64(content ?? ''));
  if (isUtf16(file)) throw new ServiceError('malformed_csv', 'The file is UTF-16 text; save it as "CSV UTF-8"');
  if (!isUtf8(file)) throw new ServiceError('malformed_csv', 'The file is not UTF-8 text; save it with that encoding');
  return file;
}

/** By its BOM, or by the zero byte in the first letter of the header: without a BOM, UTF-16 can pass as UTF-8. */
function isUtf16([first, second]: Uint8Array): boolean {
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || first === 0 || second === 0;
}

/** Characters of base64 that are checked before other requests get a turn. */
const SLICE_CHARACTERS = 256 * 1024;

/** Character classes. Blanks are allowed, because `base64` breaks lines. */
const [DIGIT, BLANK, PADDING] = [1, 2, 3];
const BASE64 = new Uint8Array(128);
for (const code of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'))
  BASE64[code] = DIGIT;
for (const code of Buffer.from('\r\n\t ')) BASE64[code] = BLANK;
BASE64['='.charCodeAt(0)] = PADDING;

async function decodeBase64(content: string): Promise<Uint8Array> {
  const refusal = invalid('content', 'expected base64');
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

/** Bytes that are parsed before other requests get a turn: at most 2,000 rows, which take a few milliseconds. */
const SLICE_BYTES = 4 * 1024;
/** Longest row. A device's text has at most 4,000 characters, but other inventories put pictures into cells. */
const MAX_ROW_BYTES = 256 * 1024;

/**
 * Yields the rows of a file in batches as they are parsed, without blank lines; between batches other requests get a turn.
 * Parses only as far as the caller reads. The delimiter is the one of a line such as `sep=;`, otherwise `,`, `;` or tab,
 * whichever splits the first line into most cells. Rows may differ in their number of cells. A cell such as `="001E06"`,
 * by which programs keep spreadsheets from reading a number, is unwrapped.
 * @throws {ServiceError} `malformed_csv` when a quote is misplaced or never closed, or a row is too long
 */
export async function* parseCsv(upload: Uint8Array): AsyncGenerator<CsvRow[]> {
  const { start, line, delimiter } = beginningOf(upload);
  const file = await withoutEqualsSigns(upload.subarray(start), delimiter, yieldToEventLoop);
  const parser = parse({ delimiter, record_delimiter: ROW_ENDS, relax_column_count: true, skip_empty_lines: true });
  parser.on('error', () => {}); // The pending call below throws the error.
  const lines = rowLines(file, line);
  const row = (cells: string[]): CsvRow => ({ line: lines.next(), cells: cells.map(unwrapped) });
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
      if (at + SLICE_BYTES - start > MAX_ROW_BYTES)
        throw new Error(`the row on line ${line} is longer than ${MAX_ROW_BYTES / 1024} KB; is a quote never closed?`);
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

const [QUOTE, LF, CR] = Buffer.from('"\n\r');

/**
 * Finds the line on which each row begins, skipping blank lines. A row ends at the first line end of any kind outside
 * quotes. (The parser's own counter takes a CRLF inside quotes for two lines, and makes parsing eight times slower.)
 */
function rowLines(file: Uint8Array, firstLine: number) {
  let line = firstLine;
  let at = 0;
  const isLineEnd = () => file[at] === LF || file[at] === CR;

  function step(): void {
    if (file[at] === CR && file[at + 1] === LF) at++;
    if (isLineEnd()) line++;
    at++;
  }

  return {
    peek(parsed: number): { start: number; line: number } {
      while (at < parsed && isLineEnd()) step();
      return { start: at, line };
    },

    next(): number {
      const { line: first } = this.peek(file.length);
      let quoted = false;
      while (at < file.length) {
        const isRowEnd = !quoted && isLineEnd();
        if (file[at] === QUOTE) quoted = !quoted;
        step();
        if (isRowEnd) break;
      }
      return first;
    },
  };
}
