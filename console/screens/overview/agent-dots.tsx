/** The agents of a site by name, the offline ones first and in words. */
import texts from 'messages:overview';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { numberText } from '../../text/format.ts';
import { StatusShape } from '../../ui/status.tsx';
import { agentName } from '../agents/agent-name.ts';
import { TONES } from '../agents/agent-state.tsx';
import styles from './agent-dots.module.css';

const MOST = 3;

export function AgentDots({ site }: { site: Pick<SiteOverview, 'id' | 'agents'> }) {
  const isAway = ({ state }: SiteOverview['agents'][number]) => state === 'offline';
  const ordered = [...site.agents].sort((a, b) => Number(isAway(b)) - Number(isAway(a)));
  const left = ordered.length - MOST;
  return (
    <ul className={`${styles.agents} flex flex-wrap gap-y-0.5 gap-x-3`}>
      {ordered.slice(0, MOST).map((agent) => (
        <li key={agent.id}>
          <StatusShape tone={TONES[agent.state]} />
          <span data-foreign>{agentName(agent.id)}</span>
          {agent.state === 'online' ? (
            <span className="visually-hidden">{texts.agentStates.online}</span>
          ) : (
            <span className="text-muted">{texts.agentStates[agent.state]}</span>
          )}
        </li>
      ))}
      {left > 0 ? <li className="text-muted">+{numberText(left)}</li> : null}
    </ul>
  );
}
