/**
 * Recognizes the networks that this agent has scanned before, by their gateways. A host carried to a foreign LAN usually finds
 * the same addresses there: 192.168.1.0/24 is nearly everywhere. The MAC of the gateway, and the devices that respond,
 * identify the LAN.
 */
import * as z from 'zod';
import type { DiscoveryState } from '../../shared/agent/discovery.ts';
import { parseMac, parseRange, rangesOverlap } from '../../shared/network.ts';
import { Millis } from '../../shared/time.ts';
import { answersOf } from './addresses.ts';
import type { NetworkScan } from './scan.ts';

/** The first scans of a network find its normal state, not news. */
const BASELINE_SCANS = 3;
export const MAX_NETWORKS = 64;
const MAX_GATEWAYS = 8;
/** A network where at least one in so many of the expected devices responds is the known one. */
const FAMILIAR_IS_ONE_IN = 5;
/** Without a gateway, at least so many devices must be expected before their absence counts. */
const CROWD_WITHOUT_GATEWAY = 5;

export const NetworkMemory = z.object({
  /** In CIDR notation. */
  cidr: z.string().max(65),
  /** MACs that alone answered for the gateway's address, the latest last. */
  gateways: z.array(z.string().refine((text) => parseMac(text) === text)).max(MAX_GATEWAYS),
  /** Valid cycles there, up to `BASELINE_SCANS`. */
  looks: z.int().min(0).max(BASELINE_SCANS),
  seenAt: Millis,
});
export type NetworkMemory = z.infer<typeof NetworkMemory>;

/** A network that seems to belong to another LAN. Its gateway is the MAC that answers for that address; null when none does. */
export type ForeignNetwork = NonNullable<DiscoveryState['strange']>[number];

/** The environment of the scanned networks. */
export interface Surroundings {
  /** MACs that a person confirmed: of gateways or, in a network without one, of any device. */
  confirmed?: readonly string[];
  /** All networks to which the host is attached, in CIDR notation, including those not watched. */
  attached?: readonly string[];
}

/** A device expected online. */
interface Expected {
  mac: string;
  network: string;
}

export class KnownNetworks {
  readonly #networks: Map<string, NetworkMemory>;
  #foreign: readonly ForeignNetwork[] = [];
  /** When a cycle was last valid in each network. */
  readonly #countedAt = new Map<string, number>();

  constructor(networks: readonly NetworkMemory[] = []) {
    this.#networks = new Map(networks.map((memory) => [memory.cidr, { ...memory }]));
  }

  all(): NetworkMemory[] {
    return [...this.#networks.values()];
  }

  /** Whether findings in this network still belong to its baseline. */
  isNew(cidr: string): boolean {
    return (this.#networks.get(cidr)?.looks ?? 0) < BASELINE_SCANS;
  }

  /** The foreign networks of the last scan. Their devices must not be taken for ours. */
  get foreign(): readonly ForeignNetwork[] {
    return this.#foreign;
  }

  isForeign(cidr: string): boolean {
    return this.#foreign.some(({ network }) => network === cidr);
  }

  own(scans: readonly NetworkScan[]): NetworkScan[] {
    return scans.filter(({ network }) => !this.isForeign(network.cidr));
  }

  /** Separates foreign networks. @returns the scans of our own; of one that was foreign before, only fresh evidence */
  classify(scans: readonly NetworkScan[], expected: () => Expected[], surroundings: Surroundings): NetworkScan[] {
    const before = new Set(this.#foreign.map(({ network }) => network));
    const { confirmed = [], attached = [] } = surroundings;
    const foreignIn = (some: readonly NetworkScan[], isBesideKnown: boolean) =>
      some.flatMap((scan) => this.#foreignOf(scan, expected, confirmed, isBesideKnown) ?? []);
    const isFresh = ({ network }: NetworkScan) => !this.#networks.has(network.cidr);
    const old = scans.filter((scan) => !isFresh(scan));
    this.#foreign = foreignIn(old, true);
    const here = [...attached, ...scans.map(({ network }) => network.cidr)];
    const known = this.all().filter(({ cidr }) => !this.isForeign(cidr));
    const isBesideKnown = known.some(({ cidr }) => here.some((each) => overlap(each, cidr)));
    this.#foreign = [...this.#foreign, ...foreignIn(scans.filter(isFresh), isBesideKnown)];
    return this.own(scans).map((scan) => (before.has(scan.network.cidr) ? answersOf(scan) : scan));
  }

  /** Records a valid cycle. @returns the networks without one for longer than `blindAfterMs` */
  count(networks: ReadonlySet<string>, at: number, blindAfterMs: number): Set<string> {
    const blind = [...networks].filter((network) => at - (this.#countedAt.get(network) ?? at) > blindAfterMs);
    for (const network of networks) this.#countedAt.set(network, at);
    return new Set(blind);
  }

  /** Null unless the network seems to be foreign. */
  #foreignOf(
    scan: NetworkScan,
    expected: () => Expected[],
    confirmed: readonly string[],
    isBesideKnown: boolean,
  ): ForeignNetwork | null {
    const { cidr, mac: own } = scan.network;
    const answers = new Set(scan.evidence.flatMap(({ mac, fresh }) => (fresh && mac !== own ? [mac] : [])));
    const routers = routersIn(scan);
    if (answers.size === 0 || [...answers].some((mac) => confirmed.includes(mac))) return null;
    if (this.all().some(({ gateways }) => gateways.some((mac) => routers.includes(mac)))) return null;
    const memory = this.#networks.get(cidr);
    if (memory === undefined && (this.#networks.size === 0 || isBesideKnown)) return null;
    // After a renumbering, devices are known from the former network.
    const known = expected().filter(({ mac, network }) => mac !== own && (memory === undefined || network === cidr));
    const answered = known.filter(({ mac }) => answers.has(mac)).length;
    if (known.length > 0 && answered * FAMILIAR_IS_ONE_IN >= known.length) return null;
    if (memory !== undefined) {
      // Without a gateway only the devices identify a LAN: enough must be expected, and most responding must be unknown.
      if (memory.gateways.length === 0 && known.length < CROWD_WITHOUT_GATEWAY) return null;
      const isAnotherGateway = memory.gateways.length > 0 && routers.length > 0;
      if (!isAnotherGateway && answers.size - answered <= answered) return null;
      if (!isAnotherGateway && known.length === 0) return null;
    }
    return { network: cidr, gateway: routers[0] ?? null, answered, known: known.length };
  }

  /** The MACs that count as the gateway of a network: the known ones among those that answer for its address, else all. */
  gatewaysIn(scan: NetworkScan): string[] {
    const routers = routersIn(scan);
    const known = routers.filter((router) => this.all().some(({ gateways }) => gateways.includes(router)));
    return known.length > 0 ? known : routers;
  }

  /** Updates the memory of a network of our own. */
  learn(scan: NetworkScan, counts: boolean, at: number): void {
    const { cidr, mac: own } = scan.network;
    if (!scan.evidence.some(({ mac, fresh }) => fresh && mac !== own)) return;
    const memory = this.#networks.get(cidr) ?? { cidr, gateways: [], looks: 0, seenAt: at };
    const [router, another] = routersIn(scan);
    // Where two answer, one may be forged.
    if (router !== undefined && another === undefined && memory.gateways.at(-1) !== router) {
      memory.gateways = [...memory.gateways.filter((each) => each !== router), router].slice(-MAX_GATEWAYS);
    }
    memory.seenAt = at;
    if (counts) memory.looks = Math.min(memory.looks + 1, BASELINE_SCANS);
    this.#networks.set(cidr, memory);
    if (this.#networks.size <= MAX_NETWORKS) return;
    const [oldest] = this.all().sort((a, b) => a.seenAt - b.seenAt);
    if (oldest !== undefined) this.#networks.delete(oldest.cidr);
  }
}

/** The MACs that have just answered for the gateway's address, lowest first. */
function routersIn({ network, evidence }: NetworkScan): string[] {
  const routers = evidence.filter(({ ip, mac, fresh }) => fresh && ip === network.gateway && mac !== network.mac);
  return [...new Set(routers.map(({ mac }) => mac))].sort();
}

function overlap(a: string, b: string): boolean {
  const [one, other] = [parseRange(a), parseRange(b)];
  return one !== null && other !== null && rangesOverlap(one, other);
}
