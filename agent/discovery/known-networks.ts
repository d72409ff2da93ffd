/**
 * The networks in which this agent has looked before, by their gateways. A host that is carried to the LAN of somebody
 * else finds the same addresses there as a rule: 192.168.1.0/24 is nearly everywhere. The MAC of the gateway, and who
 * answers, say whose LAN it is.
 */
import * as z from 'zod';
import { parseMac, parseRange, rangesOverlap } from '../../shared/network.ts';
import { Millis } from '../../shared/time.ts';
import { answersOf } from './addresses.ts';
import type { NetworkScan } from './scan.ts';

/** Looks at a new network that find how things are there, and no news. */
const BASELINE_LOOKS = 3;
export const MAX_NETWORKS = 64;
const MAX_GATEWAYS = 8;
/** A network where at least one in so many of those who should be there answers is the one that it was. */
const FAMILIAR_IS_ONE_IN = 5;
/** Where no gateway was ever seen, nobody is missed until so many devices should answer. */
const CROWD_WITHOUT_GATEWAY = 5;

export const NetworkMemory = z.object({
  /** In CIDR notation. */
  cidr: z.string().max(65),
  /** MACs that have answered for the gateway's address alone, the latest last. */
  gateways: z.array(z.string().refine((text) => parseMac(text) === text)).max(MAX_GATEWAYS),
  /** Cycles that have counted there, up to `BASELINE_LOOKS`. */
  looks: z.int().min(0).max(BASELINE_LOOKS),
  seenAt: Millis,
});
export type NetworkMemory = z.infer<typeof NetworkMemory>;

/** A network that seems to be that of somebody else. */
export interface StrangeNetwork {
  network: string;
  /** Who answers for the gateway's address; null when nobody does. */
  gateway: string | null;
  /** How many have answered of those who should be there. */
  answered: number;
  known: number;
}

/** What surrounds the networks that are looked at. */
export interface Surroundings {
  /** MACs that a person has confirmed: of gateways or, in a network without one, of any device. */
  confirmed?: readonly string[];
  /** All networks to which the host is attached, in CIDR notation, also those that are not watched. */
  attached?: readonly string[];
}

/** A device that should be there. */
interface Expected {
  mac: string;
  network: string;
}

export class KnownNetworks {
  readonly #networks: Map<string, NetworkMemory>;
  #strange: readonly StrangeNetwork[] = [];
  /** When a cycle last counted in each network. */
  readonly #countedAt = new Map<string, number>();

  constructor(networks: readonly NetworkMemory[] = []) {
    this.#networks = new Map(networks.map((memory) => [memory.cidr, { ...memory }]));
  }

  all(): NetworkMemory[] {
    return [...this.#networks.values()];
  }

  /** Whether what is found in this network is how things are there, because it was hardly looked at before. */
  isNew(cidr: string): boolean {
    return (this.#networks.get(cidr)?.looks ?? 0) < BASELINE_LOOKS;
  }

  /** Those of the last look that seem to belong to another LAN. What was found there must not be taken for ours. */
  get strange(): readonly StrangeNetwork[] {
    return this.#strange;
  }

  isStrange(cidr: string): boolean {
    return this.#strange.some(({ network }) => network === cidr);
  }

  own(scans: readonly NetworkScan[]): NetworkScan[] {
    return scans.filter(({ network }) => !this.isStrange(network.cidr));
  }

  /** Judges whose networks these are. @returns what was found in our own; of one that was strange before, only who answered */
  look(scans: readonly NetworkScan[], expected: () => Expected[], surroundings: Surroundings): NetworkScan[] {
    const before = new Set(this.#strange.map(({ network }) => network));
    const { confirmed = [], attached = [] } = surroundings;
    const strangeIn = (those: readonly NetworkScan[], isBesideKnown: boolean) =>
      those.flatMap((scan) => this.#judge(scan, expected, confirmed, isBesideKnown) ?? []);
    const isFresh = ({ network }: NetworkScan) => !this.#networks.has(network.cidr);
    const old = scans.filter((scan) => !isFresh(scan));
    this.#strange = strangeIn(old, true);
    const here = [...attached, ...scans.map(({ network }) => network.cidr)];
    const known = this.all().filter(({ cidr }) => !this.isStrange(cidr));
    const isBesideKnown = known.some(({ cidr }) => here.some((each) => overlap(each, cidr)));
    this.#strange = [...this.#strange, ...strangeIn(scans.filter(isFresh), isBesideKnown)];
    return this.own(scans).map((scan) => (before.has(scan.network.cidr) ? answersOf(scan) : scan));
  }

  /** A cycle counts in these networks. @returns those in which no cycle had counted for longer than `blindAfterMs` */
  count(networks: ReadonlySet<string>, at: number, blindAfterMs: number): Set<string> {
    const blind = [...networks].filter((network) => at - (this.#countedAt.get(network) ?? at) > blindAfterMs);
    for (const network of networks) this.#countedAt.set(network, at);
    return new Set(blind);
  }

  #judge(
    scan: NetworkScan,
    expected: () => Expected[],
    confirmed: readonly string[],
    isBesideKnown: boolean,
  ): StrangeNetwork | null {
    const { cidr, mac: own } = scan.network;
    const answers = new Set(scan.evidence.flatMap(({ mac, fresh }) => (fresh && mac !== own ? [mac] : [])));
    const routers = routersIn(scan);
    if (answers.size === 0 || [...answers].some((mac) => confirmed.includes(mac))) return null;
    if (this.all().some(({ gateways }) => gateways.some((mac) => routers.includes(mac)))) return null;
    const memory = this.#networks.get(cidr);
    if (memory === undefined && (this.#networks.size === 0 || isBesideKnown)) return null;
    // The devices of a network whose addresses were changed are known from the one before.
    const known = expected().filter(({ mac, network }) => mac !== own && (memory === undefined || network === cidr));
    const answered = known.filter(({ mac }) => answers.has(mac)).length;
    if (known.length > 0 && answered * FAMILIAR_IS_ONE_IN >= known.length) return null;
    if (memory !== undefined) {
      // Without a gateway there is only the company to go by: there has to be some, and it has to be another one.
      if (memory.gateways.length === 0 && known.length < CROWD_WITHOUT_GATEWAY) return null;
      const isAnotherGateway = memory.gateways.length > 0 && routers.length > 0;
      if (!isAnotherGateway && answers.size - answered <= answered) return null;
      if (!isAnotherGateway && known.length === 0) return null;
    }
    return { network: cidr, gateway: routers[0] ?? null, answered, known: known.length };
  }

  /** Who answers for the gateway's address and is to be taken for it: those that were it before, else all. */
  gatewaysIn(scan: NetworkScan): string[] {
    const routers = routersIn(scan);
    const known = routers.filter((router) => this.all().some(({ gateways }) => gateways.includes(router)));
    return known.length > 0 ? known : routers;
  }

  /** Remembers a network that was looked at and is no strange one. */
  learn(scan: NetworkScan, counts: boolean, at: number): void {
    const { cidr, mac: own } = scan.network;
    if (!scan.evidence.some(({ mac, fresh }) => fresh && mac !== own)) return;
    const memory = this.#networks.get(cidr) ?? { cidr, gateways: [], looks: 0, seenAt: at };
    const [router, another] = routersIn(scan);
    // Where two answer, one of them may be a liar.
    if (router !== undefined && another === undefined && memory.gateways.at(-1) !== router) {
      memory.gateways = [...memory.gateways.filter((each) => each !== router), router].slice(-MAX_GATEWAYS);
    }
    memory.seenAt = at;
    if (counts) memory.looks = Math.min(memory.looks + 1, BASELINE_LOOKS);
    this.#networks.set(cidr, memory);
    if (this.#networks.size <= MAX_NETWORKS) return;
    const [oldest] = this.all().sort((a, b) => a.seenAt - b.seenAt);
    if (oldest !== undefined) this.#networks.delete(oldest.cidr);
  }
}

/** Who has just answered for the gateway's address, lowest MAC first. */
function routersIn({ network, evidence }: NetworkScan): string[] {
  const routers = evidence.filter(({ ip, mac, fresh }) => fresh && ip === network.gateway && mac !== network.mac);
  return [...new Set(routers.map(({ mac }) => mac))].sort();
}

function overlap(a: string, b: string): boolean {
  const [one, other] = [parseRange(a), parseRange(b)];
  return one !== null && other !== null && rangesOverlap(one, other);
}
