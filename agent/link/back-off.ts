/** Back-off and jitter of reconnections. */
import { SECOND_MS } from '../../shared/time.ts';

/** With it, ten thousand agents make 110 attempts a second, about the limit of the smallest regions of IoT Core. */
const CEILING_MS = 120_000;

/**
 * A random wait of 50 to 100 % of a limit, which is twice the duration of the outage so far (1 to 120 s). A hundred
 * agents thus make at most ten attempts per second, and five or six once their broker has been unreachable for 20 s; each
 * reconnects after at most twice the duration of the outage.
 *
 * Short-lived connections raise the limit too, until one is stable: two agents with the same identity disconnect each
 * other for ever, and must not do so several times a second.
 */
export class BackOff {
  readonly #now: () => number;
  readonly #random: () => number;
  #downSince: number;
  #shortLived = 0;

  constructor(now: () => number = () => performance.now(), random: () => number = Math.random) {
    this.#now = now;
    this.#random = random;
    this.#downSince = now();
  }

  /** To be called when a connection ends, with how long it was open: below 10 s is a failure, from 30 s on it is stable. */
  linkEnded(openMs: number): void {
    this.#downSince = this.#now();
    if (openMs < 10 * SECOND_MS) this.#shortLived++;
    else if (openMs >= 30 * SECOND_MS) this.#shortLived = 0;
  }

  /** Consecutive short-lived connections. */
  get shortLived(): number {
    return this.#shortLived;
  }

  nextDelayMs(): number {
    const outageMs = this.#now() - this.#downSince;
    const limitMs = Math.max(outageMs * 2, SECOND_MS * 2 ** (this.#shortLived - 1), SECOND_MS);
    const ceiling = Math.min(limitMs, CEILING_MS);
    return (ceiling * (1 + this.#random())) / 2;
  }
}
