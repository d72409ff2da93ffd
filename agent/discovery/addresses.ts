/** Determines the addresses of devices from the evidence of scans. */
import { MAX_ADDRESSES } from '../../shared/agent/discovery.ts';
import { parseIp } from '../../shared/network.ts';
import { HOUR_MS } from '../../shared/time.ts';
import { type Evidence, isLinkLocal, multimap } from './evidence.ts';
import type { NetworkScan } from './scan.ts';

/** A sign that a device has an address. */
interface Claim extends Evidence {
  network: string;
}

export interface Claims {
  /** In CIDR notation. */
  networks: Set<string>;
  claims: Claim[];
  /** Whether another device has just answered for an address, and this one has not. */
  isOthers(ip: string): boolean;
  /** Whether an address belongs to another card of the same host, which answers for all its addresses by each card. */
  isOfOtherCard(ip: string): boolean;
}

/** The address of a network's gateway, and whether a device is that gateway. */
export interface GatewayRole {
  ip: string;
  isGateway: boolean;
}

/** The role of a device in the networks that have a gateway. @param gateways the routers of each network */
export function rolesOf(
  mac: string,
  scans: readonly NetworkScan[],
  gateways: ReadonlyMap<string, readonly string[]>,
): GatewayRole[] {
  return scans.flatMap(({ network: { cidr, gateway } }) => {
    const routers = gateways.get(cidr) ?? [];
    return gateway === null || routers.length === 0 ? [] : [{ ip: gateway, isGateway: routers.includes(mac) }];
  });
}

/** An address of a device, and when it was last seen there. */
interface SeenAddress {
  ip: string;
  at: number;
}

/**
 * The addresses at which each device was seen. Fresh evidence for an address outweighs what the kernel remembers of another
 * device there.
 * @param ipOf the present main address of a device
 */
export function claimsOf(scans: readonly NetworkScan[], ipOf: (mac: string) => string | null | undefined) {
  const claims = scans.flatMap(({ network, evidence }) =>
    evidence.map((each): Claim => ({ ...each, network: network.cidr })),
  );
  const answered = multimap(claims.flatMap(({ ip, mac, fresh }) => (fresh ? [[ip, mac] as const] : [])));
  const byDevice = new Map<string, Claims>();
  const cards = cardsOfHosts(claims);
  for (const claim of claims) {
    const isOthers = (ip: string) => answered.has(ip) && answered.get(ip)?.has(claim.mac) === false;
    const isOfOtherCard = (ip: string) =>
      cards.get(claim.mac)?.some((card) => card !== claim.mac && ipOf(card) === ip) === true;
    const of = byDevice.get(claim.mac) ?? { networks: new Set(), claims: [], isOthers, isOfOtherCard };
    byDevice.set(claim.mac, of);
    // Even at another device's address it is a sign of this one.
    of.networks.add(claim.network);
    if (!isOthers(claim.ip)) of.claims.push(claim);
  }
  return byDevice;
}

/**
 * Detects the cards of one host: by each of them it answers for all of its addresses, as Linux does.
 * @returns the MACs of each such host, by each of them
 */
export function cardsOfHosts(evidence: readonly Evidence[]): Map<string, readonly string[]> {
  const fresh = evidence.filter((each) => each.fresh && !each.ip.includes(':'));
  const ipsOf = multimap(fresh.map(({ mac, ip }) => [mac, ip]));
  const hosts = new Map<string, string[]>();
  for (const [mac, ips] of ipsOf) {
    const all = sortIps(ips).join();
    if (ips.size > 1) hosts.set(all, [...(hosts.get(all) ?? []), mac]);
  }
  const cards = [...hosts].flatMap(([ips, macs]) =>
    macs.length > 1 && macs.length <= ips.split(',').length ? [macs] : [],
  );
  return new Map(cards.flatMap((macs) => macs.map((mac) => [mac, macs] as const)));
}

/** The claims of a single sign. */
export function claimOf(mac: string, ip: string | null, network: string): Claims {
  const claims = ip === null ? [] : [{ mac, ip, network, fresh: true }];
  return { networks: new Set([network]), claims, isOthers: () => false, isOfOtherCard: () => false };
}

/** Fresh evidence only: the kernel may remember the LAN where the host was before. */
export function answersOf(scan: NetworkScan): NetworkScan {
  return { ...scan, evidence: scan.evidence.filter(({ mac, fresh }) => fresh || mac === scan.network.mac) };
}

/** The devices of which scans found a sign. */
export function seenIn(scans: readonly NetworkScan[]): Set<string> {
  return new Set(scans.flatMap(({ evidence }) => evidence.map(({ mac }) => mac)));
}

/** The network and addresses of a device, by the present and the former evidence. */
export function placeOf(
  former: { network: string; ip: string | null; addresses: readonly SeenAddress[] } | undefined,
  seen: Claims,
  roles: readonly GatewayRole[],
  at: number,
): { network: string; ip: string | null; addresses: SeenAddress[] } {
  const [first = ''] = seen.networks;
  const network = former !== undefined && seen.networks.has(former.network) ? former.network : first;
  const ip = addressOf(former?.ip ?? null, seen, roles);
  return { network, ip, addresses: seenAddresses(former?.addresses ?? [], seen, ip, at) };
}

/**
 * The main address of a device: the gateway's for the gateway, and never for another device that answers there and has an
 * address of its own.
 */
function addressOf(former: string | null, seen: Claims, roles: readonly GatewayRole[]): string | null {
  const own = roles.find(({ ip, isGateway }) => isGateway && seen.claims.some((claim) => claim.ip === ip));
  if (own !== undefined) return own.ip;
  const isForeign = (ip: string) => roles.some((role) => role.ip === ip && !role.isGateway);
  const isElsewhere = (ip: string) => isForeign(ip) || seen.isOfOtherCard(ip);
  const claims = seen.claims.filter(({ ip }) => !isElsewhere(ip));
  const isKept = former !== null && !seen.isOthers(former) && !isElsewhere(former);
  return chooseIp(isKept ? former : null, claims.length > 0 ? claims : seen.claims);
}

/**
 * Of all addresses of a device: the former as long as it is seen there, else the lowest fresh one, IPv4 before IPv6. A router
 * may answer for other devices, whose addresses must not replace its own. A device seen only by IPv6 keeps its IPv4 address:
 * one lost packet must not change it.
 */
function chooseIp(former: string | null, claims: readonly Claim[]): string | null {
  const ips = (choose: (claim: Claim) => boolean) => sortIps(claims.filter(choose).map(({ ip }) => ip));
  const isIpv4 = ({ ip }: Claim) => !ip.includes(':');
  const answered = ips((claim) => isIpv4(claim) && claim.fresh);
  const ipv4 = answered.length > 0 ? answered : ips(isIpv4);
  if (ipv4.length > 0) return former !== null && ipv4.includes(former) ? former : (ipv4[0] ?? null);
  if (former !== null && !former.includes(':')) return former;
  const routable = ips((claim) => !isLinkLocal(claim.ip));
  // Nor must a lost packet, or an interface without an address, replace it by a link-local one.
  if (routable.length === 0 && former !== null && !isLinkLocal(former)) return former;
  const ipv6 = routable.length > 0 ? routable : ips(() => true);
  return former !== null && ipv6.includes(former) ? former : (ipv6[0] ?? former);
}

/** All addresses of a device, lowest first: those seen within the hour, so that a lost packet drops none, and `ip` always. */
function seenAddresses(
  former: readonly SeenAddress[],
  { claims, isOthers }: Pick<Claims, 'claims' | 'isOthers'>,
  ip: string | null,
  at: number,
): SeenAddress[] {
  const isOne = claims.length === 1 && former.length <= 1 && claims[0]?.ip === ip;
  if (isOne && (former.length === 0 || former[0]?.ip === ip)) return [{ ip, at }]; // The usual case.
  const kept = former.filter((each) => !isOthers(each.ip) && (each.ip === ip || Math.abs(at - each.at) < HOUR_MS));
  const all = new Map(kept.map((each) => [each.ip, each.at]));
  for (const claim of claims) all.set(claim.ip, at);
  if (ip !== null && !all.has(ip)) all.set(ip, at);
  const sorted = sortIps(all.keys());
  const others = sorted.filter((each) => each !== ip).slice(0, ip === null ? MAX_ADDRESSES : MAX_ADDRESSES - 1);
  const reported = new Set([...others, ip]);
  return sorted.filter((each) => reported.has(each)).map((each) => ({ ip: each, at: all.get(each) ?? at }));
}

/** IPv4 before IPv6, each from the lowest to the highest. */
export function sortIps(ips: Iterable<string>): string[] {
  const all = [...new Set(ips)];
  if (all.length < 2) return all;
  const keyed = all.map((ip) => ({ ip, ...(parseIp(ip) ?? { family: 6, value: 0n }) }));
  keyed.sort((a, b) => a.family - b.family || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0));
  return keyed.map(({ ip }) => ip);
}
