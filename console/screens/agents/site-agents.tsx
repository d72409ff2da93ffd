/** The agents of a site: a list, or the only one. */
import texts from 'messages:siteSettings';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Allowed } from '../../ui/allowed.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { AgentList } from '../site-settings/agent-list.tsx';
import { agentName } from './agent-name.ts';
import AgentPage from './agent-page.tsx';

export default function SiteAgents({ site }: { site: string }) {
  return (
    <Allowed scope="nettools:run" title={texts.agents} needs={texts.needsNettools}>
      <Agents site={site} />
    </Allowed>
  );
}

function Agents({ site }: { site: string }) {
  const agents = useAnswer('GET /sites/{site}/agents', { params: { site } });
  const isAdmin = useRights().may('admin');
  const [only, ...others] = agents.data?.agents ?? [];
  if (only !== undefined && others.length === 0) return <AgentPage site={site} id={agentName(only.id)} />;
  return (
    <Page
      title={texts.agents}
      actions={isAdmin ? <LinkButton to={`/sites/${site}/agents/new`}>{texts.addAgent}</LinkButton> : undefined}
    >
      <Card>
        <AgentList site={site} agents={agents} />
      </Card>
    </Page>
  );
}
