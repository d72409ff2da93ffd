/**
 * What this agent may do. The operator of the site writes it into a file on the agent's host; no message from the cloud
 * can extend it.
 */
import * as z from 'zod';
import type { SitePolicy } from '../../shared/agent/site-policy.ts';
import { formatRange, type IpRange, parseRange, withoutHostBits } from '../../shared/network.ts';
import { byTool, type Command, limitsOf, type Tool } from '../../shared/tools/list.ts';
import type { Attachment } from '../host/network.ts';
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

/** How far discovery, and the watch for a device that is to wake, may go on this host, whatever the cloud says. */
const DiscoveryRules = z.strictObject({
  /** Whether the agent may look for devices at all. */
  allow: z.boolean().default(true),
  /** `attached`: every network to which the host is attached. A list: only what lies within one of these as well. */
  networks: z.union([z.literal('attached'), z.array(Ipv4Network).max(100)]).default('attached'),
  /** Addresses that are asked in one cycle, in all networks together. */
  maxAddresses: z.int().min(1).max(65_536).default(8192),
  /** Whether devices may be asked what they are, and listened to. */
  recognize: z.boolean().default(true),
});
export type DiscoveryRules = z.output<typeof DiscoveryRules>;

export const AgentPolicy = z.strictObject({
  discovery: DiscoveryRules.prefault({}),
  /** What the agent may ask again and again by itself. */
  checks: targetRules(true).prefault({}),
  /** Whether the agent replaces itself by newer versions when the service tells it to. */
  updates: z.boolean().default(true),
  ...(byTool(({ name }) => agentTools[name].rules.prefault({})) as unknown as Sections),
  concurrency: z
    .strictObject({
      /**
       * Commands that may run at once, of all tools together. Long ones leave two of these places free, see `hasRoom`.
       */
      total: Limit.default(8),
      /** Long commands that may wait for their turn; further ones are refused. */
      queue: Queue.default(4),
      /** Short commands that may wait. There may be more of them, because each waits only for moments. */
      shortQueue: Queue.default(64),
      ...byTool(({ limits }) => Limit.default(limits.atOnce)),
    })
    .prefault({}),
});
export type AgentPolicy = z.infer<typeof AgentPolicy>;

/**
 * Parses the content of a policy file. Fields that are left out have their defaults, so `{}` is the default policy.
 * @throws {Error} naming each field that is misspelt or out of range, because an agent must not run with a part of its
 *   policy
 */
export function parsePolicy(json: unknown): AgentPolicy {
  const parsed = AgentPolicy.safeParse(json);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'policy'}: ${message}`);
  throw new Error(`The agent's policy is malformed: ${faults.join('; ')}`);
}

/** The policy of this host, narrowed by what the site does not want: never more than the host allows. */
export function narrowed(policy: AgentPolicy, wish: SitePolicy | undefined): AgentPolicy {
  if (wish === undefined) return policy;
  const { deny, maxScanAddresses: most } = wish;
  const { nmap } = policy;
  const sized =
    most === null
      ? nmap
      : {
          ...nmap,
          maxAddresses: Math.min(nmap.maxAddresses, most),
          maxAddressesSlow: Math.min(nmap.maxAddressesSlow, most),
        };
  const denied = (Object.keys(agentTools) as Tool[]).filter((tool) => deny.includes(tool));
  const off = Object.fromEntries(
    denied.map((tool) => [tool, { ...(tool === 'nmap' ? sized : policy[tool]), enabled: false }]),
  );
  return { ...policy, nmap: sized, ...off };
}

/** Places for commands that long ones leave to short ones. */
const KEPT_FOR_SHORT = 2;

/** What counts when commands share the places of an agent. */
export interface CommandKind {
  tool: Tool;
  /** Whether it may run for minutes. */
  isLong: boolean;
}

export function kindOf(command: Command): CommandKind {
  return { tool: command.tool, isLong: limitsOf(command).isLong };
}

/** Whether one more command may start. There is always room for a short command, however many long ones run. */
export function hasRoom({ concurrency }: AgentPolicy, command: CommandKind, running: readonly CommandKind[]): boolean {
  const { tool, isLong } = command;
  if (running.length >= concurrency.total) return false;
  // Apart, so that a packet to one device does not wait for others that are being watched.
  const alike = running.filter((other) => other.tool === tool && other.isLong === isLong);
  if (alike.length >= concurrency[tool]) return false;
  const forLong = Math.max(1, concurrency.total - KEPT_FOR_SHORT);
  return !isLong || running.filter((other) => other.isLong).length < forLong;
}

/** Whether one more command may wait for its turn. */
export function mayWait({ concurrency }: AgentPolicy, command: CommandKind, waiting: readonly CommandKind[]): boolean {
  const alike = waiting.filter(({ isLong }) => isLong === command.isLong);
  return alike.length < (command.isLong ? concurrency.queue : concurrency.shortQueue);
}

/** Why the policy refuses a command; null when it allows it. */
export function checkCommand(policy: AgentPolicy, command: Command, host: Attachment): Refusal | null {
  const { tool } = command;
  const rules = policy[tool];
  if (!rules.enabled) return notAllowed(`The policy of this agent, or of its site, does not allow ${tool}`);
  const { check }: AgentTool = agentTools[tool];
  return check?.(rules, command, host) ?? null;
}

/** What the policy allows and refuses, in one line for a person. */
export function describePolicy(policy: AgentPolicy): string {
  const tools = Object.keys(agentTools) as Tool[];
  const refused = tools.filter((tool) => !policy[tool].enabled);
  const parts = tools
    .filter((tool) => policy[tool].enabled)
    .map((tool) => {
      const { describe }: AgentTool = agentTools[tool];
      return describe === undefined ? tool : `${tool} (${describe(policy[tool])})`;
    });
  const allowed = parts.length === 0 ? 'allows nothing' : `allows ${parts.join(', ')}`;
  const checks = policy.checks.enabled ? `checks (${describeReach(policy.checks)})` : 'no checks';
  const updates = policy.updates ? '' : '; updates are not allowed';
  const tail = `${checks}; ${describeDiscovery(policy.discovery)}${updates}`;
  return refused.length === 0 ? `${allowed}; ${tail}` : `${allowed}; refuses ${refused.join(', ')}; ${tail}`;
}

function describeDiscovery({ allow, networks, maxAddresses, recognize }: DiscoveryRules): string {
  if (!allow) return 'discovery is not allowed';
  const where = networks === 'attached' ? 'attached networks' : networks.map(formatRange).join(', ');
  const how = recognize ? '' : ', recognition is not allowed';
  return `discovery in ${where === '' ? 'no network' : where}, at most ${maxAddresses} addresses${how}`;
}
