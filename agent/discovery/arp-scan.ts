/** Scans every address of a network by ARP, with arp-scan, or with nmap where that is missing. Needs raw sockets. */

import { MINUTE_MS } from '../../shared/time.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { outputOf } from '../tools/exit.ts';
import { parseReport } from '../tools/nmap-report.ts';
import { type Evidence, evidenceOf, type ScanContext } from './evidence.ts';

/** Raw sockets are missing: another method has to scan. */
export class NoRawSockets extends Error {
  override name = 'NoRawSockets';
}

interface ArpTargets {
  interface: string;
  /** Addresses, or one network in CIDR notation. */
  targets: readonly string[];
  /** Requests to each silent address. */
  tries: number;
}

const MAX_BYTES = 4_000_000;
/** Per run; more single addresses might not fit into an argument vector. */
const MAX_ADDRESSES = 500;

const NO_RIGHT = /operation not permitted|don't have permission|requires root|raw socket/i;

/** @throws {NoRawSockets | ToolFailure} when the scan did not complete */
export function arpScan(context: ScanContext, { interface: name, targets, tries }: ArpTargets): Promise<Evidence[]> {
  return inPortions(targets, async (some) => {
    // Plain lines of address and MAC. Each request waits 300 ms for an answer. One Mbit/s burdens no switch and no radio link.
    // Answers of two devices for one address are both reported.
    const args = ['-I', name, '-q', '-x', '-r', String(tries), '-t', '300', '-b', '1', '-B', '1M', ...some];
    return parseArpScan(await runToEnd(context, 'arp-scan', args));
  });
}

export function parseArpScan(stdout: string): Evidence[] {
  return stdout.split('\n').flatMap((line) => {
    const [ip = '', mac = ''] = line.split('\t');
    return evidenceOf(ip.trim(), mac.trim().slice(0, 17), true) ?? [];
  });
}

/** The same with nmap, which finds fewer of the devices that lose packets. */
export function nmapArpScan(context: ScanContext, { interface: name, targets, tries }: ArpTargets) {
  return inPortions(targets, async (some) => {
    const privileged = process.getuid?.() === 0 ? [] : ['--privileged'];
    const args = ['-sn', '-PR', '-n', '-T4', '--max-retries', String(tries), '--host-timeout', '30s', ...privileged];
    const xml = await runToEnd(context, 'nmap', [...args, '-e', name, '-oX', '-', '--', ...some]);
    const { exit, complaint, hosts } = parseReport(xml);
    if (exit !== 'success') throw new ToolFailure('tool_failed', `nmap failed: ${complaint ?? 'it did not end'}`);
    return hosts.flatMap(({ address, mac }) => evidenceOf(address, mac ?? '', true) ?? []);
  });
}

async function inPortions(targets: readonly string[], scan: (some: string[]) => Promise<Evidence[]>) {
  const found: Evidence[] = [];
  for (let i = 0; i < targets.length; i += MAX_ADDRESSES)
    found.push(...(await scan(targets.slice(i, i + MAX_ADDRESSES))));
  return found;
}

async function runToEnd({ run, signal }: ScanContext, program: string, args: readonly string[]): Promise<string> {
  try {
    // A /20, scanned three times at one Mbit/s, takes five seconds; a slow host takes longer.
    return await outputOf(run, program, args, { timeoutMs: MINUTE_MS, maxBytes: MAX_BYTES, signal });
  } catch (error) {
    const isNoRight = error instanceof ToolFailure && NO_RIGHT.test(error.message);
    throw isNoRight ? new NoRawSockets(error.message) : error;
  }
}
