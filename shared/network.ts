/** Schemas of MAC addresses, IP addresses, ranges and host names, and how `addresses.ts` parses them. */
import {
  formatIp,
  Lookup,
  type Mac,
  namesNoHost,
  parseHostName,
  parseIp,
  parseMac,
  parseRange,
  rangeOf,
  Target,
} from './addresses.ts';
import { parsedText } from './text-schemas.ts';

export * from './addresses.ts';

/** Longer than any host name; a longer text is rejected before it is parsed. */
const MAX_TARGET_CHARACTERS = 300;

/** A MAC that can be woken: any unicast or multicast address, but not all zeros and not the broadcast address. */
export const WakeableMac = parsedText(
  MAX_TARGET_CHARACTERS,
  'expected a MAC address such as 00:1E:06:AA:BB:CC, neither all zeros nor broadcast',
  (text) => {
    const mac = parseMac(text);
    return mac === '00:00:00:00:00:00' || mac === 'FF:FF:FF:FF:FF:FF' ? null : (mac as Mac | null);
  },
).describe(
  'A MAC address in colon, dash, Cisco-dot or bare hexadecimal notation, in any letter case; `0:1e:6:aa:7:1` too.',
);

/** The address of one host, as the target of a command. */
export const TargetAddress = parsedText(
  MAX_TARGET_CHARACTERS,
  'expected the IPv4 or IPv6 address of one host',
  (text): Target | null => {
    const ip = parseIp(text);
    const range = ip === null ? null : rangeOf(ip);
    return range === null || namesNoHost(range) ? null : new Target(text, range);
  },
).describe('An IPv4 or IPv6 address. A zone (`%eth0`) is accepted with fe80::/10 only.');

/** An address, or a range in CIDR notation, as the target of a command. */
export const TargetRange = parsedText(
  MAX_TARGET_CHARACTERS,
  'expected an IP address, or a range in CIDR notation such as 192.168.1.0/24',
  (text): Target | null => {
    const range = parseRange(text);
    return range === null || range.prefix === 0 || namesNoHost(range) ? null : new Target(text, range);
  },
).describe('An IPv4 or IPv6 address, or a range in CIDR notation.');

/** An address (whose name is looked up) or a host name (whose addresses are looked up). */
export const LookupTarget = parsedText(
  MAX_TARGET_CHARACTERS,
  'expected an IP address or a host name',
  (text): Lookup | null => {
    const address = parseIp(text);
    const canonical = address === null ? parseHostName(text) : formatIp(address);
    return canonical === null ? null : new Lookup(address, canonical);
  },
).describe('An IPv4 or IPv6 address, or a host name.');
