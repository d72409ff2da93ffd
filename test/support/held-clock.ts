import { vi } from 'vitest';

/** Stops the clock by which limits are counted, until `vi.useRealTimers`; `hurried` reaches them. */
export const holdTheClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });

/** Waits while the clock is held: it moves a millisecond whenever all is done that needs no timer. */
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
