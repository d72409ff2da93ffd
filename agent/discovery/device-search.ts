/** Scans for one device: whether it is awake. Reaches only networks that the policy opens to discovery. */
import { rawSockets } from '../host/network.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import type { DiscoveryRules } from '../jobs/policy.ts';
import { METADATA } from '../tools/target-policy.ts';
import type { DeviceSearch, SearchFor } from '../tools/tool.ts';
import type { Evidence, ScanContext } from './evidence.ts';
import { readNeighbours } from './neighbours.ts';
import { scanAddress, scanNetworks } from './scan.ts';
import { chooseNetworks, isIn, type Link, readLinks, type WatchedNetwork } from './watched-networks.ts';

/** The search for devices within the policy of this host, whatever address a request names. */
export function searchWithin(rules: DiscoveryRules): SearchFor {
  return async (mac, lastIp, { run, signal }) => {
    if (!rules.allow) {
      throw new ToolFailure(
        'target_not_allowed',
        'The policy of this agent does not allow it to look for devices (discovery.allow), so that it cannot see whether one wakes; nothing was sent. Without "verify" the packet is sent',
      );
    }
    const links = await readLinks(run, signal);
    const address = lastIp === null ? null : addressIn(links, lastIp, rules);
    const { networks, problems } = chooseNetworks(links, 'auto', rules);
    if (address === null && networks.length === 0) {
      const why = problems[0] ?? 'it is attached to no network that can be watched';
      throw new ToolFailure(
        'tool_failed',
        `This agent cannot see whether the device wakes: ${why}; nothing was sent. Name another agent, or send the packet without "verify"`,
      );
    }
    return openSearch(mac, { links, address, networks }, { run, signal });
  };
}

/** Where to scan for a device. */
interface Places {
  links: readonly Link[];
  /** Its last address, and the network of this host that contains it; null when none does. */
  address: { ip: string; network: WatchedNetwork } | null;
  /** Where it may have another address. */
  networks: readonly WatchedNetwork[];
}

function addressIn(links: readonly Link[], ip: string, rules: DiscoveryRules): Places['address'] {
  if (METADATA.some(({ range }) => isIn(ip, range))) return null;
  const [network] = chooseNetworks(links, [`${ip}/32`], rules).networks;
  return network === undefined ? null : { ip, network };
}

function describe({ address, networks }: Places): string {
  const all = [...(address === null ? [] : [address.ip]), ...networks.map(({ cidr }) => cidr)];
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : all.join();
}

function openSearch(mac: string, places: Places, { run, signal }: ScanContext): DeviceSearch {
  const { links, address, networks } = places;
  const own = links.find((link) => link.mac === mac);
  const interfaces = new Set(
    [...networks, ...(address === null ? [] : [address.network])].map((each) => each.interface),
  );
  let problem: string | null = 'it was not looked for';
  let hasScannedNetworks = false;

  /** What the kernel learned since then from traffic of the device or of other programs. Sends nothing. */
  async function listen(context: ScanContext, since: number): Promise<Evidence[]> {
    const tables = [...interfaces].flatMap((name) =>
      ([4, 6] as const).map((family) => readNeighbours(context, family, name, since)),
    );
    return (await Promise.all(tables)).flat();
  }

  async function scanOnce(context: ScanContext, since: number, everywhere: boolean): Promise<string | null> {
    if (own !== undefined) return own.address; // A host does not answer its own ARP requests.
    const heard = await listen(context, since);
    const found: Evidence[] = [];
    // Older entries of the kernel are no sign.
    const foundIp = () => [...found, ...heard].find((evidence) => evidence.mac === mac && evidence.fresh)?.ip ?? null;
    if (address !== null) {
      // The known address is the one to return as long as it responds.
      const pass = { ...context, network: address.network, rawSockets: rawSockets(), startedAt: since };
      found.push(...(await scanAddress(pass, address.ip)));
      problem = null;
    }
    if (foundIp() !== null || !everywhere) return foundIp();
    // Later scans follow within seconds and make up for lost packets.
    const tries = address === null && hasScannedNetworks ? 1 : undefined;
    hasScannedNetworks = true;
    for (const scan of await scanNetworks(context, networks, rawSockets(), since, tries)) {
      found.push(...scan.evidence);
      if (scan.failure === null) problem = null;
      else if (problem !== null) problem = scan.failure;
    }
    return foundIp();
  }

  return {
    where: describe(places),
    knowsAddress: address !== null,
    async scan(since, everywhere, withinMs) {
      const within = AbortSignal.timeout(Math.max(0, Math.ceil(withinMs)));
      const context = { run, signal: AbortSignal.any([signal, within]) };
      const ip = await scanOnce(context, since, everywhere).catch((error: unknown) => {
        if (!(error instanceof ToolFailure)) throw error;
        if (problem !== null) problem = error.message;
        return null;
      });
      if (signal.aborted) throw new ToolFailure('cancelled', 'Wake-on-LAN was cancelled');
      return ip;
    },
    get problem() {
      return problem;
    },
  };
}
