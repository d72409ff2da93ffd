/** Round trips by ICMP echo, with the host's program: Node.js cannot send such packets. */
import { parseIp } from '../../shared/network.ts';
import { PLATFORM, type Platform } from '../host/platform.ts';
import type { Finished, RunProcess } from '../host/run-process.ts';
import type { Measured } from '../measurements/measured.ts';
import { firstErrorLine } from '../tools/exit.ts';
import { type Finding, faultOf, NotSent, unanswered } from './finding.ts';
import { PACKETS, readPing } from './ping-report.ts';

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
 * No family (`-4`): the address says it, and the ping of GNU inetutils has no such option. No deadline (`-w`): with one,
 * ping sends further packets for those that were lost, so that it would hide the loss.
 * @param address a literal
 */
export function pingArgs(address: string): string[] {
  return ['-n', '-c', String(PACKETS), '-i', APART_S, '-W', WAIT_S, '--', address];
}

/** `-i` below a second needs no privilege on macOS from 0.1 on; its ping for IPv6 is another program, and knows no `-W`. */
function macosPing(address: string): { program: string; args: string[] } {
  const args = ['-n', '-c', String(PACKETS), '-i', APART_S];
  return address.includes(':')
    ? { program: 'ping6', args: [...args, address] }
    : { program: 'ping', args: [...args, '-W', '2000', address] };
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
  const { program, args } = PINGS[platform](address);
  const finished = await run(program, args, options);
  const report = readPing(finished.stdout);
  if (report !== null) {
    const { measured, complaint } = report;
    if (measured.rttMs !== null) return { fault: null, measured };
    const values = { sent: measured.sent, ...(complaint === null ? {} : { complaint }) };
    return { ...faultOf({ code: 'pings-unanswered', values }), measured };
  }
  // Without a route no packet leaves this host; for who waits for an answer, all of them are lost.
  if (/unreachable|no route/i.test(finished.stderr)) return unansweredPing(whyNot(finished));
  throw new NotSent(`ping failed: ${whyNot(finished)}`);
}

const PINGS: Record<Platform, (address: string) => { program: string; args: string[] }> = {
  linux: (address) => ({ program: 'ping', args: pingArgs(address) }),
  macos: macosPing,
};

function unansweredPing(fault: string): Finding {
  return { ...unanswered(fault), measured: { rttMs: null, sent: PACKETS, lost: PACKETS, jitterMs: null } };
}

function whyNot(finished: Finished): string {
  if (finished.timedOut || finished.aborted) return 'it did not end within its time limit';
  const [head, line = head] = finished.stdout.split('\n').filter((text) => text.trim() !== '');
  if (finished.stderr.trim() === '' && line !== undefined) return `its output cannot be read: ${line.trim()}`;
  return firstErrorLine('ping', finished).replace(/^ping: /, '');
}

/** What a run has measured; null when no packet was sent, or the output cannot be read. */
export function parsePing(stdout: string): Measured | null {
  return readPing(stdout)?.measured ?? null;
}
