/**
 * Finds texts in the names, MACs and addresses of a collection, in any letter case.
 *
 * Neighbouring devices have an index of which three characters follow each other in them, by a hash of these: so few texts
 * have to be looked at. After a change only the chunks whose devices are others are made again.
 */

import { yieldToEventLoop } from '../table/slices.ts';
import type { StoredDevice } from './collection/device-codec.ts';

/** Separates the searched fields, so that no match spans two of them. */
export const SEPARATOR = '\u0000';

/** A chunk has about as many devices, and at most eight times as many. */
const CHUNK = 512;

/** Values of the hash. */
const HASHES = 256;

interface Chunk {
  devices: readonly StoredDevice[];
  /** The folded fields of each device, with a separator between them. */
  texts: readonly string[];
  /** For each hash, one bit for each device: whether it has such characters. */
  bits: Int32Array;
}

export class SearchIndex {
  readonly #chunks: readonly Chunk[];

  private constructor(chunks: readonly Chunk[]) {
    this.#chunks = chunks;
  }

  /**
   * Takes a fifth of a second for 100,000 devices of which none is indexed yet, and gives other requests their turn.
   * @param last the index of an earlier version of the collection. Devices are never changed, and those that a change
   *   leaves alone are the same objects after it
   * @param fieldsOf what is searched of a device, folded; the same one for each version
   */
  static async of(
    devices: readonly StoredDevice[],
    last?: SearchIndex,
    fieldsOf: (device: StoredDevice) => readonly string[] = namesOf,
  ): Promise<SearchIndex> {
    const known = new Map((last === undefined ? [] : last.#chunks).map((chunk) => [chunk.devices[0], chunk]));
    const chunks: Chunk[] = [];
    for (let at = 0, end = 0; at < devices.length; at = end) {
      end = endOfChunk(devices, at);
      const same = known.get(devices[at]);
      const isSame = same?.devices.length === end - at && same.devices.every((device, i) => device === devices[at + i]);
      chunks.push(isSame ? same : chunkOf(devices.slice(at, end), fieldsOf));
      if (!isSame) await yieldToEventLoop();
    }
    return new SearchIndex(chunks);
  }

  /**
   * The devices that contain one of these folded texts, and of those that contain only other texts than the first one
   * those that are accepted. In the order of the collection, from a position on, and at most so many.
   */
  find(
    texts: readonly [string, ...string[]],
    accepts: (device: StoredDevice) => boolean,
    { from = 0, limit = Infinity }: { from?: number; limit?: number } = {},
  ): StoredDevice[] {
    const wanted = texts.map((text) => ({ text, hashes: hashesIn(text) }));
    const found: StoredDevice[] = [];
    let begin = 0;
    for (const chunk of this.#chunks) {
      const { devices } = chunk;
      if (begin + devices.length > from) {
        const positions = wanted.flatMap((one, i) => {
          const having = positionsOf(chunk, one);
          return i === 0 ? having : having.filter((position) => accepts(devices[position] as StoredDevice));
        });
        for (const position of wanted.length === 1 ? positions : [...new Set(positions)].sort((a, b) => a - b)) {
          if (begin + position >= from) found.push(devices[position] as StoredDevice);
        }
        if (found.length >= limit) break;
      }
      begin += devices.length;
    }
    return found.slice(0, limit);
  }
}

/**
 * Where the chunk ends that begins at a position: in front of a device whose key says so. A device that is added or
 * deleted thus moves no border but its own.
 */
function endOfChunk(devices: readonly StoredDevice[], from: number): number {
  const last = Math.min(devices.length, from + 8 * CHUNK);
  for (let at = from + 1; at < last; at++) {
    if (hashOf((devices[at] as StoredDevice).key) % CHUNK === 0) return at;
  }
  return last;
}

/** FNV-1a (RFC 9923), of the code units of a text, or a part of it. */
function hashOf(text: string, from = 0, to = text.length): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Texts are searched in this form, so what is searched for has to be folded too. */
export function fold(text: string): string {
  return text.toLowerCase();
}

/** Positions in the chunk of the devices that contain the text, in order. */
function positionsOf({ texts, bits }: Chunk, { text, hashes }: { text: string; hashes: readonly number[] }): number[] {
  const found: number[] = [];
  const words = bits.length / HASHES;
  for (let word = 0; word < words; word++) {
    let left = -1;
    for (const hash of hashes) left &= bits[hash * words + word] as number;
    for (; left !== 0; left &= left - 1) {
      const position = 32 * word + 31 - Math.clz32(left & -left);
      if (texts[position]?.includes(text)) found.push(position);
    }
  }
  return found;
}

/** Of each three characters that follow each other. */
function hashesIn(text: string): number[] {
  const hashes: number[] = [];
  for (let end = 3; end <= text.length; end++) hashes.push(hashOf(text, end - 3, end) % HASHES);
  return hashes;
}

function chunkOf(devices: readonly StoredDevice[], fieldsOf: (device: StoredDevice) => readonly string[]): Chunk {
  const texts = devices.map((device) => fieldsOf(device).join(SEPARATOR));
  const words = Math.ceil(devices.length / 32);
  const bits = new Int32Array(HASHES * words);
  for (const [i, text] of texts.entries()) {
    for (const hash of hashesIn(text)) bits[hash * words + (i >>> 5)]! |= 1 << (i & 31);
  }
  return { devices, texts, bits };
}

/** Its name, MACs and address. */
function namesOf({ key, record, joined = {} }: StoredDevice): string[] {
  const others = Object.keys(joined).filter((mac) => mac !== key);
  return [record.devName, record.devMac, record.devLastIP, ...others].map(fold);
}
