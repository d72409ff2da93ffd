/** Binary rows, written and read byte by byte. */

/** A growing buffer. Numbers are varints: seven bits per byte, the lowest first. */
export class Bytes {
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

  text(text: string): void {
    for (const byte of Buffer.from(text)) this.byte(byte);
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }
}

/** Reads what `Bytes` has written. Throws at the end. */
export class Reader {
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

  hex(bytes: number): string {
    return this.#take(bytes).toString('hex');
  }

  text(bytes: number): string {
    return this.#take(bytes).toString('utf8');
  }

  #take(count: number): Buffer {
    const at = this.skip(count);
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + at, count);
  }
}
