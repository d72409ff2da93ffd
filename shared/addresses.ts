/**
 * MAC addresses, IP addresses, ranges and host names: parsing, comparison and formatting.
 *
 * Every such value from outside is parsed here before it reaches a topic, a key, a process or a comparison. The parsers
 * are strict and accept whole strings only: no surrounding blanks, no octal or shortened IPv4, ASCII digits.
 */
import type * as z from 'zod';

/* ---- MAC addresses (IEEE 802, EUI-48) ------------------------------------------------------------------------- */

const MAC_NOTATIONS = [
  /^[0-9a-f]{1,2}(?::[0-9a-f]{1,2}){5}$/i, // 00:1e:06:aa:bb:cc, and 0:1e:6:aa:bb:cc as macOS prints it
  /^[0-9a-f]{1,2}(?:-[0-9a-f]{1,2}){5}$/i, // 00-1E-06-AA-BB-CC
  /^[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}$/i, // 001e.06aa.bbcc
  /^[0-9a-f]{12}$/i, // 001e06aabbcc
];

const CANONICAL_MAC = /^[0-9A-F]{2}(?::[0-9A-F]{2}){5}$/;

/**
 * The MAC as `AA:BB:CC:DD:EE:FF`, or null when the text is no MAC in colon, dash, Cisco-dot or bare notation. Between
 * colons or dashes, leading zeros may be missing.
 */
export function parseMac(text: string): string | null {
  if (CANONICAL_MAC.test(text)) return text; // Nearly all of an import, which may have 200,000.
  if (!MAC_NOTATIONS.some((notation) => notation.test(text))) return null;
  return text
    .split(/[:-]/)
    .map((group) => group.replaceAll('.', '').padStart(2, '0'))
    .join('')
    .toUpperCase()
    .replace(/(..)(?!$)/g, '$1:');
}

/** A MAC address in the form `AA:BB:CC:DD:EE:FF`. */
export type Mac = string & z.$brand<'Mac'>;

/* ---- IP addresses and ranges ----------------------------------------------------------------------------------- */

/** One address. `value` holds the 32 or 128 bits; `zone` is the name of an interface, only with fe80::/10. */
export interface IpAddress {
  family: 4 | 6;
  value: bigint;
  zone: string | null;
}

/** All addresses whose first `prefix` bits equal those of `address`; the bits after the prefix are kept as written. */
export interface IpRange {
  address: IpAddress;
  prefix: number;
}

const IPV4_OCTET = /^(?:0|[1-9][0-9]{0,2})$/;
const IPV6_GROUP = /^[0-9a-f]{1,4}$/i;
const ZONE = /^[a-z0-9_.-]{1,15}$/i; // An interface name has at most 15 bytes (IFNAMSIZ, Linux).

/**
 * Parses an IPv4 or IPv6 literal (RFC 4291 section 2.2); null for any other text. An IPv4-mapped IPv6 address
 * (`::ffff:a.b.c.d`) becomes the IPv4 address, so that it cannot bypass rules about IPv4.
 */
export function parseIp(text: string): IpAddress | null {
  if (text.length > 61) return null; // 45 for the longest address, a percent sign, 15 for the zone.
  const [literal = '', zone, ...rest] = text.split('%');
  if (rest.length > 0) return null;
  if (!literal.includes(':')) {
    const value = zone === undefined ? parseIpv4(literal) : null;
    return value === null ? null : { family: 4, value, zone: null };
  }
  const value = parseIpv6(literal);
  if (value === null) return null;
  if (zone !== undefined) {
    if (value >> 118n !== 0xfe80n >> 6n || !ZONE.test(zone)) return null;
    return { family: 6, value, zone };
  }
  if (value >> 32n === 0xffffn) return { family: 4, value: value & 0xffffffffn, zone: null };
  return { family: 6, value, zone: null };
}

function parseIpv4(text: string): bigint | null {
  const octets = text.split('.');
  if (octets.length !== 4) return null;
  let value = 0n;
  for (const octet of octets) {
    if (!IPV4_OCTET.test(octet) || Number(octet) > 255) return null;
    value = (value << 8n) | BigInt(octet);
  }
  return value;
}

function parseIpv6(text: string): bigint | null {
  let groups = text;
  const dotted = /^(.*:)([0-9.]+)$/.exec(text);
  if (dotted?.[2]?.includes('.')) {
    const tail = parseIpv4(dotted[2]);
    if (tail === null) return null;
    groups = `${dotted[1]}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`;
  }
  const halves = groups.split('::');
  if (halves.length > 2) return null;
  const split = (half: string | undefined) => (half === undefined || half === '' ? [] : half.split(':'));
  const head = split(halves[0]);
  const tail = split(halves[1]);
  const missing = 8 - head.length - tail.length;
  // `::` stands for at least one group; without it there must be exactly eight.
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const all = [...head, ...Array<string>(halves.length === 2 ? missing : 0).fill('0'), ...tail];
  if (!all.every((group) => IPV6_GROUP.test(group))) return null;
  return all.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

/** The address in its canonical form: dotted IPv4, or IPv6 as RFC 5952 writes it, with its zone if it has one. */
export function formatIp({ family, value, zone }: IpAddress): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  const zeros = longestRun(groups, '0');
  const text =
    zeros.length < 2
      ? groups.join(':')
      : `${groups.slice(0, zeros.start).join(':')}::${groups.slice(zeros.start + zeros.length).join(':')}`;
  return zone === null ? text : `${text}%${zone}`;
}

/** The canonical form of an address that a socket or a gateway reports; null for none, and for any other text. */
export function canonicalAddress(text: string | null): string | null {
  const parsed = text === null ? null : parseIp(text);
  return parsed === null ? null : formatIp(parsed);
}

function longestRun(items: string[], wanted: string): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < items.length; start++) {
    let length = 0;
    while (items[start + length] === wanted) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}

/**
 * Parses `address` or `address/prefix`; null for any other text. A single address is a range of one. Host bits may be
 * set: `10.0.0.7/24` means the 256 addresses of 10.0.0.0/24, as scanners interpret it.
 */
export function parseRange(text: string): IpRange | null {
  const [literal = '', prefixText, ...rest] = text.split('/');
  if (rest.length > 0) return null;
  const address = parseIp(literal);
  if (address === null) return null;
  const width = address.family === 4 ? 32 : 128;
  if (prefixText === undefined) return { address, prefix: width };
  if (!IPV4_OCTET.test(prefixText)) return null; // The same notation: up to three digits, no leading zero.
  // An IPv4-mapped range became IPv4, so its prefix is shorter by 96 bits.
  const folded = address.family === 4 && literal.includes(':');
  const prefix = Number(prefixText) - (folded ? 96 : 0);
  return prefix < 0 || prefix > width ? null : { address, prefix };
}

/** The range in canonical form; a range of one is written as a bare address. */
export function formatRange(range: IpRange): string {
  const width = range.address.family === 4 ? 32 : 128;
  return range.prefix === width ? formatIp(range.address) : `${formatIp(range.address)}/${range.prefix}`;
}

/** The range that holds this address only. */
export function rangeOf(address: IpAddress): IpRange {
  return { address, prefix: address.family === 4 ? 32 : 128 };
}

/** The same range, written with its first address and without a zone. */
export function withoutHostBits({ address, prefix }: IpRange): IpRange {
  const hostBits = BigInt((address.family === 4 ? 32 : 128) - prefix);
  return { address: { ...address, value: (address.value >> hostBits) << hostBits, zone: null }, prefix };
}

/** How many addresses the range holds. */
export function rangeSize({ address, prefix }: IpRange): bigint {
  return 1n << BigInt((address.family === 4 ? 32 : 128) - prefix);
}

/** Whether `outer` contains every address of `inner`. */
export function rangeWithin(inner: IpRange, outer: IpRange): boolean {
  if (inner.address.family !== outer.address.family || inner.prefix < outer.prefix) return false;
  const shift = BigInt((inner.address.family === 4 ? 32 : 128) - outer.prefix);
  return inner.address.value >> shift === outer.address.value >> shift;
}

/** Whether any address lies in both ranges. */
export function rangesOverlap(a: IpRange, b: IpRange): boolean {
  return rangeWithin(a, b) || rangeWithin(b, a);
}

/** A range in the source code, such as `fc00::/7`. Throws at start when it is invalid. */
export function range(text: string): IpRange {
  const parsed = parseRange(text);
  if (parsed === null) throw new Error(`not an IP range: ${text}`);
  return parsed;
}

/** Ranges whose addresses are not those of a host: "this network" (RFC 1122), multicast, broadcast, `::`. */
const NOT_A_HOST = ['0.0.0.0/8', '224.0.0.0/4', '255.255.255.255', '::', 'ff00::/8'].map(range);

/** Whether no address of the range can be a host: "this network", unspecified, multicast or broadcast. */
export function namesNoHost(candidate: IpRange): boolean {
  return NOT_A_HOST.some((excluded) => rangeWithin(candidate, excluded));
}

/** A form of IPv6 address that contains an IPv4 address. Bits are counted from the left, as prefix lengths are. */
interface Ipv4Form {
  /** An address has this form when its bits selected by `mask` equal `pattern`. */
  pattern: bigint;
  mask: bigint;
  /** The positions of the IPv4 address: pieces from the first bit up to, not including, the last. */
  pieces: readonly (readonly [from: number, to: number])[];
  /** Whether the IPv4 address is written with all bits inverted. */
  inverted: boolean;
}

/** Well-known prefixes that embed IPv4. A NAT64 prefix that a site has chosen from its own addresses is unknowable. */
const IPV4_FORMS: readonly Ipv4Form[] = [
  formIn('::ffff:0:0:0/96', [[96, 128]]), // RFC 2765 section 2.1, IPv4-translated (SIIT): ::ffff:0:a.b.c.d
  formIn('::/96', [[96, 128]]), // RFC 4291 section 2.5.5.1, IPv4-compatible
  formIn('64:ff9b::/96', [[96, 128]]), // RFC 6052 section 2.1, NAT64
  // RFC 8215: NAT64 of the site's own. RFC 6052 section 2.2 places the address after a prefix of 48, 56, 64 and 96 bits,
  // and never in bits 64 to 71.
  formIn('64:ff9b:1::/48', [
    [48, 64],
    [72, 88],
  ]),
  formIn('64:ff9b:1::/48', [
    [56, 64],
    [72, 96],
  ]),
  formIn('64:ff9b:1::/48', [[72, 104]]),
  formIn('64:ff9b:1::/48', [[96, 128]]),
  formIn('2002::/16', [[16, 48]]), // RFC 3056 section 2, 6to4
  formIn('2001::/32', [[32, 64]]), // RFC 4380 section 4, Teredo: the server
  { ...formIn('2001::/32', [[96, 128]]), inverted: true }, // and the client, which is written inverted
  // RFC 5214 section 6.1, ISATAP: after any 64 bits 0:5efe or 200:5efe, which differ in one bit, and the address.
  { pattern: 0x5efen << 32n, mask: 0xfdff_ffffn << 32n, pieces: [[96, 128]], inverted: false },
];

function formIn(prefix: string, pieces: Ipv4Form['pieces']): Ipv4Form {
  const { address, prefix: bits } = range(prefix);
  return { pattern: address.value, mask: networkMask(bits), pieces, inverted: false };
}

/** The first `prefix` of 128 bits. */
function networkMask(prefix: number): bigint {
  return ((1n << BigInt(prefix)) - 1n) << BigInt(128 - prefix);
}

/**
 * The IPv4 addresses to which translators and tunnels may forward packets for an address of the range: one range for
 * each form that addresses of the range can have. IPv4-mapped addresses (`::ffff:a.b.c.d`) are not included, because
 * the parsers above turn them into IPv4. Addresses that cannot be those of a host are left out.
 */
export function embeddedIpv4({ address, prefix }: IpRange): IpRange[] {
  if (address.family === 4) return [];
  return IPV4_FORMS.filter(({ pattern, mask }) => ((address.value ^ pattern) & mask & networkMask(prefix)) === 0n)
    .map(({ pieces, inverted }): IpRange => {
      let value = 0n;
      let known = 0;
      for (const [from, to] of pieces) {
        const width = BigInt(to - from);
        value = (value << width) | ((address.value >> BigInt(128 - to)) & ((1n << width) - 1n));
        known += Math.min(Math.max(prefix, from), to) - from;
      }
      const hostBits = BigInt(32 - known);
      const first = ((inverted ? value ^ 0xffff_ffffn : value) >> hostBits) << hostBits;
      return { address: { family: 4, value: first, zone: null }, prefix: known };
    })
    .filter((embedded) => !namesNoHost(embedded));
}

/** A command's target, an address or a range. Only the two schemas below create one. Its JSON is its canonical text. */
export class Target {
  readonly range: IpRange;
  /** In canonical form, as programs accept it. A prefix length is kept as written, even for a single address. */
  readonly text: string;
  /** As the caller wrote it. */
  readonly written: string;
  /** For the compiler only: makes the type nominal, so that only a parsed target is accepted. */
  declare protected readonly parsed: true;

  constructor(written: string, range: IpRange) {
    this.range = range;
    this.text = written.includes('/') ? `${formatIp(range.address)}/${range.prefix}` : formatIp(range.address);
    this.written = written;
  }

  toJSON(): string {
    return this.text;
  }
}

/* ---- host names ------------------------------------------------------------------------------------------------ */

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * The host name in lower-case ASCII (RFC 1123, underscores allowed as in `_ipp._tcp`; IDN as punycode), without the
 * final dot, or null. A name whose last label is a number is rejected: resolvers read it as an address.
 */
export function parseHostName(text: string): string | null {
  if (text.length > 254) return null;
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const ascii = asciiName(name);
  if (ascii === null || ascii.length > 253) return null;
  const labels = ascii.split('.');
  if (!labels.every((label) => LABEL.test(label))) return null;
  return /^(?:[0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '') ? null : ascii;
}

/** Letters of any script, marks that combine with them, and ASCII digits only, because other digits look alike. */
const INTERNATIONAL = /^[a-z0-9_.\-\p{L}\p{M}]+$/iu;

function asciiName(name: string): string | null {
  if (/^[\x21-\x7e]+$/.test(name)) return name.toLowerCase();
  if (!INTERNATIONAL.test(name)) return null;
  try {
    // The WHATWG URL parser implements the UTS #46 mapping that browsers use.
    const host = new URL(`http://${name}`).hostname;
    return host.split('.').length === name.split('.').length ? host : null;
  } catch {
    return null;
  }
}

/** A DNS query: the name of an address, or the addresses of a name. Its JSON is its canonical text. */
export class Lookup {
  /** The address that is looked up; null when it is a name. */
  readonly address: IpAddress | null;
  /** The address or the host name in canonical form. */
  readonly text: string;
  declare protected readonly parsed: true;

  constructor(address: IpAddress | null, text: string) {
    this.address = address;
    this.text = text;
  }

  toJSON(): string {
    return this.text;
  }
}
