/**
 * Finds the DHCP servers of a link: all of them respond to a DHCPDISCOVER, a broadcast without side effects (RFC 2131). A
 * rogue one, such as a router that a user plugged in, assigns addresses that lead nowhere.
 */
import * as z from 'zod';
import { formatIp, parseIp } from '../../shared/network.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import { listOf } from '../host/json-items.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { outputOf } from '../tools/exit.ts';
import { reportParser } from '../tools/nmap-report.ts';
import { METADATA } from '../tools/target-policy.ts';
import { sortIps } from './addresses.ts';
import { isDue, type ScanContext } from './evidence.ts';
import { type NetworkScan, scanAddress } from './scan.ts';
import { isIn, type WatchedNetwork } from './watched-networks.ts';

export interface DhcpServer {
  /** Its server identifier; of a server behind a relay, an address of another network. */
  ip: string;
  /** Null where no device on the link has the address. */
  mac: string | null;
}

/** A server that first checks that the address to offer is free takes three seconds. */
const OFFERS_WITHIN_S = 10;
const MAX_BYTES = 1_000_000;
const MAX_SERVERS = 8;

/** Searches each watched link once an hour. */
export class DhcpServerSearch {
  readonly #onFound: (network: string, servers: DhcpServer[]) => void;
  /** By interface. */
  readonly #searchedAt = new Map<string, number>();

  /** @param onFound called with the first watched network of a link and its servers; not after a failure */
  constructor(onFound: (network: string, servers: DhcpServer[]) => void) {
    this.#onFound = onFound;
  }

  /** Never fails: without nmap or the right to use raw sockets, it finds nothing. */
  async search(context: ScanContext, scans: readonly NetworkScan[], now: number): Promise<void> {
    for (const { network } of scans) {
      const due = isDue(this.#searchedAt.get(network.interface), HOUR_MS, now);
      if (!due || context.signal.aborted) continue;
      this.#searchedAt.set(network.interface, now);
      try {
        const servers: DhcpServer[] = [];
        for (const ip of await discoverServers(context, network)) {
          servers.push({ ip, mac: await macOf(ip, context, network, scans) });
        }
        if (!context.signal.aborted) this.#onFound(network.cidr, servers);
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
      }
    }
  }
}

async function discoverServers({ run, signal }: ScanContext, { interface: name, mac }: WatchedNetwork) {
  const privileged = process.getuid?.() === 0 ? [] : ['--privileged'];
  // With the MAC of this host, servers offer its present address and reserve none of their pools.
  const mine = `broadcast-dhcp-discover.mac=${mac},broadcast-dhcp-discover.timeout=${OFFERS_WITHIN_S}`;
  const script = ['--script', 'broadcast-dhcp-discover', '--script-args', mine];
  const args = ['-sn', '-n', ...privileged, '-e', name, ...script, '-oX', '-'];
  return parseDhcpServers(await outputOf(run, 'nmap', args, { timeoutMs: MINUTE_MS, maxBytes: MAX_BYTES, signal }));
}

/** The MAC of a server with an address of another network, such as a misconfigured router, takes one ARP request. */
async function macOf(ip: string, context: ScanContext, network: WatchedNetwork, scans: readonly NetworkScan[]) {
  const onLink = scans.filter((scan) => scan.network.interface === network.interface);
  const seen = onLink.flatMap(({ evidence }) => evidence).filter((each) => each.ip === ip);
  const known = seen.find(({ fresh }) => fresh) ?? seen[0];
  if (known !== undefined) return known.mac;
  if (METADATA.some(({ range }) => isIn(ip, range))) return null;
  const answered = await scanAddress({ ...context, network, rawSockets: true, startedAt: performance.now() }, ip);
  return answered.find((each) => each.ip === ip)?.mac ?? null;
}

const PARSER = reportParser(['script', 'table', 'elem']);
const Element = z.looseObject({ key: z.string(), '#text': z.string() });
const Answer = z.looseObject({ elem: z.array(z.unknown()).default([]) });
/** The output of a failed script begins with this, and has no responses. */
const FAILED = /^\s*ERROR/;
const Script = z.looseObject({ output: z.string().refine((text) => !FAILED.test(text)), table: listOf(Answer) });
const Report = z.looseObject({
  nmaprun: z.looseObject({
    prescript: z.looseObject({ script: z.array(Script).default([]) }).optional(),
    runstats: z.looseObject({ finished: z.looseObject({ exit: z.literal('success') }) }),
  }),
});

/** The server identifiers in a report of nmap, lowest first. @throws {ToolFailure} without a complete report */
export function parseDhcpServers(xml: string): string[] {
  let report: z.infer<typeof Report>['nmaprun'];
  try {
    report = Report.parse(PARSER.parse(xml)).nmaprun;
  } catch (cause) {
    throw new ToolFailure('tool_failed', 'The report of nmap could not be read', { cause });
  }
  const offers = (report.prescript?.script ?? []).flatMap(({ table }) => table);
  const servers = offers.flatMap(({ elem }) =>
    elem.flatMap((each) => {
      const element = Element.safeParse(each).data;
      const ip = element?.key === 'Server Identifier' ? parseIp(element['#text'].trim()) : null;
      return ip?.family === 4 ? [formatIp(ip)] : [];
    }),
  );
  return sortIps(servers).slice(0, MAX_SERVERS);
}
