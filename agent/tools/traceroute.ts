/** The routers on a path. ICMP first, as kernels rate-limit answers to UDP; then UDP, as some hosts drop pings. */
import { parseIp } from '../../shared/network.ts';
import type { ToolResult } from '../../shared/tools/list.ts';
import type { Finished } from '../host/run-process.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { firstErrorLine, stoppedEarly } from './exit.ts';
import { checkTarget, checkZone, describeReach, requireZone, targetRules } from './target-policy.ts';
import type { AgentTool, ToolAnswer, ToolContext } from './tool.ts';

type Trace = ToolResult<'traceroute'>;

const Rules = targetRules(true);

export const traceroute = {
  rules: Rules,
  check: (rules, { tool, target: { range } }, host) =>
    requireZone(range) ?? checkZone(range, host) ?? checkTarget(rules, tool, range, host),
  describe: describeReach,
  run: ({ target }, context) => traceRoute(target.text, context),
} satisfies AgentTool<'traceroute', typeof Rules>;

async function traceRoute(target: string, context: ToolContext): Promise<ToolAnswer<Trace>> {
  const sequential = await probesOneAtATime(context);
  const icmp = await trace(target, 'icmp', sequential, context);
  const first = icmp === null ? null : { output: icmp.stdout, truncated: icmp.truncated, result: parse(target, icmp) };
  if (first !== null && (first.result.reached || isUnreachable(first.result))) return first;

  const udp = await trace(target, 'udp', sequential, context, first?.output);
  if (udp === null) throw new ToolFailure('tool_failed', 'traceroute is not allowed to send probes on this host');
  const result = parse(target, udp);
  return {
    output: (first?.output ?? '') + udp.stdout,
    truncated: udp.truncated || first?.truncated === true,
    result:
      first === null || result.reached || answeredHops(result) > answeredHops(first.result) ? result : first.result,
  };
}

/** One run; null when this host, or its program, supports no such probes. `before` is the output of an earlier run. */
async function trace(
  target: string,
  method: 'icmp' | 'udp',
  sequential: boolean,
  context: ToolContext,
  before = '',
  left: readonly string[] = [],
): Promise<Finished | null> {
  const { run, signal, onOutput, onProgress } = context;
  onProgress(`tracing with ${method.toUpperCase()}`, null);
  const args = tracerouteArgs(target, method, sequential).filter((arg) => !left.includes(arg));
  const finished = await run('traceroute', args, {
    timeoutMs: 13_000, // The flags need 8 s at most, if no hop answers.
    maxBytes: 100_000,
    signal,
    onLine: (line) => onOutput(`${line}\n`),
  });
  const output = before + finished.stdout;
  const stopped = stoppedEarly('traceroute', finished, output);
  if (stopped !== null) throw stopped;
  if (finished.code === 0) return finished;
  if (/not have enough privileges|operation not permitted|permission denied|must be root/i.test(finished.stderr))
    return null;
  const unknown = `-${UNKNOWN_OPTION.exec(finished.stderr)?.[1]}`;
  if (unknown === '-I') return null;
  // The traceroute of GNU inetutils resolves no names, and has no such option.
  if (unknown === '-n' && !left.includes(unknown)) return trace(target, method, sequential, context, before, [unknown]);
  throw new ToolFailure('tool_failed', `traceroute failed: ${firstErrorLine('traceroute', finished)}`, {
    output: output + finished.stderr,
  });
}

/** Such as `invalid option -- 'n'`, `unrecognized option: n`, ``Bad option `-n'``. */
const UNKNOWN_OPTION = /\boption\b[^\w\n]*(\w)\b/i;

export function tracerouteArgs(target: string, method: 'icmp' | 'udp', sequential: boolean): string[] {
  const pace = sequential ? ['-q', '1', '-w', '1'] : ['-q', '3', '-w', '2'];
  return [...(method === 'icmp' ? ['-I'] : []), '-n', ...pace, '-m', sequential ? '12' : '20', '--', target];
}

/** Debian's traceroute sends many probes in parallel. Those of BusyBox and inetutils would need minutes. */
async function probesOneAtATime({ run, signal }: ToolContext): Promise<boolean> {
  const limits = { timeoutMs: 2_000, maxBytes: 2_000, signal };
  const { stdout, stderr, aborted } = await run('traceroute', ['--version'], limits);
  if (aborted) throw new ToolFailure('cancelled', 'traceroute was cancelled');
  return !(stdout + stderr).includes('Modern traceroute for Linux');
}

const parse = (target: string, { stdout }: Finished) => parseTraceroute(target, stdout);

/** Skips unknown lines and words. The programs of BSD and macOS print further routers of a hop on lines of their own. */
export function parseTraceroute(target: string, stdout: string): Trace {
  const hops: Trace['hops'] = [];
  for (const line of stdout.split('\n')) {
    const [, hop, rest = ''] = /^\s*(\d{1,3})\s+(.*)$/.exec(line) ?? [];
    if (hop !== undefined) hops.push({ hop: Number(hop), probes: parseProbes(rest) });
    else if (/^\s/.test(line)) hops.at(-1)?.probes.push(...parseProbes(line));
  }
  const wanted = withoutZone(target);
  const reached = hops.some(({ probes }) =>
    probes.some(({ address }) => address !== null && withoutZone(address) === wanted),
  );
  return { target, reached, hops };
}

/** A time such as `0.331 ms`, `0.331ms` or `<1 ms`, or another word. */
const WORD = /<?(\d+(?:[.,]\d+)?)\s*ms(?=\s|$)|(\S+)/g;

/** One line: an address precedes its times, in brackets after a name; `*` is a lost probe; annotations follow a time. */
function parseProbes(text: string): Trace['hops'][number]['probes'] {
  const probes: Trace['hops'][number]['probes'] = [];
  let address: string | null = null;
  for (const [, time, word = ''] of text.matchAll(WORD)) {
    const last = probes.at(-1);
    const named = word.replace(/^\((.*)\)$/, '$1');
    if (time !== undefined) probes.push({ address, rttMs: Number(time.replace(',', '.')), note: null });
    else if (word === '*') probes.push({ address: null, rttMs: null, note: null });
    else if (word.startsWith('!') && last !== undefined) last.note = word;
    else if (parseIp(named) !== null) address = named;
  }
  return probes;
}

/** Whether a router reported an unreachable host or network (`!H`, `!N`). Other probes would not help. */
function isUnreachable({ hops }: Trace): boolean {
  return hops.at(-1)?.probes.some(({ note }) => note === '!H' || note === '!N') === true;
}

function answeredHops({ hops }: Trace): number {
  return hops.filter(({ probes }) => probes.some(({ address }) => address !== null)).length;
}

function withoutZone(address: string): string {
  return address.split('%')[0] ?? address;
}
