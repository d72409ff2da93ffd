/**
 * The addresses that a hook may reach: those of the public internet and, on one machine, private ones if it allows them.
 * @promise A hook reaches private addresses only where the operator allows it: `functions/hooks/target-address.test.ts`.
 */

import { METADATA_SERVICES } from '../../shared/metadata-services.ts';
import { embeddedIpv4, type IpRange, namesNoHost, parseIp, range, rangeOf, rangeWithin } from '../../shared/network.ts';
import type { AllowPrivate } from '../http/context.ts';

/** Private use (RFC 1918, 4193). */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'].map(range);

/** Further ones, which need a setting: shared by carriers and overlay networks (RFC 6598), and this host itself. */
const NEAR = ['100.64.0.0/10', '127.0.0.0/8', '::1'].map(range);

/** Not public, beside the private ones: the registries of IANA for special purposes. */
const NOT_PUBLIC = [
  '169.254.0.0/16', // link-local
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays, which are withdrawn
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '240.0.0.0/4', // reserved
  '2001::/23', // IETF protocol assignments; Teredo is among them
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
].map(range);

/** All public addresses in IPv6: the unicast addresses that have been allocated, and NAT64, which leads to IPv4. */
const PUBLIC_IPV6 = ['2000::/3', '64:ff9b::/96'].map(range);

/** Whether plain HTTP may be used: for public addresses only if the settings allow all. */
export function mayGoInClear(address: string, { allowPrivate }: { allowPrivate: AllowPrivate }): boolean {
  return allowPrivate === true || (allowPrivate === 'lan' && refusalOf(address, { allowPrivate: false }) !== null);
}

/**
 * Why a hook must not connect to this address; null when it may. An IPv6 address that embeds an IPv4 address must pass
 * as both: a translator or tunnel would reach the latter.
 */
export function refusalOf(text: string, { allowPrivate }: { allowPrivate: AllowPrivate }): string | null {
  const address = parseIp(text);
  if (address === null) return 'it is no address';
  const target = rangeOf({ ...address, zone: null });
  return [target, ...embeddedIpv4(target)].map((meant) => refusalOfRange(meant, allowPrivate)).find(Boolean) ?? null;
}

function refusalOfRange(target: IpRange, allowPrivate: AllowPrivate): string | null {
  const isIn = (ranges: readonly IpRange[]) => ranges.some((one) => rangeWithin(target, one));
  if (isIn(METADATA_SERVICES)) return 'a metadata service of a cloud';
  if (namesNoHost(target)) return 'not the address of one host';
  if (isIn(PRIVATE)) return allowPrivate === false ? 'a private address' : null;
  if (isIn(NEAR)) return allowPrivate === true ? null : 'an address of this host or of an overlay network';
  if (isIn(NOT_PUBLIC)) return 'not an address of the internet';
  if (target.address.family === 6 && !isIn(PUBLIC_IPV6)) return 'not an address of the internet';
  return null;
}
