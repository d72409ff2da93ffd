/** Parses the output of any ping program by the shape of its lines, because each has a wording of its own. */
import type { Measured } from '../measurements/measured.ts';

export const PACKETS = 5;

interface PingReport {
  measured: Measured;
  /** The error report of a router, or of this host. */
  complaint: string | null;
}

/**
 * An answer: a number of bytes, then the first number behind a `=` is the sequence, and the last one, with a unit, the
 * time. BusyBox prints `seq=0`, old iputils `icmp_req=1`, and a localized one `Zeit=0,5 ms`.
 */
const ANSWER = /^\d+ [^=\n]*=(\d+)\b.*[=<] ?(\d+(?:[.,]\d+)?) ?\p{L}+\.?(?: \(.*\))?\s*$/gmu;
/** Such as `5 packets transmitted, 2 received, … 60% packet loss`. */
const SUMMARY = /^[^\d\n]*(\d{1,3}) [^\d\n]+[,，][^\d\n]*(\d{1,4}) .*%/mu;
/** The error report of a router; iputils begins it with `From`, others like an answer. */
const COMPLAINT = /^(?:From|\d+ bytes from) (\S+?):? (?:icmp_seq=\d+ )?([A-Z][A-Za-z ,]{1,60})/m;

/** Null when no packet was sent, or the output is unknown: an answer in unknown words is no loss. */
export function readPing(stdout: string): PingReport | null {
  const bySequence = new Map<number, number>();
  for (const [, sequence, time = ''] of stdout.matchAll(ANSWER)) {
    if (!bySequence.has(Number(sequence))) bySequence.set(Number(sequence), Number(time.replace(',', '.')));
  }
  const rtts = [...bySequence].sort(([a], [b]) => a - b).map(([, rttMs]) => rttMs);
  const [sent = 0, answered = 0] = SUMMARY.exec(stdout)?.slice(1).map(Number) ?? [];
  if (sent < 1 || sent > 100 || (rtts.length === 0 && answered > 0)) return null;
  const lost = Math.max(0, sent - Math.max(answered, rtts.length));
  const [, from, said] = COMPLAINT.exec(stdout) ?? [];
  return {
    measured: { rttMs: rtts.length === 0 ? null : mean(rtts), sent, lost, jitterMs: jitterOf(rtts) },
    complaint: said === undefined ? null : `${from} says: ${said.trim()}`,
  };
}

/** The mean difference of consecutive round trips: the D of RFC 3550 section 6.4.1, without the smoothing for streams. */
function jitterOf(rtts: readonly number[]): number | null {
  const differences = rtts.slice(1).map((rttMs, i) => Math.abs(rttMs - (rtts[i] ?? 0)));
  return differences.length === 0 ? null : mean(differences);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
