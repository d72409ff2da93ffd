/** The client address of a request. */
import type { IncomingMessage } from 'node:http';
import { type IpRange, parseIp, rangeOf, rangeWithin } from '../shared/network.ts';

/**
 * The address of the connection; for a trusted proxy, the address in X-Forwarded-For. Each proxy appends the address of its
 * client, so only the end of the header that trusted proxies wrote counts: the client can forge the rest.
 */
export function clientAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  trusted: readonly IpRange[],
): string {
  let address = socket.remoteAddress ?? '';
  if (headers['x-forwarded-for'] === undefined) return address;
  const forwarded = [headers['x-forwarded-for']].flat().join(',').split(',').reverse();
  for (const before of forwarded) {
    if (!isTrusted(address, trusted) || parseIp(before.trim()) === null) break;
    address = before.trim();
  }
  return address;
}

export function isTrusted(address: string, trusted: readonly IpRange[]): boolean {
  const parsed = parseIp(address);
  return parsed !== null && trusted.some((network) => rangeWithin(rangeOf(parsed), network));
}
