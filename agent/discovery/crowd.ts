/** Somebody who answers for every address, by mistake or in order to fill lists with devices that do not exist. */
import { rangeSize } from '../../shared/network.ts';
import type { NetworkScan } from './scan.ts';

/** Addresses of one device beyond which it answers for others. */
const GREEDY_FROM = 8;
/** Devices at one address beyond which somebody makes them up: an address that is given twice has two. */
const MANY_AT_ONE_ADDRESS = 3;
const LEAST_ADDRESSES = 8;
/** So many may come at once in any network. */
export const LEAST_NEWCOMERS = 64;
/** Looks in a row that have to be quiet again. */
const QUIET_LOOKS = 3;

/**
 * Whether what answers in a network says nothing about who is there: few devices answer for most of the addresses, or many
 * at the same ones, or more have come at once than can be.
 * @param isKnown whether a device was there before
 * @param known how many devices of the network are; null where nobody has looked enough to know
 */
export function isCrowded(
  { network, evidence }: NetworkScan,
  isKnown: (mac: string) => boolean,
  known: number | null,
): boolean {
  const byMac = new Map<string, Set<string>>();
  const byIp = new Map<string, Set<string>>();
  for (const { mac, ip, fresh } of evidence) {
    if (!fresh || ip.includes(':') || mac === network.mac) continue;
    byMac.set(mac, (byMac.get(mac) ?? new Set()).add(ip));
    byIp.set(ip, (byIp.get(ip) ?? new Set()).add(mac));
  }
  const addresses = Number(rangeSize(network.range));
  const proxied = new Set([...byMac.values()].flatMap((ips) => (ips.size > GREEDY_FROM ? [...ips] : [])));
  if (proxied.size > Math.max(LEAST_ADDRESSES, addresses / 2)) return true;
  const shared = [...byIp.values()].filter((macs) => macs.size >= MANY_AT_ONE_ADDRESS);
  if (shared.length > LEAST_ADDRESSES) return true;
  const newcomers = [...byMac.keys()].filter((mac) => !isKnown(mac)).length;
  return known !== null && newcomers > Math.max(LEAST_NEWCOMERS, (addresses - known) / 2);
}

/** The networks that are crowded. One stays so until some looks in a row have found it quiet. */
export class CrowdedNetworks {
  readonly #quietLooks = new Map<string, number>();

  look(cidr: string, crowded: boolean): void {
    const quiet = crowded ? 0 : (this.#quietLooks.get(cidr) ?? QUIET_LOOKS) + 1;
    if (quiet < QUIET_LOOKS) this.#quietLooks.set(cidr, quiet);
    else this.#quietLooks.delete(cidr);
  }

  has(cidr: string): boolean {
    return this.#quietLooks.has(cidr);
  }

  all(): string[] {
    return [...this.#quietLooks.keys()];
  }
}
