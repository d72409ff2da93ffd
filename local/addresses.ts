/** The addresses of a server on this host. */
import { hostname, networkInterfaces } from 'node:os';
import { consoleUrl } from '../shared/console-link.ts';
import { hostInUrl, reachableAddresses } from '../shared/reachable-address.ts';

type Interfaces = Parameters<typeof reachableAddresses>[0];

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Addresses for other hosts, the likeliest first; none when `host`, where it listens, is only this host. */
function addressesForOthers(host: string, interfaces: Interfaces = networkInterfaces()): string[] {
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return [];
  if (!isWildcard(host)) return [host];
  // On 0.0.0.0 it listens only for IPv4.
  return reachableAddresses(interfaces).filter((address) => host === '::' || !address.includes(':'));
}

/** The base URLs of the API for other hosts, in the same order. */
export function urlsForOthers(host: string, port: number, interfaces: Interfaces = networkInterfaces()): string[] {
  return addressesForOthers(host, interfaces).map((address) => `http://${hostInUrl(address)}:${port}`);
}

/** The URL of the console for other hosts; null when they cannot reach it. */
export function consoleForOthers({
  host,
  port,
  publicUrl = null,
}: {
  host: string;
  port: number;
  publicUrl?: string | null;
}): string | null {
  if (publicUrl !== null) return consoleUrl(publicUrl);
  const [base] = port === 0 ? [] : urlsForOthers(host, port);
  return base === undefined ? null : consoleUrl(base);
}

/** The address for this host of a server that listens on `host`. */
export function dialAddress(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** All names of the broker when it listens on `host`. */
export function namesOfHost(host: string): string[] {
  const listening = isWildcard(host) ? addressesForOthers(host) : [host];
  return [...new Set(['localhost', '127.0.0.1', '::1', hostname(), ...listening])];
}

/** The address of the broker for agents. */
export function addressForAgents(host: string): string {
  return isWildcard(host) ? (addressesForOthers(host)[0] ?? hostname()) : host;
}
