/** An agent by its own name, as everywhere, which leads to its page; and its host, where that is called something else. */
import { Link } from 'wouter';
import type { ListedAgent } from '../../../shared/api/records.ts';
import styles from './agent-link.module.css';
import { agentName } from './agent-name.ts';

export function AgentLink({ site, agent: { id, host } }: { site: string; agent: Pick<ListedAgent, 'id' | 'host'> }) {
  const name = agentName(id);
  return (
    <>
      <Link href={`/sites/${site}/agents/${name}`} data-foreign>
        {name}
      </Link>
      {host === null || host.name === '' || host.name === name ? null : (
        <span className={styles.host} data-foreign>
          {host.name}
        </span>
      )}
    </>
  );
}
