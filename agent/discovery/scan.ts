/** One look at the watched networks: which devices show a sign that they are there. */
import { networkInterfaces } from 'node:os';
import { formatIp, type IpRange, rangeSize } from '../../shared/network.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { arpScan, NoRawSockets, nmapArpScan } from './arp-scan.ts';
import type { Evidence, ScanContext } from './evidence.ts';
import { ipv6Evidence } from './ipv6.ts';
import { isSign, readNeighbours } from './neighbours.ts';
import { pokeAddresses } from './udp-poke.ts';
import { isIn, type WatchedNetwork } from './watched-networks.ts';

/** How devices are asked, best first. */
export type Method = 'arp-scan' | 'nmap' | 'udp';

/** What a look has found in one network. */
export interface NetworkScan {
  network: WatchedNetwork;
  evidence: Evidence[];
  method: Method | null;
  /** By `performance.now()`. */
  startedAt: number;
  /** Why it says nothing about those who were not found; null when it came to its end and the interface stayed up. */
  failure: string | null;
}

/** How often each address is asked that does not answer. */
const TRIES = 3;
/** A phone that loses 60 % of its packets is found 29 times in 30. */
const TRIES_AGAIN = 6;

/**
 * Looks at one network after the other, so that they do not share the time and the sockets of the host.
 * @param since by `performance.now()`: who was confirmed since then counts as having answered; by default, since the look
 *   at the network began
 * @param tries how often each address is asked that does not answer
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
    // All of the link's hosts belong to the first of its networks.
    const ipv6 = interfaces.has(network.interface) ? [] : ipv6Evidence(context, network, startedAt);
    interfaces.add(network.interface);
    const scan = await lookAt(context, network, rawSockets, startedAt, tries);
    scans.push({ ...scan, evidence: [...scan.evidence, ...(await ipv6)] });
  }
  return scans;
}

async function lookAt(
  context: ScanContext,
  network: WatchedNetwork,
  rawSockets: boolean,
  startedAt: number,
  tries: number,
): Promise<NetworkScan> {
  const own: Evidence = { mac: network.mac, ip: network.address, fresh: false };
  try {
    const { found, method } = await ask(context, network, [network.cidr], tries, rawSockets, startedAt);
    const neighbours = await readNeighbours(context, 4, network.interface, startedAt);
    const inside = [...found, ...neighbours.filter(isSign)].filter(({ ip }) => isIn(ip, network.range));
    return { network, evidence: [own, ...inside], method, startedAt, failure: interruption(context, network) };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { network, evidence: [], method: null, startedAt, failure: error.message };
  }
}

/** Why the look may have been cut short; null when it was not. Interfaces without a link are not in the list of Node.js. */
function interruption({ signal }: ScanContext, { interface: name, address }: WatchedNetwork): string | null {
  if (signal.aborted) return 'it was stopped';
  const isThere = networkInterfaces()[name]?.some((own) => own.address === address);
  return isThere ? null : `${name} went down`;
}

/** Whether a look has come to its end, and the gateway or one of those who were online before has answered. */
export function isAnswered({ network, evidence, failure }: NetworkScan, wasOnline: ReadonlySet<string>): boolean {
  const answered = evidence.filter(({ mac, fresh }) => fresh && mac !== network.mac);
  return failure === null && answered.some(({ mac, ip }) => ip === network.gateway || wasOnline.has(mac));
}

/**
 * Looks at single addresses of a network once more, and harder, and at one where somebody has just answered, as a proof
 * that the network still works.
 * @param startedAt when the cycle began: who was confirmed since then counts as having answered, because the kernel does not
 *   ask again for an address that it has just resolved
 * @returns what was found, or null when the look says nothing
 */
export async function rescanMissing(
  context: ScanContext,
  network: WatchedNetwork,
  addresses: readonly string[],
  witness: string,
  rawSockets: boolean,
  startedAt: number,
): Promise<Evidence[] | null> {
  const [ipv4, ipv6] = [false, true].map((is6) => [...addresses, witness].filter((ip) => ip.includes(':') === is6));
  try {
    const found: Evidence[] = [];
    if (ipv4 !== undefined && ipv4.length > 0) {
      found.push(...(await ask(context, network, ipv4, TRIES_AGAIN, rawSockets, startedAt)).found);
    }
    if (ipv6 !== undefined && ipv6.length > 0) {
      found.push(...(await ipv6Evidence(context, network, startedAt)));
      found.push(...(await pokeAddresses(context, network.interface, ipv6, startedAt)));
    }
    const worked = found.some(({ ip, fresh }) => fresh && ip === witness);
    return worked && interruption(context, network) === null ? found : null;
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}

/**
 * Looks at one IPv4 address, and says which devices have answered there.
 * @param since by `performance.now()`: who was confirmed since then counts as having answered
 * @throws {ToolFailure} when it did not come to its end
 */
export async function scanAddress(
  context: ScanContext,
  network: WatchedNetwork,
  ip: string,
  rawSockets: boolean,
  since: number,
): Promise<Evidence[]> {
  return (await ask(context, network, [ip], TRIES, rawSockets, since)).found;
}

/** Asks by the best way that this host has. */
async function ask(
  context: ScanContext,
  network: WatchedNetwork,
  targets: readonly string[],
  tries: number,
  rawSockets: boolean,
  startedAt: number,
): Promise<{ found: Evidence[]; method: Method }> {
  const arp = { interface: network.interface, targets, tries };
  const ways: [Method, () => Promise<Evidence[]>][] = [
    ['arp-scan', () => arpScan(context, arp)],
    ['nmap', () => nmapArpScan(context, arp)],
  ];
  for (const [method, way] of rawSockets ? ways : []) {
    try {
      return { found: await way(), method };
    } catch (error) {
      const isLacking = error instanceof ToolFailure && error.reason === 'tool_missing';
      if (!isLacking && !(error instanceof NoRawSockets)) throw error;
    }
  }
  const addresses = targets.flatMap((target) => (target === network.cidr ? hostsOf(network) : [target]));
  return { found: await pokeAddresses(context, network.interface, addresses, startedAt), method: 'udp' };
}

/** All addresses of a network that a host may have, but for the agent's own. */
export function hostsOf({ range, address }: { range: IpRange; address: string }): string[] {
  const size = Number(rangeSize(range));
  const ends = size > 2 ? 1 : 0; // The address of the network, and that of broadcasts.
  return Array.from({ length: size - 2 * ends }, (_, i) =>
    formatIp({ family: 4, value: range.address.value + BigInt(i + ends), zone: null }),
  ).filter((ip) => ip !== address);
}
