/** Real-world CSV beyond RFC 4180, for every reader. */

/** Row ends, which may be mixed in one file: files are merged from parts, and other systems append to them. */
export const ROW_ENDS = ['\r\n', '\n', '\r'];

/** The line with which spreadsheets declare the delimiter, such as `sep=;`; saved again, it is quoted or followed by empty cells. */
export const SEPARATOR_LINE = /^"?sep=([\t!#-/:-@[-^`{-~])"?[,;\t]*(?:\r\n|\n|\r|$)/i;

/** Where the rows begin (byte offset and line of the file), and the delimiter of their cells. */
export function beginningOf(file: Uint8Array): { start: number; line: number; delimiter: string } {
  const text = new TextDecoder('latin1').decode(file.subarray(0, LOOKED_AT_BYTES)); // One character for each byte.
  const start = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  const [separatorLine, separator] = SEPARATOR_LINE.exec(text.slice(start)) ?? [];
  if (separatorLine !== undefined && separator !== undefined) {
    return { start: start + separatorLine.length, line: 2, delimiter: separator };
  }
  const unquoted = text.slice(start).replaceAll(/"(?:[^"]|"")*(?:"|$)/g, 'x'); // The names of columns may have any of them.
  const header = unquoted.split(/[\r\n]/, MAX_BLANK_LINES).find((one) => one.trim() !== '') ?? '';
  const cellsBy = (delimiter: string) => header.split(delimiter).length;
  const delimiter = DELIMITERS.reduce((best, one) => (cellsBy(one) > cellsBy(best) ? one : best));
  return { start, line: 1, delimiter };
}

/** The header is searched for in these. */
const LOOKED_AT_BYTES = 256 * 1024;
/** Bytes between two pauses. */
const SLICE_BYTES = 256 * 1024;
const DELIMITERS = [',', ';', '\t'];
/** Lines searched for the header. */
const MAX_BLANK_LINES = 1_000;
/** Its bytes in UTF-8, decoded as Latin-1. */
const BYTE_ORDER_MARK = 'ï»¿';
const [QUOTE, LF, CR, EQUALS] = [0x22, 0x0a, 0x0d, 0x3d];

/** Removes the sign from cells like `="001E06"`, whose quote would be misplaced. @param pause yields to other work */
export async function withoutEqualsSigns(
  file: Uint8Array,
  delimiter: string,
  pause: () => Promise<void> = async () => {},
): Promise<Uint8Array> {
  if (!hasEqualsSigns(file)) return file;
  const between = delimiter.charCodeAt(0);
  const kept = new Uint8Array(file.length);
  let length = 0;
  let quoted = false;
  let beginsCell = true;
  for (let at = 0; at < file.length; at++) {
    if (at % SLICE_BYTES === SLICE_BYTES - 1) await pause();
    const byte = file[at] ?? 0;
    if (beginsCell && byte === EQUALS && file[at + 1] === QUOTE) continue;
    if (byte === QUOTE) quoted = !quoted;
    beginsCell = !quoted && (byte === between || byte === LF || byte === CR);
    kept[length++] = byte;
  }
  return kept.subarray(0, length);
}

function hasEqualsSigns(file: Uint8Array): boolean {
  for (let at = file.indexOf(EQUALS); at >= 0; at = file.indexOf(EQUALS, at + 1))
    if (file[at + 1] === QUOTE) return true;
  return false;
}

/** The same sign in a cell whose quotes were doubled: `"=""001E06"""`. */
export function unwrapped(cell: string): string {
  return cell.startsWith('="') && cell.length > 2 && cell.endsWith('"')
    ? cell.slice(2, -1).replaceAll('""', '"')
    : cell;
}
