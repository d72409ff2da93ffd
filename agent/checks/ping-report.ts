/** What a run of ping has shown, whichever program it was. */
import type { Measured } from '../measurements/measured.ts';

/** Packets of one run. */
export const PACKETS = 5;

/** What a ping has printed. */
export interface PingReport {
  measured: Measured;
  /** What a router, or this host, has said of the packets. */
  complaint: string | null;
}

/** Null where not even one packet was sent. @param rtts the round trips in the order in which their packets were sent */
export function reportOf(sent: number, rtts: readonly number[], complaint: string | null): PingReport | null {
  if (sent < 1 || sent > 100) return null;
  const lost = Math.max(0, sent - rtts.length);
  const measured = { rttMs: rtts.length === 0 ? null : mean(rtts), sent, lost, jitterMs: jitterOf(rtts) };
  return { measured, complaint };
}

/**
 * How much a round trip differs from the one before, on average: the D of RFC 3550 section 6.4.1, of round trips, without
 * the smoothing that a stream needs.
 */
function jitterOf(rtts: readonly number[]): number | null {
  const differences = rtts.slice(1).map((rttMs, i) => Math.abs(rttMs - (rtts[i] ?? 0)));
  return differences.length === 0 ? null : mean(differences);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
