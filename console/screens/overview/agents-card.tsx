/** The agents of a site and their state. */
import texts from 'messages:overview';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { Card } from '../../ui/page.tsx';
import { StatusShape } from '../../ui/status.tsx';
import { AgentLink } from '../agents/agent-link.tsx';
import { TONES, updateText } from '../agents/agent-state.tsx';
import { CardHead, Rows, Since, SMALL } from './card-head.tsx';

type Agent = SiteOverview['agents'][number];

export function AgentsCard({ site: { id, agents }, mayAdd }: { site: SiteOverview; mayAdd: boolean }) {
  return (
    <Card>
      <CardHead title={texts.agents} {...(mayAdd ? { to: `/sites/${id}/agents/new`, label: texts.addAgent } : {})} />
      <Rows label={texts.agents}>
        {agents.map((agent) => (
          <Line key={agent.id} site={id} agent={agent} />
        ))}
      </Rows>
    </Card>
  );
}

function Line({ site, agent }: { site: string; agent: Agent }) {
  const { state, since, version, load } = agent;
  const isBusy = load !== null && load.running + load.queued > 0;
  const about = [
    version === null ? '' : texts.version({ version }),
    isBusy ? texts.busy({ running: load.running, queued: load.queued }) : '',
    updateText(agent),
  ].filter((part) => part !== '');
  return (
    <li>
      <span className="flex items-center gap-2 font-[550]">
        <StatusShape tone={TONES[state]} />
        <AgentLink site={site} agent={agent} />
      </span>
      <span className={SMALL}>
        {texts.agentStates[state]}
        {since === null ? null : ' '}
        <Since at={since} />
      </span>
      {about.length === 0 ? null : <span className={`${SMALL} ps-5`}>{about.join(', ')}</span>}
    </li>
  );
}
