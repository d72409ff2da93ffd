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
  /** Level of compression, for a body that is worth more time than most: up to 9. */
  level?: number;
}

/** A body that is compressed with gzip when it is first read, once for all its readers. */
export class EncodedBody {
  readonly contentType: string;
  /** Identifies the content: same tag, same bytes after decompression. */
  readonly etag: string;
  readonly #level: number;
  /** `nothing` as soon as the body is compressed, so that what it was made of can be freed. */
  #pieces: () => Iterable<string | Uint8Array>;
  /** Null while no request has read the body since it was made or has failed. */
  #packed: Promise<Bytes> | null = null;
  /** Shared by those who read it at the same time, and after that for as long as the memory is not needed. */
  #plain: WeakRef<Promise<Bytes>> | null = null;

  /** @param pieces makes the pieces of the body, which are read only as fast as they are compressed */
  constructor(pieces: () => Iterable<string | Uint8Array>, { contentType, etag, level = LEVEL }: EncodedBodyOptions) {
    this.contentType = contentType;
    this.etag = etag;
    this.#level = level;
    this.#pieces = pieces;
  }

  /** The body with the encoding `gzip` or, for a client that cannot read that, `identity`. */
  async read(encoding: 'gzip' | 'identity'): Promise<Bytes | ReadableStream<Uint8Array>> {
    this.#packed ??= this.#pack();
    const packed = await this.#packed;
    if (encoding === 'gzip') return packed;
    if (plainLength(packed) > SHARED_BYTES) {
      const plain = pipeline(Readable.from([packed]), createGunzip(), () => {}); // The reader is told of a failure.
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
      // The reader is told of a failure.
      const packed = (await buffer(pipeline(source, createGzip({ level: this.#level }), () => {}))) as Bytes;
      this.#pieces = nothing;
      return packed;
    } catch (error) {
      this.#packed = null; // A failure is for those alone who wait for this attempt.
      throw error;
    }
  }
}

type Bytes = Buffer<ArrayBuffer>;

/** Outside of the class, because a function that is made there would keep what is in its scope. */
const nothing = () => [];

/** A body without compression is shared up to this length. A longer one is unpacked as its reader takes it. */
const SHARED_BYTES = 8 * 1024 * 1024;

/** The last four bytes are the length of the content (RFC 1952 section 2.3.1). */
function plainLength(packed: Buffer): number {
  return packed.readUInt32LE(packed.length - 4);
}

/** A text for a single answer, compressed. */
export async function compressed(text: string): Promise<Buffer<ArrayBuffer>> {
  return text.length <= COMPRESS_AT_ONCE_LENGTH ? gzipSync(text, { level: LEVEL }) : gzipBuffer(text, { level: LEVEL });
}
