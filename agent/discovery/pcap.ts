/** Parses the output of tcpdump: Ethernet frames in the classic pcap format (draft-ietf-opsawg-pcap). */

const HEADER_BYTES = 24;
const RECORD_BYTES = 16;
const ETHERNET = 1;
/** The snapshot length is shorter: a longer record means that the stream is out of step. */
export const MAX_FRAME_BYTES = 2_048;

/** The first four bytes, read as little-endian: microseconds and nanoseconds, in either byte order. */
const LITTLE = new Set([0xa1b2c3d4, 0xa1b23c4d]);
const BIG = new Set([0xd4c3b2a1, 0x4d3cb2a1]);

export class PcapReader {
  /** The incomplete header or record so far. */
  #rest: Buffer = Buffer.alloc(0);
  #isLittle: boolean | null = null;

  /**
   * Reads the next chunk of the stream, wherever it was cut.
   * @returns the frames that are complete now
   * @throws {Error} when it is no such stream; then the rest cannot be read either
   */
  push(chunk: Buffer): Buffer[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: Buffer[] = [];
    let at = 0;
    if (this.#isLittle === null && bytes.length >= HEADER_BYTES) {
      this.#isLittle = readHeader(bytes);
      at = HEADER_BYTES;
    }
    while (this.#isLittle !== null && bytes.length - at >= RECORD_BYTES) {
      const length = read(bytes, at + 8, this.#isLittle);
      if (length > MAX_FRAME_BYTES) throw new Error(`a frame of ${length} bytes`);
      if (bytes.length - at < RECORD_BYTES + length) break;
      frames.push(bytes.subarray(at + RECORD_BYTES, at + RECORD_BYTES + length));
      at += RECORD_BYTES + length;
    }
    // A copy: a small rest must not retain its whole chunk.
    this.#rest = Buffer.from(bytes.subarray(at));
    return frames;
  }
}

/** Whether the numbers that follow are little-endian. */
function readHeader(bytes: Buffer): boolean {
  const magic = bytes.readUInt32LE(0);
  if (!LITTLE.has(magic) && !BIG.has(magic)) throw new Error('no stream of pcap');
  const isLittle = LITTLE.has(magic);
  // The upper bits describe how frames end.
  const linkType = read(bytes, 20, isLittle) & 0xffff;
  if (linkType !== ETHERNET) throw new Error(`link type ${linkType} instead of Ethernet`);
  return isLittle;
}

function read(bytes: Buffer, at: number, isLittle: boolean): number {
  return isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
}
