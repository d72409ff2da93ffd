/** Splits a CSV file that is larger than one request. */
import { SEPARATOR_LINE } from '../../shared/csv.ts';

export interface Part {
  /** A whole CSV file: the header, and some of the rows. */
  content: Buffer<ArrayBuffer>;
  /** The line in the whole file on which a line of the part stands; the first one is line 1. */
  lineInFile(line: number): number;
}

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Parts of at most so many bytes each, unless a single row is larger. Rows are not split, also where line ends stand in
 * quotes (RFC 4180). A file whose quotes are not closed stays whole behind the fault.
 * Each part has the header, with what stands before it: blank lines, or one such as `sep=;`.
 * @param maxBytes of a part, its header included
 */
export function splitCsv(file: Buffer, maxBytes: number): Part[] {
  const rows = [...recordsIn(file)];
  let header = { end: 0, lines: 0 };
  do {
    const { end } = header;
    header = rows.shift() ?? header;
    const text = file
      .subarray(end, header.end)
      .toString()
      .replace(/^\ufeff/, '');
    if (text.trim() !== '' && !SEPARATOR_LINE.test(text)) break;
  } while (rows.length > 0);
  const parts: Part[] = [];
  let from = header;
  let to = header;
  const close = () => {
    if (to.end === from.end) return;
    const { lines } = from;
    parts.push({
      content: Buffer.concat([file.subarray(0, header.end), file.subarray(from.end, to.end)]),
      lineInFile: (line) => (line <= header.lines ? line : line - header.lines + lines),
    });
    from = to;
  };
  for (const row of rows) {
    if (header.end + row.end - from.end > maxBytes) close();
    to = row;
  }
  close();
  return parts;
}

/** Where each record ends, and how many lines there are up to its end. */
function* recordsIn(file: Buffer): Generator<{ end: number; lines: number }> {
  let quoted = false;
  let lines = 0;
  for (let i = 0; i < file.length; i++) {
    // A doubled quote, which stands for a quote, turns this twice.
    if (file[i] === QUOTE) quoted = !quoted;
    const isLineEnd = file[i] === LINE_FEED || (file[i] === CARRIAGE_RETURN && file[i + 1] !== LINE_FEED);
    if (!isLineEnd) continue;
    lines++;
    if (!quoted) yield { end: i + 1, lines };
  }
  const isEnded = file.at(-1) === LINE_FEED || file.at(-1) === CARRIAGE_RETURN;
  if (file.length > 0 && (quoted || !isEnded)) yield { end: file.length, lines: lines + 1 };
}
