/** How far a new agent has come. */
import type { ListedAgent, Site } from '../../../shared/api/records.ts';
import type { Seen } from './codes.ts';

export type StepState = 'done' | 'waiting' | 'later' | 'problem';

export interface Progress {
  enrolled: StepState;
  online: StepState;
  devices: StepState;
}

export interface Known {
  /** As it is listed; undefined while it is not. */
  agent: ListedAgent | undefined;
  /** The agent that it replaces, as it was. */
  replaced: Seen | null;
  discovery: Site['discovery'];
  /** Devices of the site. */
  devices: number;
}

export function progressOf({ agent, replaced, discovery, devices }: Known): Progress {
  const isThere = agent !== undefined && !isSame(agent, replaced);
  if (!isThere) return { enrolled: 'waiting', online: 'later', devices: 'later' };
  const isOnline = agent.state === 'online';
  const online = isOnline ? 'done' : 'waiting';
  return { enrolled: 'done', online, devices: devicesStep(agent, isOnline, discovery, devices) };
}

function devicesStep(agent: ListedAgent, isOnline: boolean, discovery: Site['discovery'], devices: number): StepState {
  if (!isOnline) return 'later';
  if (!discovery.enabled) return 'problem';
  const { state } = agent.discovery ?? {};
  if (state === 'not-allowed' || state === 'failing') return 'problem';
  return devices > 0 ? 'done' : 'waiting';
}

function isSame(agent: Seen, replaced: Seen | null): boolean {
  return replaced !== null && agent.state === replaced.state && agent.since === replaced.since;
}
