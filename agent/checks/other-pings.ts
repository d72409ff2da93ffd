/** The ping of Windows and that of macOS: how they are asked, and what they print. */
import { formatIp, parseIp } from '../../shared/network.ts';
import { PACKETS, type PingReport, reportOf } from './ping-report.ts';

/** How long each packet is waited for. They are a second apart, which no option changes. */
const WINDOWS_WAIT_MS = 1_200;

export function windowsPingArgs(address: string): string[] {
  const family = address.includes(':') ? '-6' : '-4';
  return [family, '-n', String(PACKETS), '-w', String(WINDOWS_WAIT_MS), address];
}

/** The counts of sent, received and lost packets, whose words each language has for itself. */
const WINDOWS_SUMMARY = /=\s*(\d{1,4})\s*,[^=\n]*=\s*(\d{1,4})\s*,[^=\n]*=\s*(\d{1,4})\s*\([^\d()%]{0,40}\d{1,3}\s*%/;
const WINDOWS_TIME = /[=<]\s*(\d{1,6})\s*ms\b/i;

/**
 * Reads the output of the ping of Windows in any language: an answer is a line that names the target and a time. What names
 * another address, or no time, is the word of a router or of this host, which Windows counts among the answers. Times are
 * whole milliseconds, and less than one counts as one.
 */
export function parseWindowsPing(stdout: string, target: string): PingReport | null {
  const summary = WINDOWS_SUMMARY.exec(stdout);
  const sent = Number(summary?.[1] ?? 0);
  const wanted = canonical(target);
  const rtts: number[] = [];
  let complaint: string | null = null;
  for (const line of stdout.slice(0, summary?.index ?? stdout.length).split('\n')) {
    const from = addressIn(line);
    const rttMs = WINDOWS_TIME.exec(line)?.[1];
    if (from === null) continue;
    if (from === wanted && rttMs !== undefined) rtts.push(Number(rttMs));
    // The first line names the target, and how many bytes are sent.
    else if (from !== wanted && rttMs === undefined) complaint ??= `${from} says that it cannot be reached`;
  }
  return reportOf(sent, rtts, complaint);
}

/** The first word of a line that is an address; some languages put a colon behind it. */
function addressIn(line: string): string | null {
  for (const word of line.slice(0, 300).split(/\s+/)) {
    const address = canonical(word.replace(/[:.,]$/, ''));
    if (address !== null) return address;
  }
  return null;
}

/** Without its zone, of which Windows prints none where it was asked without one. */
function canonical(text: string): string | null {
  const address = parseIp(text.split('%')[0] ?? '');
  return address === null ? null : formatIp(address);
}

/** `-i` below a second needs no privilege there from 0.1 on; the ping for IPv6 is another program, and knows no `-W`. */
export function macosPing(address: string): { program: string; args: string[] } {
  const args = ['-n', '-c', String(PACKETS), '-i', '0.2'];
  return address.includes(':')
    ? { program: 'ping6', args: [...args, address] }
    : { program: 'ping', args: [...args, '-W', '2000', address] };
}

const MACOS_ANSWER = /^\d+ bytes from \S+ icmp_seq=(\d+) .*\btime=([\d.]+) ms(?! \(DUP!\))/gm;
const MACOS_SUMMARY = /^(\d{1,4}) packets transmitted, \d+ packets received/m;
const MACOS_COMPLAINT = /^\d+ bytes from (\S+): ([A-Z][A-Za-z ]{1,60})/m;

/** Reads the output of the ping and of the ping6 of macOS, which the BSDs have as well. */
export function parseMacosPing(stdout: string): PingReport | null {
  const bySequence = new Map<number, number>();
  for (const [, sequence, time] of stdout.matchAll(MACOS_ANSWER)) {
    if (!bySequence.has(Number(sequence))) bySequence.set(Number(sequence), Number(time));
  }
  const rtts = [...bySequence].sort(([a], [b]) => a - b).map(([, rttMs]) => rttMs);
  const [, from, said] = MACOS_COMPLAINT.exec(stdout) ?? [];
  const complaint = said === undefined ? null : `${from} says: ${said.trim()}`;
  return reportOf(Number(MACOS_SUMMARY.exec(stdout)?.[1] ?? 0), rtts, complaint);
}
