/** Rate limits of the broker, after those of AWS IoT Core ("AWS IoT Core message broker and protocol limits"). */

export interface BrokerRates {
  /**
   * Messages beyond the rate. `dropped`, like IoT Core: the broker does not acknowledge them, and keeps the connection;
   * messages to a client count as well. `delayed`: the broker reads them later; only messages from the client count.
   */
  excess: 'dropped' | 'delayed';
  messagesPerSecond: number;
  /** The broker reads the excess later. */
  bytesPerSecond: number;
  /** Unacknowledged messages to a client; the broker drops the excess. */
  unacknowledged: number;
  /** Attempts to connect with the same client id in a second. The broker closes the excess without an answer. */
  connectsPerClient: number;
  /** Attempts to connect of all clients in a second. */
  connects: number;
}

/** The quotas of an account in most regions. Only `connects` can be raised; in some regions it is lower. */
export const IOT_CORE_RATES: BrokerRates = {
  excess: 'dropped',
  messagesPerSecond: 100,
  bytesPerSecond: 512 * 1024,
  unacknowledged: 100,
  connectsPerClient: 1,
  connects: 500,
};

/** For `npm start`, which only slows bursts: 200 commands at once are normal, and a quick restart is no attack. */
export const LOCAL_RATES: BrokerRates = {
  ...IOT_CORE_RATES,
  ...{ excess: 'delayed', unacknowledged: 1_000, connectsPerClient: 5 },
};

/** A leaky bucket with the capacity of one second. */
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

  /** Consumes one unit. @returns false, without consuming, when the bucket is full */
  take(): boolean {
    if (this.#leaked() + 1 > this.#perSecond) return false;
    this.#used++;
    return true;
  }

  /** Consumes the amount, even beyond the capacity. */
  add(amount: number): void {
    this.#used = this.#leaked() + amount;
  }

  isUnused(): boolean {
    return this.#leaked() === 0;
  }

  /** Milliseconds until the bucket has room. */
  waitMs(): number {
    const over = this.#leaked() - this.#perSecond;
    return over <= 0 ? 0 : Math.ceil((over / this.#perSecond) * 1_000);
  }

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
  readonly #areDelayed: boolean;
  #unacknowledged = 0;

  constructor(rates: BrokerRates, now?: () => number) {
    this.#messages = new Allowance(rates.messagesPerSecond, now);
    this.#bytes = new Allowance(rates.bytesPerSecond, now);
    this.#maxUnacknowledged = rates.unacknowledged;
    this.#areDelayed = rates.excess === 'delayed';
  }

  /** Whether a message from the client passes. */
  takeMessage(): boolean {
    if (!this.#areDelayed) return this.#messages.take();
    this.#messages.add(1);
    return true;
  }

  /** Whether a message to the client passes, which the client must acknowledge unless `qos` is 0. */
  takeDelivery(qos: number): boolean {
    if (qos > 0 && this.#unacknowledged >= this.#maxUnacknowledged) return false;
    if (!this.#areDelayed && !this.#messages.take()) return false;
    if (qos > 0) this.#unacknowledged++;
    return true;
  }

  acknowledged(): void {
    this.#unacknowledged = Math.max(0, this.#unacknowledged - 1);
  }

  received(bytes: number): void {
    this.#bytes.add(bytes);
  }

  /** Milliseconds until the broker may read more from the client. */
  waitMs(): number {
    return Math.max(this.#bytes.waitMs(), this.#areDelayed ? this.#messages.waitMs() : 0);
  }
}

/** @returns whether a client may connect now; call it once for each attempt */
export function connectRate({ connects, connectsPerClient }: BrokerRates): (clientId: string) => boolean {
  const all = new Allowance(connects);
  const ofClient = new Map<string, Allowance>();
  return (clientId) => {
    for (const [id, allowance] of ofClient) {
      if (allowance.isUnused()) ofClient.delete(id);
      else break;
    }
    const own = ofClient.get(clientId) ?? new Allowance(connectsPerClient);
    ofClient.set(clientId, own);
    return own.take() && all.take();
  };
}
