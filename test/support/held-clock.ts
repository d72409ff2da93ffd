import { vi } from 'vitest';

/**
 * Stops the clock by which limits are counted, until `vi.useRealTimers`: none is reached because the machine is busy,
 * and those that a test is about are reached by `hurried`.
 */
export const holdTheClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });

/**
 * Waits for something while the clock is held: it goes on by a millisecond each time that everything has happened which
 * needs no timer. So limits of seconds are reached at once, and in their order.
 */
export async function hurried<T>(waited: Promise<T>): Promise<T> {
  let isOver = false;
  const settled = waited.finally(() => {
    isOver = true;
  });
  settled.catch(() => {});
  while (!isOver) {
    for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
    vi.advanceTimersByTime(1);
  }
  return settled;
}

/** Turns of the event loop in which a message reaches a broker in memory and is answered. */
const TURNS = 4;
