/** The schemas of discovery: which networks an agent watches, and which devices it sees there. Sent by `messages.ts`. */
import * as z from 'zod';
import { formatIp, parseIp, parseMac, parseRange, withoutHostBits } from '../network.ts';
import { parsedText } from '../text-schemas.ts';
import { Millis } from '../time.ts';
import { fitText } from './fit-text.ts';
import { Observations } from './observations.ts';

/** The shortest prefix of a watched network: 4,096 addresses, which an ARP scan probes in five seconds. */
const SHORTEST_PREFIX = 20;

/** An IPv4 network that is watched, such as `192.168.1.0/24`. Host bits are cleared. */
export const WatchedNetwork = parsedText(
  50,
  `expected an IPv4 network with a prefix of ${SHORTEST_PREFIX} or longer, such as 192.168.1.0/24`,
  (text) => {
    const range = text.includes('/') ? parseRange(text) : null;
    if (range?.address.family !== 4 || range.prefix < SHORTEST_PREFIX) return null;
    return `${formatIp(withoutHostBits(range).address)}/${range.prefix}`;
  },
).describe(`An IPv4 network in CIDR notation, /${SHORTEST_PREFIX} or longer.`);

/** A MAC address in any notation; canonical after parsing. */
export const GatewayMac = parsedText(50, 'expected the MAC address of a gateway, such as AA:BB:CC:DD:EE:FF', (text) => {
  const mac = parseMac(text);
  return mac !== null && isDeviceMac(mac) ? mac : null;
}).describe('The MAC address of one device, in any notation.');

/** The site's desired discovery settings, within what the policy file on each agent's host allows. */
export const DiscoverySettings = z
  .object({
    enabled: z.boolean(),
    /** `auto`: the private networks with a prefix of /22 or longer to which the agent's host is attached. */
    networks: z.union([z.literal('auto'), z.array(WatchedNetwork).min(1).max(32)]),
    /** From the start of one cycle to the start of the next. */
    intervalSeconds: z.int().min(30).max(3600).default(60),
    /** MAC addresses of gateways that a person has confirmed. Agents also trust gateways that they have seen before. */
    gateways: z.array(GatewayMac).max(64).optional(),
    /** Whether agents query devices (mDNS, UPnP, SNMP) to identify them, and listen to their announcements. */
    recognize: z.boolean().optional(),
    /** Days without a sign after which a device with a randomized MAC is archived, if no field of it was set by a person. */
    archiveRandomAfterDays: z.int().min(1).max(365).optional(),
    /** Whether parents and ports that LLDP, bridge tables and routes show are applied without confirmation. */
    acceptParents: z.boolean().optional(),
  })
  .meta({ id: 'DiscoverySettings' });
export type DiscoverySettings = z.infer<typeof DiscoverySettings>;

const HIGHEST_MAC = 'FF:FF:FF:FF:FF:FF';

export const CanonicalMac = z.string().refine((text) => parseMac(text) === text, {
  error: 'expected a MAC address in the form AA:BB:CC:DD:EE:FF',
});

/** The address of one network card: no group address, and not all zeros. */
export function isDeviceMac(mac: string): boolean {
  return mac !== '00:00:00:00:00:00' && (Number.parseInt(mac.slice(0, 2), 16) & 1) === 0;
}

const DeviceMac = CanonicalMac.refine(isDeviceMac, { error: 'expected the MAC address of one device' });

const CanonicalIp = z.string().refine(
  (text) => {
    const ip = parseIp(text);
    return ip !== null && ip.zone === null && formatIp(ip) === text;
  },
  { error: 'expected an IP address in canonical form, without a zone' },
);

export const MAX_NAME_CHARACTERS = 255;
export const MAX_VENDOR_CHARACTERS = 200;

const NameSource = z.enum(['dns', 'mdns', 'netbios']);

export const DeviceName = z.object({ text: fitText(MAX_NAME_CHARACTERS), source: NameSource });
export type DeviceName = z.infer<typeof DeviceName>;

/** The number of a change within an epoch: from 1, and each change of a device takes the next one. */
export const ChangeNumber = z.int().min(0);

/** Reported addresses of one device. */
export const MAX_ADDRESSES = 16;

/** A device claims what others claim too. Reported for each device involved. */
export const Conflict = z.object({
  /** `address`: it answers for an address; `gateway`: for that of the gateway; `dhcp`: it hands out addresses. */
  kind: z.enum(['address', 'gateway', 'dhcp']),
  /** The address that several claim; of `dhcp`, the one of this device. */
  ip: CanonicalIp,
  /** The other devices, lowest MAC first. */
  others: z.array(DeviceMac).min(1).max(8),
});
export type Conflict = z.infer<typeof Conflict>;

/** Reported absences of one device. */
export const MAX_ABSENCES = 4;

/** A time in which a device was gone: when it went offline, the last sign of it before, and when it came back. */
export const Absence = z.tuple([Millis, Millis, Millis]);
export type Absence = z.infer<typeof Absence>;

/** What an agent knows of one device. In whatever order an agent's sightings of it arrive, the greatest (`epoch`, `n`) wins. */
export const Sighting = z.object({
  mac: DeviceMac,
  /** The agent's change number at which the device's state, address, name or vendor last changed. */
  n: ChangeNumber.positive(),
  online: z.boolean(),
  /** Since when it has been online or offline. */
  since: Millis,
  /** When there was last a sign of it. */
  seenAt: Millis,
  /** Known only by a lease, which says nothing of its presence: `online` is false then, and does not count. */
  unmonitored: z.literal(true).optional(),
  /** Absences before `since` that the service may not have stored, oldest first; of more than MAX_ABSENCES the first and last. */
  absences: z.array(Absence).max(MAX_ABSENCES).optional(),
  ip: CanonicalIp.nullable(),
  name: DeviceName.optional(),
  vendor: fitText(MAX_VENDOR_CHARACTERS).optional(),
  /** Whether the MAC is randomized, as phones do for privacy. Such a MAC has no vendor. */
  random: z.literal(true).optional(),
  /** Whether the agent's host reaches other networks through it. */
  gateway: z.literal(true).optional(),
  /** Every address by which it was seen last, the numerically lowest first, IPv4 before IPv6. `ip` is one of them. */
  ips: z.array(CanonicalIp).max(MAX_ADDRESSES).optional(),
  /** When the agent noticed change `n` (Unix, ms). */
  changedAt: Millis.optional(),
  /** Found by the first scans of its network, and not reported before: part of the baseline, so no news. */
  baseline: z.literal(true).optional(),
  conflict: Conflict.optional(),
  /** Everything the device announces of itself; absent when unchanged since the agent last reported it. */
  observations: Observations.optional(),
});
export type Sighting = z.infer<typeof Sighting>;

/** Sightings in one message. */
export const MAX_SIGHTINGS = 400;

/** The body of a message of sightings. */
export const SightingsBatch = z.object({
  /** When this agent's knowledge began (Unix, ms). An agent that has lost it begins a new epoch, and counts from 1. */
  epoch: Millis,
  /**
   * Names the message in its epoch. Of changes: the greatest `n` of the sightings, so that once this message and those
   * before it are stored, so are all changes up to `n`. A digest's message has its own number, greater than every change before.
   */
  n: ChangeNumber.positive(),
  /**
   * Null for changes. In a digest: the sightings are all devices that the agent knows between these two MACs, as of change
   * `n`. A digest is a series of messages that covers 00:00:00:00:00:00 to FF:FF:FF:FF:FF:FF.
   */
  covers: z.tuple([CanonicalMac, CanonicalMac]).nullable(),
  sightings: z.array(Sighting).max(MAX_SIGHTINGS),
});
export type SightingsBatch = z.infer<typeof SightingsBatch>;

/** Why the fields of a batch contradict each other; null when they do not. */
export function faultOf({ n, covers, sightings }: SightingsBatch): string | null {
  const greatest = sightings.reduce((most, sighting) => Math.max(most, sighting.n), 0);
  if (new Set(sightings.map(({ mac }) => mac)).size < sightings.length) return 'expected each MAC address once';
  if (covers === null) return n === greatest ? null : 'expected n to be the greatest n of the sightings';
  if (n <= greatest) return 'expected n to be greater than that of each sighting, as it is a digest';
  const [from, to] = covers;
  if (from > to) return 'expected covers to name the lower MAC address first';
  return sightings.every(({ mac }) => from <= mac && mac <= to) ? null : 'expected sightings within what is covered';
}

/**
 * How long an agent that begins a new epoch may take to see all devices again: its grace period for sleeping devices, and
 * some cycles. Until then a device missing from a digest does not count as absent.
 */
export const RELEARN_MS = 20 * 60_000;

/** How far ahead of the functions' clock an epoch may begin. A later one would supersede all others, and is rejected. */
export const MAX_FUTURE_EPOCH_MS = 5 * 60_000;

/** The range that a digest covers as a whole. */
export const ALL_MACS = ['00:00:00:00:00:00', HIGHEST_MAC] as const;

export const MAX_PROBLEM_CHARACTERS = 300;

/** The state of an agent's discovery, as part of its presence. */
export const DiscoveryState = z.object({
  /**
   * `not-allowed`: the policy file on the agent's host forbids it. `failing`: it is on, but sees nothing.
   * `another-network`: the host seems to be attached to a foreign LAN; the agent reports nothing until a person confirms the
   * gateway, or the host is back.
   */
  state: z.enum(['off', 'on', 'not-allowed', 'failing', 'another-network']),
  /** `reduced`: without raw sockets, hosts that are asleep or lose packets are missed more often. */
  accuracy: z.enum(['full', 'reduced']).optional(),
  /** The networks that are watched. */
  networks: z.array(z.string().max(65)).max(64).optional(),
  /** Networks to which the host is not attached, and whose devices its sources see: blocks of 256 addresses. */
  bySources: z.array(z.string().max(65)).max(64).optional(),
  /** Of `another-network`: each foreign network, its gateway, and how many known devices answered. */
  strange: z
    .array(
      z.object({
        network: z.string().max(65),
        gateway: DeviceMac.nullable(),
        answered: z.int().min(0),
        known: z.int().min(0),
      }),
    )
    .max(64)
    .optional(),
  /** Networks with proxy ARP, in which a host answers for nearly every address: the agent adds no new devices there. */
  crowded: z.array(z.string().max(65)).max(64).optional(),
  /** One sentence for a person: what is not watched or fails, and why. */
  problem: fitText(MAX_PROBLEM_CHARACTERS).optional(),
});
export type DiscoveryState = z.infer<typeof DiscoveryState>;
