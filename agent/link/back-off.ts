/** How long the agent waits before it connects again. */

const FLOOR_MS = 1_000;
/**
 * Ten thousand agents that wait for their broker make 110 attempts a second with it, which is about what the smallest
 * regions of IoT Core let through.
 */
const CEILING_MS = 120_000;
/** A connection that ends sooner counts as a failure; one that lasts as long as `STABLE_MS` resets the back-off. */
const SHORT_LIVED_MS = 10_000;
const STABLE_MS = 30_000;

/**
 * A random wait of 50 to 100 % of a limit, which is twice the duration of the outage so far (1 to 120 s). A hundred
 * agents thus make five or six attempts per second once their broker has been unreachable for 20 s, and never more than
 * ten; and each connects again after at most twice the duration of the outage.
 *
 * Connections that end soon after they were opened raise the limit too, until one is stable: two agents with the same
 * identity disconnect each other for ever, and must not do so several times a second.
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

  /** A connection has ended after being open for this time. */
  linkEnded(openMs: number): void {
    this.#downSince = this.#now();
    if (openMs < SHORT_LIVED_MS) this.#shortLived++;
    else if (openMs >= STABLE_MS) this.#shortLived = 0;
  }

  /** Connections in a row that ended soon after they were opened. */
  get shortLived(): number {
    return this.#shortLived;
  }

  nextDelayMs(): number {
    const outageMs = this.#now() - this.#downSince;
    const ceiling = Math.min(Math.max(outageMs * 2, (FLOOR_MS / 2) * 2 ** this.#shortLived, FLOOR_MS), CEILING_MS);
    return (ceiling * (1 + this.#random())) / 2;
  }
}
