/** A wait that returns what was found, also under held timers and outside of vitest; else use `expect.poll`. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Looks again and again until there is something: anything but `undefined` and `false`.
 * @param what for the error message; a function says it when the time is over, with what was found instead
 * @throws {Error} when there is nothing within the time
 */
export async function waitFor<T>(
  what: string | (() => string),
  look: () => T | Promise<T>,
  withinMs = 60_000,
): Promise<Exclude<T, undefined | false>> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>;
    if (performance.now() > giveUpAt) {
      throw new Error(`waited ${withinMs} ms for ${typeof what === 'string' ? what : what()}`);
    }
    await sleep(10);
  }
}
