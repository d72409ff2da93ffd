/** The name of an agent, as a link to its page, and its host if that has another name. */
import { Link } from 'wouter';
import type { ListedAgent } from '../../../shared/api/records.ts';
import { agentName } from './agent-name.ts';

export function AgentLink({ site, agent: { id, host } }: { site: string; agent: Pick<ListedAgent, 'id' | 'host'> }) {
  const name = agentName(id);
  return (
    <>
      <Link href={`/sites/${site}/agents/${name}`} data-foreign>
        {name}
      </Link>
      {host === null || host.name === '' || host.name === name ? null : (
        <span className="text-muted text-xs font-normal wrap-anywhere" data-foreign>
          {host.name}
        </span>
      )}
    </>
  );
}
