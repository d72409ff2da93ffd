/** Inspects the packets of a connection to the broker, and rejects or drops some before the broker buffers them. */
import type { Readable } from 'node:stream';
import { BROKER_LIMITS } from '../shared/agent/topics.ts';
import type { ConnectionRate } from './connection-rate.ts';

const PUBLISH = 3;
const SUBSCRIBE = 8;

/**
 * Destroys `connection` when it sends a packet beyond the limits, before the broker sees it. The broker's parser would
 * buffer packets of up to 256 MiB, and does not report which filters arrive in one SUBSCRIBE.
 * @param rate the limiter reads the excess later, or drops excess messages
 */
export function guardPackets(connection: Readable, rate: ConnectionRate | null): void {
  const gate = new PacketLimiter(rate === null ? () => true : () => rate.takeMessage());
  const read = connection.read.bind(connection);
  let isWaiting = false;
  const readAgain = () => {
    isWaiting = false;
    connection.emit('readable');
  };
  connection.read = (size) => {
    const waitMs = rate?.waitMs() ?? 0;
    if (waitMs > 0) {
      if (!isWaiting) setTimeout(readAgain, waitMs).unref();
      isWaiting = true;
      return null;
    }
    const bytes: Buffer | null = read(size);
    if (bytes === null) return null;
    rate?.received(bytes.length);
    const passed = gate.pass(bytes);
    if (typeof passed !== 'string') return passed;
    connection.destroy(new Error(passed));
    return null;
  };
}

/** Parses the headers in a stream of packets (MQTT 3.1.1 section 2.2: type, remaining length in 1 to 4 bytes, body). */
export class PacketLimiter {
  readonly #admitsMessage: () => boolean;
  /** The received part of the current packet's header, which is passed on when complete. */
  #head: number[] = [];
  #type: number | null = null;
  #length = 0;
  #lengthBytes = 0;
  /** Missing bytes of the current packet's body; null while reading its header. */
  #left: number | null = null;
  #isDropped = false;
  /** The body of a SUBSCRIBE; empty for other packets. */
  #body: Buffer[] = [];

  /** @param admitsMessage called once for each message (PUBLISH), which is dropped if it returns false */
  constructor(admitsMessage: () => boolean = () => true) {
    this.#admitsMessage = admitsMessage;
  }

  /** Processes the next bytes. @returns those to pass on, or why the connection must be closed */
  pass(bytes: Buffer): Buffer | string {
    const passed: Buffer[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.#left === null) {
        const byte = bytes[at++]!;
        const refusal = this.#header(byte);
        if (refusal !== null) return refusal;
        this.#head.push(byte);
        if (this.#left === null) continue;
        this.#isDropped = this.#type === PUBLISH && !this.#admitsMessage();
        if (!this.#isDropped) passed.push(Buffer.from(this.#head));
        this.#head = [];
        if (this.#left > 0) continue;
      }
      const part = bytes.subarray(at, at + this.#left);
      at += part.length;
      this.#left -= part.length;
      if (!this.#isDropped) passed.push(part);
      if (this.#type === SUBSCRIBE) this.#body.push(part);
      if (this.#left > 0) continue;
      const refusal = this.#type === SUBSCRIBE ? refusalOfFilters(Buffer.concat(this.#body)) : null;
      if (refusal !== null) return refusal;
      this.#type = null;
      this.#left = null;
      this.#body = [];
    }
    return Buffer.concat(passed);
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
