/** The names of devices: by reverse DNS at the LAN's own name servers, from the device itself by mDNS, or by NetBIOS, in this order. */
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { domainToUnicode } from 'node:url';
import pLimit from 'p-limit';
import { type DeviceName, MAX_NAME_CHARACTERS } from '../../shared/agent/discovery.ts';
import { fitToTell } from '../../shared/agent/fit-text.ts';
import { codeOf } from '../../shared/errno.ts';
import { parseIp } from '../../shared/network.ts';
import { reverseName } from '../tools/nslookup.ts';
import { nameInNodeStatus, nodeStatusRequest } from './netbios.ts';

export interface FoundName {
  name: DeviceName | null;
  /** Whether all its name servers have answered that they have no name for the address, so that one from them no longer holds. */
  dnsKnowsNone: boolean;
}

const RANK = { dns: 0, mdns: 1, netbios: 2 } as const;

/** The name of a device after a look-up: one that is as good as the one before, or better, replaces it. */
export function betterName(former: DeviceName | null, { name, dnsKnowsNone }: FoundName): DeviceName | null {
  if (former === null || name === null) return name ?? former;
  const isBetter = RANK[name.source] <= RANK[former.source] || (former.source === 'dns' && dnsKnowsNone);
  return isBetter ? name : former;
}

/** Devices that are asked at once. */
const AT_ONCE = 64;
const DNS = { timeout: 1_000, tries: 2 };
/** A device answers for itself in milliseconds, unless it sleeps. */
const MDNS = { timeout: 400, tries: 2 };
const MDNS_PORT = 5353;
const NETBIOS_PORT = 137;
const NETBIOS_WITHIN_MS = 500;
const NETBIOS_TRIES = 2;
const MAX_DNS_NAME = 255;
/** So many questions in a row without an answer, and the name server counts as dead for this round. */
const DEAD_AFTER = 4;

/** An address whose name is wanted. */
interface NameQuestion {
  ip: string;
  /** The name servers that may know it, best first. Without one, only the device itself is asked. */
  servers: readonly string[];
}

/**
 * Looks for the names of many devices, and tells each as soon as it is there. A thousand devices that say nothing take
 * half a minute; when `signal` ends it, those that have not had their turn are not told of.
 */
export async function findNames(
  questions: readonly NameQuestion[],
  signal: AbortSignal,
  onName: (ip: string, found: FoundName) => void,
): Promise<void> {
  const nameServers = new Map<string, NameServer>();
  for (const server of questions.flatMap(({ servers }) => servers)) {
    if (!nameServers.has(server)) nameServers.set(server, new NameServer(server));
  }
  const limit = pLimit(AT_ONCE);
  const stop = () => {
    for (const server of nameServers.values()) server.stop();
  };
  signal.addEventListener('abort', stop, { once: true });
  const find = async ({ ip, servers }: NameQuestion) => {
    let without = 0;
    for (const server of servers) {
      if (signal.aborted) return;
      const told = (await nameServers.get(server)?.ask(ip)) ?? 'no answer';
      if (typeof told === 'object') return onName(ip, { name: nameFrom(told.text, 'dns'), dnsKnowsNone: false });
      if (told === 'no name') without++;
    }
    if (signal.aborted) return;
    // A server that is silent today may be the one that gave the name yesterday.
    const dnsKnowsNone = servers.length > 0 && without === servers.length;
    onName(ip, { name: (await askMdns(ip)) ?? (await askNetbios(ip)), dnsKnowsNone });
  };
  try {
    await Promise.all(questions.map((question) => limit(() => find(question))));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

type Told = { text: string } | 'no name' | 'no answer';

/** One name server, in one round of questions. */
class NameServer {
  readonly #resolver = new Resolver(DNS);
  #unanswered = 0;

  constructor(address: string) {
    this.#resolver.setServers([address]);
  }

  async ask(ip: string): Promise<Told> {
    if (this.#unanswered >= DEAD_AFTER) return 'no answer';
    const told = await resolve(this.#resolver, ip);
    this.#unanswered = told === 'no answer' ? this.#unanswered + 1 : 0;
    return told;
  }

  stop(): void {
    this.#resolver.cancel();
  }
}

function nameFrom(text: string | null, source: DeviceName['source']): DeviceName | null {
  const fit = text === null ? null : fitToTell(withoutPunycode(text), MAX_NAME_CHARACTERS);
  return fit === null ? null : { text: fit, source };
}

/** resolvePtr and not reverse, which says of a time-out that there is no name. */
async function resolve(resolver: Resolver, ip: string): Promise<Told> {
  try {
    const address = parseIp(ip);
    if (address === null) return 'no name';
    const [name] = await resolver.resolvePtr(reverseName(address));
    return name === undefined ? 'no name' : { text: readableName(name) };
  } catch (error) {
    return ['ENOTFOUND', 'ENODATA'].includes(codeOf(error) ?? '') ? 'no name' : 'no answer';
  }
}

/** A question to the mDNS port of one host is answered like one to a name server (RFC 6762 section 6.7). */
async function askMdns(ip: string): Promise<DeviceName | null> {
  if (/^fe[89ab]/.test(ip)) return null; // It says nothing without its interface.
  const resolver = new Resolver(MDNS);
  resolver.setServers([ip.includes(':') ? `[${ip}]:${MDNS_PORT}` : `${ip}:${MDNS_PORT}`]);
  const told = await resolve(resolver, ip);
  return typeof told === 'object' ? nameFrom(told.text, 'mdns') : null;
}

async function askNetbios(ip: string): Promise<DeviceName | null> {
  if (ip.includes(':')) return null;
  const socket = createSocket('udp4');
  const id = Math.floor(Math.random() * 0x1_0000);
  const request = nodeStatusRequest(id);
  try {
    const answered = new Promise<string | null>((resolve) => {
      socket.on('error', () => resolve(null));
      socket.on('message', (packet, { address }) => {
        if (address === ip) resolve(nameInNodeStatus(packet, id));
      });
    });
    for (let i = 0; i < NETBIOS_TRIES; i++) {
      socket.send(request, NETBIOS_PORT, ip, () => {});
      const name = await Promise.race([answered, sleep(NETBIOS_WITHIN_MS, undefined, { ref: false })]);
      if (name !== undefined) return nameFrom(name, 'netbios');
    }
    return null;
  } finally {
    socket.close();
  }
}

/** The labels of a name that are in Punycode (RFC 5891), as people read them; those that are malformed as they are. */
export function withoutPunycode(name: string): string {
  if (!/xn--/i.test(name)) return name;
  return name
    .slice(0, MAX_DNS_NAME)
    .split('.')
    .map((label) => (/^xn--/i.test(label) ? domainToUnicode(label) || label : label))
    .join('.');
}

/** The resolver writes bytes that are not printable ASCII as `\ddd`, and a dot within a label as `\.`. */
export function readableName(name: string): string {
  if (!name.includes('\\')) return name;
  const bytes: number[] = [];
  for (const [, digits, character, plain] of name.slice(0, 4 * MAX_DNS_NAME).matchAll(/\\(\d{3})|\\(.)|([^\\])/gsu)) {
    if (digits !== undefined) bytes.push(Number(digits) & 0xff);
    else bytes.push(...Buffer.from(character ?? plain ?? ''));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
