/**
 * What functions and agents say to each other about discovery: which networks an agent watches, and which devices it
 * sees there. The messages that carry these stand in `messages.ts`.
 */
import * as z from 'zod';
import { formatIp, parseIp, parseMac, parseRange, withoutHostBits } from '../network.ts';
import { Millis } from '../time.ts';
import { fitText } from './fit-text.ts';
import { Observations } from './observations.ts';

/** The shortest prefix of a watched network: 4,096 addresses, which an ARP scan asks in five seconds. */
const SHORTEST_PREFIX = 20;

/** An IPv4 network that is watched, such as `192.168.1.0/24`. Host bits are cleared. */
export const WatchedNetwork = z
  .string()
  .max(50, { abort: true })
  .transform((text, context): string => {
    const range = text.includes('/') ? parseRange(text) : null;
    if (range?.address.family === 4 && range.prefix >= SHORTEST_PREFIX) {
      return `${formatIp(withoutHostBits(range).address)}/${range.prefix}`;
    }
    const message = `expected an IPv4 network with a prefix of ${SHORTEST_PREFIX} or longer, such as 192.168.1.0/24`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({ description: `An IPv4 network in CIDR notation, /${SHORTEST_PREFIX} or longer.` });

/** A MAC address in any notation; canonical after parsing. */
export const GatewayMac = z
  .string()
  .max(50, { abort: true })
  .transform((text, context): string => {
    const mac = parseMac(text);
    if (mac !== null && isDeviceMac(mac)) return mac;
    context.addIssue({ code: 'custom', message: 'expected the MAC address of a gateway, such as AA:BB:CC:DD:EE:FF' });
    return z.NEVER;
  })
  .meta({ description: 'The MAC address of one device, in any notation.' });

/** What the site wants of its agents. The policy file on each agent's host says how far it goes along. */
export const DiscoverySettings = z
  .object({
    enabled: z.boolean(),
    /** `auto`: the private networks with a prefix of /22 or longer to which the agent's host is attached. */
    networks: z.union([z.literal('auto'), z.array(WatchedNetwork).min(1).max(32)]),
    /** From the start of one cycle to the start of the next. */
    intervalSeconds: z.int().min(30).max(3600).default(60),
    /** MAC addresses of gateways that a person has confirmed. Agents trust those that they have seen before, too. */
    gateways: z.array(GatewayMac).max(64).optional(),
    /** Whether agents ask devices what they are (mDNS, UPnP, SNMP), and listen to what they say to all. */
    recognize: z.boolean().optional(),
    /** After how many days without a sign a device with a made-up MAC is archived of which nobody has set anything. */
    archiveRandomAfterDays: z.int().min(1).max(365).optional(),
    /** Whether parents and ports that LLDP, bridge tables and routes show are taken over without being asked for. */
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

/** The number of a change within an epoch. An agent counts on from 1; each change of a device takes the next number. */
export const ChangeNumber = z.int().min(0);

/** Addresses of one device that are told. */
export const MAX_ADDRESSES = 16;

/** That a device claims what others claim too. Told of each device that takes part. */
export const Conflict = z.object({
  /** `address`: it answers for an address; `gateway`: for that of the gateway; `dhcp`: it hands out addresses. */
  kind: z.enum(['address', 'gateway', 'dhcp']),
  /** The address that several claim; of `dhcp`, the one of this device. */
  ip: CanonicalIp,
  /** The other devices, lowest MAC first. */
  others: z.array(DeviceMac).min(1).max(8),
});
export type Conflict = z.infer<typeof Conflict>;

/** Absences of one device that are told. */
export const MAX_ABSENCES = 4;

/** A time in which a device was gone: when it went offline, the last sign of it before, and when it came back. */
export const Absence = z.tuple([Millis, Millis, Millis]);
export type Absence = z.infer<typeof Absence>;

/**
 * What an agent knows of one device. Of two sightings of one device by one agent the one with the greater (`epoch` of its
 * message, `n`) is true, in whatever order they arrive.
 */
export const Sighting = z.object({
  mac: DeviceMac,
  /** The change of this agent in which the device's state, address, name or vendor last changed. */
  n: ChangeNumber.positive(),
  online: z.boolean(),
  /** Since when it has been online or offline. */
  since: Millis,
  /** When there was last a sign of it. */
  seenAt: Millis,
  /**
   * How it went and came back before `since`, oldest first, as far as it is not stored for certain: what happened while the
   * agent was cut off. Of more than MAX_ABSENCES the first and the last.
   */
  absences: z.array(Absence).max(MAX_ABSENCES).optional(),
  ip: CanonicalIp.nullable(),
  name: DeviceName.optional(),
  vendor: fitText(MAX_VENDOR_CHARACTERS).optional(),
  /** Whether the MAC was made up by the device, as phones do for their privacy. Such a MAC has no vendor. */
  random: z.literal(true).optional(),
  /** Whether the agent's host reaches other networks through it. */
  gateway: z.literal(true).optional(),
  /** Every address by which it was seen last, the numerically lowest first, IPv4 before IPv6. `ip` is one of them. */
  ips: z.array(CanonicalIp).max(MAX_ADDRESSES).optional(),
  /** When the agent noticed what change `n` is about (Unix, ms). */
  changedAt: Millis.optional(),
  /** It was found by the first looks at its network, and nobody has been told yet: it is part of how things are, no news. */
  baseline: z.literal(true).optional(),
  /** What it claims and another device claims too. */
  conflict: Conflict.optional(),
  /** All that it says of itself; left out when that is as the agent has told it before. */
  observations: Observations.optional(),
});
export type Sighting = z.infer<typeof Sighting>;

/** Sightings in one message. */
export const MAX_SIGHTINGS = 400;

/** The body of a message of sightings. */
export const SightingsBatch = z.object({
  /** When this agent's knowledge began (Unix, ms). An agent that has lost it begins a new epoch, and counts anew. */
  epoch: Millis,
  /**
   * Names the message in its epoch. Of changes: the greatest `n` of the sightings, so that all changes up to it are told
   * when the messages before are stored. A message of a digest takes a number of its own, which is greater than that of
   * every change before it.
   */
  n: ChangeNumber.positive(),
  /**
   * Null for changes. In a digest: the sightings are all devices that the agent knows with MACs from the first to the
   * last of these, as of change `n`. A digest is a run of messages that covers 00:00:00:00:00:00 to FF:FF:FF:FF:FF:FF.
   */
  covers: z.tuple([CanonicalMac, CanonicalMac]).nullable(),
  sightings: z.array(Sighting).max(MAX_SIGHTINGS),
});
export type SightingsBatch = z.infer<typeof SightingsBatch>;

/** What is wrong with a batch whose fields are right each for itself; null when nothing is. */
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
 * How long an agent that begins a new epoch may take to see all devices again: its grace time for devices that sleep,
 * and some cycles. Until then it does not count as a sign of absence that a digest lacks a device.
 */
export const RELEARN_MS = 20 * 60_000;

/** How far ahead of the functions' clock an epoch may begin. A later one would outlive all others, and is refused. */
export const MAX_FUTURE_EPOCH_MS = 5 * 60_000;

/** The range that a digest covers as a whole. */
export const ALL_MACS = ['00:00:00:00:00:00', HIGHEST_MAC] as const;

export const MAX_PROBLEM_CHARACTERS = 300;

/** How an agent's discovery goes, as part of its presence. */
export const DiscoveryState = z.object({
  /**
   * `not-allowed`: the policy file on the agent's host forbids it. `failing`: it is on, and nothing can be seen.
   * `another-network`: the host seems to be attached to the LAN of somebody else; nothing is told until a person confirms
   * the gateway, or the host is back.
   */
  state: z.enum(['off', 'on', 'not-allowed', 'failing', 'another-network']),
  /** `reduced`: without raw sockets, hosts that are asleep or lose packets are missed more often. */
  accuracy: z.enum(['full', 'reduced']).optional(),
  /** The networks that are watched. */
  networks: z.array(z.string().max(65)).max(64).optional(),
  /** Of `another-network`: each network that seems to be another one, its gateway, and how many known devices answered. */
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
  /** Networks in which somebody answers for nearly every address: no new devices are taken there. */
  crowded: z.array(z.string().max(65)).max(64).optional(),
  /** One sentence for a person: what is not watched or does not work, and why. */
  problem: fitText(MAX_PROBLEM_CHARACTERS).optional(),
});
export type DiscoveryState = z.infer<typeof DiscoveryState>;
