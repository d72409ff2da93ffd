/** What AWS IoT Core lets through of one connection in a second ("AWS IoT Core message broker and protocol limits"). */

/** Rates of a broker. */
export interface BrokerRates {
  /**
   * What becomes of messages beyond the rate. `dropped`, as IoT Core does it: they are not acknowledged, and the connection
   * stays; those to a client count as well. `delayed`: they are read later, and only what a client sends is counted.
   */
  excess: 'dropped' | 'delayed';
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
  excess: 'dropped',
  messagesPerSecond: 100,
  bytesPerSecond: 512 * 1024,
  unacknowledged: 100,
  connectsPerClient: 1,
  connects: 500,
};

/**
 * For `npm start`, where a burst is only slowed down: two hundred commands at once are none too many for one machine, and an
 * agent that is started again within a second is no attack.
 */
export const LOCAL_RATES: BrokerRates = {
  ...IOT_CORE_RATES,
  excess: 'delayed',
  unacknowledged: 1_000,
  connectsPerClient: 5,
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

  /** Whether a message to the client passes, which the client has to acknowledge unless `qos` is 0. */
  takeDelivery(qos: number): boolean {
    if (qos > 0 && this.#unacknowledged >= this.#maxUnacknowledged) return false;
    if (!this.#areDelayed && !this.#messages.take()) return false;
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
    return Math.max(this.#bytes.waitMs(), this.#areDelayed ? this.#messages.waitMs() : 0);
  }
}

/** Whether a client may connect now, asked once for each attempt. */
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
