/** An append-only file of lines, which survive this process and, if durable, a power cut. Compacts itself. */
import { appendFileSync, closeSync, createReadStream, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncContent, syncDirectory, writeAtomically } from './atomic-file.ts';

interface Append {
  line: string;
  durable: boolean;
  onWritten(offset: number): void;
  resolve(): void;
  reject(error: unknown): void;
}

interface LineFileOptions {
  /** The size for compaction, which also requires a quarter of growth since the last one. */
  rewriteAtBytes: number;
  /** The written lines that are still needed. May call `read`. */
  needed(): Iterable<string>;
  onRewritten?(): void;
}

const NEWLINE = 0x0a;
const PIECE_CHARACTERS = 64 * 1024;

export class LineFile {
  readonly #path: string;
  readonly #options: LineFileOptions;
  #file: number | null = null;
  #bytes = 0;
  #bytesRewritten = 0;
  #waiting: Append[] = [];
  #isWriting = false;
  #written: Promise<void> = Promise.resolve();
  /** Whether the file may end with an incomplete line, after a failed write or a crash. */
  #torn = false;
  #isClosed = false;

  /** The file is created with the first line. */
  constructor(path: string, options: LineFileOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** The lines of earlier processes, with their offsets. A crash may have left any of them incomplete. */
  async *lines(): AsyncGenerator<{ line: Buffer; offset: number }> {
    if (!existsSync(this.#path)) return;
    this.#open();
    for await (const line of linesIn(this.#path)) {
      this.#torn = !line.hasEnd;
      yield line;
    }
  }

  /** @param durable whether it survives a power cut @param onWritten called with its offset, before other writes */
  append(line: string, durable: boolean, onWritten: (offset: number) => void = () => {}): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line, durable, onWritten, resolve, reject });
      if (!this.#isWriting) this.#written = this.#writeWaiting();
    });
  }

  read(offset: number, length: number): string {
    const bytes = Buffer.alloc(length);
    const count = readSync(this.#open(), bytes, 0, length, offset);
    return bytes.toString('utf8', 0, count);
  }

  async rewrite(): Promise<void> {
    await writeAtomically(this.#path, inPieces(this.#options.needed()));
    await syncDirectory(dirname(this.#path));
    this.#closeFile();
    this.#open();
    this.#torn = false;
    this.#bytesRewritten = this.#bytes;
    this.#options.onRewritten?.();
  }

  async close(): Promise<void> {
    await this.#written;
    this.#isClosed = true;
    this.#closeFile();
  }

  /** Group commit: the lines that arrive during one write go out with the next, under a single fdatasync. */
  async #writeWaiting(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        if (this.#isClosed) throw new Error(`${this.#path} is closed`);
        // On a disk without room for another file there may be room for a line.
        if (this.#isLong())
          await this.rewrite().catch(() => {
            this.#bytesRewritten = this.#bytes; // Retried after further growth.
          });
        await this.#write(batch);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        this.#torn = true;
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isWriting = false;
  }

  #isLong(): boolean {
    return this.#bytes > Math.max(this.#options.rewriteAtBytes, 1.25 * this.#bytesRewritten);
  }

  async #write(batch: Append[]): Promise<void> {
    const isNew = this.#file === null && !existsSync(this.#path);
    const file = this.#open();
    if (this.#torn) this.#bytes = fstatSync(file).size;
    const text = (this.#torn ? '\n' : '') + batch.map(({ line }) => `${line}\n`).join('');
    // Synchronous: the page cache is faster than a trip to the thread pool of Node.js.
    appendFileSync(file, text);
    if (this.#torn) this.#bytes++;
    this.#torn = false;
    if (batch.some(({ durable }) => durable)) await syncContent(file);
    if (isNew) await syncDirectory(dirname(this.#path));
    for (const { line, onWritten } of batch) {
      onWritten(this.#bytes);
      this.#bytes += Buffer.byteLength(line) + 1;
    }
  }

  #open(): number {
    if (this.#file === null) {
      this.#file = openSync(this.#path, 'a+', 0o600);
      this.#bytes = fstatSync(this.#file).size;
    }
    return this.#file;
  }

  #closeFile(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}

/** The lines of a file, including an incomplete last one. */
export async function* linesIn(path: string): AsyncGenerator<{ line: Buffer; offset: number; hasEnd: boolean }> {
  let rest: Buffer = Buffer.alloc(0);
  let offset = 0;
  for await (const piece of createReadStream(path)) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let from = 0;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE, from)) {
      yield { line: rest.subarray(from, end), offset: offset + from, hasEnd: true };
      from = end + 1;
    }
    rest = rest.subarray(from);
    offset += from;
  }
  if (rest.length > 0) yield { line: rest, offset, hasEnd: false };
}

/** The content of a file with these lines, in pieces. */
export function* inPieces(lines: Iterable<string>): Generator<string> {
  let piece = '';
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
