/**
 * Tells of something that changes often: a moment after a change, so that what is over by then is never told of, and
 * not more often than now and then.
 */
export class Announcer {
  readonly #announce: () => void;
  readonly #afterMs: number;
  readonly #everyMs: number;
  #announcedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param announce tells of the state as it is when it is called
   * @param afterMs how long after a change
   * @param everyMs the least time between two announcements
   */
  constructor(announce: () => void, { afterMs, everyMs }: { afterMs: number; everyMs: number }) {
    this.#announce = announce;
    this.#afterMs = afterMs;
    this.#everyMs = everyMs;
  }

  changed(): void {
    if (this.#timer !== undefined) return;
    const waitMs = Math.max(this.#afterMs, this.#announcedAt + this.#everyMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#announcedAt = performance.now();
      this.#announce();
    }, waitMs);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
