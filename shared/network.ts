/** Schemas of MAC addresses, IP addresses, ranges and host names, and how `addresses.ts` parses them. */
import * as z from 'zod';
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

export * from './addresses.ts';

/** Longer than any host name; a longer text is refused before it is parsed. */
const MAX_TARGET_CHARACTERS = 300;

/** A MAC that can be woken: any unicast or multicast address, but not all zeros and not the broadcast address. */
export const WakeableMac = z
  .string()
  .max(MAX_TARGET_CHARACTERS, { abort: true })
  .transform((text, context): Mac => {
    const mac = parseMac(text);
    if (mac !== null && mac !== '00:00:00:00:00:00' && mac !== 'FF:FF:FF:FF:FF:FF') return mac as Mac;
    const message = 'expected a MAC address such as 00:1E:06:AA:BB:CC, neither all zeros nor broadcast';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({
    description:
      'A MAC address in colon, dash, Cisco-dot or bare hexadecimal notation, in any letter case; `0:1e:6:aa:7:1` too.',
  });

/** The address of one host, as the target of a command. */
export const TargetAddress = z
  .string()
  .max(MAX_TARGET_CHARACTERS, { abort: true })
  .transform((text, context): Target => {
    const ip = parseIp(text);
    const range = ip === null ? null : rangeOf(ip);
    if (range !== null && !namesNoHost(range)) return new Target(text, range);
    context.addIssue({ code: 'custom', message: 'expected the IPv4 or IPv6 address of one host' });
    return z.NEVER;
  })
  .meta({ description: 'An IPv4 or IPv6 address. A zone (`%eth0`) is accepted with fe80::/10 only.' });

/** An address, or a range in CIDR notation, as the target of a command. */
export const TargetRange = z
  .string()
  .max(MAX_TARGET_CHARACTERS, { abort: true })
  .transform((text, context): Target => {
    const range = parseRange(text);
    if (range !== null && range.prefix > 0 && !namesNoHost(range)) return new Target(text, range);
    const message = 'expected an IP address, or a range in CIDR notation such as 192.168.1.0/24';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({ description: 'An IPv4 or IPv6 address, or a range in CIDR notation.' });

/** An address (whose name is looked up) or a host name (whose addresses are looked up). */
export const LookupTarget = z
  .string()
  .max(MAX_TARGET_CHARACTERS, { abort: true })
  .transform((text, context): Lookup => {
    const address = parseIp(text);
    const canonical = address === null ? parseHostName(text) : formatIp(address);
    if (canonical !== null) return new Lookup(address, canonical);
    context.addIssue({ code: 'custom', message: 'expected an IP address or a host name' });
    return z.NEVER;
  })
  .meta({ description: 'An IPv4 or IPv6 address, or a host name.' });
