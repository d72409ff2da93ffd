/**
 * The open ports of a device, merged from the port scans that met it, and what a scan changes of them. Pure: nothing here
 * reads or writes.
 *
 * Scans may be merged in any order and more than once. Of each port the newest scan that tried it decides whether it is
 * open. A scan says nothing of ports that it did not try: the 100 ports of a fast scan do not remove what a longer scan
 * has found beyond them. Nor is it news that they are open: a port was opened when a scan before had tried it as well.
 *
 * A port belongs to the address at which it was found: what listens on IPv4 alone is not closed because the IPv6 address of
 * the device refuses it. The main address of a device is the empty text, so that its ports go with it to the next one.
 */
import type { JobId } from '../../../shared/identity.ts';
import type { NmapMode } from '../../../shared/tools/nmap.ts';

export const PORT_PROTOCOLS = ['tcp', 'udp', 'sctp'] as const;
export type PortProtocol = (typeof PORT_PROTOCOLS)[number];

/** Names a scan, and orders it among the others of the device. */
export interface ScanName {
  /** When the scan ended: Unix, ms. */
  at: number;
  scan: JobId;
}

/** A port as one scan found it. */
export interface FoundPort {
  port: number;
  protocol: PortProtocol;
  /** `open`, or `open|filtered` where nmap cannot tell. */
  state: string;
  service: string | null;
  product: string | null;
  version: string | null;
}

/** What one scan found at one address of a device. */
export interface DeviceScan extends ScanName {
  /** Empty for the main address of the device. */
  address: string;
  mode: NmapMode;
  /**
   * The ports that were tried, such as `22,80-90`: those that are not among `open` are closed. Empty when it is not
   * known which were tried, or not certain that the device was there: then the scan shows no port to be closed.
   */
  tried: string;
  /** Of which protocol they are. */
  protocol: PortProtocol;
  /** Those of them of which the scan cannot tell: what was open stays so. */
  unclear: string;
  /** Each port once. */
  open: readonly FoundPort[];
}

export interface OpenPort extends FoundPort {
  /** Empty for the main address of the device. */
  address: string;
  /** When a scan last found it open: Unix, ms. */
  seenAt: number;
  /** The first scan that found it open, of those that are remembered. */
  firstSeenAt: number;
  /** The scan of `seenAt`, and its mode. */
  scan: JobId;
  mode: NmapMode;
  /** When `product` was found, which a scan without version detection leaves as it is; null without a product. */
  identifiedAt: number | null;
}

/** The newest scan that tried a certain list of ports. */
interface LastScan extends ScanName {
  address: string;
  mode: NmapMode;
  tried: string;
  protocol: PortProtocol;
}

/** That a port was opened or closed, by the scan that found it so. */
export interface PortChange extends ScanName {
  address: string;
  change: 'opened' | 'closed';
  port: number;
  protocol: PortProtocol;
  service: string | null;
}

/** What is remembered of a device. */
export interface PortHistory {
  /** Ordered by port, then protocol. */
  ports: readonly OpenPort[];
  /** The newest first; each list of tried ports once for an address. */
  scans: readonly LastScan[];
  /** What has changed, the newest first. */
  changes: readonly PortChange[];
}

export const NO_PORTS: PortHistory = { ports: [], scans: [], changes: [] };

/** Beyond this, the ports that were not seen for longest are forgotten. */
export const MAX_PORTS = 1_000;
/** Lists of tried ports that are remembered for an address. nmap has two of its own: the 100 and the 1,000 most frequent ports. */
export const MAX_SCANS = 4;
/** Those of all addresses. */
export const MAX_ALL_SCANS = 40;
/** Changes that are remembered, and for how long before the newest one. */
export const MAX_PORT_CHANGES = 200;
const KEEP_CHANGES_MS = 90 * 86_400_000;

/** @returns what is known with the scan, and what it has changed, by port; nothing when it was merged before */
export function mergePorts(known: PortHistory, scan: DeviceScan): { history: PortHistory; changed: PortChange[] } {
  const { address } = scan;
  const ports = new Map(known.ports.map((port) => [nameOf(port), port]));
  const found = new Set(scan.open.map((port) => nameOf({ ...port, address })));
  const [wasTried, isUnclear] = [testOf(scan), testOf({ ...scan, tried: scan.unclear })];
  const changed: PortChange[] = [];
  const tell = (change: PortChange['change'], { port, protocol, service }: FoundPort) =>
    changed.push({ change, address, port, protocol, service, at: scan.at, scan: scan.scan });
  for (const [name, port] of ports) {
    if (
      port.address !== address ||
      found.has(name) ||
      !wasTried(port) ||
      isUnclear(port) ||
      !isNewer(scan, timeOf(port))
    )
      continue;
    ports.delete(name);
    if (port.state === 'open') tell('closed', port);
  }
  const [newer, older] = [true, false].map((isAfter) => {
    const tests = known.scans
      .filter((other) => other.address === address && (isAfter ? isNewer(other, scan) : isNewer(scan, other)))
      .map(testOf);
    return (port: FoundPort) => tests.some((wasTried) => wasTried(port));
  }) as [PortTest, PortTest];
  // Of what was forgotten nobody knows whether it was open.
  const isWhole = known.ports.length < MAX_PORTS;
  for (const port of scan.open) {
    const name = nameOf({ ...port, address });
    const before = ports.get(name);
    if (before !== undefined) ports.set(name, mergePort(before, port, scan));
    // Otherwise a newer scan that tried it did not find it open.
    else if (!newer(port)) {
      ports.set(name, firstSight(port, scan));
      if (isWhole && port.state === 'open' && older(port)) tell('opened', port);
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

/**
 * Whether a list of ports such as `22,80-90` can be compared. One that is too long, or that nobody would write so, is
 * treated as unknown.
 */
export function isPortList(text: string): boolean {
  return text.length <= MAX_LIST_CHARACTERS && /^\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*$/.test(text);
}

/** The list of nmap's 1,000 most frequent ports has 3,900. */
const MAX_LIST_CHARACTERS = 8_000;

function firstSight(port: FoundPort, { address, at, scan, mode }: DeviceScan): OpenPort {
  const identifiedAt = port.product === null ? null : at;
  return { ...port, address, seenAt: at, firstSeenAt: at, scan, mode, identifiedAt };
}

function mergePort(before: OpenPort, port: FoundPort, scan: DeviceScan): OpenPort {
  const now = firstSight(port, scan);
  const [newer, older] = isNewer(scan, timeOf(before)) ? [now, before] : [before, now];
  const { product, version, identifiedAt } =
    (newer.identifiedAt ?? Number.NEGATIVE_INFINITY) >= (older.identifiedAt ?? Number.NEGATIVE_INFINITY)
      ? newer
      : older;
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
  return latest.filter(({ at }) => at > (latest[0]?.at ?? 0) - KEEP_CHANGES_MS);
}

/** Two scans that ended in the same millisecond have an order too, so that the result does not depend on theirs. */
function isNewer(a: ScanName, b: ScanName): boolean {
  return a.at > b.at || (a.at === b.at && a.scan > b.scan);
}

const timeOf = ({ seenAt, scan }: OpenPort): ScanName => ({ at: seenAt, scan });

const nameOf = ({ protocol, port, address }: Pick<OpenPort, 'protocol' | 'port' | 'address'>): string =>
  `${protocol}/${port} ${address}`;

type PortTest = (port: FoundPort) => boolean;

/** A function that says whether a port is in a list such as `22,80-90`. */
function testOf({ tried, protocol: theirs }: Pick<LastScan, 'tried' | 'protocol'>): PortTest {
  const ranges = (tried === '' ? [] : tried.split(',')).map((part) => {
    const [from = Number.NaN, to = from] = part.split('-').map(Number);
    return { from, to };
  });
  return ({ protocol, port }) => protocol === theirs && ranges.some(({ from, to }) => from <= port && port <= to);
}
