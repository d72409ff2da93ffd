/** Large bodies that several requests share: encoded once, kept compressed, sent while they are still being encoded. */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, createGzip, gzip, gzipSync } from 'node:zlib';

const gzipBuffer = promisify(gzip);

/** Below this many bytes compression costs more than it saves. */
const COMPRESS_FROM_BYTES = 1400;
/** Up to this many bytes it is faster to compress on this thread than to wake another one. */
const COMPRESS_AT_ONCE_BYTES = 32 * 1024;
/** Level 1 takes half the time of level 6 for a tenth more bytes. */
const LEVEL = 1;

export interface EncodedBodyOptions {
  contentType: string;
  etag: string;
  /** Level of compression, for a body that is worth more time than most: up to 9. */
  level?: number;
}

/**
 * A body that is compressed with gzip, once for all its readers. A reader that comes meanwhile gets the part
 * that exists and then follows.
 */
export class EncodedBody {
  readonly contentType: string;
  /** Identifies the content: same tag, same bytes after decompression. */
  readonly etag: string;
  readonly #chunks: Buffer[] = [];
  #state: 'growing' | 'complete' | Error = 'growing';
  #wake: (() => void)[] = [];

  /** @param pieces of the body, read only as fast as they are compressed */
  constructor(pieces: Iterable<string | Uint8Array>, { contentType, etag, level = LEVEL }: EncodedBodyOptions) {
    this.contentType = contentType;
    this.etag = etag;
    const compressed = Readable.from(pieces, { objectMode: false }).pipe(createGzip({ level }));
    compressed.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#notify();
    });
    compressed.on('end', () => {
      this.#state = 'complete';
      this.#notify();
    });
    compressed.on('error', (error) => {
      this.#state = error;
      this.#notify();
    });
  }

  /** Bytes of the compressed body; null until it is complete. */
  get length(): number | null {
    return this.#state === 'complete' ? this.#chunks.reduce((sum, { length }) => sum + length, 0) : null;
  }

  /** The body with the encoding `gzip` or, for a client that cannot read that, `identity`. */
  stream(encoding: 'gzip' | 'identity'): ReadableStream<Uint8Array> {
    const compressed = Readable.from(this.#read());
    const readable = encoding === 'gzip' ? compressed : compressed.pipe(createGunzip());
    return Readable.toWeb(readable) as ReadableStream<Uint8Array>;
  }

  async *#read(): AsyncGenerator<Buffer> {
    for (let i = 0; ; ) {
      const chunk = this.#chunks[i];
      if (chunk !== undefined) {
        i++;
        yield chunk;
      } else if (this.#state === 'complete') {
        return;
      } else if (this.#state instanceof Error) {
        throw this.#state;
      } else {
        await new Promise<void>((resolve) => this.#wake.push(resolve));
      }
    }
  }

  #notify(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }
}

/** A body for a single answer, compressed if that saves something. */
export async function compressed(text: string, acceptsGzip: boolean): Promise<Uint8Array> {
  const bytes = Buffer.from(text);
  if (!acceptsGzip || bytes.length < COMPRESS_FROM_BYTES) return bytes;
  return bytes.length <= COMPRESS_AT_ONCE_BYTES
    ? gzipSync(bytes, { level: LEVEL })
    : gzipBuffer(bytes, { level: LEVEL });
}
