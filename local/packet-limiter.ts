/** Inspects the packets of a connection to the broker, and refuses some before the broker buffers them. */
import type { Readable } from 'node:stream';
import { BROKER_LIMITS } from '../shared/agent/topics.ts';

const SUBSCRIBE = 8;

/**
 * Destroys `connection` when it sends a packet beyond the limits, before the broker sees the packet. The broker's
 * parser would buffer packets of up to 256 MiB, and does not report which filters came in one SUBSCRIBE.
 */
export function guardPackets(connection: Readable): void {
  const gate = new PacketLimiter();
  const read = connection.read.bind(connection);
  connection.read = (size) => {
    const bytes: Buffer | null = read(size);
    const refusal = bytes === null ? null : gate.refusal(bytes);
    if (refusal === null) return bytes;
    connection.destroy(new Error(refusal));
    return null;
  };
}

/** Parses the headers in a stream of packets (MQTT 3.1.1 section 2.2: type, remaining length in 1 to 4 bytes, body). */
export class PacketLimiter {
  #type: number | null = null;
  #length = 0;
  #lengthBytes = 0;
  /** Bytes of the current packet's body that are still missing; null while its header is being read. */
  #left: number | null = null;
  /** The body of a SUBSCRIBE; other bodies are not kept. */
  #body: Buffer[] = [];

  /** Processes the next bytes. Returns why the connection must end, or null. */
  refusal(bytes: Buffer): string | null {
    let at = 0;
    while (at < bytes.length) {
      if (this.#left === null) {
        const refusal = this.#header(bytes[at++]!);
        if (refusal !== null) return refusal;
        if (this.#left !== 0) continue;
      }
      const part = bytes.subarray(at, at + this.#left);
      at += part.length;
      this.#left -= part.length;
      if (this.#type === SUBSCRIBE) this.#body.push(part);
      if (this.#left > 0) continue;
      const refusal = this.#type === SUBSCRIBE ? refusalOfFilters(Buffer.concat(this.#body)) : null;
      if (refusal !== null) return refusal;
      this.#type = null;
      this.#left = null;
      this.#body = [];
    }
    return null;
  }

  #header(byte: number): string | null {
    if (this.#type === null) {
      this.#type = byte >> 4;
      this.#length = 0;
      this.#lengthBytes = 0;
      return null;
    }
    this.#length += (byte & 0x7f) * 128 ** this.#lengthBytes++;
    if (byte & 0x80) return this.#lengthBytes === 4 ? 'the length of a packet takes more than four bytes' : null;
    const packetBytes = 1 + this.#lengthBytes + this.#length;
    if (packetBytes > BROKER_LIMITS.packetBytes) {
      return `a packet of ${packetBytes} bytes; at most ${BROKER_LIMITS.packetBytes} are allowed`;
    }
    this.#left = this.#length;
    return null;
  }
}

/** A SUBSCRIBE holds a packet id, then filters: two bytes of length, the text, one byte of QoS (section 3.8.3). */
function refusalOfFilters(body: Buffer): string | null {
  let filters = 0;
  for (let at = 2; at + 2 <= body.length; at += 3 + body.readUInt16BE(at)) filters++;
  if (filters <= BROKER_LIMITS.filtersPerSubscribe) return null;
  return `${filters} filters in one SUBSCRIBE; at most ${BROKER_LIMITS.filtersPerSubscribe} are allowed`;
}
