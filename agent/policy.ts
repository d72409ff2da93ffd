/**
 * What this agent is willing to do. The operator of the site writes it into a file on the agent's host; nothing that
 * arrives from the cloud can widen it.
 */
import * as z from 'zod';
import type { Command, NmapMode, Tool } from '../shared/agent/messages.ts';
import {
  formatRange,
  type IpAddress,
  type IpRange,
  namesNoHost,
  parseIp,
  parseMac,
  parseRange,
  range,
  rangeSize,
  rangeWithin,
} from '../shared/network.ts';

/** A zone has no place here: a rule about link-local addresses holds on every interface. */
const Range = z.string().transform((text, context): IpRange => {
  const parsed = parseRange(text);
  if (parsed !== null && parsed.address.zone === null) return parsed;
  context.addIssue({ code: 'custom', message: 'expected an IP address or a range such as 10.0.0.0/8, without a zone' });
  return z.NEVER;
});

const Mac = z.string().transform((text, context): string => {
  const mac = parseMac(text);
  if (mac !== null) return mac;
  context.addIssue({ code: 'custom', message: 'expected a MAC address such as 00:1E:06:AA:BB:CC' });
  return z.NEVER;
});

const ENABLED = { enabled: z.boolean().default(true) };
const Switch = z.strictObject(ENABLED).prefault({});

/** `outside`: whether targets beyond the local networks are allowed. `deny` outweighs everything else. */
const targetRules = (outside: boolean) => ({
  ...ENABLED,
  outside: z.boolean().default(outside),
  allow: z.array(Range).max(1000).default([]),
  deny: z.array(Range).max(1000).default([]),
});

/** Beyond this no scan ends within its time limit, whatever the operator wants. */
const LARGEST_SCAN = 65_536;
const Addresses = z.int().min(1).max(LARGEST_SCAN);
const Limit = z.int().min(1).max(64);
const Queue = z.int().min(0).max(100);

export const AgentPolicy = z.strictObject({
  wakeonlan: z.strictObject({ ...ENABLED, deny: z.array(Mac).max(1000).default([]) }).prefault({}),
  traceroute: z.strictObject(targetRules(true)).prefault({}),
  speedtest: Switch,
  nslookup: z.strictObject(targetRules(true)).prefault({}),
  nmap: z
    .strictObject({
      ...targetRules(false),
      /** Addresses in one scan. */
      maxAddresses: Addresses.default(1024),
      /** Addresses in one scan of the modes `detail` and `skipdiscovery`, which spend seconds on each. */
      maxAddressesSlow: Addresses.default(256),
    })
    .prefault({}),
  internetinfo: Switch,
  interfaces: Switch,
  concurrency: z
    .strictObject({
      /** Commands that run at once, of all tools together. Long ones leave two of these places free, see `hasRoom`. */
      total: Limit.default(8),
      /** Long commands that may wait for their turn; one more is refused. */
      queue: Queue.default(4),
      /** Short commands that may wait. They take their turn within moments, so that there may be more of them. */
      shortQueue: Queue.default(64),
      wakeonlan: Limit.default(4),
      traceroute: Limit.default(4),
      // Tests that are asked for at the same time join the one that runs, so several cost no more than one.
      speedtest: Limit.default(4),
      nslookup: Limit.default(8),
      nmap: Limit.default(2),
      internetinfo: Limit.default(4),
      interfaces: Limit.default(4),
    } satisfies Record<Tool | 'total' | 'queue' | 'shortQueue', z.ZodType>)
    .prefault({}),
} satisfies Record<Tool | 'concurrency', z.ZodType>);
export type AgentPolicy = z.infer<typeof AgentPolicy>;

/**
 * The policy that a policy file holds; what it leaves out has its default, so `{}` is the default policy.
 * @throws {Error} naming each field that is misspelt or out of range. The agent must not start with half a policy.
 */
export function parsePolicy(json: unknown): AgentPolicy {
  const parsed = AgentPolicy.safeParse(json);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'policy'}: ${message}`);
  throw new Error(`The agent's policy is malformed: ${faults.join('; ')}`);
}

/** Tools that may run for a minute or for a quarter of an hour. */
const LONG: ReadonlySet<Tool> = new Set(['nmap', 'speedtest', 'traceroute']);
/** Places that long commands leave to short ones. */
const KEPT_FOR_SHORT = 2;

/** Whether one more command may start. However many scans run, there is always room for a short command. */
export function hasRoom({ concurrency }: AgentPolicy, tool: Tool, running: readonly Tool[]): boolean {
  if (running.length >= concurrency.total) return false;
  if (running.filter((other) => other === tool).length >= concurrency[tool]) return false;
  const forLong = Math.max(1, concurrency.total - KEPT_FOR_SHORT);
  return !LONG.has(tool) || running.filter((other) => LONG.has(other)).length < forLong;
}

/** Whether one more command may wait for its turn. */
export function mayWait({ concurrency }: AgentPolicy, tool: Tool, waiting: readonly Tool[]): boolean {
  const alike = waiting.filter((other) => LONG.has(other) === LONG.has(tool));
  return alike.length < (LONG.has(tool) ? concurrency.queue : concurrency.shortQueue);
}

export interface Refusal {
  reason: 'target_not_allowed' | 'invalid_target';
  /** One sentence for the person who asked. */
  message: string;
}

/**
 * Whether the policy lets a command run; null when it does.
 * @param attachedNetworks networks of the host's own interfaces: always local, even with public addresses
 * @param interfaceNames what a zone may name
 */
export function checkCommand(
  policy: AgentPolicy,
  command: Command,
  attachedNetworks: readonly IpRange[],
  interfaceNames: ReadonlySet<string>,
): Refusal | null {
  if (!policy[command.tool].enabled) return notAllowed(`The policy of this agent does not allow ${command.tool}`);
  switch (command.tool) {
    case 'wakeonlan': {
      const mac = parseMac(command.mac);
      if (mac === null) return invalid(`${command.mac} is not a MAC address`);
      return policy.wakeonlan.deny.includes(mac) ? notAllowed(`The policy of this agent does not allow ${mac}`) : null;
    }
    case 'nslookup': {
      // A host name asks the name server and reaches nobody else.
      const address = parseIp(command.query);
      if (address === null) return null;
      const target = hostRange(address);
      return checkZone(target, interfaceNames) ?? checkTarget(policy.nslookup, target, attachedNetworks);
    }
    case 'traceroute': {
      const address = parseIp(command.target);
      if (address === null) return invalid(`${command.target} is not an IP address`);
      const target = hostRange(address);
      return (
        checkHost(target) ??
        requireZone(target) ??
        checkZone(target, interfaceNames) ??
        checkTarget(policy.traceroute, target, attachedNetworks)
      );
    }
    case 'nmap': {
      const target = parseRange(command.target);
      if (target === null) return invalid(`${command.target} is neither an IP address nor a range in CIDR notation`);
      return (
        checkHost(target) ??
        requireZone(target) ??
        checkZone(target, interfaceNames) ??
        checkSize(policy.nmap, target, command.mode) ??
        checkTarget(policy.nmap, target, attachedNetworks)
      );
    }
    case 'speedtest':
    case 'internetinfo':
    case 'interfaces':
      return null;
  }
}

const LINK_LOCAL = range('fe80::/10');

/** Addresses that belong to no one on the internet, so that scanning them stays within the site. */
const LOCAL = [
  '10.0.0.0/8', // RFC 1918
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10', // RFC 6598, between a provider's NAT and its customers
  '169.254.0.0/16', // RFC 3927, link-local
  '127.0.0.0/8',
  'fc00::/7', // RFC 4193, unique local
  '::1',
]
  .map(range)
  .concat(LINK_LOCAL);

/** IPv6 ranges that carry an IPv4 address, which a translator or a tunnel reaches; `at`: the bits before it. */
const CARRIES_IPV4 = [
  { within: range('::/96'), at: 96 }, // RFC 4291 section 2.5.5.1, IPv4-compatible
  { within: range('64:ff9b::/96'), at: 96 }, // RFC 6052, NAT64
  { within: range('64:ff9b:1::/48'), at: 96 }, // RFC 8215, NAT64 of the site's own, as far as it uses a /96
  { within: range('2002::/16'), at: 16 }, // RFC 3056, 6to4
];

interface TargetRules {
  outside: boolean;
  allow: readonly IpRange[];
  deny: readonly IpRange[];
}

function checkTarget({ outside, allow, deny }: TargetRules, target: IpRange, attached: readonly IpRange[]) {
  const meant = [target, ...carriedIpv4(target)];
  if (meant.some((range) => deny.some((denied) => overlap(range, denied)))) return targetNotAllowed(target);
  if (outside || allow.some((allowed) => rangeWithin(target, allowed))) return null;
  // An IPv6 address that stands for an IPv4 one is in none of these: whoever means 10.0.0.1 can write 10.0.0.1.
  const local = [...LOCAL, ...attached].some((allowed) => rangeWithin(target, allowed));
  return local ? null : targetNotAllowed(target);
}

/** The IPv4 range that an IPv6 range stands for, so that a denied host cannot be reached by its other name. */
function carriedIpv4(target: IpRange): IpRange[] {
  if (target.address.family !== 6) return [];
  const { value } = target.address;
  return CARRIES_IPV4.filter(({ within, at }) => rangeWithin(target, within) && target.prefix >= at).map(({ at }) => ({
    address: { family: 4, value: (value >> BigInt(96 - at)) & 0xffffffffn, zone: null },
    prefix: Math.min(32, target.prefix - at),
  }));
}

function overlap(a: IpRange, b: IpRange): boolean {
  return rangeWithin(a, b) || rangeWithin(b, a);
}

function checkSize(rules: AgentPolicy['nmap'], target: IpRange, mode: NmapMode): Refusal | null {
  const most = mode === 'detail' || mode === 'skipdiscovery' ? rules.maxAddressesSlow : rules.maxAddresses;
  if (rangeSize(target) <= BigInt(most)) return null;
  return notAllowed(
    `${formatRange(target)} holds ${rangeSize(target)} addresses; this agent scans at most ${most} in mode ${mode}`,
  );
}

function checkHost(target: IpRange): Refusal | null {
  return namesNoHost(target) ? invalid(`${formatRange(target)} cannot be the address of a host`) : null;
}

function requireZone(target: IpRange): Refusal | null {
  if (!rangeWithin(target, LINK_LOCAL) || target.address.zone !== null) return null;
  return invalid(`${formatRange(target)} exists on every interface; say which one, as in fe80::1%eth0`);
}

function checkZone(target: IpRange, interfaceNames: ReadonlySet<string>): Refusal | null {
  const { zone } = target.address;
  if (zone === null || interfaceNames.has(zone)) return null;
  return invalid(`The agent's host has no interface ${zone}`);
}

function hostRange(address: IpAddress): IpRange {
  return { address, prefix: address.family === 4 ? 32 : 128 };
}

function targetNotAllowed(target: IpRange): Refusal {
  return notAllowed(`The policy of this agent does not allow the target ${formatRange(target)}`);
}

function notAllowed(message: string): Refusal {
  return { reason: 'target_not_allowed', message };
}

function invalid(message: string): Refusal {
  return { reason: 'invalid_target', message };
}
