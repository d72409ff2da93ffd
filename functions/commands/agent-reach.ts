/** Whether the agents of commands that have not ended can be reached. */
import { isFinal } from '../../shared/agent/messages.ts';
import type { Job } from '../../shared/api/jobs.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Stores } from '../stores.ts';

/** The jobs of a site, each with the time since which its agent is offline. Agents are read only if a job is unfinished. */
export async function withReach({ sites }: Pick<Stores, 'sites'>, site: SiteId, jobs: readonly Job[]): Promise<Job[]> {
  if (jobs.every(({ state }) => isFinal(state))) return [...jobs];
  const agents = await sites.agents(site);
  const away = new Map(agents.flatMap(({ id, state, since }) => (state === 'offline' ? [[id, since]] : [])));
  return jobs.map((job) => (isFinal(job.state) ? job : { ...job, agentOfflineSince: away.get(job.agent) ?? null }));
}
