/**
 * Chooses the name servers for a LAN: those of the LAN itself. A router that assigns addresses knows the names of their
 * holders; a name server on the internet knows none of them, and would learn which hosts there are.
 */
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { parseRange, range, rangeWithin } from '../../shared/network.ts';
import { isLocal } from '../tools/target-policy.ts';
import { isIn, type WatchedNetwork } from './watched-networks.ts';

/** Where providers, tunnels and clouds have name servers, which forward to the internet. */
const BEYOND = ['100.64.0.0/10', '169.254.0.0/16'].map(range);
/** Of the host's own name servers. */
const MAX_OWN = 2;
/** The stub of systemd-resolved, which forwards to the servers of its file. */
const STUBS: readonly string[] = ['127.0.0.53', '127.0.0.54'];
const SERVERS_BEHIND_STUB = '/run/systemd/resolve/resolv.conf';

/**
 * @param own the name servers of this host
 * @param networks all that are watched: a name server in one of them belongs to the LAN, whatever its address
 * @returns the servers to query about addresses of a network, in this order: its gateway, then those of this host that are on
 *   a LAN. None on the internet, where a LAN address means nothing.
 */
export function nameServersOf(
  { gateway }: Pick<WatchedNetwork, 'gateway'>,
  own: readonly string[],
  networks: readonly Pick<WatchedNetwork, 'range'>[],
): string[] {
  const isNear = (server: string) => {
    const [ip = ''] = server.split('%');
    const address = parseRange(ip);
    if (address === null) return false;
    const isPrivate = isLocal(address) && !BEYOND.some((beyond) => rangeWithin(address, beyond));
    return isPrivate || networks.some((network) => isIn(ip, network.range));
  };
  const near = own.filter((server) => server !== gateway && isNear(server)).slice(0, MAX_OWN);
  return [...(gateway === null ? [] : [gateway]), ...near];
}

/** The current name servers of this host; none without a file that names them. */
export async function ownNameServers(): Promise<string[]> {
  const servers = new Resolver().getServers();
  if (!servers.some((server) => STUBS.includes(server))) return servers;
  const behind = await readFile(SERVERS_BEHIND_STUB, 'utf8').catch(() => '');
  return [...servers.filter((server) => !STUBS.includes(server)), ...parseNameServers(behind)];
}

/** From a file in the form of resolv.conf(5). */
export function parseNameServers(text: string): string[] {
  return [...text.matchAll(/^[ \t]*nameserver[ \t]+([0-9a-fA-F:.]+)(?:%\S+)?[ \t]*$/gm)].map(([, ip = '']) => ip);
}
