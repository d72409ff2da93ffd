/** One cycle of discovery: scan, report, look up names, rescan for missing devices, and apply the rule of presence. */

import { HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import type { DhcpServerSearch } from './dhcp-servers.ts';
import { pause, type ScanContext } from './evidence.ts';
import type { KnownDevices } from './known-devices.ts';
import type { ForeignNetwork, Surroundings } from './known-networks.ts';
import type { Missing } from './missing.ts';
import { nameServersOf, ownNameServers } from './name-servers.ts';
import { findNames } from './names.ts';
import { type Method, type NetworkScan, rescanMissing, scanNetworks } from './scan.ts';
import { isIn, type WatchedNetwork } from './watched-networks.ts';

export interface ObserverContext extends ScanContext {
  known: KnownDevices;
  /** The watched networks without foreign ones. */
  networks: readonly WatchedNetwork[];
  now(): number;
}

/** Finds out more about the devices of a LAN. */
export interface Observer {
  /** Resolves when all that is due has ended, maybe after the cycle. Never fails. Calls `known.recordObservations`. */
  observe(context: ObserverContext): Promise<void>;
}

export interface CycleOptions extends ScanContext {
  networks: readonly WatchedNetwork[];
  rawSockets: boolean;
  now(): number;
  /** From the start of one cycle to the start of the next. */
  intervalMs: number;
  surroundings?: Surroundings;
  /** Called as soon as there are changes to report: after the scan, during the name lookups, and at the end. */
  onChanges(): Promise<void>;
  /** Searches for DHCP servers, with raw sockets only. */
  dhcpServers?: DhcpServerSearch;
  /** Run during the name lookups. */
  observers?: readonly Observer[];
  /** A stub in tests. */
  findNames?: typeof findNames;
}

export interface CycleReport {
  methods: Set<Method>;
  failures: { network: string; failure: string }[];
  /** How many devices were seen in each network. */
  seen: { network: string; devices: number }[];
  /** Networks in which the devices that were not found count as missed. */
  valid: Set<string>;
  /** Foreign networks: nothing in them counts. */
  foreign: readonly ForeignNetwork[];
}

export async function runCycle(known: KnownDevices, options: CycleOptions): Promise<CycleReport> {
  const { networks, rawSockets, signal, now } = options;
  const report = async () => {
    if (known.commit() > 0) await options.onChanges();
  };
  const scans = await scanNetworks(options, networks, rawSockets);
  const valid = known.recordScans(scans, now(), options.surroundings);
  const { foreign } = known;
  const own = scans.filter(({ network }) => !known.isForeign(network.cidr));
  if (!signal.aborted) {
    await report();
    const dhcpServers = rawSockets ? options.dhcpServers?.search(options, own, now()) : undefined;
    await Promise.all([observe(known, options), nameDevices(known, options, report), dhcpServers]);
    const again = await rescanFor(known.missing(scans, valid), scans, options);
    // A cycle hardly takes longer than a minute; one that was cut short misses no device.
    const blindAfterMs = 3 * options.intervalMs + MINUTE_MS;
    if (!signal.aborted) known.countMisses(scans, valid, again, now(), blindAfterMs);
  }
  await report();
  return {
    valid,
    foreign,
    seen: own.map(({ network, evidence }) => ({
      network: network.cidr,
      devices: new Set(evidence.map(({ mac }) => mac)).size,
    })),
    methods: new Set(scans.flatMap(({ method }) => method ?? [])),
    failures: scans.flatMap(({ network, failure }) => (failure === null ? [] : [{ network: network.cidr, failure }])),
  };
}

async function observe(known: KnownDevices, { run, signal, networks, now, observers = [] }: CycleOptions) {
  const context = { run, signal, known, networks: networks.filter(({ cidr }) => !known.isForeign(cidr)), now };
  const ended = new AbortController();
  const all = Promise.all(observers.map((each) => each.observe(context))).finally(() => ended.abort());
  await Promise.race([all, pause(5_000, ended.signal)]); // Later ones go on beside the cycle.
}

/** @param report reports the names found so far */
async function nameDevices(known: KnownDevices, options: CycleOptions, report: () => Promise<void>): Promise<void> {
  const { networks, signal, now } = options;
  const due = known.unnamed(now(), HOUR_MS).flatMap((device) => {
    const network =
      networks.find(({ range }) => isIn(device.ip, range)) ?? networks.find(({ cidr }) => cidr === device.network);
    const isWatched = network !== undefined && (device.ip.includes(':') || isIn(device.ip, network.range));
    return isWatched ? [{ ...device, network }] : [];
  });
  if (due.length === 0) return;
  const byIp = new Map<string, { macs: string[]; network: WatchedNetwork }>();
  for (const { ip, mac, network } of due) byIp.set(ip, { network, macs: [...(byIp.get(ip)?.macs ?? []), mac] });
  const own = await ownNameServers();
  const queries = [...byIp].map(([ip, { network }]) => ({ ip, servers: nameServersOf(network, own, networks) }));
  // The next cycle queries those that are left.
  const within = AbortSignal.any([signal, AbortSignal.timeout(20_000)]);
  let isOver = false;
  const finding = (options.findNames ?? findNames)(queries, within, (ip, found) => {
    for (const mac of byIp.get(ip)?.macs ?? []) known.recordName(mac, ip, found, now());
  }).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await Promise.race([finding, pause(2_000)]); // Names found are reported together: each report writes the known devices.
    await report();
  }
}

/** @returns the devices found, by network, without networks in which the rescan did not work */
async function rescanFor(missing: readonly Missing[], scans: readonly NetworkScan[], options: CycleOptions) {
  const found = new Map<string, Set<string>>();
  for (const { network, evidence, startedAt } of scans) {
    const addresses = missing.filter((each) => each.network === network.cidr).map(({ ip }) => ip);
    const witness = witnessIn(network, evidence);
    if (addresses.length === 0 || witness === null || options.signal.aborted) continue;
    const seen = await rescanMissing({ ...options, network, startedAt }, [...new Set(addresses)], witness);
    if (seen !== null) found.set(network.cidr, new Set(seen.map(({ mac }) => mac)));
  }
  return found;
}

/** An address that has just answered, the gateway's if possible. */
function witnessIn({ gateway, mac }: WatchedNetwork, evidence: NetworkScan['evidence']): string | null {
  const answered = evidence.filter((each) => each.fresh && each.mac !== mac && !each.ip.includes(':'));
  return (answered.find(({ ip }) => ip === gateway) ?? answered[0])?.ip ?? null;
}
