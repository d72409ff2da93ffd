/**
 * Names and addresses from the name servers of this host. Asked for directly and not with the program nslookup, which
 * says nothing about the server when it resolves an address and takes its arguments for commands.
 */
import { promises as dns } from 'node:dns';
import { isIPv6 } from 'node:net';
import { formatIp, type IpAddress, type Lookup, rangeOf } from '../../shared/network.ts';
import type { ToolResult } from '../../shared/tools/list.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { checkTarget, checkZone, describeReach, targetRules } from './target-policy.ts';
import type { AgentTool, ToolAnswer, ToolContext } from './tool.ts';

/** Of one question to one server. Node looks at the clock of a question once a second, so silence costs 2 s. */
const QUESTION_TIMEOUT_MS = 1_500;
/** With three silent servers 12 s, and then the host's own resolver. */
const ROUNDS = 2;
const MAX_SERVERS = 3;
/** Of the host's own resolver, which cannot be stopped. */
const HOST_RESOLVER_MS = 2_000;

type Answer = Omit<ToolResult<'nslookup'>, 'server'>;

const Rules = targetRules(true);

export const nslookup = {
  rules: Rules,
  // A host name asks the name server and reaches nobody else.
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
    // Servers refuse bare labels; that the search list knows none either is what the name stands and falls with.
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
  /** As nslookup prints it. */
  word: string;
  sentence: string;
}

/** Asks one server after the other. A server that knows the answer, even that there is none, ends the search. */
async function askServers(
  servers: string[],
  query: Lookup,
  signal: AbortSignal,
): Promise<{ server: string | null; answer: Answer | null; fault: Fault }> {
  let last = { server: servers[0] ?? null, answer: null, fault: faultOf('ENOSERVER') };
  for (let round = 0; round < ROUNDS; round++) {
    for (const server of servers) {
      if (signal.aborted) return last;
      try {
        return { server, answer: await ask(server, query, signal), fault: faultOf('') };
      } catch (error) {
        const code = codeOf(error);
        last = { server, answer: null, fault: faultOf(code) };
        if (code === 'ENOTFOUND' || code === 'ENODATA') return last;
      }
    }
  }
  return last;
}

async function ask(server: string, { address, text: name }: Lookup, signal: AbortSignal): Promise<Answer> {
  const resolver = new dns.Resolver({ timeout: QUESTION_TIMEOUT_MS, tries: 1 });
  resolver.setServers([server]);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (address === null) return { name, addresses: await resolveAddresses(resolver, name), names: [] };
    // Not resolver.reverse(), which says "not found" when the server is silent.
    return { name, addresses: [name], names: await resolver.resolvePtr(reverseName(address)) };
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** IPv4 and IPv6 addresses. One kind is enough: some servers fail at questions for the kind that a name has not. */
async function resolveAddresses(resolver: dns.Resolver, name: string): Promise<string[]> {
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [ipv4, ipv6].flatMap((kind) => (kind.status === 'fulfilled' ? kind.value : []));
  if (addresses.length > 0) return addresses;
  // Both failed. "No such data" of one kind is the weaker statement.
  const faults = [ipv4, ipv6].flatMap((kind) => (kind.status === 'rejected' ? [kind.reason] : []));
  throw faults.find((fault) => fault?.code !== 'ENODATA') ?? faults[0];
}

/**
 * The host's own resolver also knows the search list, the hosts file and mDNS. Null when it says nothing in time, or
 * fails in a way that leaves open whether the name exists.
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

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/**
 * Names that mean the host itself and are not to be asked for in the network (RFC 6761 section 6.3). Not even the
 * host's own resolver is: glibc asks a name server for everything below `localhost`.
 */
export function isThisHost(query: string): boolean {
  return query === 'localhost' || query.endsWith('.localhost');
}
const LOOPBACK = ['127.0.0.1', '::1'];

/** Names that DNS servers do not know on principle: bare labels, and those of mDNS (RFC 6762). */
function isOfThisNetwork({ address, text }: Lookup): boolean {
  return address === null && (!text.includes('.') || text.endsWith('.local'));
}

/** The name under which DNS keeps the name of an address: RFC 1035 section 3.5, RFC 3596 section 2.5. */
export function reverseName({ family, value }: IpAddress): string {
  if (family === 4) return `${formatIp({ family, value, zone: null }).split('.').reverse().join('.')}.in-addr.arpa`;
  return `${[...value.toString(16).padStart(32, '0')].reverse().join('.')}.ip6.arpa`;
}

/** A server as Node writes it: an address, or `address:port` with brackets around IPv6. */
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
  ECONNREFUSED: { word: 'connection refused', sentence: 'could not be looked up: no name server runs at its address' },
  ENOSERVER: { word: 'no servers', sentence: 'could not be looked up: the host has no name server' },
};

function faultOf(code: string): Fault {
  return FAULTS[code] ?? { word: code, sentence: `could not be looked up (${code})` };
}
