/** How fast a turn begins sites. */

/**
 * In a second, and at first: IoT Core lets a connection send and receive a hundred messages a second, of which a command takes
 * two or three.
 */
const BEGIN = { perSecond: 30, first: 20 };
export const BETWEEN_MS = 1_000 / BEGIN.perSecond;

export class Pace {
  readonly #since = Date.now();
  #begun = 0;

  get mayBegin(): boolean {
    return this.#begun < BEGIN.first + (Date.now() - this.#since) / BETWEEN_MS;
  }

  count(): void {
    this.#begun++;
  }
}
