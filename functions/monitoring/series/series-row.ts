/**
 * The stored form of the series of many checks over the same span of time, compact, because writes are billed by the kilobyte:
 * a version byte, an index with the id of each check and the length of its section, and the sections. Not compressed, so that
 * one check is read without the others. A bucket begins with a byte of flags for common values, which are then omitted.
 */
import type { Bucket } from './bucket.ts';

export type Sections = ReadonlyMap<string, readonly Bucket[]>;

const VERSION = 1;
const ID_BYTES = 6;

const SAME_RUNS = 1; // as many as in the previous bucket; at first 1
const NO_FAILURE = 2;
const SAME_SENT = 4; // as many per run as in the previous bucket; at first 1
const NO_LOSS = 8;
const ONE_TIME = 16; // all replies took the same time
const ALL_JITTER = 32; // the jitter of each run with a reply is known
const NO_JITTER = 64;

/** @param start Unix, s: no bucket begins before it. @param unit seconds between buckets */
export function encodeSections(sections: Sections, start: number, unit: number): Uint8Array {
  const index = new Bytes();
  const bodies = new Bytes();
  const ids = [...sections.keys()].sort();
  index.byte(VERSION);
  index.varint(ids.length);
  for (const id of ids) {
    const before = bodies.length;
    encodeSection(bodies, sections.get(id) ?? [], start, unit);
    index.hex(id);
    index.varint(bodies.length - before);
  }
  return Buffer.concat([index.bytes(), bodies.bytes()]);
}

/** All sections. @throws when the bytes are malformed */
export function decodeSections(bytes: Uint8Array, start: number, unit: number): Map<string, Bucket[]> {
  const found = new Map<string, Bucket[]>();
  for (const { idAt, from, to } of readIndex(bytes))
    found.set(new Reader(bytes, idAt, bytes.length).hex(ID_BYTES), decodeSection(bytes, from, to, start, unit));
  return found;
}

/** The section of one check; empty when it has none. @throws when the bytes are malformed */
export function decodeOne(bytes: Uint8Array, check: string, start: number, unit: number): Bucket[] {
  const id = Buffer.from(check, 'hex');
  const section = readIndex(bytes).find(({ idAt }) => id.every((byte, i) => byte === bytes[idAt + i]));
  return section === undefined ? [] : decodeSection(bytes, section.from, section.to, start, unit);
}

function readIndex(bytes: Uint8Array): { idAt: number; from: number; to: number }[] {
  if (bytes[0] !== VERSION) throw new Error(`a series of version ${bytes[0]}, which this version does not know`);
  const reader = new Reader(bytes, 1, bytes.length);
  const entries: { idAt: number; from: number; to: number }[] = [];
  let length = 0;
  for (let left = reader.varint(); left > 0; left--) {
    const idAt = reader.skip(ID_BYTES);
    const from = length;
    length += reader.varint();
    entries.push({ idAt, from, to: length });
  }
  return entries.map(({ idAt, from, to }) => ({ idAt, from: reader.at + from, to: reader.at + to }));
}

function encodeSection(into: Bytes, buckets: readonly Bucket[], start: number, unit: number): void {
  let [before, runs, sent] = [start, 1, 1];
  for (const one of buckets) {
    const answered = one.runs - one.failed;
    const isOneTime = one.rttMin === one.rttMax;
    const flags =
      (one.runs === runs ? SAME_RUNS : 0) |
      (one.failed === 0 ? NO_FAILURE : 0) |
      (one.sent === sent * one.runs ? SAME_SENT : 0) |
      (one.lost === 0 ? NO_LOSS : 0) |
      (isOneTime ? ONE_TIME : 0) |
      (one.jitterRuns === answered ? ALL_JITTER : 0) |
      (one.jitterRuns === 0 ? NO_JITTER : 0);
    into.varint((one.at - before) / unit);
    into.byte(flags);
    if (!(flags & SAME_RUNS)) into.varint(one.runs);
    if (!(flags & NO_FAILURE)) into.varint(one.failed);
    if (!(flags & SAME_SENT)) into.varint(one.sent);
    if (!(flags & NO_LOSS)) into.varint(one.lost);
    if (answered > 0) {
      into.varint(one.rttMin);
      if (!isOneTime) {
        into.varint(one.rttMax - one.rttMin);
        into.varint(one.rttSum - one.rttMin * answered);
      }
    }
    if (!(flags & (ALL_JITTER | NO_JITTER))) into.varint(one.jitterRuns);
    if (!(flags & NO_JITTER)) into.varint(one.jitterSum);
    before = one.at;
    runs = one.runs;
    if (one.sent % one.runs === 0) sent = one.sent / one.runs;
  }
}

function decodeSection(bytes: Uint8Array, from: number, to: number, start: number, unit: number): Bucket[] {
  const reader = new Reader(bytes, from, to);
  const buckets: Bucket[] = [];
  let [at, runs, each] = [start, 1, 1];
  while (reader.at < to) {
    at += reader.varint() * unit;
    const flags = reader.byte();
    if (!(flags & SAME_RUNS)) runs = reader.varint();
    const failed = flags & NO_FAILURE ? 0 : reader.varint();
    const sent = flags & SAME_SENT ? each * runs : reader.varint();
    const lost = flags & NO_LOSS ? 0 : reader.varint();
    const answered = runs - failed;
    const rttMin = answered > 0 ? reader.varint() : 0;
    const isSpread = answered > 0 && !(flags & ONE_TIME);
    const rttMax = isSpread ? rttMin + reader.varint() : rttMin;
    const rttSum = rttMin * answered + (isSpread ? reader.varint() : 0);
    const known = flags & NO_JITTER ? 0 : flags & ALL_JITTER ? answered : reader.varint();
    const jitterSum = flags & NO_JITTER ? 0 : reader.varint();
    buckets.push({ at, runs, failed, sent, lost, rttMin, rttMax, rttSum, jitterRuns: known, jitterSum });
    if (sent % runs === 0) each = sent / runs;
  }
  return buckets;
}

/** A growing buffer. Numbers are varints: seven bits per byte, the lowest first. */
class Bytes {
  #buffer = Buffer.allocUnsafe(4_096);
  length = 0;

  byte(value: number): void {
    if (this.length === this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer, this.#buffer]);
    this.#buffer[this.length++] = value;
  }

  /** @param value a whole number from 0 to 2^53 - 1: no bitwise operators, which have 32 bits */
  varint(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) + 0x80);
    this.byte(rest);
  }

  /** @param text an even number of hexadecimal digits */
  hex(text: string): void {
    for (let i = 0; i < text.length; i += 2) this.byte(Number.parseInt(text.slice(i, i + 2), 16));
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }
}

/** Reads what `Bytes` has written. Throws at the end. */
class Reader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  at: number;

  constructor(bytes: Uint8Array, at: number, end: number) {
    if (end > bytes.length) throw new Error('a series that is cut off');
    this.#bytes = bytes;
    this.#end = end;
    this.at = at;
  }

  byte(): number {
    if (this.at >= this.#end) throw new Error('a series that is cut off');
    return this.#bytes[this.at++] as number;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.byte();
      value += (byte % 0x80) * scale;
      if (byte < 0x80) return value;
    }
  }

  /** Skips some bytes. @returns their position */
  skip(bytes: number): number {
    if (this.at + bytes > this.#end) throw new Error('a series that is cut off');
    this.at += bytes;
    return this.at - bytes;
  }

  hex(count: number): string {
    const at = this.skip(count);
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + at, count).toString('hex');
  }
}
