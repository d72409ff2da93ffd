/** The addresses that commands and checks may reach: a section of the policy file for each tool with a target. */
import * as z from 'zod';
import { METADATA_SERVICES } from '../../shared/metadata-services.ts';
import {
  embeddedIpv4,
  formatRange,
  type IpRange,
  parseRange,
  range,
  rangeSize,
  rangesOverlap,
  rangeWithin,
} from '../../shared/network.ts';
import type { Attachment } from '../host/network.ts';
import { invalid, notAllowed, type Refusal } from './tool.ts';

/** Without a zone, because a rule about link-local addresses applies to every interface. */
const Range = z.string().transform((text, context): IpRange => {
  const parsed = parseRange(text);
  if (parsed !== null && parsed.address.zone === null) return parsed;
  context.addIssue({ code: 'custom', message: 'expected an IP address or a range such as 10.0.0.0/8, without a zone' });
  return z.NEVER;
});

/**
 * `outside`: whether targets beyond the local networks are allowed. `allow`: targets outside, and addresses that are off
 * limits otherwise, see `OffLimits`. `deny` takes precedence.
 */
export const targetRules = (outside: boolean) =>
  z.strictObject({
    enabled: z.boolean().default(true),
    outside: z.boolean().default(outside),
    allow: z.array(Range).max(1000).default([]),
    deny: z.array(Range).max(1000).default([]),
  });
export type TargetRules = z.output<ReturnType<typeof targetRules>>;

const LINK_LOCAL = range('fe80::/10');

/** Addresses without a route on the internet: a scan of them stays within the site. */
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

/** Whether no address of the range has a route on the internet. */
export function isLocal(range: IpRange): boolean {
  return LOCAL.some((local) => rangeWithin(range, local));
}

/** Addresses that are reached only if the operator's `allow` names them. */
export interface OffLimits {
  range: IpRange;
  /** What is found at the addresses. */
  what: string;
}

/** Off limits for every tool. */
export const METADATA: readonly OffLimits[] = METADATA_SERVICES.map((range) => ({ range, what: 'cloud metadata' }));

/** Checks the target, and IPv4 addresses in an IPv6 one. @param section of the policy file: a tool, or `checks` */
export function checkTarget(rules: TargetRules, section: string, target: IpRange, host: Attachment): Refusal | null {
  const allowed = [...LOCAL, ...host.networks, ...rules.allow];
  for (const meant of [target, ...embeddedIpv4(target)]) {
    if (rules.deny.some((denied) => rangesOverlap(meant, denied))) return targetNotAllowed(target);
    if (!rules.outside && !allowed.some((range) => rangeWithin(meant, range))) return targetNotAllowed(target);
    const kept = withoutAllowed(rules, meant);
    // A scan can exclude single addresses of its target, but not embedded ones, which a translator (NAT64) would reach.
    const isAll = meant !== target || kept.reduce((sum, { range }) => sum + rangeSize(range), 0n) >= rangeSize(target);
    if (kept[0] !== undefined && isAll) return refuseOffLimits(section, target, kept[0]);
  }
  return null;
}

/** The parts of a range that are off limits and not allowed, each once: the exclusions of a scan. */
export function withoutAllowed({ allow }: TargetRules, target: IpRange): OffLimits[] {
  const kept = new Map<string, OffLimits>();
  for (const { range, what } of METADATA) {
    if (!rangesOverlap(range, target)) continue;
    const part = rangeWithin(range, target) ? range : target;
    const name = formatRange(part);
    if (!kept.has(name) && !allow.some((allowed) => rangeWithin(part, allowed))) kept.set(name, { range: part, what });
  }
  return [...kept.values()];
}

/** Rejects a link-local target without a zone, whose interface is unknown. */
export function requireZone(target: IpRange): Refusal | null {
  if (!rangeWithin(target, LINK_LOCAL) || target.address.zone !== null) return null;
  return invalid(`${formatRange(target)} exists on every interface; say which one, as in fe80::1%eth0`);
}

/** Rejects a target on an interface that the host does not have. */
export function checkZone(target: IpRange, { interfaceNames }: Attachment): Refusal | null {
  const { zone } = target.address;
  if (zone === null || interfaceNames.has(zone)) return null;
  return invalid(`The agent's host has no interface ${zone}`);
}

function refuseOffLimits(section: string, target: IpRange, { range, what }: OffLimits): Refusal {
  const [wanted, addresses] = [formatRange(target), formatRange(range)];
  const why = rangeWithin(target, range) ? what : `leads to ${addresses}, ${what}`;
  return notAllowed(
    `This agent does not send ${section} to ${wanted} (${why}); ` +
      `to allow it, add ${addresses} to ${section}.allow in the agent's policy file`,
  );
}

function targetNotAllowed(target: IpRange): Refusal {
  return notAllowed(`The policy of this agent does not allow the target ${formatRange(target)}`);
}

export function describeReach({ outside, allow, deny }: TargetRules): string {
  const reach = outside ? 'anywhere' : 'local networks';
  const more = !outside && allow.length > 0 ? ` and ${allow.length} more` : '';
  return `${reach}${more}${deny.length > 0 ? ` but ${deny.length}` : ''}`;
}
