/**
 * Finds texts in the names, MACs and addresses of a collection, in any letter case.
 *
 * Neighbouring devices have their searched fields as one text, because to search that takes half the time of searching a
 * text for each device. After a change only the chunks whose devices are others are made again.
 */

import { yieldToEventLoop } from '../table/slices.ts';
import type { StoredDevice } from './collection/device-codec.ts';

/** Separates the searched fields, so that no match spans two of them. */
export const SEPARATOR = '\u0000';

/** A chunk has about as many devices, and at most eight times as many. */
const CHUNK = 512;

interface Chunk {
  devices: readonly StoredDevice[];
  /** The folded fields of all devices, each with a separator behind it. */
  text: string;
  /** Where each device begins in the text. */
  starts: Uint32Array;
}

export class SearchIndex {
  readonly #chunks: readonly Chunk[];

  private constructor(chunks: readonly Chunk[]) {
    this.#chunks = chunks;
  }

  /**
   * Takes a tenth of a second for 100,000 devices of which none is indexed yet, and gives other requests their turn.
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
    [text, ...others]: readonly [string, ...string[]],
    accepts: (device: StoredDevice) => boolean,
    { from = 0, limit = Infinity }: { from?: number; limit?: number } = {},
  ): StoredDevice[] {
    const found: StoredDevice[] = [];
    let begin = 0;
    for (const chunk of this.#chunks) {
      const { devices } = chunk;
      if (begin + devices.length > from) {
        const positions = new Set(positionsOf(chunk, text));
        for (const position of others.flatMap((other) => positionsOf(chunk, other))) {
          if (accepts(devices[position] as StoredDevice)) positions.add(position);
        }
        for (const position of others.length === 0 ? positions : [...positions].sort((a, b) => a - b)) {
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

/** FNV-1a (RFC 9923), of the code units of a text. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Texts are searched in this form, so what is searched for has to be folded too. */
export function fold(text: string): string {
  return text.toLowerCase();
}

/** Positions in the chunk of the devices that contain the text, in order. */
function positionsOf({ devices, text, starts }: Chunk, wanted: string): number[] {
  const found: number[] = [];
  let position = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, starts[position])) {
    while (position + 1 < devices.length && (starts[position + 1] as number) <= at) position++;
    found.push(position++);
    if (position === devices.length) break;
  }
  return found;
}

function chunkOf(devices: readonly StoredDevice[], fieldsOf: (device: StoredDevice) => readonly string[]): Chunk {
  const starts = new Uint32Array(devices.length);
  let text = '';
  for (const [i, device] of devices.entries()) {
    starts[i] = text.length;
    for (const field of fieldsOf(device)) text += field + SEPARATOR;
  }
  return { devices, text, starts };
}

/** Its name, MACs and address. */
function namesOf({ key, record, joined = {} }: StoredDevice): string[] {
  const others = Object.keys(joined).filter((mac) => mac !== key);
  return [record.devName, record.devMac, record.devLastIP, ...others].map(fold);
}
