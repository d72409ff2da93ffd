import { setImmediate as turn } from 'node:timers/promises';
import { vi } from 'vitest';

let time = 0;

/**
 * How often others had their turn while this was being done, on a machine of any speed: by the clock, each slice takes longer
 * than all of them may take in one turn of the event loop.
 */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  vi.stubGlobal('performance', { now: () => (time += 10) });
  let turns = 0;
  let working = true;
  const count = () => {
    turns++;
    if (working) setImmediate(count);
  };
  setImmediate(count);
  try {
    await work();
    await turn(); // The last slice ends by the same clock.
  } finally {
    working = false;
    vi.unstubAllGlobals();
  }
  return turns;
}
