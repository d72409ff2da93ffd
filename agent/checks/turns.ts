/** When the runs of a check begin: spread over its interval, so that many checks never begin at once. */
import { createHash } from 'node:crypto';

/** The same number for the same text, anywhere in 0 … 2³²−1. */
export function spreadOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}

/** The first time after this one that is the check's own within the interval. All in ms. */
export function turnAfter(time: number, intervalMs: number, spread: number): number {
  const phase = spread % intervalMs;
  return Math.floor((time - phase) / intervalMs) * intervalMs + intervalMs + phase;
}
