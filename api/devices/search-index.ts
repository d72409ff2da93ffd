/**
 * Finds texts in the names, MACs and addresses of a collection, in any letter case.
 *
 * The devices are divided into chunks of neighbours. A chunk has the searched fields of its devices as one text, because
 * to search that takes half the time of searching a text for each device, and a filter that names the blocks of it in
 * which a text can occur at all, because of 100,000 devices an address or a MAC is in a few blocks. After a change only
 * the chunks that it touches are made again.
 */
import type { StoredDevice } from '../../store/devices/device-codec.ts';
import { yieldToEventLoop } from '../../store/devices/slices.ts';

/** Separates the searched fields, so that no match spans two of them. */
export const SEPARATOR = '\u0000';

/** Devices of a block, and of a chunk: as many blocks as a number has bits. */
const BLOCK = 16;
const CHUNK = 32 * BLOCK;
/** Fewer devices than this get no chunk of their own: they are put into that of the devices in front of them. */
const SMALL_CHUNK = CHUNK / 8;

/** Length of the parts of a text by which blocks are filtered. Three digits of an address occur in most blocks. */
const GRAM = 4;
/** Numbers of grams: a block of typical devices has a tenth of them. */
const GRAM_BITS = 12;

interface Chunk {
  devices: readonly StoredDevice[];
  /** The folded fields of all devices, each with a separator behind it. */
  text: string;
  /** Where each device begins in the text; at the end, the length of the text. */
  starts: Uint32Array;
  /** For each number of a gram the blocks that have such a gram, one bit each. */
  blocksWith: Int32Array;
}

export class SearchIndex {
  readonly #chunks: readonly Chunk[];

  private constructor(chunks: readonly Chunk[]) {
    this.#chunks = chunks;
  }

  /**
   * Takes a tenth of a second for 100,000 devices of which none is indexed yet, and gives other requests their turn.
   * @param last the index of an earlier version of the collection. Devices are never changed, and those that a change
   *   leaves alone are the same objects after it, so that their chunks are taken over
   */
  static async of(devices: readonly StoredDevice[], last?: SearchIndex): Promise<SearchIndex> {
    const byFirst = new Map((last === undefined ? [] : last.#chunks).map((chunk) => [chunk.devices[0], chunk]));
    const chunks: Chunk[] = [];
    for (let at = 0; at < devices.length; ) {
      const same = reusable(byFirst, devices, at);
      if (same !== null) {
        chunks.push(same);
        at += same.devices.length;
        continue;
      }
      const end = nextReusable(byFirst, devices, at);
      // So at most the first chunk is a small one, whatever is deleted or inserted between others.
      if (end - at < SMALL_CHUNK) at -= chunks.pop()?.devices.length ?? 0;
      // Halves instead of a full chunk and a rest, so that many small changes do not leave many small chunks.
      const size = Math.ceil((end - at) / Math.ceil((end - at) / CHUNK));
      for (; at < end; at += size) {
        chunks.push(chunkOf(devices.slice(at, Math.min(at + size, end))));
        await yieldToEventLoop();
      }
      at = end;
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
        for (const position of positionsIn(chunk, text, others, accepts)) {
          if (begin + position >= from) found.push(devices[position] as StoredDevice);
        }
        if (found.length >= limit) return found.slice(0, limit);
      }
      begin += devices.length;
    }
    return found;
  }
}

/** As it is searched: whoever looks for it has to fold what they look for in the same way. */
export function fold(text: string): string {
  return text.toLowerCase();
}

function positionsIn(
  chunk: Chunk,
  text: string,
  others: readonly string[],
  accepts: (device: StoredDevice) => boolean,
): Iterable<number> {
  const found = search(chunk, text);
  const more = others
    .flatMap((other) => search(chunk, other))
    .filter((position) => accepts(chunk.devices[position] as StoredDevice));
  return more.length === 0 ? found : [...new Set([...found, ...more])].sort((a, b) => a - b);
}

/** Positions in the chunk of the devices that contain the text, in order. */
function search(chunk: Chunk, text: string): number[] {
  const { devices, starts } = chunk;
  const found: number[] = [];
  const blocks = blocksThatMayHave(chunk, text);
  const isCandidate = (block: number) => ((blocks >>> block) & 1) === 1;
  for (let block = 0; blocks !== 0 && block * BLOCK < devices.length; block++) {
    if (!isCandidate(block)) continue;
    const from = block * BLOCK;
    while (block < 31 && isCandidate(block + 1)) block++;
    const to = Math.min((block + 1) * BLOCK, devices.length);
    const begin = starts[from] as number;
    const part = chunk.text.slice(begin, starts[to]);
    let at = part.indexOf(text);
    for (let position = from; at !== -1; at = part.indexOf(text, (starts[position] as number) - begin)) {
      while ((starts[position + 1] as number) <= begin + at) position++;
      found.push(position++);
    }
  }
  return found;
}

function blocksThatMayHave({ blocksWith }: Chunk, text: string): number {
  let blocks = -1;
  let gram = 0;
  for (let at = 0; at < text.length && blocks !== 0; at++) {
    gram = nextGram(gram, text.charCodeAt(at));
    if (at >= GRAM - 1) blocks &= blocksWith[numberOf(gram)] as number;
  }
  return blocks;
}

/** The last GRAM characters of a text, in one byte each: different ones may be equal, which only costs time. */
function nextGram(gram: number, code: number): number {
  return (gram << 8) | ((code ^ (code >> 8)) & 255);
}

/** Multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4). */
function numberOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> (32 - GRAM_BITS);
}

type ChunksByFirst = ReadonlyMap<StoredDevice | undefined, Chunk>;

/** The chunk that begins with the device at a position, if the devices behind it are still those of the chunk. */
function reusable(byFirst: ChunksByFirst, devices: readonly StoredDevice[], at: number): Chunk | null {
  const chunk = byFirst.get(devices[at]);
  return chunk?.devices.every((device, i) => device === devices[at + i]) ? chunk : null;
}

function nextReusable(byFirst: ChunksByFirst, devices: readonly StoredDevice[], from: number): number {
  let at = from + 1;
  while (at < devices.length && reusable(byFirst, devices, at) === null) at++;
  return at;
}

function chunkOf(devices: readonly StoredDevice[]): Chunk {
  const { text, starts } = foldedText(devices);
  const chunk: Chunk = { devices, text, starts, blocksWith: new Int32Array(1 << GRAM_BITS) };
  for (let position = 0; position < devices.length; position++) {
    const block = 1 << Math.floor(position / BLOCK);
    const end = starts[position + 1] as number;
    let gram = 0;
    let length = 0;
    for (let at = starts[position] as number; at < end; at++) {
      const code = text.charCodeAt(at);
      gram = nextGram(gram, code);
      length = code === 0 ? 0 : length + 1;
      if (length >= GRAM) (chunk.blocksWith[numberOf(gram)] as number) |= block;
    }
  }
  return chunk;
}

function foldedText(devices: readonly StoredDevice[]): Pick<Chunk, 'text' | 'starts'> {
  const starts = new Uint32Array(devices.length + 1);
  let written = '';
  for (let i = 0; i < devices.length; i++) {
    written += searchedText(devices[i] as StoredDevice);
    starts[i + 1] = written.length;
  }
  const text = fold(written);
  // A few letters become longer, and none becomes shorter.
  if (text.length !== written.length) {
    for (let i = 0; i < devices.length; i++) {
      starts[i + 1] = (starts[i] as number) + fold(searchedText(devices[i] as StoredDevice)).length;
    }
  }
  return { text, starts };
}

function searchedText({ record: { devName, devMac, devLastIP } }: StoredDevice): string {
  return devName + SEPARATOR + devMac + SEPARATOR + devLastIP + SEPARATOR;
}
