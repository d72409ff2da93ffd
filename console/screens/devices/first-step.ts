/** The next step towards discovery on a site. */
import type { ListedAgent, Site } from '../../../shared/api/records.ts';

export type FirstStep =
  /** The site has no agent. */
  | { step: 'add-agent' }
  /** None of its agents is connected. */
  | { step: 'connect-agent' }
  /** An agent is online, but discovery is off. */
  | { step: 'watch'; agent: string; networks: readonly string[] }
  /** Discovery is on, and the agent reports why it does not run. */
  | { step: 'clear'; state: NonNullable<ListedAgent['discovery']>['state']; problem: string }
  /** None: discovery runs. */
  | { step: 'wait'; networks: readonly string[] };

type AgentAbout = Pick<ListedAgent, 'id' | 'state' | 'networks' | 'discovery'>;

export function firstStepOf(agents: readonly AgentAbout[], discovery: Pick<Site['discovery'], 'enabled'>): FirstStep {
  if (agents.length === 0) return { step: 'add-agent' };
  const online = agents.filter(({ state }) => state === 'online');
  const [first] = online;
  if (first === undefined) return { step: 'connect-agent' };
  if (!discovery.enabled) return { step: 'watch', agent: first.id, networks: first.networks };
  // An agent that has not reported yet, because discovery was just switched on, counts as running it.
  const hindered = online
    .map((agent) => agent.discovery)
    .filter((report) => report !== null && isHindered(report.state));
  const [report] = hindered;
  if (report && hindered.length === online.length) {
    return { step: 'clear', state: report.state, problem: report.problem ?? '' };
  }
  return { step: 'wait', networks: [...new Set(online.flatMap((agent) => agent.discovery?.networks ?? []))] };
}

function isHindered(state: NonNullable<ListedAgent['discovery']>['state']): boolean {
  return state === 'not-allowed' || state === 'failing' || state === 'another-network';
}
