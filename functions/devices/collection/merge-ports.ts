/**
 * The open ports of a device, merged from the port scans that reached it, and what a scan changes of them. Pure.
 *
 * Scans may be merged in any order and more than once. For each port the newest scan that tried it decides whether it is
 * open. A scan says nothing about ports that it did not try: a fast scan of 100 ports does not remove what a longer one has
 * found beyond them. Nor does that open count as a change: a port was opened only if an earlier scan had tried it.
 *
 * A port belongs to the address at which it was found: a service on IPv4 alone is not closed because the device's IPv6
 * address refuses it. The main address is the empty text, so that its ports follow the device to its next address.
 */
import * as z from 'zod';
import { JobId } from '../../../shared/identity.ts';
import { Millis } from '../../../shared/time.ts';
import { NmapMode } from '../../../shared/tools/nmap.ts';

export const PORT_PROTOCOLS = ['tcp', 'udp', 'sctp'] as const;
export type PortProtocol = (typeof PORT_PROTOCOLS)[number];

/** Names a scan, which ended at `at` (Unix, ms), and orders it among the others of the device. */
const ScanName = z.object({ at: Millis, scan: JobId });
export type ScanName = z.infer<typeof ScanName>;

/** A port as one scan found it: `open`, or `open|filtered` where nmap cannot tell. */
const FoundPort = z.object({
  port: z.int(),
  protocol: z.enum(PORT_PROTOCOLS),
  state: z.string(),
  service: z.string().nullable(),
  product: z.string().nullable(),
  version: z.string().nullable(),
});
export type FoundPort = z.infer<typeof FoundPort>;

/** What one scan found at one address of a device. */
export interface DeviceScan extends ScanName {
  /** Empty for the main address of the device. */
  address: string;
  mode: NmapMode;
  /**
   * The ports that were tried, such as `22,80-90`: those that are not among `open` are closed. Empty when they are unknown,
   * or when it is not certain that the device was reached: then the scan shows no port to be closed.
   */
  tried: string;
  protocol: PortProtocol;
  /** Tried ports of unknown state: open ones stay open. */
  unclear: string;
  /** Each port once. */
  open: readonly FoundPort[];
}

/** Empty for the main address of the device; missing in rows from before ports had addresses. */
const Address = z.string().default('');

const OpenPort = FoundPort.extend({
  address: Address,
  /** When a scan last found it open: Unix, ms. */
  seenAt: Millis,
  /** The first scan that found it open, of those that are kept. */
  firstSeenAt: Millis,
  /** The scan of `seenAt`, and its mode. */
  scan: JobId,
  mode: NmapMode,
  /** When `product` was found, which scans without version detection leave as it is; null without a product. */
  identifiedAt: Millis.nullable(),
});
export type OpenPort = z.infer<typeof OpenPort>;

/** The newest scan that tried a certain list of ports. */
const LastScan = ScanName.extend({
  address: Address,
  mode: NmapMode,
  tried: z.string(),
  protocol: z.enum(PORT_PROTOCOLS),
});
type LastScan = z.infer<typeof LastScan>;

/** A port was opened or closed, as this scan found. */
const PortChange = ScanName.extend({
  address: Address,
  change: z.enum(['opened', 'closed']),
  port: z.int(),
  protocol: z.enum(PORT_PROTOCOLS),
  service: z.string().nullable(),
});
export type PortChange = z.infer<typeof PortChange>;

/** Above this limit, the ports that were not seen for longest are dropped. */
export const MAX_PORTS = 1_000;
/** Lists of tried ports per address. nmap has two of its own: the 100 and the 1,000 most frequent ports. */
export const MAX_SCANS = 4;
/** The same, for all addresses. */
const MAX_ALL_SCANS = 40;
export const MAX_PORT_CHANGES = 200;

export const PortHistory = z.object({
  /** Ordered by port, then protocol. */
  ports: z.array(OpenPort).max(MAX_PORTS),
  /** The newest first; each list of tried ports once per address. */
  scans: z.array(LastScan).max(MAX_ALL_SCANS),
  /** The newest first. */
  changes: z.array(PortChange).max(MAX_PORT_CHANGES),
});
export type PortHistory = z.infer<typeof PortHistory>;

export const NO_PORTS: PortHistory = { ports: [], scans: [], changes: [] };

/** @returns the history with the scan, and the changes that it shows, by port; none when it was merged before */
export function mergePorts(known: PortHistory, scan: DeviceScan): { history: PortHistory; changed: PortChange[] } {
  const { address } = scan;
  const ports = new Map(known.ports.map((port) => [nameOf(port), port]));
  const found = new Set(scan.open.map((port) => nameOf({ ...port, address })));
  const [wasTried, isUnclear] = [testOf(scan), testOf({ ...scan, tried: scan.unclear })];
  const changed: PortChange[] = [];
  const record = (change: PortChange['change'], { port, protocol, service }: FoundPort) =>
    changed.push({ change, address, port, protocol, service, at: scan.at, scan: scan.scan });
  for (const [name, port] of ports) {
    const isTried = port.address === address && wasTried(port) && !isUnclear(port);
    if (found.has(name) || !isTried || !isNewer(scan, timeOf(port))) continue;
    ports.delete(name);
    if (port.state === 'open') record('closed', port);
  }
  const [newer, older] = [true, false].map((isAfter) => {
    const tests = known.scans
      .filter((other) => other.address === address && (isAfter ? isNewer(other, scan) : isNewer(scan, other)))
      .map(testOf);
    return (port: FoundPort) => tests.some((wasTried) => wasTried(port));
  }) as [PortTest, PortTest];
  // It is unknown whether dropped ports were open.
  const isWhole = known.ports.length < MAX_PORTS;
  for (const port of scan.open) {
    const name = nameOf({ ...port, address });
    const before = ports.get(name);
    if (before !== undefined) ports.set(name, mergePort(before, port, scan));
    // Otherwise a newer scan that tried it found it closed.
    else if (!newer(port)) {
      ports.set(name, firstSight(port, scan));
      if (isWhole && port.state === 'open' && older(port)) record('opened', port);
    }
  }
  changed.sort((a, b) => a.port - b.port || (a.protocol < b.protocol ? -1 : 1));
  const history = {
    ports: bounded([...ports.values()]),
    scans: latestScans(known.scans, scan),
    changes: changed.length === 0 ? known.changes : latestChanges([...changed, ...known.changes]),
  };
  return { history, changed };
}

/** Whether a list of ports such as `22,80-90` can be compared; one that is too long or malformed is treated as unknown. */
export function isPortList(text: string): boolean {
  // The list of nmap's 1,000 most frequent ports has 3,900 characters.
  return text.length <= 8_000 && /^\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*$/.test(text);
}

function firstSight(port: FoundPort, { address, at, scan, mode }: DeviceScan): OpenPort {
  const identifiedAt = port.product === null ? null : at;
  return { ...port, address, seenAt: at, firstSeenAt: at, scan, mode, identifiedAt };
}

function mergePort(before: OpenPort, port: FoundPort, scan: DeviceScan): OpenPort {
  const now = firstSight(port, scan);
  const [newer, older] = isNewer(scan, timeOf(before)) ? [now, before] : [before, now];
  const { product, version, identifiedAt } = (newer.identifiedAt ?? 0) >= (older.identifiedAt ?? 0) ? newer : older;
  const firstSeenAt = Math.min(newer.firstSeenAt, older.firstSeenAt);
  return { ...newer, product, version, identifiedAt, firstSeenAt };
}

function bounded(ports: OpenPort[]): OpenPort[] {
  const order = (a: OpenPort, b: OpenPort) =>
    a.port - b.port || (a.protocol < b.protocol ? -1 : a.protocol > b.protocol ? 1 : a.address < b.address ? -1 : 1);
  const kept =
    ports.length <= MAX_PORTS ? ports : ports.sort((a, b) => b.seenAt - a.seenAt || order(a, b)).slice(0, MAX_PORTS);
  return kept.sort(order);
}

function latestScans(scans: readonly LastScan[], { open: _, unclear: __, ...scan }: DeviceScan): LastScan[] {
  const isHere = ({ address }: LastScan) => address === scan.address;
  const alike = scans.find((one) => isHere(one) && one.tried === scan.tried && one.protocol === scan.protocol);
  if (alike !== undefined && !isNewer(scan, alike)) return [...scans];
  const order = (a: LastScan, b: LastScan) => (isNewer(a, b) ? -1 : 1);
  const here = [...scans.filter((one) => isHere(one) && one !== alike), scan].sort(order).slice(0, MAX_SCANS);
  return [...scans.filter((one) => !isHere(one)), ...here].sort(order).slice(0, MAX_ALL_SCANS);
}

function latestChanges(changes: PortChange[]): PortChange[] {
  const order = (a: PortChange, b: PortChange) => (isNewer(a, b) ? -1 : isNewer(b, a) ? 1 : 0);
  const latest = changes.sort(order).slice(0, MAX_PORT_CHANGES);
  const oldest = (latest[0]?.at ?? 0) - 90 * 86_400_000;
  return latest.filter(({ at }) => at > oldest);
}

/** Orders scans that ended in the same millisecond, too, so that the result does not depend on the order of merging. */
const isNewer = (a: ScanName, b: ScanName): boolean => a.at > b.at || (a.at === b.at && a.scan > b.scan);

const timeOf = ({ seenAt, scan }: OpenPort): ScanName => ({ at: seenAt, scan });

const nameOf = ({ protocol, port, address }: Pick<OpenPort, 'protocol' | 'port' | 'address'>): string =>
  `${protocol}/${port} ${address}`;

type PortTest = (port: FoundPort) => boolean;

function testOf({ tried, protocol: theirs }: Pick<LastScan, 'tried' | 'protocol'>): PortTest {
  const ranges = (tried === '' ? [] : tried.split(',')).map((part) => {
    const [from = Number.NaN, to = from] = part.split('-').map(Number);
    return { from, to };
  });
  return ({ protocol, port }) => protocol === theirs && ranges.some(({ from, to }) => from <= port && port <= to);
}
