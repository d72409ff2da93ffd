/**
 * Detects devices that claim the same: an address, the gateway's address, or the role of DHCP server. A device that takes over
 * an address briefly appears beside the former one, so a conflict begins with the second consecutive scan that finds it, and
 * ends with the third that does not.
 */
import type { Conflict } from '../../shared/agent/discovery.ts';
import { cardsOfHosts, sortIps } from './addresses.ts';
import { multimap } from './evidence.ts';
import type { NetworkScan } from './scan.ts';

const BEGINS_AFTER = 2;
const ENDS_AFTER = 3;
/** Of one network. More are a case of proxy ARP. */
const MAX_CONFLICTS = 256;
const MAX_CLAIMANTS = 9;
/** Scans for which MACs stay cards of one host although an answer was lost. */
const CARDS_FOR_SCANS = 10;

type Kind = Conflict['kind'];
/** The worst first. */
const KINDS: readonly Kind[] = ['gateway', 'dhcp', 'address'];

interface Tracked {
  network: string;
  kind: Kind;
  /** What each device claims, by MAC. */
  claims: Map<string, string>;
  isSet: boolean;
  /** Consecutive scans that contradict `isSet`. */
  contrary: number;
}

/** Devices that claim the same. */
interface Claimants {
  kind: Kind;
  /** By MAC. */
  claims: ReadonlyMap<string, string>;
}

export class Conflicts {
  readonly #tracked = new Map<string, Tracked>();
  /** By network and MACs, for how many more scans they are cards of one host. */
  readonly #cards = new Map<string, number>();

  /** Records the address conflicts in a scan. */
  recordScan(scan: NetworkScan): void {
    const { cidr } = scan.network;
    for (const [key, scans] of this.#cards) {
      if (key.startsWith(`${cidr} `) && scans > 0) this.#cards.set(key, scans - 1);
      else if (scans === 0) this.#cards.delete(key);
    }
    const nameOf = (macs: readonly string[]) => `${cidr} ${[...macs].sort().join()}`;
    for (const macs of cardsOfHosts(scan.evidence).values()) this.#cards.set(nameOf(macs), CARDS_FOR_SCANS);
    // A claim on the gateway's address is always reported.
    const found = claimedTwice(scan).filter(
      ({ kind, claims }) => kind === 'gateway' || !this.#cards.has(nameOf([...claims.keys()])),
    );
    this.record(cidr, ['address', 'gateway'], found);
  }

  /** Conflicts reported before a restart hold until scans contradict them. */
  resume(network: string, mac: string, { kind, ip, others }: Conflict): void {
    const key = keyOf(network, kind, ip);
    const tracked = this.#tracked.get(key) ?? { network, kind, claims: new Map(), isSet: true, contrary: 0 };
    this.#tracked.set(key, tracked);
    tracked.claims.set(mac, ip);
    for (const other of others) if (!tracked.claims.has(other)) tracked.claims.set(other, ip);
  }

  /** Records the conflicts of these kinds found by a scan. */
  record(network: string, kinds: readonly Kind[], found: readonly Claimants[]): void {
    const now = new Map(
      found.slice(0, MAX_CONFLICTS).map((each) => [keyOf(network, each.kind, each.claims.values().next().value), each]),
    );
    for (const [key, { kind, claims }] of now) {
      const tracked = this.#tracked.get(key) ?? { network, kind, claims: new Map(), isSet: false, contrary: 0 };
      this.#tracked.set(key, tracked);
      for (const [mac, ip] of claims) if (tracked.claims.size < MAX_CLAIMANTS) tracked.claims.set(mac, ip);
      if (tracked.isSet) tracked.contrary = 0;
      else if (++tracked.contrary >= BEGINS_AFTER) Object.assign(tracked, { isSet: true, contrary: 0 });
    }
    for (const [key, tracked] of this.#tracked) {
      if (now.has(key) || tracked.network !== network || !kinds.includes(tracked.kind)) continue;
      if (!tracked.isSet || ++tracked.contrary >= ENDS_AFTER) this.#tracked.delete(key);
    }
  }

  /** Where there is proxy ARP, conflicts mean nothing. */
  forget(network: string): void {
    for (const [key, tracked] of this.#tracked) if (tracked.network === network) this.#tracked.delete(key);
  }

  /** The worst conflict of each device that has one. */
  byDevice(): Map<string, Conflict> {
    const conflicts = new Map<string, Conflict>();
    const set = [...this.#tracked.values()].filter(({ isSet }) => isSet);
    for (const { kind, claims } of set.sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))) {
      for (const [mac, ip] of claims) {
        const others = [...claims.keys()].filter((other) => other !== mac).sort();
        const former = conflicts.get(mac);
        const isLower = former?.kind === kind && sortIps([former.ip, ip])[0] === ip;
        if (others.length > 0 && (former === undefined || isLower)) conflicts.set(mac, { kind, ip, others });
      }
    }
    return conflicts;
  }
}

/** A network has one DHCP conflict, whatever the servers' addresses. */
function keyOf(network: string, kind: Kind, ip = ''): string {
  return kind === 'dhcp' ? `${network} dhcp` : `${network} ${kind} ${ip}`;
}

/** Addresses for which several devices answered in a scan. */
function claimedTwice({ network, evidence }: NetworkScan): Claimants[] {
  // This host does not answer its own ARP requests, but has its address all the same.
  const claims = evidence.filter(({ mac, ip, fresh }) => fresh || (mac === network.mac && ip === network.address));
  const byIp = multimap(claims.flatMap(({ ip, mac }) => (ip.includes(':') ? [] : [[ip, mac] as const])));
  return [...byIp].flatMap(([ip, macs]) => {
    const kind: Kind = ip === network.gateway ? 'gateway' : 'address';
    return macs.size < 2 ? [] : [{ kind, claims: new Map([...macs].sort().map((mac) => [mac, ip])) }];
  });
}

/** The DHCP servers of a network, if there are several. Those without a MAC cannot be attributed. */
export function claimedDhcp(servers: readonly { ip: string; mac: string | undefined }[]): Claimants[] {
  const claims = new Map<string, string>();
  for (const { ip, mac } of servers) if (mac !== undefined && !claims.has(mac)) claims.set(mac, ip);
  return claims.size < 2 ? [] : [{ kind: 'dhcp', claims }];
}
