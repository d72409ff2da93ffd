/** What AWS IoT Core lets through of one connection in a second ("AWS IoT Core message broker and protocol limits"). */

/** Rates of a broker. The embedded broker has none unless it is told, because one machine serves itself. */
export interface BrokerRates {
  /** In either direction together. A message beyond it is dropped: it is not acknowledged, and the connection stays. */
  messagesPerSecond: number;
  /** What a client sends beyond it is read later. */
  bytesPerSecond: number;
  /** Messages to a client that it has not acknowledged; what comes beyond them is dropped. */
  unacknowledged: number;
  /** Attempts to connect with the same client id in a second. One beyond it is cut off without an answer. */
  connectsPerClient: number;
  /** Attempts to connect of all clients in a second. */
  connects: number;
}

/** The quotas of an account in most regions. Only `connects` can be raised; in some regions it is lower. */
export const IOT_CORE_RATES: BrokerRates = {
  messagesPerSecond: 100,
  bytesPerSecond: 512 * 1024,
  unacknowledged: 100,
  connectsPerClient: 1,
  connects: 500,
};

/** An amount that flows off at a constant rate: a leaky bucket, which holds what may come in one second. */
export class Allowance {
  readonly #perSecond: number;
  readonly #now: () => number;
  #used = 0;
  #at: number;

  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
    this.#at = now();
  }

  /** Takes one of it. @returns false when nothing is left; then nothing is taken */
  take(): boolean {
    if (this.#leaked() + 1 > this.#perSecond) return false;
    this.#used++;
    return true;
  }

  /** Takes so much, also when that is more than is left. */
  add(amount: number): void {
    this.#used = this.#leaked() + amount;
  }

  /** Whether all of it is left. */
  isUnused(): boolean {
    return this.#leaked() === 0;
  }

  /** Milliseconds until something is left. */
  waitMs(): number {
    const over = this.#leaked() - this.#perSecond;
    return over <= 0 ? 0 : Math.ceil((over / this.#perSecond) * 1_000);
  }

  /** What is in use now. */
  #leaked(): number {
    const now = this.#now();
    this.#used = Math.max(0, this.#used - (Math.max(0, now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
    return this.#used;
  }
}

/** The rates of one connection. */
export class ConnectionRate {
  readonly #messages: Allowance;
  readonly #bytes: Allowance;
  readonly #maxUnacknowledged: number;
  #unacknowledged = 0;

  constructor(rates: BrokerRates, now?: () => number) {
    this.#messages = new Allowance(rates.messagesPerSecond, now);
    this.#bytes = new Allowance(rates.bytesPerSecond, now);
    this.#maxUnacknowledged = rates.unacknowledged;
  }

  /** Whether a message from the client passes. */
  takeMessage(): boolean {
    return this.#messages.take();
  }

  /** Whether a message to the client passes, which the client has to acknowledge unless `qos` is 0. */
  takeDelivery(qos: number): boolean {
    if (qos > 0 && this.#unacknowledged >= this.#maxUnacknowledged) return false;
    if (!this.#messages.take()) return false;
    if (qos > 0) this.#unacknowledged++;
    return true;
  }

  /** The client has acknowledged a message. */
  acknowledged(): void {
    this.#unacknowledged = Math.max(0, this.#unacknowledged - 1);
  }

  received(bytes: number): void {
    this.#bytes.add(bytes);
  }

  /** Milliseconds until more may be read from the client. */
  waitMs(): number {
    return this.#bytes.waitMs();
  }
}
