/** Which networks discovery watches: what the site wants, the policy of this host allows, and the host is attached to. */
import * as z from 'zod';
import type { DiscoverySettings } from '../../shared/agent/discovery.ts';
import {
  formatIp,
  formatRange,
  type IpRange,
  parseIp,
  parseMac,
  parseRange,
  range,
  rangeSize,
  rangesOverlap,
  rangeWithin,
  withoutHostBits,
} from '../../shared/network.ts';
import { jsonItems, listOf } from '../host/json-items.ts';
import { PLATFORM } from '../host/platform.ts';
import type { RunProcess } from '../host/run-process.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import type { DiscoveryRules } from '../jobs/policy.ts';
import { outputOf } from '../tools/exit.ts';
import { isLocal } from '../tools/target-policy.ts';

/** A network interface with an address in an IPv4 network; one with several addresses appears several times. */
export interface Link {
  interface: string;
  /** In the form `AA:BB:CC:DD:EE:FF`. */
  mac: string;
  /** The host's own address in the network. */
  address: string;
  network: IpRange;
  /** An IPv6 address of the interface that is not link-local, if it has one. */
  ipv6: string | null;
  /** The router to other networks, if it is in this network. */
  gateway: string | null;
  /** Whether it connects only containers, virtual machines or tunnels of this host. */
  virtual: boolean;
}

/** A watched network, or the watched part of one. */
export interface WatchedNetwork extends Omit<Link, 'network' | 'virtual'> {
  range: IpRange;
  /** The range in CIDR notation. */
  cidr: string;
}

const MAX_BYTES = 8_000_000;

/** The interfaces that are up, with a carrier and an IPv4 address. @throws {ToolFailure} where they cannot be read */
export async function readLinks(run: RunProcess, signal: AbortSignal, platform = PLATFORM): Promise<Link[]> {
  if (platform === 'macos') throw new ToolFailure('tool_failed', 'discovery does not work on macOS');
  const [addresses, routes] = await Promise.all([
    runIp(run, ['-json', '-details', 'addr'], signal),
    runIp(run, ['-json', '-4', 'route', 'show', 'default'], signal),
  ]);
  return parseLinks(addresses, routes);
}

/** @throws {ToolFailure} when `ip` fails */
export async function runIp(run: RunProcess, args: readonly string[], signal: AbortSignal): Promise<string> {
  return outputOf(run, 'ip', args, { timeoutMs: 5_000, maxBytes: MAX_BYTES, signal });
}

const Entry = z.looseObject({
  ifname: z.string().min(1).max(15),
  flags: listOf(z.string()),
  operstate: z.string().catch('UNKNOWN'),
  link_type: z.string().catch(''),
  address: z.string().catch(''),
  master: z.string().optional().catch(undefined),
  linkinfo: z.looseObject({ info_kind: z.string().optional() }).optional().catch(undefined),
  addr_info: listOf(z.looseObject({ local: z.string(), prefixlen: z.int() })),
});
type Entry = z.infer<typeof Entry>;
const Route = z.looseObject({ gateway: z.string().optional(), dev: z.string().optional() });

/** Interfaces of these kinds lead to no LAN. Those of physical cards have no kind. */
const VIRTUAL_KINDS = new Set('dummy ifb tun vrf vxlan geneve gretap ip6gretap erspan wireguard'.split(' '));
/** The host's ends of links to containers and virtual machines. */
const GUEST_KINDS = new Set([...VIRTUAL_KINDS, 'veth']);

/** From the output of `ip -json -details addr` and `ip -json -4 route show default`. */
export function parseLinks(addresses: string, routes: string): Link[] {
  const entries = listOf(Entry).parse(itemsOf(addresses));
  const gateways = listOf(Route).parse(itemsOf(routes));
  return entries.filter(isConnected).flatMap((entry) => linksOf(entry, entries, gateways));
}

/** Some versions of ip print nothing instead of an empty list. */
function itemsOf(text: string): unknown[] {
  const items = jsonItems(text);
  if (items.length === 0 && !/^(?:\[\s*\])?$/.test(text.trim()))
    throw new ToolFailure('tool_failed', 'The answer of ip could not be read');
  return items;
}

function isConnected({ flags, operstate, link_type: type }: Entry): boolean {
  const has = (flag: string) => flags.includes(flag);
  return type === 'ether' && has('UP') && has('LOWER_UP') && !has('NOARP') && operstate !== 'DOWN';
}

/** One for each IPv4 network of an interface. */
function linksOf(entry: Entry, all: readonly Entry[], routes: readonly z.infer<typeof Route>[]): Link[] {
  const mac = parseMac(entry.address);
  if (mac === null) return [];
  const own = entry.addr_info.flatMap(({ local, prefixlen }) => parseRange(`${local}/${prefixlen}`) ?? []);
  const gateways = routes.flatMap(({ gateway, dev }) => (dev === entry.ifname ? (gateway ?? []) : []));
  const ipv6 = own.find(({ address }) => address.family === 6 && !rangeWithin({ address, prefix: 128 }, LINK_LOCAL_V6));
  const card = { interface: entry.ifname, mac, ipv6: ipv6 === undefined ? null : formatIp(ipv6.address) };
  const virtual = isVirtual(entry, all);
  return own
    .filter(({ address, prefix }) => address.family === 4 && prefix <= 30)
    .filter((each) => !NOT_WATCHED.some((excluded) => rangeWithin(each, excluded)))
    .map((each) => {
      const network = withoutHostBits(each);
      const gateway = gateways.find((ip) => isIn(ip, network)) ?? null;
      return { ...card, address: formatIp(each.address), network, gateway, virtual };
    });
}

const LINK_LOCAL_V6 = range('fe80::/10');
const NOT_WATCHED = ['127.0.0.0/8', '169.254.0.0/16'].map(range);

export function isIn(text: string | null | undefined, network: IpRange): boolean {
  const address = parseIp(text ?? '');
  return address !== null && rangeWithin({ address, prefix: address.family === 4 ? 32 : 128 }, network);
}

/**
 * A bridge is virtual when all its ports are, as that of Docker, but not one by which a hypervisor is on its LAN. A veth with
 * an address of its own is the card of a container, and counts as real.
 */
function isVirtual({ ifname, linkinfo }: Entry, all: readonly Entry[]): boolean {
  const kind = linkinfo?.info_kind ?? '';
  if (kind !== 'bridge') return VIRTUAL_KINDS.has(kind);
  return all.filter(({ master }) => master === ifname).every((port) => GUEST_KINDS.has(port.linkinfo?.info_kind ?? ''));
}

/** The shortest prefix that is watched without being named: 1,024 addresses. */
const SHORTEST_AUTOMATIC_PREFIX = 22;

/** The networks to watch: wanted, attached and allowed. `problems`: what is not watched though expected. */
export function chooseNetworks(
  links: readonly Link[],
  wanted: DiscoverySettings['networks'],
  { networks: allowed, maxAddresses }: DiscoveryRules,
): { networks: WatchedNetwork[]; problems: string[] } {
  const problems: string[] = [];
  const attached =
    wanted === 'auto' ? automatic(links, allowed, problems) : named(links, wanted.map(range), allowed, problems);
  const networks: WatchedNetwork[] = [];
  let addresses = 0n;
  for (const network of attached) {
    // A network on two interfaces, or named twice, is scanned once.
    if (networks.some((other) => rangeWithin(network.range, other.range))) continue;
    if (addresses + rangeSize(network.range) > BigInt(maxAddresses)) {
      problems.push(`${network.cidr} is left out: the policy of this host allows ${maxAddresses} addresses in all`);
      continue;
    }
    addresses += rangeSize(network.range);
    networks.push(network);
  }
  return { networks, problems };
}

function automatic(links: readonly Link[], allowed: DiscoveryRules['networks'], problems: string[]): WatchedNetwork[] {
  return links
    .filter(({ virtual, network }) => !virtual && isLocal(network))
    .flatMap((link) => {
      const parts = allowedParts(link.network, allowed);
      if (parts.length === 0) problems.push(`${formatRange(link.network)} is not allowed by the policy of this host`);
      for (const part of parts.filter(({ prefix }) => prefix < SHORTEST_AUTOMATIC_PREFIX)) {
        problems.push(`${formatRange(part)} is too large to be watched automatically; name the parts of it to watch`);
      }
      return parts.filter(({ prefix }) => prefix >= SHORTEST_AUTOMATIC_PREFIX).map((part) => watched(link, part));
    });
}

function named(
  links: readonly Link[],
  wanted: readonly IpRange[],
  allowed: DiscoveryRules['networks'],
  problems: string[],
): WatchedNetwork[] {
  return wanted.flatMap((range) => {
    const reachable = links.filter(({ network }) => rangesOverlap(network, range));
    if (reachable.length === 0) problems.push(`this host is not attached to ${formatRange(range)}`);
    return reachable.flatMap((link) => {
      const parts = allowedParts(narrower(range, link.network), allowed);
      if (parts.length === 0) problems.push(`${formatRange(range)} is not allowed by the policy of this host`);
      return parts.map((part) => watched(link, part));
    });
  });
}

function allowedParts(range: IpRange, allowed: DiscoveryRules['networks']): IpRange[] {
  if (allowed === 'attached') return [range];
  return allowed.filter((each) => rangesOverlap(each, range)).map((each) => narrower(each, range));
}

/** The intersection of two overlapping ranges. */
function narrower(a: IpRange, b: IpRange): IpRange {
  return withoutHostBits(a.prefix >= b.prefix ? a : b);
}

function watched({ network: _, virtual: __, ...link }: Link, range: IpRange): WatchedNetwork {
  return { ...link, range, cidr: `${formatIp(range.address)}/${range.prefix}` };
}
