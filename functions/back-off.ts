/** How long to wait before something is tried again. */
import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_MS = 40;
const LONGEST_MS = 1_500;

/** Waits a random time up to a bound that doubles with each attempt (full jitter). `attempt` counts from 0. */
export async function backOff(attempt: number): Promise<void> {
  await sleep(Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt));
}
