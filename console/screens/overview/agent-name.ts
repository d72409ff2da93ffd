/** What an agent is called where its site is known. */
import type { SiteOverview } from '../../../shared/api/overview.ts';
import type { Tone } from '../../ui/status.tsx';

type Agent = SiteOverview['agents'][number];

export function agentName({ id }: Pick<Agent, 'id'>): string {
  return id.slice(id.indexOf(':') + 1);
}

const TONES: Record<Agent['state'], Tone> = { online: 'good', draining: 'warn', offline: 'warn', enrolling: 'calm' };

export function agentTone(state: Agent['state']): Tone {
  return TONES[state];
}
