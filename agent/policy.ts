/**
 * What this agent is willing to do. The operator of the site writes it into a file on the agent's host; nothing that
 * arrives from the cloud can widen it.
 */
import * as z from 'zod';
import type { Command, NmapMode, Tool } from '../shared/agent/messages.ts';
import {
  embeddedIpv4,
  formatRange,
  type IpAddress,
  type IpRange,
  namesNoHost,
  parseIp,
  parseMac,
  parseRange,
  range,
  rangeSize,
  rangesOverlap,
  rangeWithin,
} from '../shared/network.ts';
import type { Attachment } from './host.ts';

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

/**
 * `outside`: whether targets beyond the local networks are allowed. `allow` allows targets outside, and addresses that
 * are otherwise off limits to every tool or mode, see `offLimits`. `deny` outweighs everything else.
 */
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
      speedtest: Limit.default(1), // Two at once would measure each other.
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

/** Whether the policy lets a command run; null when it does. */
export function checkCommand(policy: AgentPolicy, command: Command, host: Attachment): Refusal | null {
  const { tool } = command;
  if (!policy[tool].enabled) return notAllowed(`The policy of this agent does not allow ${tool}`);
  switch (tool) {
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
      return checkZone(target, host) ?? checkTarget(policy.nslookup, tool, target, METADATA, host);
    }
    case 'traceroute': {
      const address = parseIp(command.target);
      if (address === null) return invalid(`${command.target} is not an IP address`);
      const target = hostRange(address);
      return (
        checkHost(target) ??
        requireZone(target) ??
        checkZone(target, host) ??
        checkTarget(policy.traceroute, tool, target, METADATA, host)
      );
    }
    case 'nmap': {
      const target = parseRange(command.target);
      if (target === null) return invalid(`${command.target} is neither an IP address nor a range in CIDR notation`);
      return (
        checkHost(target) ??
        requireZone(target) ??
        checkZone(target, host) ??
        checkSize(policy.nmap, target, command.mode) ??
        checkTarget(policy.nmap, tool, target, offLimits(command.mode, host), host)
      );
    }
    case 'speedtest':
    case 'internetinfo':
    case 'interfaces':
      return null;
  }
}

/**
 * The addresses that a scan of the range leaves out, because they are off limits and `allow` does not name them. A range
 * that consists of such addresses alone is refused by {@link checkCommand}.
 */
export function leftOut(rules: TargetRules, target: IpRange, mode: NmapMode, host: Attachment): OffLimits[] {
  return withoutAllowed(rules, target, offLimits(mode, host));
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

/** Addresses that are only reached if the operator's `allow` names them. */
export interface OffLimits {
  range: IpRange;
  /** What answers there. */
  what: string;
}

/**
 * Where clouds serve the metadata of a machine to the machine itself, often with credentials. Off limits to every tool.
 * The source is the documentation of the cloud, or that of cloud-init on its data source where it is named.
 */
const METADATA: readonly OffLimits[] = [
  '169.254.169.254', // Amazon EC2, Google, Azure, OpenStack, Oracle, DigitalOcean, Hetzner and most others
  'fd00:ec2::254', // Amazon EC2, "Access instance metadata for an EC2 instance"
  '169.254.170.2', // Amazon ECS, "Task IAM role"
  '169.254.170.23', // Amazon EKS, "Set up the Amazon EKS Pod Identity Agent"
  'fd00:ec2::23',
  'fd20:ce::254', // Google Compute Engine, "About VM metadata"
  '168.63.129.16', // Azure, "What is IP address 168.63.129.16?" (WireServer)
  'fe80::a9fe:a9fe', // OpenStack Nova, "Metadata service"
  'fd00:c1::a9fe:a9fe', // Oracle Cloud, the SDK's oci/auth/signers
  '192.0.0.192', // Oracle Cloud Classic
  '100.100.100.200', // Alibaba Cloud, "View instance metadata"
  'fd00:100::100:200', // Alibaba Cloud, cloud-init
  '100.96.0.96', // Volcengine, its Terraform provider and SDKs
  '169.254.0.23', // Tencent Cloud, metadata.tencentyun.com
  '169.254.42.42', // Scaleway, cloud-init
  'fd00:42::42',
  'fd00:a9fe:a9fe::1', // Akamai (Linode), cloud-init
].map((text) => ({ range: range(text), what: 'cloud metadata' }));

const LOOPBACK = ['127.0.0.0/8', '::1'].map(range);

/**
 * What a scan does not touch by itself. Mode `detail` shows what services answer, and services of the agent's host that
 * listen on loopback, or trust the host's own addresses, are not meant for readers elsewhere.
 */
function offLimits(mode: NmapMode, { addresses }: Attachment): readonly OffLimits[] {
  if (mode !== 'detail') return METADATA;
  return [
    ...METADATA,
    ...[...LOOPBACK, ...addresses].map((range) => ({
      range,
      what: "the agent's own host, off limits for mode detail",
    })),
  ];
}

export interface TargetRules {
  outside: boolean;
  allow: readonly IpRange[];
  deny: readonly IpRange[];
}

/** Judges the target and, as if they were asked for as well, the IPv4 addresses that its form leads to. */
function checkTarget(
  rules: TargetRules,
  tool: Tool,
  target: IpRange,
  offLimits: readonly OffLimits[],
  host: Attachment,
): Refusal | null {
  const allowed = [...LOCAL, ...host.networks, ...rules.allow];
  for (const meant of [target, ...embeddedIpv4(target)]) {
    if (rules.deny.some((denied) => rangesOverlap(meant, denied))) return targetNotAllowed(target);
    if (!rules.outside && !allowed.some((range) => rangeWithin(meant, range))) return targetNotAllowed(target);
    const kept = withoutAllowed(rules, meant, offLimits);
    // A scan can leave out single addresses of its target, but none of those that a translator makes of the target.
    const isAll = meant !== target || kept.reduce((sum, { range }) => sum + rangeSize(range), 0n) >= rangeSize(target);
    if (kept[0] !== undefined && isAll) return refuseOffLimits(tool, target, kept[0]);
  }
  return null;
}

/** The parts of a range that are off limits and not allowed, each once. */
function withoutAllowed({ allow }: TargetRules, target: IpRange, offLimits: readonly OffLimits[]): OffLimits[] {
  const kept = new Map<string, OffLimits>();
  for (const { range, what } of offLimits) {
    if (!rangesOverlap(range, target)) continue;
    const part = rangeWithin(range, target) ? range : target;
    const name = formatRange(part);
    if (!kept.has(name) && !allow.some((allowed) => rangeWithin(part, allowed))) kept.set(name, { range: part, what });
  }
  return [...kept.values()];
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

function checkZone(target: IpRange, { interfaceNames }: Attachment): Refusal | null {
  const { zone } = target.address;
  if (zone === null || interfaceNames.has(zone)) return null;
  return invalid(`The agent's host has no interface ${zone}`);
}

function hostRange(address: IpAddress): IpRange {
  return { address, prefix: address.family === 4 ? 32 : 128 };
}

function refuseOffLimits(tool: Tool, target: IpRange, { range, what }: OffLimits): Refusal {
  const [wanted, addresses] = [formatRange(target), formatRange(range)];
  const why = rangeWithin(target, range) ? what : `leads to ${addresses}, ${what}`;
  return notAllowed(
    `This agent does not send ${tool} to ${wanted} (${why}); ` +
      `to allow it, add ${addresses} to ${tool}.allow in the agent's policy file`,
  );
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
