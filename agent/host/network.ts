/** What the host offers: the networks it is attached to, and whether raw sockets may be used on it. */
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { formatRange, type IpRange, parseRange, withoutHostBits } from '../../shared/network.ts';

/** The interfaces as they are now; a laptop's change while the agent runs. */
export interface Attachment {
  /** Networks of all interfaces but loopback, host bits cleared, each once. */
  networks: IpRange[];
  /** The host's own addresses, those of loopback among them. */
  addresses: IpRange[];
  /** Interfaces that have an address: what the zone of a link-local target may name. */
  interfaceNames: Set<string>;
}

export function attachment(interfaces = networkInterfaces()): Attachment {
  const networks = new Map<string, IpRange>();
  const own = new Map<string, IpRange>();
  for (const { cidr, address, internal } of Object.values(interfaces).flatMap((addresses) => addresses ?? [])) {
    const host = parseRange(address);
    if (host !== null) own.set(formatRange(host), host);
    const parsed = internal || cidr === null ? null : parseRange(cidr);
    if (parsed === null) continue;
    const network = withoutHostBits(parsed);
    networks.set(formatRange(network), network);
  }
  const interfaceNames = new Set(Object.keys(interfaces));
  return { networks: [...networks.values()], addresses: [...own.values()], interfaceNames };
}

const CAP_NET_RAW = 13n;

/** Whether programs that the agent starts may open raw sockets. */
export function rawSockets(uid = process.getuid?.(), status = processStatus()): boolean {
  // Programs started by root get every effective capability back; those of other users inherit the ambient ones only.
  const set = new RegExp(`^${uid === 0 ? 'CapEff' : 'CapAmb'}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1];
  if (set === undefined) return uid === 0;
  return ((BigInt(`0x${set}`) >> CAP_NET_RAW) & 1n) === 1n;
}

function processStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return ''; // Not Linux.
  }
}
