/** Limits on new devices: hosts that answer ARP for most addresses (proxy ARP), and broadcasts between two scans. */
import { rangeSize } from '../../shared/network.ts';
import { multimap } from './evidence.ts';
import type { NetworkScan } from './scan.ts';

/** A device with more addresses answers for others. */
const MAX_OWN_ADDRESSES = 8;
/** So many devices at one address are forged: a duplicate address has two. */
const MANY_AT_ONE_ADDRESS = 3;
const LEAST_ADDRESSES = 8;
/** So many new devices may appear at once in any network. */
const LEAST_NEWCOMERS = 64;
/** Consecutive scans without proxy ARP that end it. */
const SCANS_WITHOUT = 3;

/**
 * Whether the answers in a network are no evidence of its devices: few devices answer for most of the addresses, or many at the
 * same ones, or more new ones appeared at once than plausible.
 * @param isKnown whether a device was known before
 * @param known how many devices of the network are known; null before enough scans
 */
export function hasProxyArp(
  { network, evidence }: NetworkScan,
  isKnown: (mac: string) => boolean,
  known: number | null,
): boolean {
  const others = evidence.filter(({ mac, ip, fresh }) => fresh && !ip.includes(':') && mac !== network.mac);
  const byMac = multimap(others.map(({ mac, ip }) => [mac, ip]));
  const byIp = multimap(others.map(({ mac, ip }) => [ip, mac]));
  const addresses = Number(rangeSize(network.range));
  const proxied = new Set([...byMac.values()].flatMap((ips) => (ips.size > MAX_OWN_ADDRESSES ? [...ips] : [])));
  if (proxied.size > Math.max(LEAST_ADDRESSES, addresses / 2)) return true;
  const shared = [...byIp.values()].filter((macs) => macs.size >= MANY_AT_ONE_ADDRESS);
  if (shared.length > LEAST_ADDRESSES) return true;
  const newcomers = [...byMac.keys()].filter((mac) => !isKnown(mac)).length;
  return known !== null && newcomers > Math.max(LEAST_NEWCOMERS, (addresses - known) / 2);
}

/** The networks with proxy ARP, each until some consecutive scans found none. */
export class ProxyArpNetworks {
  readonly #scansWithout = new Map<string, number>();

  record(cidr: string, isFound: boolean): void {
    const without = isFound ? 0 : (this.#scansWithout.get(cidr) ?? SCANS_WITHOUT) + 1;
    if (without < SCANS_WITHOUT) this.#scansWithout.set(cidr, without);
    else this.#scansWithout.delete(cidr);
  }

  has(cidr: string): boolean {
    return this.#scansWithout.has(cidr);
  }

  all(): string[] {
    return [...this.#scansWithout.keys()];
  }
}

/**
 * The networks in which broadcasts count between two scans: the last scan was valid there and found no proxy ARP. Broadcasts
 * cost nothing to send, so forged devices are bounded until the next scan, which checks what answers.
 */
export class PassiveNetworks {
  /** Devices added since the last scan, by network. */
  #newcomers = new Map<string, number>();

  scanned(networks: Iterable<string>): void {
    this.#newcomers = new Map([...networks].map((network) => [network, 0]));
  }

  /** Whether a sign counts. A sign of an unknown device uses up the room of one. */
  accepts(network: string, isKnown: boolean): boolean {
    const newcomers = this.#newcomers.get(network);
    if (newcomers === undefined || isKnown) return newcomers !== undefined;
    if (newcomers >= LEAST_NEWCOMERS) return false;
    this.#newcomers.set(network, newcomers + 1);
    return true;
  }
}
