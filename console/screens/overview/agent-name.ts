/** What an agent is called where its site is known. */
import type { SiteOverview } from '../../../shared/api/overview.ts';
import type { Tone } from '../../ui/status.tsx';

type Agent = SiteOverview['agents'][number];

/** The first agent of most sites: the name that the server gives says nothing. */
const USUAL = 'main';

/** By its host, unless a person has called it something. */
export function agentName({ id, host }: Pick<Agent, 'id' | 'host'>): string {
  const name = id.slice(id.indexOf(':') + 1);
  return name === USUAL ? (host?.name ?? name) : name;
}

const TONES: Record<Agent['state'], Tone> = { online: 'good', draining: 'warn', offline: 'warn', enrolling: 'calm' };

export function agentTone(state: Agent['state']): Tone {
  return TONES[state];
}
