/** What this agent may do: a file of the host's operator, which no message from the cloud can extend. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { SitePolicy } from '../../shared/agent/site-policy.ts';
import { codeOf } from '../../shared/errno.ts';
import { parseJson } from '../../shared/json.ts';
import { formatRange, type IpRange, parseRange, withoutHostBits } from '../../shared/network.ts';
import { byTool, type Command, limitsOf, type Tool } from '../../shared/tools/list.ts';
import type { Attachment } from '../host/network.ts';
import { STATE } from '../state/layout.ts';
import { agentTools } from '../tools/registry.ts';
import { describeReach, targetRules } from '../tools/target-policy.ts';
import { type AgentTool, notAllowed, type Refusal } from '../tools/tool.ts';

const Limit = z.int().min(1).max(64);
const Queue = z.int().min(0).max(100);

type Sections = { [T in Tool]: z.ZodPrefault<(typeof agentTools)[T]['rules']> };

export const Ipv4Network = z.string().transform((text, context): IpRange => {
  const range = parseRange(text);
  if (range?.address.family === 4) return withoutHostBits(range);
  context.addIssue({ code: 'custom', message: 'expected an IPv4 network such as 192.168.1.0/24' });
  return z.NEVER;
});

/** Limits of discovery, and of watching for a woken device, on this host. */
const DiscoveryRules = z.strictObject({
  allow: z.boolean().default(true),
  /** `attached`: every network that the host is attached to. A list: the parts of those within one of these. */
  networks: z.union([z.literal('attached'), z.array(Ipv4Network).max(100)]).default('attached'),
  maxAddresses: z.int().min(1).max(65_536).default(8192),
  /** Whether the agent may query devices for what they are, and listen to them. */
  recognize: z.boolean().default(true),
});
export type DiscoveryRules = z.output<typeof DiscoveryRules>;

export const AgentPolicy = z.strictObject({
  discovery: DiscoveryRules.prefault({}),
  /** Targets of scheduled checks. */
  checks: targetRules(true).prefault({}),
  /** Addresses at which sources are read. */
  sources: targetRules(false).prefault({}),
  /** Whether the agent installs newer versions that the service rolls out. */
  updates: z.boolean().default(true),
  ...(byTool(({ name }) => agentTools[name].rules.prefault({})) as unknown as Sections),
  concurrency: z
    .strictObject({
      /** Concurrent commands of all tools. Long ones leave two slots free, see `hasRoom`. */
      total: Limit.default(8),
      /** Bound of the queue of long commands; further ones are rejected. */
      queue: Queue.default(4),
      /** The same for short commands, which wait only for moments. */
      shortQueue: Queue.default(64),
      ...byTool(({ limits }) => Limit.default(limits.atOnce)),
    })
    .prefault({}),
});
export type AgentPolicy = z.infer<typeof AgentPolicy>;

/** Absent fields have their defaults. @throws {Error} naming each field that is misspelt or out of range */
export function parsePolicy(json: unknown): AgentPolicy {
  const parsed = AgentPolicy.safeParse(json);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'policy'}: ${message}`);
  throw new Error(`The agent's policy is malformed: ${faults.join('; ')}`);
}

/** @throws {Error} when the file is unreadable or malformed: an agent must not run with a part of its policy */
export async function readPolicy(stateDirectory: string, policyFile: string | null): Promise<AgentPolicy> {
  const path = policyFile ?? join(stateDirectory, STATE.policy);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && policyFile === null) return parsePolicy({});
    throw new Error(`Cannot read the policy file ${path}: ${error instanceof Error ? error.message : error}`);
  }
  const json = parseJson(text);
  if (json === null) throw new Error(`The policy file ${path} is not JSON`);
  return parsePolicy(json);
}

/** The policy of this host, restricted further by that of the site. */
export function narrowed(policy: AgentPolicy, site: SitePolicy | undefined): AgentPolicy {
  if (site === undefined) return policy;
  const most = site.maxScanAddresses ?? Number.POSITIVE_INFINITY;
  const { maxAddresses, maxAddressesSlow } = policy.nmap;
  const nmap = {
    ...policy.nmap,
    maxAddresses: Math.min(maxAddresses, most),
    maxAddressesSlow: Math.min(maxAddressesSlow, most),
  };
  const sized = { ...policy, nmap };
  const denied = (Object.keys(agentTools) as Tool[]).filter((tool) => site.deny.includes(tool));
  return { ...sized, ...Object.fromEntries(denied.map((tool) => [tool, { ...sized[tool], enabled: false }])) };
}

const KEPT_FOR_SHORT = 2;

export interface CommandKind {
  tool: Tool;
  /** Whether it may run for minutes. */
  isLong: boolean;
}

export function kindOf(command: Command): CommandKind {
  return { tool: command.tool, isLong: limitsOf(command).isLong };
}

/** Whether one more command may start. Long commands never block short ones. */
export function hasRoom({ concurrency }: AgentPolicy, command: CommandKind, running: readonly CommandKind[]): boolean {
  const { tool, isLong } = command;
  if (running.length >= concurrency.total) return false;
  // Counted by kind, so that a packet to one device does not wait for others that are being watched.
  const alike = running.filter((other) => other.tool === tool && other.isLong === isLong);
  if (alike.length >= concurrency[tool]) return false;
  const forLong = Math.max(1, concurrency.total - KEPT_FOR_SHORT);
  return !isLong || running.filter((other) => other.isLong).length < forLong;
}

export function mayWait({ concurrency }: AgentPolicy, command: CommandKind, waiting: readonly CommandKind[]): boolean {
  const alike = waiting.filter(({ isLong }) => isLong === command.isLong);
  return alike.length < (command.isLong ? concurrency.queue : concurrency.shortQueue);
}

export function checkCommand(policy: AgentPolicy, command: Command, host: Attachment): Refusal | null {
  const { tool } = command;
  const rules = policy[tool];
  if (!rules.enabled) return notAllowed(`The policy of this agent, or of its site, does not allow ${tool}`);
  const { check }: AgentTool = agentTools[tool];
  return check?.(rules, command, host) ?? null;
}

export function describePolicy(policy: AgentPolicy): string {
  const tools = Object.keys(agentTools) as Tool[];
  const refused = tools.filter((tool) => !policy[tool].enabled);
  const allowed = tools
    .filter((tool) => policy[tool].enabled)
    .map((tool) => {
      const { describe }: AgentTool = agentTools[tool];
      return describe === undefined ? tool : `${tool} (${describe(policy[tool])})`;
    });
  return [
    `allows ${allowed.join(', ') || 'nothing'}`,
    ...(refused.length === 0 ? [] : [`refuses ${refused.join(', ')}`]),
    policy.checks.enabled ? `checks (${describeReach(policy.checks)})` : 'no checks',
    policy.sources.enabled ? `sources (${describeReach(policy.sources)})` : 'no sources',
    describeDiscovery(policy.discovery),
    ...(policy.updates ? [] : ['updates are not allowed']),
  ].join('; ');
}

function describeDiscovery({ allow, networks, maxAddresses, recognize }: DiscoveryRules): string {
  if (!allow) return 'discovery is not allowed';
  const where = networks === 'attached' ? 'attached networks' : networks.map(formatRange).join(', ');
  const how = recognize ? '' : ', recognition is not allowed';
  return `discovery in ${where === '' ? 'no network' : where}, at most ${maxAddresses} addresses${how}`;
}
