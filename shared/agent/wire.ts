/**
 * How a message becomes MQTT payloads, and payloads a message.
 *
 * Short messages travel as JSON. Longer ones are compressed, and what is still too long for one packet of the broker
 * is cut into chunks. Chunks may arrive in any order and more than once; the SHA-256 of the compressed whole decides
 * whether it is complete.
 */
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { CHUNK_BYTES, Chunk, PROTOCOL_VERSION } from './messages.ts';

/** Above this many bytes of JSON a message is compressed. */
const COMPRESS_ABOVE_BYTES = 4096;
/**
 * A message never unpacks to more than this, nor to more values. Agents are not trusted with the memory and the time of
 * those who read what they say: a packet of empty lists may take hundreds of megabytes, and ingest has half a gigabyte
 * and a minute for all sites.
 */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
export const MAX_VALUES = 1_000_000;
/** Bytes of incomplete messages that a receiver holds at the most. */
export const MAX_PENDING_BYTES = 32 * 1024 * 1024;

/** The payloads of one message, to be published in any order. Throws a RangeError when nobody would unpack it. */
export function encodeMessage(message: { id: string }): Buffer[] {
  const json = Buffer.from(JSON.stringify(message));
  if (json.length <= COMPRESS_ABOVE_BYTES) return [json];
  checkSize(json, message.id);
  const compressed = gzipSync(json, { level: 6 });
  const n = Math.ceil(compressed.length / CHUNK_BYTES);
  const sha = createHash('sha256').update(compressed).digest('hex');
  return Array.from({ length: n }, (_, i) => {
    const d = compressed.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES).toString('base64');
    const chunk: Chunk = { v: PROTOCOL_VERSION, id: message.id, t: 'chunk', i, n, len: compressed.length, sha, d };
    return Buffer.from(JSON.stringify(chunk));
  });
}

/**
 * One payload: a message as it is, not yet checked, or a chunk of a longer one.
 * Throws when it is no JSON object, or no chunk although it says so.
 */
export function parsePayload(payload: Uint8Array): { message: unknown; chunk: null } | { message: null; chunk: Chunk } {
  const parsed: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
  if (typeof parsed !== 'object' || parsed === null) throw new TypeError('not a JSON object');
  const isChunk = 't' in parsed && parsed.t === 'chunk';
  return isChunk ? { message: null, chunk: Chunk.parse(parsed) } : { message: parsed, chunk: null };
}

/** The message in the compressed whole of its chunks, not yet checked. Throws when the checksum is another. */
export function unpackChunks(compressed: Uint8Array, { id, sha }: Pick<Chunk, 'id' | 'sha'>): unknown {
  if (createHash('sha256').update(compressed).digest('hex') !== sha) {
    throw new Error(`chunks of ${id} do not match their checksum`);
  }
  const json = gunzipSync(compressed, { maxOutputLength: MAX_MESSAGE_BYTES });
  checkSize(json, id);
  return JSON.parse(json.toString('utf8'));
}

/** Each value stands behind one of three characters. Those in texts are counted too: there are far fewer of them. */
function checkSize(json: Uint8Array, id: string): void {
  if (json.length > MAX_MESSAGE_BYTES) {
    throw new RangeError(`message ${id} has ${json.length} bytes; at most ${MAX_MESSAGE_BYTES} are allowed`);
  }
  let values = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === COMMA || byte === BRACKET || byte === BRACE) values++;
  }
  if (values > MAX_VALUES) throw new RangeError(`message ${id} has more than ${MAX_VALUES} values`);
}

const [COMMA, BRACKET, BRACE] = Buffer.from(',[{');

interface Pending {
  n: number;
  len: number;
  pieces: Map<number, Buffer>;
  expiresAt: number;
}

/** Puts messages together again. One for each sender, so that one sender cannot disturb another's messages. */
export class MessageAssembler {
  readonly #pending = new Map<string, Pending>();
  /** Until when chunks of a complete message count as mere repetitions. */
  readonly #completed = new Map<string, number>();
  #pendingBytes = 0;
  readonly #keepMs: number;
  readonly #now: () => number;

  /** @param keepMs how long the chunks of an incomplete message are kept after the last one arrived */
  constructor(keepMs = 120_000, now: () => number = Date.now) {
    this.#keepMs = keepMs;
    this.#now = now;
  }

  /**
   * Takes one payload and gives the message when it is complete, else null. The message is JSON, not yet checked.
   * Throws when the payload is no JSON object, or a chunk that does not fit the others or the checksum.
   */
  accept(payload: Uint8Array): unknown {
    const { message, chunk } = parsePayload(payload);
    if (chunk === null) return message;
    const compressed = this.#complete(chunk);
    if (compressed === null) return null;
    const whole = unpackChunks(compressed, chunk);
    const key = keyOf(chunk);
    this.#completed.delete(key); // So that the keys stand in the order of their ends.
    this.#completed.set(key, this.#now() + this.#keepMs);
    return whole;
  }

  /** Which chunks of a message have not arrived; empty when it was complete already, or nothing is known of it. */
  missing(id: string): number[] {
    this.#forgetExpired();
    for (const [key, { n, pieces }] of this.#pending) {
      if (key.startsWith(`${id} `) && !this.#completed.has(key))
        return Array.from({ length: n }, (_, i) => i).filter((i) => !pieces.has(i));
    }
    return [];
  }

  #complete(chunk: Chunk): Buffer | null {
    const { id, i, n, len, d } = chunk;
    this.#forgetExpired();
    const key = keyOf(chunk);
    const piece = Buffer.from(d, 'base64');
    const pending = this.#pending.get(key) ?? { n, len, pieces: new Map(), expiresAt: 0 };
    if (pending.n !== n || pending.len !== len) throw new Error(`chunk ${i} of ${id} does not fit the others`);
    if (!pending.pieces.has(i)) {
      if (this.#pendingBytes + piece.length > MAX_PENDING_BYTES) throw new Error('too many incomplete messages');
      this.#pendingBytes += piece.length;
      pending.pieces.set(i, piece);
    }
    pending.expiresAt = this.#now() + this.#keepMs;
    this.#pending.set(key, pending);
    if (pending.pieces.size < n) return null;
    this.#forget(key, pending);
    return Buffer.concat(Array.from({ length: n }, (_, at) => pending.pieces.get(at) ?? Buffer.alloc(0)));
  }

  #forgetExpired(): void {
    for (const [key, pending] of this.#pending) {
      if (pending.expiresAt < this.#now()) this.#forget(key, pending);
    }
    for (const [key, expiresAt] of this.#completed) {
      if (expiresAt >= this.#now()) break;
      this.#completed.delete(key);
    }
  }

  #forget(key: string, pending: Pending): void {
    this.#pending.delete(key);
    for (const piece of pending.pieces.values()) this.#pendingBytes -= piece.length;
  }
}

/** The chunks of one message, and of one way in which it was compressed. */
function keyOf({ id, sha }: Chunk): string {
  return `${id} ${sha}`;
}
