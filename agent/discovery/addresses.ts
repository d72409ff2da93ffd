/** Which addresses devices have, by what looks have found. */
import { MAX_ADDRESSES } from '../../shared/agent/discovery.ts';
import { parseIp } from '../../shared/network.ts';
import type { Evidence } from './evidence.ts';
import type { NetworkScan } from './scan.ts';

/** That a device has an address, as a look has it. */
interface Claim extends Evidence {
  network: string;
}

export interface Claims {
  /** Where it was seen. */
  networks: Set<string>;
  /** Its addresses. */
  claims: Claim[];
  /** Whether another device has just answered for an address, and this one has not. */
  isOthers(ip: string): boolean;
  /** Whether an address stands for another card of the same host, which answers for all of them by each card. */
  isOfOtherCard(ip: string): boolean;
}

/** The address of a network's gateway, and whether a device is that gateway. */
export interface GatewayRole {
  ip: string;
  isGateway: boolean;
}

/** What a device is to the networks that have a gateway. @param gateways the routers of each network */
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

/** An address by which a device was seen, and when it last was. */
interface SeenAddress {
  ip: string;
  at: number;
}

/** How long an address is kept by which a device is no longer seen: a lost packet must not change what is told. */
const KEPT_MS = 60 * 60_000;

/**
 * The addresses at which each device was seen. Where a device has just answered for an address, what the kernel remembers
 * of another one there no longer holds.
 * @param ipOf the address that stands for a device now
 */
export function claimsOf(
  scans: readonly NetworkScan[],
  ipOf: (mac: string) => string | null | undefined,
): Map<string, Claims> {
  const claims = scans.flatMap(({ network, evidence }) =>
    evidence.map((each): Claim => ({ ...each, network: network.cidr })),
  );
  const answered = new Map<string, Set<string>>();
  for (const { ip, mac, fresh } of claims) {
    if (fresh) answered.set(ip, (answered.get(ip) ?? new Set()).add(mac));
  }
  const byDevice = new Map<string, Claims>();
  const cards = cardsOfHosts(claims);
  for (const claim of claims) {
    const isOthers = (ip: string) => answered.has(ip) && answered.get(ip)?.has(claim.mac) === false;
    const isOfOtherCard = (ip: string) =>
      cards.get(claim.mac)?.some((card) => card !== claim.mac && ipOf(card) === ip) === true;
    const of = byDevice.get(claim.mac) ?? { networks: new Set(), claims: [], isOthers, isOfOtherCard };
    byDevice.set(claim.mac, of);
    // It is a sign of the device all the same, if not of its address.
    of.networks.add(claim.network);
    if (!isOthers(claim.ip)) of.claims.push(claim);
  }
  return byDevice;
}

/**
 * Cards of one host: by each of them it answers for all of its addresses, as Linux does.
 * @returns the MACs of each such host, by each of them
 */
export function cardsOfHosts(evidence: readonly Evidence[]): Map<string, readonly string[]> {
  const ipsOf = new Map<string, Set<string>>();
  for (const { mac, ip, fresh } of evidence) {
    if (fresh && !ip.includes(':')) ipsOf.set(mac, (ipsOf.get(mac) ?? new Set()).add(ip));
  }
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

/** What one sign of a device claims, beside which there is no other. */
export function claimOf(mac: string, ip: string | null, network: string): Claims {
  const claims = ip === null ? [] : [{ mac, ip, network, fresh: true }];
  return { networks: new Set([network]), claims, isOthers: () => false, isOfOtherCard: () => false };
}

/** Without what the kernel remembers: it may be of the LAN where the host was before. */
export function answersOf(scan: NetworkScan): NetworkScan {
  return { ...scan, evidence: scan.evidence.filter(({ mac, fresh }) => fresh || mac === scan.network.mac) };
}

/** The devices of which scans have found a sign. */
export function seenIn(scans: readonly NetworkScan[]): Set<string> {
  return new Set(scans.flatMap(({ evidence }) => evidence.map(({ mac }) => mac)));
}

/** Where a device is, by what was seen of it and where it was before. */
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
 * The address that stands for a device: the gateway's for the gateway, and for nobody else who answers there and has
 * another one.
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
 * Of all addresses of a device, the one before as long as the device is seen there, else the lowest that has just
 * answered, IPv4 before IPv6. A router may answer for the addresses of others, and they must not take the place of its
 * own. A device that was seen by IPv6 alone keeps its IPv4 address: one lost packet must not change it.
 */
function chooseIp(former: string | null, claims: readonly Claim[]): string | null {
  const ips = (choose: (claim: Claim) => boolean) => sortIps(claims.filter(choose).map(({ ip }) => ip));
  const isIpv4 = ({ ip }: Claim) => !ip.includes(':');
  const answered = ips((claim) => isIpv4(claim) && claim.fresh);
  const ipv4 = answered.length > 0 ? answered : ips(isIpv4);
  if (ipv4.length > 0) return former !== null && ipv4.includes(former) ? former : (ipv4[0] ?? null);
  if (former !== null && !former.includes(':')) return former;
  const routable = ips((claim) => !isLinkLocal(claim.ip));
  // Nor must a lost packet, or an interface that has lost its address, change an address to a link-local one.
  if (routable.length === 0 && former !== null && !isLinkLocal(former)) return former;
  const ipv6 = routable.length > 0 ? routable : ips(() => true);
  return former !== null && ipv6.includes(former) ? former : (ipv6[0] ?? former);
}

/** All addresses of a device, lowest first: those by which it was seen within the hour, `ip` always among them. */
function seenAddresses(
  former: readonly SeenAddress[],
  { claims, isOthers }: Pick<Claims, 'claims' | 'isOthers'>,
  ip: string | null,
  at: number,
): SeenAddress[] {
  const isOne = claims.length === 1 && former.length <= 1 && claims[0]?.ip === ip;
  if (isOne && (former.length === 0 || former[0]?.ip === ip)) return [{ ip, at }]; // As it is for nearly all.
  const kept = former.filter((each) => !isOthers(each.ip) && (each.ip === ip || Math.abs(at - each.at) < KEPT_MS));
  const all = new Map(kept.map((each) => [each.ip, each.at]));
  for (const claim of claims) all.set(claim.ip, at);
  if (ip !== null && !all.has(ip)) all.set(ip, at);
  const sorted = sortIps(all.keys());
  const others = sorted.filter((each) => each !== ip).slice(0, ip === null ? MAX_ADDRESSES : MAX_ADDRESSES - 1);
  const told = new Set([...others, ip]);
  return sorted.filter((each) => told.has(each)).map((each) => ({ ip: each, at: all.get(each) ?? at }));
}

/** IPv4 before IPv6, each from the lowest to the highest. */
export function sortIps(ips: Iterable<string>): string[] {
  const all = [...new Set(ips)];
  if (all.length < 2) return all;
  const keyed = all.map((ip) => ({ ip, ...(parseIp(ip) ?? { family: 6, value: 0n }) }));
  keyed.sort((a, b) => a.family - b.family || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0));
  return keyed.map(({ ip }) => ip);
}

function isLinkLocal(ip: string): boolean {
  return /^fe[89ab]/.test(ip);
}
