/** Sends what is not confirmed again: ever more rarely, and not at the same moment as all other agents. */
import { backOffMs } from '../../shared/async.ts';

const WAIT = { firstMs: 30_000, longestMs: 15 * 60_000, least: 0.9 } as const;

export class Resender {
  readonly #send: () => boolean;
  #sent = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param send sends, unless there is nothing that can be sent now. @returns whether it does */
  constructor(send: () => boolean) {
    this.#send = send;
  }

  /** Sends at once: it is new, or the connection is. */
  start(): void {
    this.#sent = 0;
    this.#sendNow();
  }

  /** It is confirmed, or cannot be sent now. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #sendNow(): void {
    clearTimeout(this.#timer);
    if (this.#send()) this.#timer = setTimeout(() => this.#sendNow(), backOffMs(this.#sent++, WAIT)).unref();
  }
}
