/** ICMP echo, with the host's ping program: Node.js cannot send such packets. */
import { parseIp } from '../../shared/network.ts';
import { PLATFORM, type Platform } from '../host/platform.ts';
import type { Finished, RunProcess } from '../host/run-process.ts';
import type { Measured } from '../measurements/measured.ts';
import { firstErrorLine } from '../tools/exit.ts';
import { type Finding, faultOf, NotSent, unanswered } from './finding.ts';
import { PACKETS, readPing } from './ping-report.ts';

/** The shortest interval between packets without root. */
const APART_S = '0.2';
/** The wait after the last packet if none was answered; else twice the longest round trip, at least the interval. */
const WAIT_S = '2';

/**
 * Without a family (`-4`), which the address implies and the ping of GNU inetutils does not know, and without a deadline
 * (`-w`), with which ping would replace lost packets by further ones, and so hide the loss.
 * @param address a literal
 */
export function pingArgs(address: string): string[] {
  return ['-n', '-c', String(PACKETS), '-i', APART_S, '-W', WAIT_S, '--', address];
}

/** macOS allows `-i` from 0.1 on without privileges; its ping for IPv6 is another program, without `-W`. */
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
  // Validated, so that it cannot be an option.
  if (parseIp(address) === null) throw new NotSent('the target is no address');
  // The flags need 3 s, and 5 with slow answers.
  const options = { timeoutMs: 10_000, maxBytes: 20_000, signal, endsByItself: true };
  const { program, args } = PINGS[platform](address);
  const finished = await run(program, args, options);
  const report = readPing(finished.stdout);
  if (report !== null) {
    const { measured, complaint } = report;
    if (measured.rttMs !== null) return { fault: null, measured };
    const values = { sent: measured.sent, ...(complaint === null ? {} : { complaint }) };
    return { ...faultOf({ code: 'pings-unanswered', values }), measured };
  }
  // Without a route no packet leaves this host; that counts as loss of all packets.
  if (/unreachable|no route/i.test(finished.stderr)) {
    const measured = { rttMs: null, sent: PACKETS, lost: PACKETS, jitterMs: null };
    return { ...unanswered(whyNot(finished)), measured };
  }
  throw new NotSent(`ping failed: ${whyNot(finished)}`);
}

const PINGS: Record<Platform, (address: string) => { program: string; args: string[] }> = {
  linux: (address) => ({ program: 'ping', args: pingArgs(address) }),
  macos: macosPing,
};

function whyNot(finished: Finished): string {
  if (finished.timedOut || finished.aborted) return 'it did not end within its time limit';
  const [head, line = head] = finished.stdout.split('\n').filter((text) => text.trim() !== '');
  if (finished.stderr.trim() === '' && line !== undefined) return `its output cannot be read: ${line.trim()}`;
  return firstErrorLine('ping', finished).replace(/^ping: /, '');
}

/** Null when no packet was sent, or the output is unknown. */
export function parsePing(stdout: string): Measured | null {
  return readPing(stdout)?.measured ?? null;
}
