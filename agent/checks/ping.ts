/** Round trips by ICMP echo, with the host's program: Node.js cannot send such packets. */
import { parseIp } from '../../shared/network.ts';
import { PLATFORM, type Platform } from '../host/platform.ts';
import type { Finished, RunProcess } from '../host/run-process.ts';
import type { Measured } from '../measurements/measured.ts';
import { firstErrorLine } from '../tools/exit.ts';
import { type Finding, NotSent, unanswered } from './finding.ts';
import { macosPing, parseMacosPing } from './other-pings.ts';
import { PACKETS, type PingReport, reportOf } from './ping-report.ts';

/** How far packets are apart: less than that only root may ask for. */
const APART_S = '0.2';
/**
 * How long the last packet is waited for when none was answered. Otherwise ping waits twice as long as the longest round
 * trip until then, and at least as long as packets are apart: an answer that is later counts as lost.
 */
const WAIT_S = '2';
/** The flags need 3 s, and with answers that take long 5. */
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 20_000;

/**
 * No deadline (`-w`): with one, ping sends further packets for those that were lost, so that it would hide the loss.
 * @param address a literal
 */
export function pingArgs(address: string): string[] {
  const family = address.includes(':') ? '-6' : '-4';
  return [family, '-n', '-c', String(PACKETS), '-i', APART_S, '-W', WAIT_S, '--', address];
}

/**
 * @param address a literal that the policy allows
 * @throws {NotSent} when no packet could be sent
 * @throws {ToolFailure} when ping is not installed
 */
export async function ping(
  run: RunProcess,
  address: string,
  signal: AbortSignal,
  platform = PLATFORM,
): Promise<Finding> {
  // In the canonical form it is no option, whatever it was before.
  if (parseIp(address) === null) throw new NotSent('the target is no address');
  const options = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, signal, endsByItself: true };
  const { program, args, parse } = PINGS[platform](address);
  const finished = await run(program, args, options);
  const report = parse(finished.stdout);
  if (report !== null) {
    const { measured, complaint } = report;
    const why = complaint === null ? '' : `; ${complaint}`;
    return { fault: measured.rttMs === null ? `no answer to ${measured.sent} pings${why}` : null, measured };
  }
  // Without a route no packet leaves this host; for who waits for an answer, all of them are lost.
  if (/unreachable|no route/i.test(finished.stderr)) return unansweredPing(whyNot(finished));
  throw new NotSent(`ping failed: ${whyNot(finished)}`);
}

interface Ping {
  program: string;
  args: string[];
  /** Null when no packet was sent, or the output is another program's. */
  parse(stdout: string): PingReport | null;
}

const PINGS: Record<Platform, (address: string) => Ping> = {
  linux: (address) => ({ program: 'ping', args: pingArgs(address), parse: readPing }),
  macos: (address) => ({ ...macosPing(address), parse: parseMacosPing }),
};

function unansweredPing(fault: string): Finding {
  return { ...unanswered(fault), measured: { rttMs: null, sent: PACKETS, lost: PACKETS, jitterMs: null } };
}

function whyNot(finished: Finished): string {
  if (finished.timedOut || finished.aborted) return 'it did not end within its time limit';
  return firstErrorLine('ping', finished).replace(/^ping: /, '');
}

const ANSWER = /^\d+ bytes from \S+: icmp_seq=(\d+) .*\btime[=<]([\d.]+) ms(?! \(DUP!\))/gm;
const SUMMARY = /^(\d+) packets transmitted, \d+ received\b/m;

/** Reads the output of the ping of iputils. Null when no packet was sent, or the output is another program's. */
export function parsePing(stdout: string): Measured | null {
  return readPing(stdout)?.measured ?? null;
}

function readPing(stdout: string): PingReport | null {
  const bySequence = new Map<number, number>();
  for (const [, sequence, time] of stdout.matchAll(ANSWER)) {
    const rttMs = Number(time);
    if (Number.isFinite(rttMs) && !bySequence.has(Number(sequence))) bySequence.set(Number(sequence), rttMs);
  }
  const rtts = [...bySequence].sort(([a], [b]) => a - b).map(([, rttMs]) => rttMs);
  return reportOf(Number(SUMMARY.exec(stdout)?.[1] ?? 0), rtts, complaintIn(stdout));
}

function complaintIn(stdout: string): string | null {
  const [, from, said] = /^From (\S+) icmp_seq=\d+ ([A-Z][A-Za-z ,]{1,60})/m.exec(stdout) ?? [];
  return said === undefined ? null : `${from} says: ${said.trim()}`;
}
