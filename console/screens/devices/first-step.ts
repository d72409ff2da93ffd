/** What a person has to do so that the devices of a site appear by themselves. */
import type { ListedAgent, Site } from '../../../shared/api/records.ts';

export type FirstStep =
  /** Nobody has ever put an agent there. */
  | { step: 'add-agent' }
  /** There are agents, and none of them is connected. */
  | { step: 'connect-agent' }
  /** An agent is there, and is not asked to look for devices. */
  | { step: 'watch'; agent: string; networks: readonly string[] }
  /** It is asked to, and says why it does not. */
  | { step: 'clear'; state: NonNullable<ListedAgent['discovery']>['state']; problem: string }
  /** Nothing: an agent is looking. */
  | { step: 'wait'; networks: readonly string[] };

type AgentAbout = Pick<ListedAgent, 'id' | 'state' | 'networks' | 'discovery'>;

export function firstStepOf(agents: readonly AgentAbout[], discovery: Pick<Site['discovery'], 'enabled'>): FirstStep {
  if (agents.length === 0) return { step: 'add-agent' };
  const online = agents.filter(({ state }) => state === 'online');
  const [first] = online;
  if (first === undefined) return { step: 'connect-agent' };
  if (!discovery.enabled) return { step: 'watch', agent: first.id, networks: first.networks };
  // An agent that has just been asked to has not answered yet, and counts as looking.
  const hindered = online.map((agent) => agent.discovery).filter((said) => said !== null && isHindered(said.state));
  const [said] = hindered;
  if (said && hindered.length === online.length) {
    return { step: 'clear', state: said.state, problem: said.problem ?? '' };
  }
  return { step: 'wait', networks: [...new Set(online.flatMap((agent) => agent.discovery?.networks ?? []))] };
}

function isHindered(state: NonNullable<ListedAgent['discovery']>['state']): boolean {
  return state === 'not-allowed' || state === 'failing' || state === 'another-network';
}
