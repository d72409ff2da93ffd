/** What DHCP servers have in common. */
import { parseMac } from '../../../shared/network.ts';

/** A client renews its lease at half its time. Only renewals at least every ten minutes are signs of presence. */
const SHORT_LEASE_S = 20 * 60;

/** When a client was last seen (Unix, ms), by its last request; undefined where its lease is too long to say so. */
export function seenByRenewal(requestedAtS: number, leaseS: number): number | undefined {
  return leaseS > 0 && leaseS <= SHORT_LEASE_S ? requestedAtS * 1000 : undefined;
}

/** The MAC in a DUID (RFC 8415), if its type has one. The host may have made it of another of its network cards. */
export function macOfDuid(duid: Uint8Array): string | null {
  const [, type, , hardware] = duid;
  const isKind = duid[0] === 0 && duid[2] === 0 && hardware === 1;
  const isLinkLayer = (type === 1 && duid.length === 14) || (type === 3 && duid.length === 10);
  return isKind && isLinkLayer ? parseMac(Buffer.from(duid.slice(-6)).toString('hex')) : null;
}

/** From `00:01:00:01:…` or the same without colons; empty for any other text. */
export function bytesIn(hex: string): Uint8Array {
  const digits = hex.replaceAll(':', '');
  return /^(?:[0-9a-f]{2})+$/i.test(digits) ? Buffer.from(digits, 'hex') : new Uint8Array();
}

/** The lines of a file that its server may be writing: without a last one that has no end. */
export function wholeLines(text: string): string[] {
  return text.split('\n').slice(0, -1);
}
