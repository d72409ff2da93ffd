/**
 * DNS look-ups at the name servers of this host. Uses Node.js and not the program nslookup, which does not name the
 * server when it resolves an address, and could take its arguments for commands.
 */
import { promises as dns } from 'node:dns';
import { isIPv6 } from 'node:net';
import { codeOf } from '../../shared/errno.ts';
import { formatIp, type IpAddress, type Lookup, rangeOf } from '../../shared/network.ts';
import type { ToolResult } from '../../shared/tools/list.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { checkTarget, checkZone, describeReach, targetRules } from './target-policy.ts';
import type { AgentTool, ToolAnswer, ToolContext } from './tool.ts';

/** Limit of one query to one server. Node.js checks it once a second, so a server that does not answer costs 2 s. */
const QUESTION_TIMEOUT_MS = 1_500;
/** In the second round the servers share more, because a slow one needs seconds: dig waits five. */
const SECOND_ROUND_MS = 5_500;
const MAX_SERVERS = 3;
/** Limit of the host's own resolver, which cannot be cancelled. */
const HOST_RESOLVER_MS = 2_000;

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
  const asked = await askServers(servers, query, signal);
  const host = asked.answer === null && isOfThisNetwork(query) ? await askHost(query.text, signal) : null;
  if (signal.aborted) throw new ToolFailure('cancelled', 'The look-up was cancelled');

  const answer = asked.answer ?? host?.answer ?? null;
  const server = asked.answer === null && answer !== null ? null : asked.server;
  const lines = serverLines(server);
  if (answer === null) {
    // Servers refuse names without a dot. For those the answer of the search list decides.
    const fault = host?.fault ?? asked.fault;
    const output = `${[...lines, `** server can't find ${query.text}: ${fault.word}`].join('\n')}\n`;
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
  /** The word that nslookup prints for it. */
  word: string;
  sentence: string;
}

/** Asks one server after the other. A server that answers, even that the name does not exist, ends the search. */
async function askServers(
  servers: string[],
  query: Lookup,
  signal: AbortSignal,
): Promise<{ server: string | null; answer: Answer | null; fault: Fault }> {
  let last = { server: servers[0] ?? null, answer: null, fault: faultOf('ENOSERVER') };
  for (const limitMs of roundsOf(servers.length)) {
    for (const server of servers) {
      if (signal.aborted) return last;
      try {
        return { server, answer: await ask(server, query, signal, limitMs), fault: faultOf('') };
      } catch (error) {
        const code = codeOf(error);
        last = { server, answer: null, fault: faultOf(code) };
        if (code === 'ENOTFOUND' || code === 'ENODATA') return last;
      }
    }
  }
  return last;
}

/** How long each server has in each round: 12 s at most in all, followed by the host's own resolver. */
export function roundsOf(servers: number): number[] {
  return [QUESTION_TIMEOUT_MS, Math.max(QUESTION_TIMEOUT_MS, Math.ceil(SECOND_ROUND_MS / servers))];
}

async function ask(server: string, query: Lookup, signal: AbortSignal, limitMs: number): Promise<Answer> {
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

/** Rejects also where Node.js fulfils with nothing, as for a CNAME that points nowhere. */
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

const NO_DATA = Object.assign(new Error('no record of the kind asked for'), { code: 'ENODATA' });

/** IPv4 and IPv6 addresses. One kind is enough, because some servers fail for the kind that a name does not have. */
async function resolveAddresses(
  resolver: Pick<dns.Resolver, 'resolve4' | 'resolve6'>,
  name: string,
): Promise<string[]> {
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [ipv4, ipv6].flatMap((kind) => (kind.status === 'fulfilled' ? kind.value : []));
  if (addresses.length > 0) return addresses;
  // An error says more than "no data" for the other kind.
  const faults = [ipv4, ipv6].flatMap((kind) => (kind.status === 'rejected' ? [kind.reason] : []));
  throw faults.find((fault) => codeOf(fault) !== 'ENODATA') ?? NO_DATA;
}

/**
 * The host's own resolver also uses the search list, the hosts file and mDNS. Null when it does not answer in time, or
 * fails in a way that does not say whether the name exists.
 */
async function askHost(
  name: string,
  signal: AbortSignal,
): Promise<{ answer: Answer; fault: null } | { answer: null; fault: Fault } | null> {
  let giveUp = () => {};
  const tooLong = new Promise<null>((resolve) => {
    giveUp = () => resolve(null);
  });
  const limit = setTimeout(giveUp, HOST_RESOLVER_MS);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const found = await Promise.race([dns.lookup(name, { all: true }), tooLong]);
    if (found === null) return null;
    return { answer: { name, addresses: [...new Set(found.map(({ address }) => address))], names: [] }, fault: null };
  } catch (error) {
    return codeOf(error) === 'ENOTFOUND' ? { answer: null, fault: faultOf('ENOTFOUND') } : null;
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', giveUp);
  }
}

/**
 * Names that mean the host itself and must not be sent to a name server (RFC 6761 section 6.3). The host's own resolver
 * is not asked either, because glibc sends everything below `localhost` to a name server.
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

/** Formats a server as Node.js writes it: an address, or `address:port` with brackets around IPv6. */
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
  ENODATA: { word: 'No answer', sentence: 'exists in DNS, but has no record of the kind asked for' },
  ESERVFAIL: { word: 'SERVFAIL', sentence: 'could not be looked up: the name server failed (SERVFAIL)' },
  EREFUSED: { word: 'REFUSED', sentence: 'could not be looked up: the name server refuses to answer (REFUSED)' },
  ETIMEOUT: { word: 'timed out', sentence: 'could not be looked up: no name server answers' },
  ECONNREFUSED: { word: 'connection refused', sentence: 'could not be looked up: the name server refuses connections' },
  ENOSERVER: { word: 'no servers', sentence: 'could not be looked up: the host has no name server configured' },
};

function faultOf(code: string): Fault {
  return FAULTS[code] ?? { word: code || 'failed', sentence: `could not be looked up (${code || 'failed'})` };
}
