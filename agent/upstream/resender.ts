/** Resends an unconfirmed message, with back-off and jitter. */
import { backOffMs } from '../../shared/async.ts';

const WAIT = { firstMs: 30_000, longestMs: 15 * 60_000, least: 0.9 } as const;

export class Resender {
  readonly #send: () => boolean;
  #sent = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param send returns false, and stops the retries, when there is nothing to send */
  constructor(send: () => boolean) {
    this.#send = send;
  }

  /** Sends at once, and resets the back-off: the message or the connection is new. */
  start(): void {
    this.#sent = 0;
    this.#sendNow();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #sendNow(): void {
    clearTimeout(this.#timer);
    if (this.#send()) this.#timer = setTimeout(() => this.#sendNow(), backOffMs(this.#sent++, WAIT)).unref();
  }
}
