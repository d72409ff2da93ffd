/** Looks up the names of devices: by reverse DNS at the LAN's own name servers, then from the device by mDNS, then NetBIOS. */
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { domainToUnicode } from 'node:url';
import pLimit from 'p-limit';
import { type DeviceName, MAX_NAME_CHARACTERS } from '../../shared/agent/discovery.ts';
import { fitToReport } from '../../shared/agent/fit-text.ts';
import { codeOf } from '../../shared/errno.ts';
import { parseIp } from '../../shared/network.ts';
import { reverseName } from '../tools/nslookup.ts';
import { isLinkLocal } from './evidence.ts';
import { nameInNodeStatus, nodeStatusRequest } from './netbios.ts';

export interface FoundName {
  name: DeviceName | null;
  /** Whether all its name servers responded that the address has no name: then a former name from DNS no longer holds. */
  dnsKnowsNone: boolean;
}

const RANK = { dns: 0, mdns: 1, netbios: 2 } as const;

/** The name of a device after a name query: one from a source as good or better replaces the former. */
export function betterName(former: DeviceName | null, { name, dnsKnowsNone }: FoundName): DeviceName | null {
  if (former === null || name === null) return name ?? former;
  const isBetter = RANK[name.source] <= RANK[former.source] || (former.source === 'dns' && dnsKnowsNone);
  return isBetter ? name : former;
}

/** Devices queried at once. */
const CONCURRENCY = 64;
const DNS = { timeout: 1_000, tries: 2 };
/** A device responds for itself in milliseconds, unless it sleeps. */
const MDNS = { timeout: 400, tries: 2 };
const NETBIOS = { timeout: 500, tries: 2 };
const MDNS_PORT = 5353;
const NETBIOS_PORT = 137;
const MAX_DNS_NAME = 255;
/** After so many consecutive timeouts a name server is skipped for the rest of the round. */
const DEAD_AFTER = 4;

interface NameQuery {
  ip: string;
  /** The name servers to query, best first. Without one, only the device itself is queried. */
  servers: readonly string[];
}

/**
 * Looks up the names of many devices, and passes each on as soon as it is found. A thousand silent devices take half a minute;
 * when `signal` ends it, the devices not yet queried are not passed on.
 */
export async function findNames(
  queries: readonly NameQuery[],
  signal: AbortSignal,
  onName: (ip: string, found: FoundName) => void,
): Promise<void> {
  const nameServers = new Map<string, { resolver: Resolver; unanswered: number }>();
  for (const address of queries.flatMap(({ servers }) => servers)) {
    if (nameServers.has(address)) continue;
    const resolver = new Resolver(DNS);
    resolver.setServers([address]);
    nameServers.set(address, { resolver, unanswered: 0 });
  }
  const limit = pLimit(CONCURRENCY);
  const stop = () => {
    for (const { resolver } of nameServers.values()) resolver.cancel();
  };
  signal.addEventListener('abort', stop, { once: true });
  const find = async ({ ip, servers }: NameQuery) => {
    let without = 0;
    for (const address of servers) {
      if (signal.aborted) return;
      const server = nameServers.get(address);
      if (server === undefined || server.unanswered >= DEAD_AFTER) continue;
      const reply = await resolve(server.resolver, ip);
      server.unanswered = reply === 'no answer' ? server.unanswered + 1 : 0;
      if (typeof reply === 'object') return onName(ip, { name: nameFrom(reply.text, 'dns'), dnsKnowsNone: false });
      if (reply === 'no name') without++;
    }
    if (signal.aborted) return;
    // A server that times out now may be the one that returned the former name.
    const dnsKnowsNone = servers.length > 0 && without === servers.length;
    onName(ip, { name: (await queryMdns(ip)) ?? (await queryNetbios(ip)), dnsKnowsNone });
  };
  try {
    await Promise.all(queries.map((query) => limit(() => find(query))));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

type Reply = { text: string } | 'no name' | 'no answer';

function nameFrom(text: string | null, source: DeviceName['source']): DeviceName | null {
  const fit = text === null ? null : fitToReport(withoutPunycode(text), MAX_NAME_CHARACTERS);
  return fit === null ? null : { text: fit, source };
}

/** resolvePtr and not reverse, which reports a timeout as "no name". */
async function resolve(resolver: Resolver, ip: string): Promise<Reply> {
  try {
    const address = parseIp(ip);
    if (address === null) return 'no name';
    const [name] = await resolver.resolvePtr(reverseName(address));
    return name === undefined ? 'no name' : { text: readableName(name) };
  } catch (error) {
    return ['ENOTFOUND', 'ENODATA'].includes(codeOf(error) ?? '') ? 'no name' : 'no answer';
  }
}

/** A unicast query to the mDNS port of a host works like one to a name server (RFC 6762 section 6.7). */
async function queryMdns(ip: string): Promise<DeviceName | null> {
  if (isLinkLocal(ip)) return null; // It needs the interface as well.
  const resolver = new Resolver(MDNS);
  resolver.setServers([ip.includes(':') ? `[${ip}]:${MDNS_PORT}` : `${ip}:${MDNS_PORT}`]);
  const reply = await resolve(resolver, ip);
  return typeof reply === 'object' ? nameFrom(reply.text, 'mdns') : null;
}

async function queryNetbios(ip: string): Promise<DeviceName | null> {
  if (ip.includes(':')) return null;
  const socket = createSocket('udp4');
  const id = Math.floor(Math.random() * 0x1_0000);
  const request = nodeStatusRequest(id);
  try {
    const response = new Promise<string | null>((resolve) => {
      socket.on('error', () => resolve(null));
      socket.on('message', (packet, { address }) => {
        if (address === ip) resolve(nameInNodeStatus(packet, id));
      });
    });
    for (let i = 0; i < NETBIOS.tries; i++) {
      socket.send(request, NETBIOS_PORT, ip, () => {});
      const name = await Promise.race([response, sleep(NETBIOS.timeout, undefined, { ref: false })]);
      if (name !== undefined) return nameFrom(name, 'netbios');
    }
    return null;
  } finally {
    socket.close();
  }
}

/** A name with its Punycode labels (RFC 5891) decoded; malformed ones stay as they are. */
export function withoutPunycode(name: string): string {
  if (!/xn--/i.test(name)) return name;
  return name
    .slice(0, MAX_DNS_NAME)
    .split('.')
    .map((label) => (/^xn--/i.test(label) ? domainToUnicode(label) || label : label))
    .join('.');
}

/** Decodes the escapes of the resolver: `\ddd` for a byte that is not printable ASCII, `\.` for a dot within a label. */
export function readableName(name: string): string {
  if (!name.includes('\\')) return name;
  const bytes: number[] = [];
  for (const [, digits, character, plain] of name.slice(0, 4 * MAX_DNS_NAME).matchAll(/\\(\d{3})|\\(.)|([^\\])/gsu)) {
    if (digits !== undefined) bytes.push(Number(digits) & 0xff);
    else bytes.push(...Buffer.from(character ?? plain ?? ''));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
