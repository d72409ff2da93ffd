/** The tracert of Windows: how it is asked, and what it prints. It sends by ICMP, needs no privileges, and tries no other way. */
import { formatIp, parseIp } from '../../shared/network.ts';
import type { ToolResult } from '../../shared/tools/list.ts';

type Trace = ToolResult<'traceroute'>;
type Probe = Trace['hops'][number]['probes'][number];

const HOPS = 15;
/** Probes follow each other, three for each hop. */
const WAIT_MS = 500;
const PROBES = 3;

export function tracertArgs(target: string): string[] {
  return ['-d', '-h', String(HOPS), '-w', String(WAIT_MS), target.includes(':') ? '-6' : '-4', target];
}

/**
 * Parses the output of `tracert -d` in any language: a number, then for each probe a time or a star, then the address that has
 * answered to all of them. A line with an address and fewer than three of those ends with what that router, or this host, says;
 * it has the note `!`, because the words differ. What else is printed is skipped.
 */
export function parseTracert(target: string, stdout: string): Trace {
  const wanted = canonical(target);
  const hops: Trace['hops'] = [];
  for (const line of stdout.split('\n')) {
    const [, hop, rest = ''] = /^\s*(\d{1,3})\s+(.{1,300})$/.exec(line.trimEnd()) ?? [];
    const probes = probesIn(rest);
    if (hop !== undefined && probes.length > 0) hops.push({ hop: Number(hop), probes });
  }
  const reached = hops.some(({ probes }) =>
    probes.some(({ address, note }) => note === null && address !== null && canonical(address) === wanted),
  );
  return { target, reached, hops };
}

const FIELD = /^\s*(?:<?(\d{1,6})\s*ms\b|\*)/;

function probesIn(text: string): Probe[] {
  const times: (number | null)[] = [];
  let rest = text;
  for (let field = FIELD.exec(rest); field !== null && times.length < PROBES; field = FIELD.exec(rest)) {
    times.push(field[1] === undefined ? null : Number(field[1]));
    rest = rest.slice(field[0].length);
  }
  const [word = ''] = rest.trim().split(/\s+/, 1);
  const address = canonical(word) === null ? null : word;
  const probes = times.map((rttMs): Probe => (rttMs === null ? SILENT : { address, rttMs, note: null }));
  if (times.length === PROBES) return probes;
  return address === null ? [] : [...probes, { address, rttMs: null, note: '!' }];
}

const SILENT: Probe = { address: null, rttMs: null, note: null };

function canonical(text: string): string | null {
  const address = parseIp(text.split('%')[0] ?? '');
  return address === null ? null : formatIp(address);
}
