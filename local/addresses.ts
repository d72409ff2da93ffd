/** Under which addresses other hosts reach a server of this one. */
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** An address of this host, as `os.networkInterfaces()` lists them. */
export interface OwnAddress {
  address: string;
  family: string;
  internal: boolean;
}

export function ownAddresses(): OwnAddress[] {
  return Object.values(networkInterfaces()).flatMap((list) => list ?? []);
}

/** Whether a server that listens there listens on every address of this host. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** IPv4 first. Without link-local addresses, which are ambiguous without an interface. */
export function outerAddresses(own: readonly OwnAddress[]): string[] {
  return own
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .toSorted((a, b) => a.family.localeCompare(b.family))
    .map(({ address }) => address);
}

/**
 * The base URLs of the API for other hosts, the likeliest first; none when it listens for this host alone.
 * @param host the address or the name on which it listens
 */
export function urlsForOthers(host: string, port: number, own: readonly OwnAddress[]): string[] {
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return [];
  // On 0.0.0.0 it listens for IPv4 alone.
  const reached = outerAddresses(own).filter((address) => host === '::' || !isIPv6(address));
  return (isWildcard(host) ? reached : [host]).map((address) => `http://${hostInUrl(address)}:${port}`);
}

export function hostInUrl(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}
