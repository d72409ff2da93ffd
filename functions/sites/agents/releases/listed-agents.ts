/** Agents as they are listed: with their update to the current release. */
import { isOlder } from '../../../../shared/agent/release.ts';
import type { Agent, ListedAgent, Site } from '../../../../shared/api/records.ts';
import type { Stores } from '../../../stores.ts';
import type { ReleaseSource } from './release-source.ts';
import { ringOf } from './rings.ts';

/** Lists the agents of a site. One lister, with one read, serves many sites. */
export type ListAgents = (site: Pick<Site, 'updates'>, agents: readonly Agent[]) => ListedAgent[];

/** Costs half a read unit where a site has automatic updates; otherwise nothing. */
export async function agentLister(
  { releases, rollOuts }: Pick<Stores, 'rollOuts'> & { releases?: ReleaseSource },
  sites: readonly Pick<Site, 'updates'>[],
): Promise<ListAgents> {
  const release = (await releases?.current())?.version ?? null;
  const isNeeded = release !== null && sites.some(({ updates }) => updates.mode === 'auto');
  const known = isNeeded ? (await rollOuts.read()).rollOut : null;
  const rollOut = known?.version === release ? known : null;
  return ({ updates: { mode } }, agents) =>
    agents.map((agent) => ({
      ...agent,
      update: agent.update && {
        able: agent.update.able,
        last: agent.update.last && { ...agent.update.last, at: new Date(agent.update.last.at).toISOString() },
      },
      updateAvailable: mode !== 'off' && release !== null && isOlder(agent.version, release) ? release : null,
      ring: mode === 'auto' && rollOut !== null && agent.update?.able === true ? ringOf(rollOut, agent.id) : null,
    }));
}
