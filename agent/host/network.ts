/** The networks that the host is attached to, and whether it permits raw sockets. */
import { networkInterfaces } from 'node:os';
import { formatRange, type IpRange, parseRange, withoutHostBits } from '../../shared/network.ts';
import { systemFile } from './platform.ts';

/** The interfaces at the moment; a laptop's change while the agent runs. */
export interface Attachment {
  /** Networks of all interfaces but loopback, host bits cleared, each once. */
  networks: IpRange[];
  /** The host's own addresses, including loopback. */
  addresses: IpRange[];
  /** Interfaces with an address: the valid zones of a link-local target. */
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
export function rawSockets(uid = process.getuid?.(), status = systemFile('/proc/self/status')): boolean {
  // Programs of root regain every effective capability; those of other users inherit only the ambient ones.
  const set = new RegExp(`^${uid === 0 ? 'CapEff' : 'CapAmb'}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1];
  if (set === undefined) return uid === 0;
  return ((BigInt(`0x${set}`) >> CAP_NET_RAW) & 1n) === 1n;
}
