/** Reads frames from a stream in the classic format of pcap (pcap-savefile(5)), as tcpdump writes it. */

const HEADER_BYTES = 24;
const RECORD_BYTES = 16;
const MAGICS = { big: [0xa1b2c3d4, 0xa1b23c4d], little: [0xd4c3b2a1, 0x4d3cb2a1] };
const ETHERNET = 1;
/** Longer than any frame that is asked for. */
const MAX_FRAME_BYTES = 4_096;

/** It is no such stream, or not of an Ethernet. */
export class NoPcap extends Error {
  override name = 'NoPcap';
}

export class PcapReader {
  readonly #onFrame: (frame: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);
  #isLittle: boolean | null = null;

  /** @param onFrame is given each frame; it must not keep it */
  constructor(onFrame: (frame: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  /** Takes the next bytes of the stream, however they are cut. @throws {NoPcap} */
  push(chunk: Buffer): void {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (this.#isLittle === null) {
      if (rest.length < HEADER_BYTES) {
        this.#rest = Buffer.from(rest);
        return;
      }
      this.#isLittle = MAGICS.little.includes(rest.readUInt32BE(0));
      if (!this.#isLittle && !MAGICS.big.includes(rest.readUInt32BE(0))) throw new NoPcap('no stream of pcap');
      if (this.#number(rest, 20) !== ETHERNET) throw new NoPcap('not the frames of an Ethernet');
      rest = rest.subarray(HEADER_BYTES);
    }
    while (rest.length >= RECORD_BYTES) {
      const length = this.#number(rest, 8);
      if (length > MAX_FRAME_BYTES) throw new NoPcap('a frame longer than was asked for');
      if (rest.length < RECORD_BYTES + length) break;
      this.#onFrame(rest.subarray(RECORD_BYTES, RECORD_BYTES + length));
      rest = rest.subarray(RECORD_BYTES + length);
    }
    this.#rest = Buffer.from(rest);
  }

  #number(bytes: Buffer, at: number): number {
    return this.#isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  }
}
