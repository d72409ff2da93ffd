/** The tar (POSIX ustar) of backups: plain files with short names. No links, paths or extensions are read. */

export const BLOCK = 512;

const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 6],
  version: [263, 2],
} as const;
const PLAIN_FILE = '0';
const MAGIC = 'ustar';

interface TarEntry {
  name: string;
  /** In bytes. */
  size: number;
}

/** @param name of at most LONGEST_NAME characters of ASCII @param at Unix, s */
export function tarHeader({ name, size }: TarEntry, at: number): Uint8Array {
  const header = new Uint8Array(BLOCK);
  const put = (field: keyof typeof FIELDS, text: string) =>
    header.set(new TextEncoder().encode(text), FIELDS[field][0]);
  put('name', name);
  put('mode', '0000600');
  put('uid', '0000000');
  put('gid', '0000000');
  put('size', size.toString(8).padStart(11, '0'));
  put('mtime', Math.floor(at).toString(8).padStart(11, '0'));
  put('type', PLAIN_FILE);
  put('magic', MAGIC);
  put('version', '00');
  put('checksum', `${checksumOf(header).toString(8).padStart(6, '0')}\0 `);
  return header;
}

/** Fills the last block of a file. */
export function tarPadding(size: number): Uint8Array {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
}

/** Two empty blocks end the file. */
export const TAR_END = new Uint8Array(2 * BLOCK);

/** @returns null for an empty block, which ends the file; `unknown` for a header that `tarHeader` does not write */
export function readTarHeader(header: Uint8Array): TarEntry | null | 'unknown' {
  if (header.every((byte) => byte === 0)) return null;
  const name = text(header, 'name');
  const digits = text(header, 'size');
  const isOurs =
    octal(text(header, 'checksum').trim()) === checksumOf(header) &&
    text(header, 'magic') === MAGIC &&
    text(header, 'type') === PLAIN_FILE;
  const size = octal(digits);
  return isOurs && size !== null && name !== '' ? { name, size } : 'unknown';
}

/** The sum of the bytes of the header, with the checksum field itself counted as blanks. */
function checksumOf(header: Uint8Array): number {
  const [at, length] = FIELDS.checksum;
  return header.reduce((sum, byte, i) => sum + (i >= at && i < at + length ? 32 : byte), 0);
}

function text(header: Uint8Array, field: keyof typeof FIELDS): string {
  const [at, length] = FIELDS[field];
  const bytes = header.subarray(at, at + length);
  const end = bytes.indexOf(0);
  return new TextDecoder('latin1').decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function octal(digits: string): number | null {
  return /^[0-7]{1,11}$/.test(digits) ? Number.parseInt(digits, 8) : null;
}
