/** Finds the IPv6 hosts of a link: all of them respond to a ping of ff02::1 (RFC 4291 section 2.7.1). */
import { networkInterfaces } from 'node:os';
import { PLATFORM } from '../host/platform.ts';
import type { Evidence, ScanContext } from './evidence.ts';
import { isSign, readNeighbours } from './neighbours.ts';
import { pokeAddresses } from './udp-poke.ts';
import type { WatchedNetwork } from './watched-networks.ts';

const MAX_BYTES = 1_000_000;
/** Hosts that responded although the kernel does not know their MAC: they must have resolved ours. */
const MAX_TO_POKE = 256;

/** Never fails: without ping, or the right to use it, only the neighbour table counts. @param network of the link */
export async function ipv6Evidence(
  context: ScanContext,
  network: Pick<WatchedNetwork, 'interface' | 'ipv6'>,
  startedAt: number,
): Promise<Evidence[]> {
  const name = network.interface;
  try {
    // Hosts respond from an address of the kind of the source.
    const sources = network.ipv6 === null ? [[]] : [[], ['-I', network.ipv6]];
    const answers = await Promise.all(sources.map((source) => pingAll(context, name, source)));
    // This host responds, too.
    const own = new Set((networkInterfaces()[name] ?? []).map(({ address }) => address));
    const answered = new Set(answers.flat().filter((ip) => !own.has(ip)));
    let neighbours = await readNeighbours(context, 6, name, startedAt);
    const known = new Set(neighbours.map(({ ip }) => ip));
    const unknown = [...answered].filter((ip) => !known.has(ip)).slice(0, MAX_TO_POKE);
    if (unknown.length > 0) {
      await pokeAddresses(context, name, unknown, startedAt);
      neighbours = await readNeighbours(context, 6, name, startedAt);
    }
    return neighbours.flatMap((neighbour) => {
      if (answered.has(neighbour.ip)) return { ...neighbour, fresh: true };
      return isSign(neighbour) ? neighbour : [];
    });
  } catch {
    return [];
  }
}

async function pingAll({ run, signal }: ScanContext, name: string, source: readonly string[]): Promise<string[]> {
  if (PLATFORM !== 'linux') return [];
  const args = ['-6', '-n', '-c', '3', '-i', '0.5', '-W', '1', ...source, `ff02::1%${name}`];
  try {
    return parsePing((await run('ping', args, { timeoutMs: 10_000, maxBytes: MAX_BYTES, signal })).stdout);
  } catch {
    return []; // It is not installed.
  }
}

/** The addresses that responded, without their zones, each once. */
export function parsePing(stdout: string): string[] {
  const addresses = [...stdout.matchAll(/^\d+ bytes from ([0-9a-f:]+)(?:%\S+)?: /gm)].map(([, ip = '']) => ip);
  return [...new Set(addresses)];
}
