/** Large bodies that many requests share: made once, kept compressed, sent while they are still being made. */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, createGzip, gzip, gzipSync } from 'node:zlib';

const gzipBuffer = promisify(gzip);

/** Below this many bytes compression costs more than it saves. */
const COMPRESS_FROM_BYTES = 1400;
/** Up to this many bytes another thread takes longer to be woken than the work takes here. */
const COMPRESS_AT_ONCE_BYTES = 32 * 1024;
/** Level 1 takes half the time of level 6 for a tenth more bytes. */
const LEVEL = 1;

/**
 * A body in gzip that is being made from text, or has been. Readers that come while it is being made get what there is
 * and then follow; the text is produced once for all of them.
 */
export class EncodedBody {
  readonly contentType: string;
  /** Names the content: same tag, same bytes once decompressed. */
  readonly etag: string;
  readonly #chunks: Buffer[] = [];
  #state: 'growing' | 'complete' | Error = 'growing';
  #wake: (() => void)[] = [];

  /** @param text pieces of the body, produced only as fast as they are compressed */
  constructor(text: Iterable<string>, { contentType, etag }: { contentType: string; etag: string }) {
    this.contentType = contentType;
    this.etag = etag;
    const compressed = Readable.from(text, { objectMode: false }).pipe(createGzip({ level: LEVEL }));
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

  /** Bytes of the gzip form; null while it is being made. */
  get length(): number | null {
    return this.#state === 'complete' ? this.#chunks.reduce((sum, { length }) => sum + length, 0) : null;
  }

  /** The body as `gzip` or, for a client that cannot read that, as `identity`. */
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

/** A body that is made for one answer: as it is, or compressed where that is worth it. */
export async function compressed(text: string, acceptsGzip: boolean): Promise<Uint8Array> {
  const bytes = Buffer.from(text);
  if (!acceptsGzip || bytes.length < COMPRESS_FROM_BYTES) return bytes;
  return bytes.length <= COMPRESS_AT_ONCE_BYTES
    ? gzipSync(bytes, { level: LEVEL })
    : gzipBuffer(bytes, { level: LEVEL });
}
