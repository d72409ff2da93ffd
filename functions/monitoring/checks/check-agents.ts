/** Which agents run a check, as a request or a template names them. */
import { nameOfAgent, type SiteId } from '../../../shared/identity.ts';
import { invalid } from '../../http/errors.ts';
import type { Stores } from '../../stores.ts';
import type { StoredCheck } from './check-store.ts';

/** Agents that are named have to exist. */
export async function readAgents<Agents extends StoredCheck['agents']>(
  { sites }: Pick<Stores, 'sites'>,
  site: SiteId,
  wanted: Agents,
): Promise<Agents | string[]> {
  if (typeof wanted === 'string') return wanted;
  const known = (await sites.agents(site)).map(({ id }) => nameOfAgent(id));
  const missing = wanted.find((name) => !known.includes(name));
  if (missing === undefined) return [...new Set(wanted)];
  const message = `expected agents of site "${site}": it has ${known.slice(0, 20).join(', ') || 'none'}, not ${missing}`;
  throw invalid('agents', message);
}
