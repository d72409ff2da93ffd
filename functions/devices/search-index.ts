/**
 * Finds texts in the names, MACs and addresses of a collection, in any letter case.
 *
 * A bitmap index over chunks of neighbouring devices: for each hash of three consecutive characters, which devices contain
 * such. So few texts have to be compared. After a change only chunks with changed devices are rebuilt.
 */
import { yieldToEventLoop } from '../table/slices.ts';
import type { StoredDevice } from './collection/device-codec.ts';

/** Separates the searched fields, so that no match spans two of them. */
export const SEPARATOR = '\u0000';

/** Devices of a chunk, about; at most eight times as many. */
const CHUNK = 512;

const HASHES = 256;

interface Chunk {
  devices: readonly StoredDevice[];
  /** The folded fields of each device, joined by separators. */
  texts: readonly string[];
  /** For each hash one bit per device: whether it has characters with this hash. */
  bits: Int32Array;
}

export class SearchIndex {
  readonly #chunks: readonly Chunk[];

  private constructor(chunks: readonly Chunk[]) {
    this.#chunks = chunks;
  }

  /**
   * Takes a fifth of a second for 100,000 devices that are not indexed yet; other requests get a turn meanwhile.
   * @param last the index of an earlier version of the collection: devices are immutable, and a change keeps the objects of
   *   those that it leaves alone
   * @param fieldsOf the searched texts of a device, folded; the same function for each version
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

  /** Devices with the first folded text, or with another one that `accepts` allows, in order: at most `limit` from a position on. */
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
          const matching = positionsOf(chunk, one);
          return i === 0 ? matching : matching.filter((position) => accepts(devices[position] as StoredDevice));
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

/** The end of a chunk: before a key whose hash marks a border, so that an added or deleted device moves no border but its own. */
function endOfChunk(devices: readonly StoredDevice[], from: number): number {
  const last = Math.min(devices.length, from + 8 * CHUNK);
  for (let at = from + 1; at < last; at++) {
    if (hashOf((devices[at] as StoredDevice).key) % CHUNK === 0) return at;
  }
  return last;
}

/** FNV-1a (RFC 9923) of the code units of a text, or a part of it. */
function hashOf(text: string, from = 0, to = text.length): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** The form in which texts are indexed: queries have to be folded, too. */
export const fold = (text: string): string => text.toLowerCase();

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

/** Of each three consecutive characters. */
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

function namesOf({ key, record, joined = {} }: StoredDevice): string[] {
  const others = Object.keys(joined).filter((mac) => mac !== key);
  return [record.devName, record.devMac, record.devLastIP, ...others].map(fold);
}
