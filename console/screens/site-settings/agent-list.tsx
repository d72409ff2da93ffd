/** The agents of a site. */
import texts from 'messages:siteSettings';
import type { UseQueryResult } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/client.ts';
import { Answered, Empty } from '../../ui/state.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import { AgentLink } from '../agents/agent-link.tsx';
import { AgentState, updateText } from '../agents/agent-state.tsx';
import styles from './agent-list.module.css';

type Agents = AnswerOf<'GET /sites/{site}/agents'>;

export function AgentList({ site, agents }: { site: string; agents: UseQueryResult<Agents> }) {
  return (
    <Answered of={agents}>
      {({ agents: all, unreadable }) => (
        <>
          <UnreadableNote title={texts.unreadableAgents} entries={unreadable} />
          {all.length === 0 ? (
            <Empty title={texts.noAgents}>
              <p>{texts.noAgentsWhy}</p>
            </Empty>
          ) : (
            <ul className={`${styles.agents} [&_li:last-child]:border-b-0`} aria-label={texts.agents}>
              {all.map((agent) => (
                <li key={agent.id}>
                  <span className="grid min-w-0 [&_a]:py-0.5 [&_a]:text-text [&_a]:font-[550] [&_a]:no-underline [&_a:hover]:underline">
                    <AgentLink site={site} agent={agent} />
                  </span>
                  <AgentState agent={agent} />
                  <span className="text-muted text-sm">
                    {[agent.version ?? '', updateText(agent)].filter((part) => part !== '').join(', ')}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Answered>
  );
}
