/** One cycle of discovery: look, tell, find names, look again for those who are missing, and apply the rule of presence. */

import type { DhcpServerSearch } from './dhcp-servers.ts';
import type { ScanContext } from './evidence.ts';
import type { KnownDevices } from './known-devices.ts';
import type { StrangeNetwork, Surroundings } from './known-networks.ts';
import type { Missing } from './missing.ts';
import { nameServersOf, ownNameServers } from './name-servers.ts';
import { findNames } from './names.ts';
import { type Method, type NetworkScan, rescanMissing, scanNetworks } from './scan.ts';
import { isIn, type WatchedNetwork } from './watched-networks.ts';

/** Somebody who finds out more about the devices of a LAN. */
export interface Observer {
  /**
   * Begins to look, if that is due, and resolves at its end. It never fails, and may go on after the cycle until the signal
   * of the context ends it. What it hears goes to `known.recordHeard`.
   * @param networks those that are not the networks of somebody else
   */
  look(
    context: ScanContext,
    known: KnownDevices,
    networks: readonly WatchedNetwork[],
    now: () => number,
  ): Promise<void>;
}

export interface CycleOptions extends ScanContext {
  networks: readonly WatchedNetwork[];
  rawSockets: boolean;
  now(): number;
  /** From the start of one cycle to the start of the next. */
  intervalMs: number;
  surroundings?: Surroundings;
  /** Called as soon as there is something to tell: after the look, while names are found, and at the end. */
  onChanges(): Promise<void>;
  /** Where DHCP servers are looked for as well. It needs raw sockets. */
  dhcpServers?: DhcpServerSearch;
  /** Who looks while names are found. */
  observers?: readonly Observer[];
  /** Asks for names; the real one, unless a test has another. */
  findNames?: typeof findNames;
}

export interface CycleReport {
  /** The ways in which the networks were asked. */
  methods: Set<Method>;
  /** What went wrong, by network. */
  failures: { network: string; failure: string }[];
  /** How many devices were seen in each network. */
  seen: { network: string; devices: number }[];
  /** Networks in which who was not seen was counted as missed. */
  valid: Set<string>;
  /** Networks that seem to be those of somebody else: nothing of them counts. */
  strange: readonly StrangeNetwork[];
}

/** A name is looked for again when an hour has passed. */
const NAMES_EVERY_MS = 60 * 60_000;
/** A cycle hardly takes longer than this. */
const CYCLE_WITHIN_MS = 60_000;
/** Of a cycle. Who has not had its turn by then is asked in the next one. */
const NAMES_WITHIN_MS = 20_000;
/** Of a cycle. Who observes for longer goes on beside it. */
const OBSERVERS_WITHIN_MS = 5_000;
/** Names that were found are told together this often, because what is known is written down each time. */
const TELL_NAMES_EVERY_MS = 2_000;

export async function runCycle(known: KnownDevices, options: CycleOptions): Promise<CycleReport> {
  const { networks, rawSockets, signal, now } = options;
  const tell = async () => {
    if (known.commit() > 0) await options.onChanges();
  };
  const scans = await scanNetworks(options, networks, rawSockets);
  const valid = known.recordScans(scans, now(), options.surroundings);
  const { strange } = known;
  const own = scans.filter(({ network }) => !known.isStrange(network.cidr));
  if (!signal.aborted) {
    await tell();
    const dhcpServers = rawSockets ? options.dhcpServers?.look(options, own, now()) : undefined;
    const observed = observe(known, options);
    await Promise.all([nameDevices(known, options, tell), dhcpServers, observed]);
    const again = await lookForMissing(known.missing(scans, valid), scans, options);
    // A cycle that was cut short has missed nobody.
    const blindAfterMs = 3 * options.intervalMs + CYCLE_WITHIN_MS;
    if (!signal.aborted) known.countMisses(scans, valid, again, now(), blindAfterMs);
  }
  await tell();
  return {
    valid,
    strange,
    seen: own.map(({ network, evidence }) => ({
      network: network.cidr,
      devices: new Set(evidence.map(({ mac }) => mac)).size,
    })),
    methods: new Set(scans.flatMap(({ method }) => method ?? [])),
    failures: scans.flatMap(({ network, failure }) => (failure === null ? [] : [{ network: network.cidr, failure }])),
  };
}

async function observe(
  known: KnownDevices,
  { run, signal, networks, now, observers = [] }: CycleOptions,
): Promise<void> {
  if (observers.length === 0) return;
  const own = networks.filter(({ cidr }) => !known.isStrange(cidr));
  let pause: NodeJS.Timeout | undefined;
  const enough = new Promise((resolve) => {
    pause = setTimeout(resolve, OBSERVERS_WITHIN_MS);
  });
  await Promise.race([Promise.all(observers.map((each) => each.look({ run, signal }, known, own, now))), enough]);
  clearTimeout(pause);
}

/** @param tell tells what has been found so far */
async function nameDevices(known: KnownDevices, options: CycleOptions, tell: () => Promise<void>): Promise<void> {
  const { networks, signal, now } = options;
  const due = known.unnamed(now(), NAMES_EVERY_MS).flatMap((device) => {
    const network =
      networks.find(({ range }) => isIn(device.ip, range)) ?? networks.find(({ cidr }) => cidr === device.network);
    const isWatched = network !== undefined && (device.ip.includes(':') || isIn(device.ip, network.range));
    return isWatched ? [{ ...device, network }] : [];
  });
  if (due.length === 0) return;
  const byIp = new Map<string, { macs: string[]; network: WatchedNetwork }>();
  for (const { ip, mac, network } of due) byIp.set(ip, { network, macs: [...(byIp.get(ip)?.macs ?? []), mac] });
  const own = await ownNameServers();
  const questions = [...byIp].map(([ip, { network }]) => ({ ip, servers: nameServersOf(network, own, networks) }));
  const within = AbortSignal.any([signal, AbortSignal.timeout(NAMES_WITHIN_MS)]);
  let isOver = false;
  const finding = (options.findNames ?? findNames)(questions, within, (ip, found) => {
    for (const mac of byIp.get(ip)?.macs ?? []) known.recordName(mac, ip, found, now());
  }).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const pause = new Promise((resolve) => setTimeout(resolve, TELL_NAMES_EVERY_MS).unref());
    await Promise.race([finding, pause]);
    await tell();
  }
}

/** @returns who was found, by network; networks in which the second look did not work are missing */
async function lookForMissing(
  missing: readonly Missing[],
  scans: readonly NetworkScan[],
  options: CycleOptions,
): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  for (const { network, evidence, startedAt } of scans) {
    const addresses = missing.filter((each) => each.network === network.cidr).map(({ ip }) => ip);
    const witness = witnessIn(network, evidence);
    if (addresses.length === 0 || witness === null || options.signal.aborted) continue;
    const seen = await rescanMissing(options, network, [...new Set(addresses)], witness, options.rawSockets, startedAt);
    if (seen !== null) found.set(network.cidr, new Set(seen.map(({ mac }) => mac)));
  }
  return found;
}

/** Where somebody has just answered: the gateway, or anybody. */
function witnessIn({ gateway, mac }: WatchedNetwork, evidence: NetworkScan['evidence']): string | null {
  const answered = evidence.filter((each) => each.fresh && each.mac !== mac && !each.ip.includes(':'));
  return (answered.find(({ ip }) => ip === gateway) ?? answered[0])?.ip ?? null;
}
