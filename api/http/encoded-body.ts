/** Large bodies that several requests share: encoded once, kept compressed, sent while they are still being encoded. */
import { pipeline, Readable } from 'node:stream';
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

export interface EncodedBodyOptions {
  contentType: string;
  etag: string;
  /** Level of compression, for a body that is worth more time than most: up to 9. */
  level?: number;
}

/**
 * A body that is compressed with gzip when it is first read, once for all its readers. A reader that comes meanwhile
 * gets the part that exists and then follows; later ones get all of it in one piece.
 */
export class EncodedBody {
  readonly contentType: string;
  /** Identifies the content: same tag, same bytes after decompression. */
  readonly etag: string;
  readonly #level: number;
  /** `nothing` as soon as the body is complete, so that what it was made of can be freed. */
  #pieces: () => Iterable<string | Uint8Array>;
  /** Null while nobody has read the body since it was made or has failed. */
  #attempt: Attempt | null = null;
  #whole: Buffer<ArrayBuffer> | null = null;

  /** @param pieces makes the pieces of the body, which are read only as fast as they are compressed */
  constructor(pieces: () => Iterable<string | Uint8Array>, { contentType, etag, level = LEVEL }: EncodedBodyOptions) {
    this.contentType = contentType;
    this.etag = etag;
    this.#level = level;
    this.#pieces = pieces;
  }

  /** Bytes of the compressed body; null until it is complete. */
  get length(): number | null {
    return this.#whole?.length ?? null;
  }

  /** The body with the encoding `gzip` or, for a client that cannot read that, `identity`. */
  async read(encoding: 'gzip' | 'identity'): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
    if (encoding === 'gzip' && this.#whole !== null) return this.#whole;
    const kept = encoding === 'gzip' || this.#whole === null ? null : keptUnpacked(this, this.#whole);
    if (kept !== null) return kept;
    const packed = Readable.from(this.#whole === null ? follow(this.#compress()) : [this.#whole]);
    // The reader is the last in the pipeline, so a failure reaches it.
    const readable = encoding === 'gzip' ? packed : pipeline(packed, createGunzip(), () => {});
    return Readable.toWeb(readable) as ReadableStream<Uint8Array>;
  }

  /** The attempt that is under way, or a new one: a failed one is for those alone who read meanwhile. */
  #compress(): Attempt {
    if (this.#attempt !== null) return this.#attempt;
    const attempt: Attempt = { chunks: [], ended: false, failure: null, wake: [] };
    const source = Readable.from(this.#pieces(), { objectMode: false });
    this.#attempt = attempt;
    // Told of failures alone: the pipeline counts as complete before all of its result has been read.
    const compressed = pipeline(source, createGzip({ level: this.#level }), (error) => {
      if (!error) return;
      attempt.failure = error;
      this.#attempt = null;
      notify(attempt);
    });
    compressed.on('data', (chunk: Buffer<ArrayBuffer>) => {
      attempt.chunks.push(chunk);
      notify(attempt);
    });
    compressed.on('end', () => {
      attempt.ended = true;
      this.#whole = Buffer.concat(attempt.chunks);
      this.#attempt = null;
      this.#pieces = nothing;
      notify(attempt);
    });
    return attempt;
  }
}

/** Outside of the class, because a function that is made there would keep what is in its scope. */
const nothing = () => [];

/** A body while it is being compressed. */
interface Attempt {
  /** What has been compressed. */
  chunks: Buffer<ArrayBuffer>[];
  ended: boolean;
  failure: Error | null;
  /** Readers that wait for more. */
  wake: (() => void)[];
}

/** What has been compressed, and then what is being. */
async function* follow(attempt: Attempt): AsyncGenerator<Uint8Array> {
  for (let i = 0; ; i++) {
    while (attempt.chunks[i] === undefined) {
      if (attempt.failure !== null) throw attempt.failure;
      if (attempt.ended) return;
      await new Promise<void>((resolve) => attempt.wake.push(resolve));
    }
    yield attempt.chunks[i]!;
  }
}

function notify(attempt: Attempt): void {
  const waiting = attempt.wake;
  attempt.wake = [];
  for (const wake of waiting) wake();
}

/**
 * Bodies without compression are kept up to this many bytes in all: enough for the lists of 10,000 devices. A larger one
 * is unpacked for each client that cannot read gzip.
 */
const KEEP_UNPACKED_BYTES = 8 * 1024 * 1024;
/** The least recently used first. */
const unpacked = new Map<EncodedBody, { length: number; bytes: Promise<Buffer<ArrayBuffer>> }>();

/** The body without compression, unpacked once for all who wait for it; null if it is too large to be kept. */
function keptUnpacked(body: EncodedBody, compressed: Buffer): Promise<Buffer<ArrayBuffer>> | null {
  // The last four bytes are the length of the content (RFC 1952 section 2.3.1).
  const length = compressed.readUInt32LE(compressed.length - 4);
  if (length > KEEP_UNPACKED_BYTES) return null;
  const entry = unpacked.get(body) ?? { length, bytes: unpack(body, compressed) };
  unpacked.delete(body);
  unpacked.set(body, entry);
  let kept = 0;
  for (const { length } of unpacked.values()) kept += length;
  for (const [oldest, { length }] of unpacked) {
    if (kept <= KEEP_UNPACKED_BYTES) break;
    unpacked.delete(oldest);
    kept -= length;
  }
  return entry.bytes;
}

/** A failure is for those who wait for it alone. */
function unpack(body: EncodedBody, compressed: Buffer): Promise<Buffer<ArrayBuffer>> {
  const bytes = gunzipBuffer(compressed);
  bytes.catch(() => unpacked.delete(body));
  return bytes;
}

/** A text for a single answer, compressed. */
export async function compressed(text: string): Promise<Buffer<ArrayBuffer>> {
  return text.length <= COMPRESS_AT_ONCE_LENGTH ? gzipSync(text, { level: LEVEL }) : gzipBuffer(text, { level: LEVEL });
}
