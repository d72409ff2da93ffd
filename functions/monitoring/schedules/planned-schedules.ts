/** The schedules in the plans of a site's agents. */
import type { PlannedSchedule } from '../../../shared/agent/plan.ts';
import type { Agent } from '../../../shared/api/records.ts';
import { nameOfAgent, type SiteId } from '../../../shared/identity.ts';
import { Command } from '../../../shared/tools/list.ts';
import { steadyAgent } from '../../commands/choose-agent.ts';
import type { ScheduleStore, StoredSchedule } from './schedule-store.ts';

/** Each schedule is in the plan of exactly one agent: the one that is set, otherwise one of the connected agents. */
export async function plannedSchedules(
  { schedules }: { schedules: ScheduleStore },
  { site, agents }: { site: { id: SiteId }; agents: readonly Agent[] },
): Promise<(agent: string) => PlannedSchedule[]> {
  const found = await schedules.list(site.id);
  const taken = found.schedules
    .filter(({ enabled }) => enabled)
    .map((schedule) => ({ taker: takerOf(schedule, agents), schedule }));
  return (agent) => taken.filter(({ taker }) => taker === agent).map(({ schedule }) => planned(schedule));
}

/** A draining agent runs schedules only if there is no other. */
function takerOf({ agent, request }: StoredSchedule, agents: readonly Agent[]): string | null {
  if (agent !== null) return agent;
  const staying = agents.filter(({ state }) => state === 'online');
  const taker = steadyAgent(staying.length === 0 ? agents : staying, Command.parse(request));
  return taker === null ? null : nameOfAgent(taker);
}

function planned({ id, timing, startWithinSeconds, request }: StoredSchedule): PlannedSchedule {
  return { id, timing, startWithinSeconds, command: request };
}
