/** The ping of macOS: how it is asked, and what it prints. */
import { PACKETS, type PingReport, reportOf } from './ping-report.ts';

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
