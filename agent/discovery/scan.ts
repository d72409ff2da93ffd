/** Scans the watched networks for signs of devices. */
import { networkInterfaces } from 'node:os';
import { formatIp, type IpRange, rangeSize } from '../../shared/network.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { arpScan, NoRawSockets, nmapArpScan } from './arp-scan.ts';
import type { Evidence, ScanContext } from './evidence.ts';
import { ipv6Evidence } from './ipv6.ts';
import { isSign, readNeighbours } from './neighbours.ts';
import { pokeAddresses } from './udp-poke.ts';
import { isIn, type WatchedNetwork } from './watched-networks.ts';

/** Methods of scanning, best first. */
export type Method = 'arp-scan' | 'nmap' | 'udp';

/** The result of scanning one network. */
export interface NetworkScan {
  network: WatchedNetwork;
  evidence: Evidence[];
  method: Method | null;
  /** By `performance.now()`. */
  startedAt: number;
  /** Why absence from the result means nothing; null when the scan completed and the interface stayed up. */
  failure: string | null;
}

/** Requests to each silent address. */
const TRIES = 3;
/** A phone that loses 60 % of its packets is found 29 times in 30. */
const TRIES_AGAIN = 6;

/** What the scans of one network have in common. */
interface Pass extends ScanContext {
  network: WatchedNetwork;
  rawSockets: boolean;
  /** By `performance.now()`: later confirmations count as fresh, because the kernel does not resolve such an address again. */
  startedAt: number;
}

/**
 * Scans one network after the other, so that they do not share the time and the sockets of the host.
 * @param since by `performance.now()`: later confirmations count as fresh; by default, since the start of the scan
 * @param tries requests to each silent address
 */
export async function scanNetworks(
  context: ScanContext,
  networks: readonly WatchedNetwork[],
  rawSockets: boolean,
  since?: number,
  tries = TRIES,
): Promise<NetworkScan[]> {
  const scans: NetworkScan[] = [];
  const interfaces = new Set<string>();
  for (const network of networks) {
    if (context.signal.aborted) break;
    const startedAt = since ?? performance.now();
    // All IPv6 hosts of a link belong to the first of its networks.
    const ipv6 = interfaces.has(network.interface) ? [] : ipv6Evidence(context, network, startedAt);
    interfaces.add(network.interface);
    const scan = await scanNetwork({ ...context, network, rawSockets, startedAt }, tries);
    scans.push({ ...scan, evidence: [...scan.evidence, ...(await ipv6)] });
  }
  return scans;
}

async function scanNetwork(pass: Pass, tries: number): Promise<NetworkScan> {
  const { network, startedAt } = pass;
  const own: Evidence = { mac: network.mac, ip: network.address, fresh: false };
  try {
    const { found, method } = await scanBy(pass, [network.cidr], tries);
    const neighbours = await readNeighbours(pass, 4, network.interface, startedAt);
    const inside = [...found, ...neighbours.filter(isSign)].filter(({ ip }) => isIn(ip, network.range));
    return { network, evidence: [own, ...inside], method, startedAt, failure: interruption(pass) };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { network, evidence: [], method: null, startedAt, failure: error.message };
  }
}

/** Why the scan may be incomplete; null when it is not. Node.js lists no interfaces without a link. */
function interruption({ signal, network: { interface: name, address } }: Pass): string | null {
  if (signal.aborted) return 'it was stopped';
  const isThere = networkInterfaces()[name]?.some((own) => own.address === address);
  return isThere ? null : `${name} went down`;
}

/** Whether a scan completed, and the gateway or a device that was online before responded. */
export function isAnswered({ network, evidence, failure }: NetworkScan, wasOnline: ReadonlySet<string>): boolean {
  const answered = evidence.filter(({ mac, fresh }) => fresh && mac !== network.mac);
  return failure === null && answered.some(({ mac, ip }) => ip === network.gateway || wasOnline.has(mac));
}

/** Rescans addresses with more tries, and a witness that has just answered. @returns null when it means nothing */
export async function rescanMissing(pass: Pass, ips: readonly string[], witness: string): Promise<Evidence[] | null> {
  const { network, startedAt } = pass;
  const isIpv6 = (ip: string) => ip.includes(':');
  const all = [...ips, witness];
  const [ipv4, ipv6] = [all.filter((ip) => !isIpv6(ip)), all.filter(isIpv6)];
  try {
    const found = ipv4.length > 0 ? (await scanBy(pass, ipv4, TRIES_AGAIN)).found : [];
    if (ipv6.length > 0) {
      found.push(...(await ipv6Evidence(pass, network, startedAt)));
      found.push(...(await pokeAddresses(pass, network.interface, ipv6, startedAt)));
    }
    const worked = found.some(({ ip, fresh }) => fresh && ip === witness);
    return worked && interruption(pass) === null ? found : null;
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}

/** Scans one IPv4 address. @throws {ToolFailure} when the scan did not complete */
export async function scanAddress(pass: Pass, ip: string): Promise<Evidence[]> {
  return (await scanBy(pass, [ip], TRIES)).found;
}

/** Scans by the best method of this host. */
async function scanBy(pass: Pass, targets: readonly string[], tries: number) {
  const { network, rawSockets, startedAt } = pass;
  const arp = { interface: network.interface, targets, tries };
  const methods: [Method, () => Promise<Evidence[]>][] = [
    ['arp-scan', () => arpScan(pass, arp)],
    ['nmap', () => nmapArpScan(pass, arp)],
  ];
  for (const [method, scan] of rawSockets ? methods : []) {
    try {
      return { found: await scan(), method };
    } catch (error) {
      const isLacking = error instanceof ToolFailure && error.reason === 'tool_missing';
      if (!isLacking && !(error instanceof NoRawSockets)) throw error;
    }
  }
  const addresses = targets.flatMap((target) => (target === network.cidr ? hostsOf(network) : [target]));
  const found = await pokeAddresses(pass, network.interface, addresses, startedAt);
  return { found, method: 'udp' as const };
}

/** All host addresses of a network except the agent's own. */
export function hostsOf({ range, address }: { range: IpRange; address: string }): string[] {
  const size = Number(rangeSize(range));
  const ends = size > 2 ? 1 : 0; // The address of the network, and that of broadcasts.
  return Array.from({ length: size - 2 * ends }, (_, i) =>
    formatIp({ family: 4, value: range.address.value + BigInt(i + ends), zone: null }),
  ).filter((ip) => ip !== address);
}
