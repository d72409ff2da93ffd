/**
 * DNS look-ups at the name servers of this host. By Node.js: the program nslookup does not name the server when it
 * resolves an address, and could mistake its arguments for commands.
 */
import { promises as dns } from 'node:dns';
import { isIPv6 } from 'node:net';
import { deadline, deferred } from '../../shared/async.ts';
import { codeOf } from '../../shared/errno.ts';
import { formatIp, type IpAddress, type Lookup, rangeOf } from '../../shared/network.ts';
import type { ToolResult } from '../../shared/tools/list.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { checkTarget, checkZone, describeReach, targetRules } from './target-policy.ts';
import type { AgentTool, ToolAnswer, ToolContext } from './tool.ts';

const MAX_SERVERS = 3;

type Answer = Omit<ToolResult<'nslookup'>, 'server'>;

const Rules = targetRules(true);

export const nslookup = {
  rules: Rules,
  // For a host name only the name server is contacted.
  check(rules, { tool, query: { address } }, host) {
    if (address === null) return null;
    const range = rangeOf(address);
    return checkZone(range, host) ?? checkTarget(rules, tool, range, host);
  },
  describe: describeReach,
  run: ({ query }, context) => lookUp(query, context),
} satisfies AgentTool<'nslookup', typeof Rules>;

async function lookUp(query: Lookup, { signal, onOutput }: ToolContext): Promise<ToolAnswer<ToolResult<'nslookup'>>> {
  if (isThisHost(query.text)) return found(null, { name: query.text, addresses: LOOPBACK, names: [] });
  const servers = new dns.Resolver().getServers().slice(0, MAX_SERVERS);
  const dnsResult = await queryServers(servers, query, signal);
  const host = dnsResult.answer === null && isOfThisNetwork(query) ? await queryHostResolver(query.text, signal) : null;
  if (signal.aborted) throw new ToolFailure('cancelled', 'The look-up was cancelled');

  const answer = dnsResult.answer ?? host?.answer ?? null;
  const server = dnsResult.answer === null && answer !== null ? null : dnsResult.server;
  if (answer === null) {
    // Servers reject names without a dot. For those the answer of the search list decides.
    const fault = host?.fault ?? dnsResult.fault;
    const output = `${[...serverLines(server), `** server can't find ${query.text}: ${fault.word}`].join('\n')}\n`;
    throw new ToolFailure('tool_failed', `${query.text} ${fault.sentence}`, { output });
  }
  return found(server, answer);

  function found(server: string | null, answer: Answer) {
    const output = `${[...serverLines(server), ...answerLines(answer)].join('\n')}\n`;
    onOutput(output);
    return { output, truncated: false, result: { server, ...answer } };
  }
}

interface Fault {
  /** As nslookup prints it. */
  word: string;
  sentence: string;
}

/** Queries one server after the other, until one answers, even with NXDOMAIN. */
async function queryServers(
  servers: string[],
  query: Lookup,
  signal: AbortSignal,
): Promise<{ server: string | null; answer: Answer | null; fault: Fault }> {
  let last = { server: servers[0] ?? null, answer: null, fault: faultOf('ENOSERVER') };
  for (const limitMs of roundsOf(servers.length)) {
    for (const server of servers) {
      if (signal.aborted) return last;
      try {
        return { server, answer: await queryServer(server, query, signal, limitMs), fault: faultOf('') };
      } catch (error) {
        const code = codeOf(error);
        last = { server, answer: null, fault: faultOf(code) };
        if (code === 'ENOTFOUND' || code === 'ENODATA') return last;
      }
    }
  }
  return last;
}

/**
 * The timeout of a query in each round, 12 s in all. Node.js checks it once a second, so a silent server costs 2 s in the
 * first round; in the second the servers share more, because a slow one needs seconds: dig waits five.
 */
export function roundsOf(servers: number): number[] {
  return [1_500, Math.max(1_500, Math.ceil(5_500 / servers))];
}

async function queryServer(server: string, query: Lookup, signal: AbortSignal, limitMs: number): Promise<Answer> {
  const resolver = new dns.Resolver({ timeout: limitMs, tries: 1 });
  resolver.setServers([server]);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await resolve(resolver, query);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Rejects also an empty answer, as for a CNAME that points nowhere. */
export async function resolve(
  resolver: Pick<dns.Resolver, 'resolve4' | 'resolve6' | 'resolvePtr'>,
  { address, text: name }: Lookup,
): Promise<Answer> {
  if (address === null) return { name, addresses: await resolveAddresses(resolver, name), names: [] };
  // Not resolver.reverse(), which reports "not found" when the server does not answer.
  const names = await resolver.resolvePtr(reverseName(address));
  if (names.length === 0) throw NO_DATA;
  return { name, addresses: [name], names };
}

const NO_DATA = Object.assign(new Error('no record of this type'), { code: 'ENODATA' });

/** IPv4 and IPv6 addresses. One family is enough, because some servers fail for the family that a name does not have. */
async function resolveAddresses(resolver: Pick<dns.Resolver, 'resolve4' | 'resolve6'>, name: string) {
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [ipv4, ipv6].flatMap((kind) => (kind.status === 'fulfilled' ? kind.value : []));
  if (addresses.length > 0) return addresses;
  // An error is more specific than "no data" for the other family.
  const faults = [ipv4, ipv6].flatMap((kind) => (kind.status === 'rejected' ? [kind.reason] : []));
  throw faults.find((fault) => codeOf(fault) !== 'ENODATA') ?? NO_DATA;
}

/**
 * The host's own resolver also uses the search list, the hosts file and mDNS. It cannot be cancelled. Null when it does not
 * answer within 2 s, or fails without stating whether the name exists.
 */
async function queryHostResolver(
  name: string,
  signal: AbortSignal,
): Promise<{ answer: Answer; fault: null } | { answer: null; fault: Fault } | null> {
  const { promise: cancelled, resolve: giveUp } = deferred<null>();
  const cancel = () => giveUp(null);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const lookup = Promise.race([dns.lookup(name, { all: true }), cancelled]);
    const found = await deadline(lookup, 2_000, () => null);
    if (found === null) return null;
    return { answer: { name, addresses: [...new Set(found.map(({ address }) => address))], names: [] }, fault: null };
  } catch (error) {
    return codeOf(error) === 'ENOTFOUND' ? { answer: null, fault: faultOf('ENOTFOUND') } : null;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/**
 * Names of the host itself, which must not go to a name server (RFC 6761 section 6.3), nor to the host's own resolver,
 * because glibc sends everything below `localhost` to a name server.
 */
export function isThisHost(query: string): boolean {
  return query === 'localhost' || query.endsWith('.localhost');
}
const LOOPBACK = ['127.0.0.1', '::1'];

/** Names that DNS servers never know: those without a dot, and those of mDNS (RFC 6762). */
function isOfThisNetwork({ address, text }: Lookup): boolean {
  return address === null && (!text.includes('.') || text.endsWith('.local'));
}

/** The name of the PTR record of an address: RFC 1035 section 3.5, RFC 3596 section 2.5. */
export function reverseName({ family, value }: IpAddress): string {
  if (family === 4) return `${formatIp({ family, value, zone: null }).split('.').reverse().join('.')}.in-addr.arpa`;
  return `${[...value.toString(16).padStart(32, '0')].reverse().join('.')}.ip6.arpa`;
}

/** @param server as Node.js writes it: an address, or `address:port` with brackets around IPv6 */
export function serverLines(server: string | null): string[] {
  if (server === null) return ["Server: the host's own resolver", ''];
  const [, bracketed, plain, port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? [];
  const address = isIPv6(server) ? server : (bracketed ?? plain ?? server);
  return [`Server: ${address}`, `Address: ${address}#${port}`, ''];
}

export function answerLines({ name, addresses, names }: Answer): string[] {
  const shown = names.length > 0 ? names : [name];
  return [...shown.map((text) => `Name: ${text}`), ...addresses.map((address) => `Address: ${address}`)];
}

const FAULTS: Readonly<Record<string, Fault>> = {
  ENOTFOUND: { word: 'NXDOMAIN', sentence: 'does not exist in DNS (NXDOMAIN)' },
  ENODATA: { word: 'No answer', sentence: 'exists in DNS, but has no record of this type' },
  ESERVFAIL: { word: 'SERVFAIL', sentence: 'could not be looked up: the name server failed (SERVFAIL)' },
  EREFUSED: { word: 'REFUSED', sentence: 'could not be looked up: the name server refuses to answer (REFUSED)' },
  ETIMEOUT: { word: 'timed out', sentence: 'could not be looked up: no name server answers' },
  ECONNREFUSED: { word: 'connection refused', sentence: 'could not be looked up: the name server refuses connections' },
  ENOSERVER: { word: 'no servers', sentence: 'could not be looked up: the host has no name server configured' },
};

function faultOf(code: string): Fault {
  return FAULTS[code] ?? { word: code || 'failed', sentence: `could not be looked up (${code || 'failed'})` };
}
