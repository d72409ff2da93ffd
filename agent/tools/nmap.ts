/** Port scans with nmap: its standard output is the text for people, its XML report the result. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { formatRange, type IpRange, rangeSize, type Target } from '../../shared/network.ts';
import type { ToolResult } from '../../shared/tools/list.ts';
import { nmap as declared, isSlow, type NmapMode, type Scanning } from '../../shared/tools/nmap.ts';
import type { Finished } from '../host/run-process.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { firstErrorLine, stoppedEarly } from './exit.ts';
import { parseReport } from './nmap-report.ts';
import {
  checkTarget,
  checkZone,
  describeReach,
  type OffLimits,
  requireZone,
  targetRules,
  withoutAllowed,
} from './target-policy.ts';
import { type AgentTool, notAllowed, type Refusal, type ToolAnswer, type ToolContext } from './tool.ts';

const MAX_TEXT_BYTES = 8_000_000;
const MAX_XML_BYTES = 16_000_000;

/** The privileges that nmap assumes. On its own it checks only the user id, not capabilities. */
type Privileges = 'as nmap thinks' | 'raw sockets' | 'none';

/**
 * Without --max-retries and --host-timeout one host that loses packets can delay a scan by a quarter of an hour. nmap
 * reports hosts in groups: with groups of 16, followers see results early, and a stopped scan has some.
 */
const COMMON = ['-n', '-T4', '--max-retries', '2', '--max-hostgroup', '16', '--stats-every', '2s'];
const MODE_FLAGS: Record<NmapMode, readonly string[]> = {
  // Without a rate, nmap probes silent addresses of an attached network one by one: 1,024 in 42 s, with it in 7 s.
  fast: ['-F', '--min-rate', '300', '--host-timeout', '60s'],
  normal: ['--min-rate', '300', '--host-timeout', '90s'],
  skipdiscovery: ['-Pn', '--min-rate', '200', '--host-timeout', '90s'],
  detail: ['-A', '--min-rate', '200', '--script-timeout', '30s', '--host-timeout', '120s'],
};
/** Linux rejects one closed port a second: faster probes leave nine of ten unclear. So it takes 90 s, for all hosts at once. */
const UDP_FLAGS = [
  ...['-sU', '--top-ports', '100', '--max-retries', '1', '--scan-delay', '400ms'],
  ...['--max-hostgroup', '256', '--host-timeout', '240s'],
];
/** The first probe of each port finds the versions of most services; all probes would take hours. */
const UDP_MODE_FLAGS: Partial<Record<NmapMode, readonly string[]>> = {
  skipdiscovery: ['-Pn'],
  detail: ['-sV', '--version-intensity', '0'],
};

function flagsOf({ mode, protocol }: Scanning): readonly string[] {
  return protocol === 'udp' ? [...UDP_FLAGS, ...(UDP_MODE_FLAGS[mode] ?? [])] : MODE_FLAGS[mode];
}

/** A larger scan would time out, whatever the policy allows. */
const Addresses = z.int().min(1).max(65_536);

const Rules = targetRules(false).extend({
  /** Addresses in one scan. */
  maxAddresses: Addresses.default(1024),
  /** Addresses in one scan of the modes `detail` and `skipdiscovery`, and of UDP. */
  maxAddressesSlow: Addresses.default(256),
});
type Rules = z.output<typeof Rules>;

export const nmap = {
  rules: Rules,
  check: (rules, { tool, target: { range }, ...how }, host) =>
    requireZone(range) ??
    checkZone(range, host) ??
    checkSize(rules, range, how) ??
    checkTarget(rules, tool, range, host),
  describe: (rules) => `${describeReach(rules)}, at most ${rules.maxAddresses} addresses`,
  run: ({ target, ...how }, context) => scan(target, how, context),
} satisfies AgentTool<'nmap', typeof Rules>;

function checkSize(rules: Rules, target: IpRange, how: Scanning): Refusal | null {
  const most = isSlow(how) ? rules.maxAddressesSlow : rules.maxAddresses;
  if (rangeSize(target) <= BigInt(most)) return null;
  return notAllowed(
    `${formatRange(target)} holds ${rangeSize(target)} addresses; this agent scans at most ${most} in mode ${how.mode}${how.protocol === 'udp' ? ' of UDP' : ''}`,
  );
}

type ScanAnswer = ToolAnswer<ToolResult<'nmap'>>;

async function scan(target: Target, how: Scanning, context: ToolContext<Rules>): Promise<ScanAnswer> {
  const excluded = withoutAllowed(context.rules, target.range);
  const note = excludedNote(excluded);
  if (note !== '') context.onOutput(note);
  // A private folder of its own: other users cannot guess the file's name, and both are removed together.
  const folder = await mkdtemp(join(context.settings.scratchDirectory ?? tmpdir(), 'lanreach-nmap-'));
  try {
    const xmlFile = join(folder, 'scan.xml');
    const scanWith = (privileges: Privileges) =>
      runNmap(nmapArgs(target.text, how, xmlFile, privileges, excluded), context);
    let finished = await scanWith(
      context.settings.rawSockets && process.getuid?.() !== 0 ? 'raw sockets' : 'as nmap thinks',
    );
    // Root without the capability, as in some containers: nmap assumes it, and fails at the first packet.
    if (lacksRawSockets(finished)) {
      if (how.protocol === 'udp')
        throw new ToolFailure('tool_failed', NEEDS_RAW_SOCKETS, { output: note + finished.stderr });
      finished = await scanWith('none');
    }
    const output = note + withoutProgress(finished.stdout);
    const stopped = stoppedEarly('nmap', finished, output);
    if (stopped !== null) throw stopped;
    const xml = (await stat(xmlFile).catch(() => null))?.size ?? 0;
    if (xml > MAX_XML_BYTES)
      throw new ToolFailure('tool_failed', 'The report of nmap is too long; scan a smaller range', { output });
    const report = xml === 0 ? null : await readFile(xmlFile, 'utf8');
    return { output, truncated: finished.truncated, result: readReport(report, finished, output) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const NEEDS_RAW_SOCKETS =
  "A scan of UDP ports needs raw sockets, which the agent does not have: run it as root, or with CAP_NET_RAW, on the agent's host";

/** A note in the output about the excluded addresses. */
function excludedNote(excluded: readonly OffLimits[]): string {
  if (excluded.length === 0) return '';
  const list = excluded.map(({ range, what }) => `${formatRange(range)} (${what})`).join(', ');
  return `Left out: ${list}; to include an address, add it to nmap.allow in the agent's policy file\n`;
}

export function nmapArgs(
  target: string,
  how: Scanning,
  xmlFile: string,
  privileges: Privileges,
  excluded: readonly OffLimits[],
): string[] {
  return [
    ...COMMON,
    ...flagsOf(how),
    ...(excluded.length > 0 ? ['--exclude', excluded.map(({ range }) => formatRange(range)).join(',')] : []),
    ...(privileges === 'raw sockets' ? ['--privileged'] : privileges === 'none' ? ['--unprivileged'] : []),
    ...(target.includes(':') ? ['-6'] : []),
    '-oX',
    xmlFile,
    '--',
    target,
  ];
}

async function runNmap(args: string[], { run, signal, onOutput, onProgress }: ToolContext): Promise<Finished> {
  const startedAt = performance.now();
  // While nmap itself reports no progress.
  const ticker = setInterval(() => {
    onProgress(`scanning for ${Math.round((performance.now() - startedAt) / 1000)} s`, null);
  }, 5_000);
  try {
    return await run('nmap', args, {
      // An address without a host costs seconds, 1,024 of them minutes. Half a minute remains for the report.
      timeoutMs: declared.limits.runMs - 30_000,
      maxBytes: MAX_TEXT_BYTES,
      signal,
      onLine: (line) => {
        const progress = parseProgress(line);
        if (progress === null) onOutput(`${line}\n`);
        else {
          ticker.refresh();
          if (progress !== 'elapsed') onProgress(progress.phase, progress.percent);
        }
      },
    });
  } finally {
    clearInterval(ticker);
  }
}

/** A line of --stats-every: phase and percentage. `elapsed`: a line without a phase; null: one of the report. */
export function parseProgress(line: string): { phase: string; percent: number } | 'elapsed' | null {
  if (/^Stats: \d+:\d\d:\d\d elapsed; /.test(line)) return 'elapsed';
  const [, phase, percent] = /^(\S[^:]{0,60}) Timing: About (\d{1,3}(?:\.\d+)?)% done/.exec(line) ?? [];
  return phase === undefined ? null : { phase, percent: Math.min(100, Number(percent)) };
}

export function withoutProgress(stdout: string): string {
  return stdout
    .split('\n')
    .filter((line) => parseProgress(line) === null)
    .join('\n');
}

function lacksRawSockets({ code, stderr }: Finished): boolean {
  return code !== 0 && /raw socket|operation not permitted|requires root|failed to open device/i.test(stderr);
}

/** The exit code is nearly always 0, so the report decides. A host that is down is a success. */
function readReport(xml: string | null, finished: Finished, output: string): ToolResult<'nmap'> {
  const failed = (why: string) =>
    new ToolFailure('tool_failed', `nmap failed: ${why}`, { output: output + finished.stderr });
  if (finished.code !== 0 || xml === null) throw failed(firstErrorLine('nmap', finished));
  const { exit, complaint, ...result } = parseReport(xml);
  if (exit !== 'success') throw failed(complaint ?? firstErrorLine('nmap', finished));
  if (result.hostsTotal === 0)
    throw failed(finished.stderr.trim() === '' ? 'it scanned no host' : firstErrorLine('nmap', finished));
  return result;
}
