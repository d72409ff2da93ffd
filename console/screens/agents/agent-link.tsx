/** The name of an agent, as a link to its page, and its host if that has another name. */
import { Link } from 'wouter';
import type { ListedAgent } from '../../../shared/api/records.ts';
import { agentName } from './agent-name.ts';

interface Props {
  site: string;
  agent: Pick<ListedAgent, 'id' | 'host'>;
  /** The host first: in a list across sites, every agent may be called `main`. */
  isAcrossSites?: boolean;
}

export function AgentLink({ site, agent: { id, host }, isAcrossSites = false }: Props) {
  const name = agentName(id);
  const names = [name, host?.name ?? ''].filter((one, i) => one !== '' && (i === 0 || one !== name));
  const [first, second] = isAcrossSites ? names.reverse() : names;
  return (
    <>
      <Link href={`/sites/${site}/agents/${name}`} data-foreign>
        {first}
      </Link>
      {second === undefined ? null : (
        <span className="text-muted text-xs font-normal wrap-anywhere" data-foreign>
          {second}
        </span>
      )}
    </>
  );
}
