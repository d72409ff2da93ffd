/**
 * Finds the DHCP servers of a link: all of them answer a DHCPDISCOVER, which is a broadcast and binds nobody (RFC 2131). A
 * second one, such as a router that somebody has plugged in, gives devices addresses that lead nowhere.
 */
import * as z from 'zod';
import { formatIp, parseIp } from '../../shared/network.ts';
import { listOf } from '../host/json-items.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { outputOf } from '../tools/exit.ts';
import { reportParser } from '../tools/nmap-report.ts';
import { METADATA } from '../tools/target-policy.ts';
import type { ScanContext } from './evidence.ts';
import { type NetworkScan, scanAddress } from './scan.ts';
import { isIn, type WatchedNetwork } from './watched-networks.ts';

export interface DhcpServer {
  /** By which it names itself; of a server behind a relay, an address of another network. */
  ip: string;
  /** Null where nobody on the link has the address. */
  mac: string | null;
}

/** Each link is asked this often. */
const EVERY_MS = 60 * 60_000;
/** A server that first makes sure that nobody has the address which it is about to offer takes three seconds. */
const ANSWERS_WITHIN_S = 10;
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 1_000_000;
const MOST_SERVERS = 8;

/** Asks each watched link once an hour, and tells who has answered. */
export class DhcpServerSearch {
  readonly #tell: (network: string, servers: DhcpServer[]) => void;
  /** By interface. */
  readonly #askedAt = new Map<string, number>();

  /** @param tell is told of a link, by the first of its watched networks, who has answered there; not where asking failed */
  constructor(tell: (network: string, servers: DhcpServer[]) => void) {
    this.#tell = tell;
  }

  /** Never fails: where nmap or the right to use raw sockets is missing, nobody is asked. */
  async look(context: ScanContext, scans: readonly NetworkScan[], now: number): Promise<void> {
    for (const { network } of scans) {
      const askedAt = this.#askedAt.get(network.interface);
      const isDue = askedAt === undefined || now - askedAt >= EVERY_MS || now < askedAt;
      if (!isDue || context.signal.aborted) continue;
      this.#askedAt.set(network.interface, now);
      try {
        const servers: DhcpServer[] = [];
        for (const ip of await askDhcpServers(context, network)) {
          servers.push({ ip, mac: await macOf(ip, context, network, scans) });
        }
        if (!context.signal.aborted) this.#tell(network.cidr, servers);
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
      }
    }
  }
}

async function askDhcpServers(
  { run, signal }: ScanContext,
  { interface: name, mac }: WatchedNetwork,
): Promise<string[]> {
  const privileged = process.getuid?.() === 0 ? [] : ['--privileged'];
  // With the MAC of this host, servers offer the address that it has already, and none is taken out of their pools.
  const script = ['--script', 'broadcast-dhcp-discover', '--script-args', scriptArguments(mac)];
  const args = ['-sn', '-n', ...privileged, '-e', name, ...script, '-oX', '-'];
  return parseDhcpServers(await outputOf(run, 'nmap', args, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, signal }));
}

function scriptArguments(mac: string): string {
  return `broadcast-dhcp-discover.mac=${mac},broadcast-dhcp-discover.timeout=${ANSWERS_WITHIN_S}`;
}

/** A server with an address of another network, as a router from elsewhere has, is asked for its MAC by one ARP request. */
async function macOf(
  ip: string,
  context: ScanContext,
  network: WatchedNetwork,
  scans: readonly NetworkScan[],
): Promise<string | null> {
  const onLink = scans.filter((scan) => scan.network.interface === network.interface);
  const seen = onLink.flatMap(({ evidence }) => evidence).filter((each) => each.ip === ip);
  const known = seen.find(({ fresh }) => fresh) ?? seen[0];
  if (known !== undefined) return known.mac;
  if (METADATA.some(({ range }) => isIn(ip, range))) return null;
  const answered = await scanAddress(context, network, ip, true, performance.now());
  return answered.find((each) => each.ip === ip)?.mac ?? null;
}

const PARSER = reportParser(['script', 'table', 'elem']);
const Element = z.looseObject({ key: z.string(), '#text': z.string() });
const Answer = z.looseObject({ elem: z.array(z.unknown()).default([]) });
/** One that could not be run has an output that begins with this, and no answers. */
const WENT_WRONG = /^\s*ERROR/;
const Script = z.looseObject({
  output: z.string().refine((text) => !WENT_WRONG.test(text)),
  table: listOf(Answer),
});
const Report = z.looseObject({
  nmaprun: z.looseObject({
    prescript: z.looseObject({ script: z.array(Script).default([]) }).optional(),
    runstats: z.looseObject({ finished: z.looseObject({ exit: z.literal('success') }) }),
  }),
});

/**
 * From the XML report of nmap: the addresses by which the servers name themselves, each once, the lowest first.
 * @throws {ToolFailure} when it is no report of a run that came to its end
 */
export function parseDhcpServers(xml: string): string[] {
  let report: z.infer<typeof Report>['nmaprun'];
  try {
    report = Report.parse(PARSER.parse(xml)).nmaprun;
  } catch (cause) {
    throw new ToolFailure('tool_failed', 'The report of nmap could not be read', { cause });
  }
  const answers = (report.prescript?.script ?? []).flatMap(({ table }) => table);
  const servers = answers.flatMap(({ elem }) =>
    elem.flatMap((each) => {
      const element = Element.safeParse(each).data;
      const ip = element?.key === 'Server Identifier' ? parseIp(element['#text'].trim()) : null;
      return ip?.family === 4 ? [ip.value] : [];
    }),
  );
  const inOrder = [...new Set(servers)].sort((a, b) => (a < b ? -1 : 1)).slice(0, MOST_SERVERS);
  return inOrder.map((value) => formatIp({ family: 4, value, zone: null }));
}
