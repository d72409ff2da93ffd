/** Selects one of a site's connected agents for a command that names none. */

import type { Agent } from '../../shared/api/records.ts';
import type { AgentId } from '../../shared/identity.ts';
import { type IpRange, parseRange, rangeWithin } from '../../shared/network.ts';
import type { Command } from '../../shared/tools/list.ts';

/**
 * Shorter prefixes are ignored: no host is attached to a larger network, and an agent that claims so would attract all
 * commands. 10.0.0.0/8 is the largest private network; providers are assigned an IPv6 /32.
 */
const SHORTEST_PREFIX = { 4: 8, 6: 32 } as const;

/**
 * Chooses by what the agents report, but so that none can attract all commands by its reports: first by the longest
 * prefix of a network that contains the target, then an empty queue, then the least recently chosen (round robin).
 * @param agents at least one
 * @param turns an increasing number for the last time that each agent was chosen; agents that never were are missing
 * @param random from 0 to below 1, for agents that were never chosen
 * @param near what the agent should be attached to; by default, the target of the command
 */
export function chooseAgent(
  agents: readonly Agent[],
  command: Command,
  turns: ReadonlyMap<AgentId, number>,
  random: number,
  near: IpRange | null = 'target' in command ? command.target.range : null,
): AgentId {
  const nearest = most(agents, (agent) => longestPrefix(agent.networks, near));
  const free = nearest.filter(({ load }) => (load?.queued ?? 0) === 0);
  const next = most(free.length > 0 ? free : nearest, ({ id }) => -(turns.get(id) ?? Number.NEGATIVE_INFINITY));
  const chosen = next[Math.floor(random * next.length)];
  if (chosen === undefined) throw new RangeError('chooseAgent() needs at least one agent');
  return chosen.id;
}

/** The agents for which a number is greatest. */
function most(agents: readonly Agent[], numberOf: (agent: Agent) => number): Agent[] {
  const numbers = agents.map(numberOf);
  const greatest = Math.max(...numbers);
  return agents.filter((_, i) => numbers[i] === greatest);
}

/** The longest prefix of a network that contains the target; -1 when none does. */
function longestPrefix(networks: readonly string[], target: IpRange | null): number {
  if (target === null) return -1;
  const prefixes = networks.map((text) => {
    const network = parseRange(text);
    const counts = network !== null && network.prefix >= SHORTEST_PREFIX[network.address.family];
    return counts && rangeWithin(target, network) ? network.prefix : -1;
  });
  return Math.max(-1, ...prefixes);
}
