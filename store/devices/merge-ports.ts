/**
 * The open ports of a device, merged from the port scans that met it. Pure: nothing here reads or writes.
 *
 * Scans may be merged in any order and more than once. Of each port the newest scan that tried it decides whether it is
 * open. A scan says nothing of ports that it did not try: the 100 ports of a fast scan do not remove what a longer scan
 * has found beyond them.
 */
import type { JobId } from '../../shared/identity.ts';
import type { NmapMode } from '../../shared/tools/nmap.ts';

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

/** What one scan found on one device. */
export interface DeviceScan extends ScanName {
  mode: NmapMode;
  /**
   * The TCP ports that were tried, such as `22,80-90`: those that are not among `open` are closed. Empty when it is not
   * known which were tried, or not certain that the device was there: then the scan shows no port to be closed.
   */
  tried: string;
  /** Each port once. */
  open: readonly FoundPort[];
}

export interface OpenPort extends FoundPort {
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
export interface LastScan extends ScanName {
  mode: NmapMode;
  tried: string;
}

/** What is remembered of a device. */
export interface PortHistory {
  /** Ordered by port, then protocol. */
  ports: readonly OpenPort[];
  /** The newest first; each list of tried ports once. */
  scans: readonly LastScan[];
}

export const NO_PORTS: PortHistory = { ports: [], scans: [] };

/** Beyond this, the ports that were not seen for longest are forgotten. */
export const MAX_PORTS = 1_000;
/** Lists of tried ports that are remembered. nmap has two of its own: the 100 and the 1,000 most frequent ports. */
export const MAX_SCANS = 4;

export function mergePorts(known: PortHistory, scan: DeviceScan): PortHistory {
  const ports = new Map(known.ports.map((port) => [nameOf(port), port]));
  const found = new Set(scan.open.map(nameOf));
  const wasTried = testOf(scan.tried);
  for (const [name, port] of ports) {
    if (!found.has(name) && wasTried(port) && isNewer(scan, timeOf(port))) ports.delete(name);
  }
  const newerScans = known.scans.filter((other) => isNewer(other, scan)).map(({ tried }) => testOf(tried));
  for (const port of scan.open) {
    const name = nameOf(port);
    const before = ports.get(name);
    if (before !== undefined) ports.set(name, mergePort(before, port, scan));
    // A newer scan that tried it did not find it open.
    else if (!newerScans.some((tried) => tried(port))) ports.set(name, firstSight(port, scan));
  }
  return { ports: bounded([...ports.values()]), scans: latestScans(known.scans, scan) };
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

function firstSight(port: FoundPort, { at, scan, mode }: DeviceScan): OpenPort {
  const identifiedAt = port.product === null ? null : at;
  return { ...port, seenAt: at, firstSeenAt: at, scan, mode, identifiedAt };
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
  const order = (a: OpenPort, b: OpenPort) => a.port - b.port || (a.protocol < b.protocol ? -1 : 1);
  const kept =
    ports.length <= MAX_PORTS ? ports : ports.sort((a, b) => b.seenAt - a.seenAt || order(a, b)).slice(0, MAX_PORTS);
  return kept.sort(order);
}

function latestScans(scans: readonly LastScan[], { at, scan, mode, tried }: DeviceScan): LastScan[] {
  const alike = scans.find((other) => other.tried === tried);
  if (alike !== undefined && !isNewer({ at, scan }, alike)) return [...scans];
  return [...scans.filter((other) => other !== alike), { at, scan, mode, tried }]
    .sort((a, b) => (isNewer(a, b) ? -1 : 1))
    .slice(0, MAX_SCANS);
}

/** Two scans that ended in the same millisecond have an order too, so that the result does not depend on theirs. */
function isNewer(a: ScanName, b: ScanName): boolean {
  return a.at > b.at || (a.at === b.at && a.scan > b.scan);
}

const timeOf = ({ seenAt, scan }: OpenPort): ScanName => ({ at: seenAt, scan });

const nameOf = ({ protocol, port }: FoundPort): string => `${protocol}/${port}`;

/** A function that says whether a port is in a list such as `22,80-90`, which is about TCP. */
function testOf(list: string): (port: FoundPort) => boolean {
  const ranges = (list === '' ? [] : list.split(',')).map((part) => {
    const [from = Number.NaN, to = from] = part.split('-').map(Number);
    return { from, to };
  });
  return ({ protocol, port }) => protocol === 'tcp' && ranges.some(({ from, to }) => from <= port && port <= to);
}
