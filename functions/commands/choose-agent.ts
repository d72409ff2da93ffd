/** Chooses the agent of a site that gets a command. */
import type { Agent } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type AgentId, agentId, type SiteId } from '../../shared/identity.ts';
import { type IpRange, parseRange, rangeWithin } from '../../shared/network.ts';
import type { Command } from '../../shared/tools/list.ts';
import { siteForbidden } from '../devices/collection/collection-row.ts';
import type { SiteStore } from '../sites/site-store.ts';

/** Which agent shall get a command. Names of agents are those within their site. */
export interface AgentWish {
  /** This one and no other. */
  name?: string | undefined;
  /** The first of these that is connected; if none is, one is chosen as by default. */
  preferred?: readonly string[];
  /** What the chosen one should be attached to, if not to the target of the command. */
  near?: IpRange | undefined;
}

/** @returns chooses an agent for each command of this process: the named one, or one that is connected */
export function openAgentChoice(sites: Pick<SiteStore, 'find' | 'agents'>) {
  /** When each agent was last chosen: an increasing number. */
  const turns = new Map<AgentId, number>();
  let choices = 0;
  return async (site: SiteId, command: Command, { name, preferred = [], near }: AgentWish): Promise<Agent> => {
    // A deleted site counts as absent, though its agents may still be connected.
    const [known, all] = await Promise.all([sites.find(site), sites.agents(site)]);
    if (known === null) throw new ServiceError('site_forbidden', siteForbidden(site));
    if (name !== undefined) return agentNamed(name, site, all);
    const online = all.filter(({ state }) => state === 'online');
    if (online.length === 0) throw noAgent(site);
    const first = preferred.flatMap((one) => online.find(({ id }) => id === agentId(site, one)) ?? [])[0];
    const chosen = first ?? chooseAgent(online, command, turns, Math.random(), near);
    turns.set(chosen.id, ++choices);
    return chosen;
  };
}

export function noAgent(site: SiteId): ServiceError {
  return new ServiceError('agent_offline', `No agent of site "${site}" is connected`, { retryAfter: 10 });
}

/**
 * The agent of this name, which is connected.
 * @throws {ServiceError} `validation_failed` when the site has none of this name, `agent_offline` when it is not connected
 */
export function agentNamed(name: string, site: SiteId, agents: readonly Agent[]): Agent {
  const named = agents.find(({ id }) => id === agentId(site, name));
  if (named === undefined) {
    const names = agents.map(({ id }) => id.slice(site.length + 1)).slice(0, 20);
    const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    const message = `expected the name of an agent of site "${site}": ${known}`;
    const fields = [{ path: 'query.agent', message }];
    throw new ServiceError('validation_failed', `query.agent: ${message}`, { fields });
  }
  if (named.state === 'online') return named;
  const why = named.problem ?? 'is not connected';
  throw new ServiceError('agent_offline', `The agent ${named.id} ${why}`, { retryAfter: 10 });
}

/**
 * Shorter prefixes are ignored: no host is attached to a larger network, and an agent that claims so would attract all
 * commands. 10.0.0.0/8 is the largest private network; providers are assigned an IPv6 /32.
 */
const SHORTEST_PREFIX = { 4: 8, 6: 32 } as const;

/**
 * Chooses by what the agents report, but so that none can attract all commands by its reports: first by the longest
 * prefix of a network that contains the target, then an empty queue, then the least recently chosen (round robin).
 * @param agents at least one
 * @param turns for each agent that was chosen before, an increasing number for the last time
 * @param random from 0 to below 1, for agents that were never chosen
 * @param near what the agent should be attached to; by default, the target of the command
 */
export function chooseAgent(
  agents: readonly Agent[],
  command: Command,
  turns: ReadonlyMap<AgentId, number>,
  random: number,
  near: IpRange | null = 'target' in command ? command.target.range : null,
): Agent {
  const nearest = most(agents, (agent) => longestPrefix(agent.networks, near));
  const free = nearest.filter(({ load }) => (load?.queued ?? 0) === 0);
  const next = most(free.length > 0 ? free : nearest, ({ id }) => -(turns.get(id) ?? Number.NEGATIVE_INFINITY));
  const chosen = next[Math.floor(random * next.length)];
  if (chosen === undefined) throw new RangeError('chooseAgent() needs at least one agent');
  return chosen;
}

/** Always the same agent as long as it is there: the first of those on the smallest network with the target; null without any. */
export function steadyAgent(agents: readonly Agent[], command: Command): AgentId | null {
  const target = 'target' in command ? command.target.range : null;
  return agents.length === 0 ? null : most(agents, ({ networks }) => longestPrefix(networks, target))[0]!.id;
}

function most(agents: readonly Agent[], numberOf: (agent: Agent) => number): Agent[] {
  const numbers = agents.map(numberOf);
  const greatest = Math.max(...numbers);
  return agents.filter((_, i) => numbers[i] === greatest);
}

/** The longest prefix of a network that contains the target; -1 when none does. */
export function longestPrefix(networks: readonly string[], target: IpRange | null): number {
  if (target === null) return -1;
  const prefixes = networks.map((text) => {
    const network = parseRange(text);
    const counts = network !== null && network.prefix >= SHORTEST_PREFIX[network.address.family];
    return counts && rangeWithin(target, network) ? network.prefix : -1;
  });
  return Math.max(-1, ...prefixes);
}
