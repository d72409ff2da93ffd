/** The agents of a site. */
import texts from 'messages:siteSettings';
import type { UseQueryResult } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/client.ts';
import { Answered, Empty } from '../../ui/state.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import { AgentLink } from '../agents/agent-link.tsx';
import { AgentState, updateText } from '../agents/agent-state.tsx';

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
            <ul
              className="[&_li]:grid [&_li]:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] max-700:[&_li]:grid-cols-1 [&_li]:items-center [&_li]:gap-y-0 [&_li]:gap-x-4 [&_li]:min-h-10 [&_li]:py-2 [&_li]:border-b [&_li]:border-line [&_li:last-child]:border-b-0"
              aria-label={texts.agents}
            >
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
