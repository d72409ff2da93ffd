/** Calls `announce` `afterMs` after a change, at most once in `everyMs`, and not if it is undone within `afterMs`. */
export class Throttle {
  readonly #announce: () => void;
  readonly #afterMs: number;
  readonly #everyMs: number;
  #announcedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** @param announce announces the state at the time of the call */
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
    }, waitMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
