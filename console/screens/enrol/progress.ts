/** The progress of a new agent. */
import type { ListedAgent, Site } from '../../../shared/api/records.ts';
import type { Seen } from './codes.ts';

export type StepState = 'done' | 'waiting' | 'later' | 'problem';

export interface Progress {
  enrolled: StepState;
  online: StepState;
  devices: StepState;
}

export interface Known {
  /** Undefined while it is not listed. */
  agent: ListedAgent | undefined;
  /** The agent that it replaces, when the code was made. */
  replaced: Seen | null;
  discovery: Site['discovery'];
  /** Devices of the site. */
  devices: number;
}

export function progressOf({ agent, replaced, discovery, devices }: Known): Progress {
  const isThere = agent !== undefined && !isSame(agent, replaced);
  if (!isThere) return { enrolled: 'waiting', online: 'later', devices: 'later' };
  if (agent.state !== 'online') return { enrolled: 'done', online: 'waiting', devices: 'later' };
  const { state } = agent.discovery ?? {};
  const isBlocked = !discovery.enabled || state === 'not-allowed' || state === 'failing';
  return { enrolled: 'done', online: 'done', devices: isBlocked ? 'problem' : devices > 0 ? 'done' : 'waiting' };
}

function isSame(agent: Seen, replaced: Seen | null): boolean {
  return replaced !== null && agent.state === replaced.state && agent.since === replaced.since;
}
