/** Reads a backup as a stream. Nothing of it is proven until its end confirms it. */
import { parseJson } from '../json.ts';
import { BackupEnd, BackupHead, END, HEAD, isFileName, isRowsFile, MAX_FILE_BYTES } from './contents.ts';
import { BLOCK, readTarHeader, tarPadding } from './tar.ts';

/** The file is not a backup, damaged, or incomplete. The message states which, for a person. */
export class BackupError extends Error {
  override name = 'BackupError';
}

export interface BackupFile {
  name: string;
  content: Uint8Array;
}

const CUT_OFF = 'it is not complete: its end is missing';
const DAMAGED = 'it is damaged';
const FOREIGN = 'it is no backup of LanReach';

/**
 * The files of a backup in order: first the head, last the end, before which nothing is proven.
 * @param sha256 the digest of some bytes, in hexadecimal digits
 * @throws {BackupError}
 */
export async function* readBackup(
  chunks: AsyncIterable<Uint8Array>,
  sha256: (bytes: Uint8Array) => string,
): AsyncGenerator<BackupFile, BackupEnd> {
  const bytes = new ByteReader(chunks);
  const seen: BackupEnd['files'] = [];
  const names = new Set<string>();
  let rows = 0;
  for (;;) {
    const header = await bytes.take(BLOCK);
    if (header === null) throw new BackupError(seen.length === 0 ? FOREIGN : CUT_OFF);
    const entry = readTarHeader(header);
    if (entry === null) throw new BackupError(seen.length === 0 ? FOREIGN : DAMAGED);
    const isFirst = seen.length === 0;
    if (entry === 'unknown' || !isFileName(entry.name) || (entry.name === HEAD) !== isFirst) {
      throw new BackupError(isFirst ? FOREIGN : DAMAGED);
    }
    const { name, size } = entry;
    if (size > MAX_FILE_BYTES) throw new BackupError(`the file ${name} in it is too large`);
    const content = await bytes.take(size);
    const padding = await bytes.take(tarPadding(size).length);
    if (content === null || padding === null) throw new BackupError(CUT_OFF);
    if (name === END) {
      const end = await confirmed(bytes, { files: seen, rows }, content);
      yield { name, content };
      return end;
    }
    if (names.has(name)) throw new BackupError(DAMAGED);
    names.add(name);
    seen.push({ name, size, sha256: sha256(content) });
    if (isRowsFile(name)) rows += linesIn(content);
    yield { name, content };
  }
}

/** @returns the head of a backup @throws {BackupError} when the file is of a version that this one cannot read */
export function headOf({ content }: BackupFile): BackupHead {
  const head = BackupHead.safeParse(parseJson(new TextDecoder().decode(content)));
  if (head.success) return head.data;
  throw new BackupError(head.error.issues.find(({ path }) => path[0] === 'format')?.message ?? FOREIGN);
}

async function confirmed(bytes: ByteReader, { rows, files }: BackupEnd, content: Uint8Array): Promise<BackupEnd> {
  const end = BackupEnd.safeParse(parseJson(new TextDecoder().decode(content)));
  const isSame = end.success && end.data.rows === rows && JSON.stringify(end.data.files) === JSON.stringify(files);
  if (!isSame) throw new BackupError(DAMAGED);
  const last = await bytes.take(2 * BLOCK);
  if (last === null) throw new BackupError(CUT_OFF);
  if (last.some((byte) => byte !== 0) || (await bytes.take(1)) !== null) throw new BackupError(DAMAGED);
  return end.data;
}

const LINE_END = 0x0a;

function linesIn(content: Uint8Array): number {
  let lines = 0;
  for (const byte of content) if (byte === LINE_END) lines++;
  return lines;
}

/** Reads exact numbers of bytes from chunks of any size. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest = new Uint8Array(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Null when fewer remain. */
  async take(wanted: number): Promise<Uint8Array | null> {
    const parts: Uint8Array[] = [this.#rest];
    let size = this.#rest.length;
    while (size < wanted) {
      const { value, done } = await this.#chunks.next();
      if (done) return null;
      parts.push(value);
      size += value.length;
    }
    const all = parts.length === 1 ? this.#rest : joined(parts, size);
    this.#rest = all.subarray(wanted) as Uint8Array<ArrayBuffer>;
    return all.subarray(0, wanted);
  }
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
