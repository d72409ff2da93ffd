/** Large bodies that several requests share: encoded once, and kept compressed. */
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createGunzip, createGzip, gunzip, gzip, gzipSync } from 'node:zlib';

const gzipBuffer = promisify(gzip);
const gunzipBuffer = promisify(gunzip);

/** Below this many bytes compression costs more than it saves. */
export const COMPRESS_FROM_BYTES = 1400;
/** Up to this length it is faster to compress on this thread than to wake another one. */
const COMPRESS_AT_ONCE_LENGTH = 32 * 1024;
/** Level 1 takes half the time of level 6 for a tenth more bytes. */
const LEVEL = 1;

interface EncodedBodyOptions {
  contentType: string;
  etag: string;
  /** Level of compression, 1 to 9. */
  level?: number;
}

/** A body that is compressed with gzip at its first read, once for all its readers. */
export class EncodedBody {
  readonly contentType: string;
  /** Same tag, same bytes after decompression. */
  readonly etag: string;
  readonly #level: number;
  /** `nothing` as soon as the body is compressed, so that its source can be freed. */
  #pieces: () => Iterable<string | Uint8Array>;
  /** Null before the first read, and after a failure. */
  #packed: Promise<Bytes> | null = null;
  /** Shared by concurrent readers, and afterwards until the memory is needed. */
  #plain: WeakRef<Promise<Bytes>> | null = null;

  /** @param pieces read only as fast as they are compressed */
  constructor(pieces: () => Iterable<string | Uint8Array>, { contentType, etag, level = LEVEL }: EncodedBodyOptions) {
    this.contentType = contentType;
    this.etag = etag;
    this.#level = level;
    this.#pieces = pieces;
  }

  /** @param encoding `identity` for a client that does not accept gzip */
  async read(encoding: 'gzip' | 'identity'): Promise<Bytes | ReadableStream<Uint8Array>> {
    this.#packed ??= this.#pack();
    const packed = await this.#packed;
    if (encoding === 'gzip') return packed;
    if (plainLength(packed) > SHARED_BYTES) {
      const plain = pipeline(Readable.from([packed]), createGunzip(), () => {}); // The reader gets the error.
      return Readable.toWeb(plain) as ReadableStream<Uint8Array>;
    }
    const known = this.#plain?.deref();
    const plain = known ?? (gunzipBuffer(packed) as Promise<Bytes>);
    if (known === undefined) this.#plain = new WeakRef(plain);
    return plain;
  }

  async #pack(): Promise<Bytes> {
    try {
      const source = Readable.from(this.#pieces(), { objectMode: false });
      // The reader gets the error.
      const packed = (await buffer(pipeline(source, createGzip({ level: this.#level }), () => {}))) as Bytes;
      this.#pieces = nothing;
      return packed;
    } catch (error) {
      this.#packed = null; // Only the readers of this attempt get the error.
      throw error;
    }
  }
}

type Bytes = Buffer<ArrayBuffer>;

/** Outside of the class, because a function defined there would retain its scope. */
const nothing = () => [];

/** An uncompressed body up to this length is shared. A longer one is streamed to each reader. */
const SHARED_BYTES = 8 * 1024 * 1024;

/** The last four bytes are the length of the content (RFC 1952 section 2.3.1). */
const plainLength = (packed: Buffer): number => packed.readUInt32LE(packed.length - 4);

/** A text for a single response, compressed. */
export async function compressed(text: string): Promise<Buffer<ArrayBuffer>> {
  return text.length <= COMPRESS_AT_ONCE_LENGTH ? gzipSync(text, { level: LEVEL }) : gzipBuffer(text, { level: LEVEL });
}
