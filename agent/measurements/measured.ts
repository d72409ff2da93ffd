/** What one run of a check has measured: a point of a series. */
import type { Point } from '../../shared/agent/measurements.ts';

export interface Measured {
  /** Mean round trip; null without an answer. */
  rttMs: number | null;
  sent: number;
  lost: number;
  jitterMs: number | null;
}

export function pointAt(seconds: number, { rttMs, sent, lost, jitterMs }: Measured): Point {
  return [seconds, rounded(rttMs), sent, lost, rounded(jitterMs)];
}

/** To four digits, beyond the precision of a network, and to a microsecond at best. */
function rounded(ms: number | null): number | null {
  if (ms === null) return null;
  const bounded = Math.min(3_600_000, Math.max(0, ms));
  const decimals = bounded < 10 ? 3 : bounded < 100 ? 2 : bounded < 1_000 ? 1 : 0;
  return Number(bounded.toFixed(decimals));
}
