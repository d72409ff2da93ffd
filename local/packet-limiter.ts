/** Reads along with a connection of the broker, for what must be refused before the broker has taken it in. */
import type { Readable } from 'node:stream';
import { BROKER_LIMITS } from '../shared/agent/topics.ts';

const SUBSCRIBE = 8;

/**
 * Lets nothing through once `connection` has sent a packet that is over the limits, and destroys it instead. The
 * broker's parser would collect a packet of up to 256 MiB before anyone could look at it, and does not tell which
 * filters came in one SUBSCRIBE.
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

/** Follows the packets in a stream of bytes (MQTT 3.1.1 section 2.2: a type, the remaining length in 1 to 4 bytes, the rest). */
export class PacketLimiter {
  #type: number | null = null;
  #length = 0;
  #lengthBytes = 0;
  /** Bytes of the current packet's body still to come; null while its header is being read. */
  #left: number | null = null;
  /** The body of a SUBSCRIBE; of other packets nothing is kept. */
  #body: Buffer[] = [];

  /** Takes the next bytes. Says why the connection must end, or null when there is no reason. */
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
