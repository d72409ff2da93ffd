/**
 * The plans of a site's agents: computed from its schedules, its checks and the roll-out of a release, and sent to agents whose
 * plan has changed. The distribution depends on which agents are connected, so plans are computed again when that changes.
 */
import { createHash } from 'node:crypto';
import { type PlanControl, PROTOCOL_VERSION } from '../../../shared/agent/messages.ts';
import type { Plan, PlannedSchedule } from '../../../shared/agent/plan.ts';
import { packPlan } from '../../../shared/agent/wire.ts';
import type { Agent, Site } from '../../../shared/api/records.ts';
import { type AgentId, nameOfAgent, type SiteId } from '../../../shared/identity.ts';
import { Command } from '../../../shared/tools/list.ts';
import { steadyAgent } from '../../commands/choose-agent.ts';
import { plannedUpdate } from '../../sites/agents/releases/rings.ts';
import type { Stores } from '../../stores.ts';
import { retryOnConflict } from '../../table/retry.ts';
import { planChecks } from '../checks/check-makers.ts';
import { connectedAgents } from '../checks/check-status.ts';
import type { ScheduleStore, StoredSchedule } from './schedule-store.ts';

export type PlanStores = Pick<Stores, 'checks' | 'devices' | 'plans' | 'rollOuts' | 'schedules' | 'sites'>;

export type SendPlan = (agent: AgentId, message: PlanControl) => Promise<void>;

/** The plan revision that a newly connected agent has reported. */
interface Reported {
  agent: AgentId;
  revision: number | undefined;
}

/** Sends connected agents their plans, if changed. @param reported an agent that may have another plan than it was sent */
export async function syncPlans(
  stores: PlanStores,
  site: SiteId,
  send: SendPlan,
  now: Date,
  reported: Reported | null = null,
): Promise<void> {
  const [found, agents] = await Promise.all([stores.sites.find(site), connectedAgents(stores, site)]);
  if (found === null) return;
  const [schedules, checks, { rollOut }] = await Promise.all([
    plannedSchedules(stores, { site: found, agents }),
    planChecks(stores, site, agents),
    found.updates.mode === 'auto' ? stores.rollOuts.read({ consistent: true }) : { rollOut: null },
  ]);
  const plans = new Map(
    agents.map(({ id }): [AgentId, Plan] => {
      const name = nameOfAgent(id);
      const { timeZone } = found;
      const update = plannedUpdate(rollOut, id);
      const plan = { timeZone, schedules: schedules(name), checks: checks(name) };
      return [id, update === undefined ? plan : { ...plan, update }];
    }),
  );
  await sendChanged(stores, { plans, reported }, send, now);
}

/** Sends the connected agents of a deleted site empty plans. */
export async function emptyPlans(
  stores: Pick<Stores, 'plans' | 'sites'>,
  { id, timeZone }: Pick<Site, 'id' | 'timeZone'>,
  send: SendPlan,
  now: Date,
): Promise<void> {
  const agents = await connectedAgents(stores, id);
  const plan: Plan = { timeZone, schedules: [], checks: [] };
  const plans = new Map(agents.map((agent) => [agent.id, plan]));
  await sendChanged(stores, { plans, reported: null }, send, now);
}

async function sendChanged(
  { plans: store }: Pick<Stores, 'plans'>,
  { plans, reported }: { plans: ReadonlyMap<AgentId, Plan>; reported: Reported | null },
  send: SendPlan,
  now: Date,
): Promise<void> {
  for (const [agent, plan] of plans) {
    const revision = await revise(store, agent, plan, now, reported?.agent === agent ? reported : null);
    if (revision !== null) await send(agent, { v: PROTOCOL_VERSION, t: 'plan', revision, plan: packPlan(plan) });
  }
}

/** Whether an agent has another plan than it was sent; for presence messages that repeat its state. Half a read unit. */
export async function hasOtherPlan(
  { plans }: Pick<Stores, 'plans'>,
  agent: AgentId,
  revision: number | undefined,
): Promise<boolean> {
  return (await plans.read(agent))?.sent?.revision !== revision;
}

/** Gives a changed plan a new revision. @returns the revision to send the plan with; null when the agent has it */
async function revise(
  store: Stores['plans'],
  agent: AgentId,
  plan: Plan,
  now: Date,
  reported: Reported | null,
): Promise<number | null> {
  const digest = createHash('sha256').update(JSON.stringify(plan)).digest('base64url').slice(0, 16);
  return retryOnConflict(`The plan of ${agent} keeps changing; try again`, async () => {
    const found = await store.read(agent, { consistent: true });
    if (found === null || (found.sent === null && isEmpty(plan))) return null;
    const last = found.sent?.revision ?? 0;
    // Agents act on the greatest revision. It must grow even after the clock was set back, and when an agent has a greater
    // one than is stored: that was restored from a backup.
    if (found.sent?.digest === digest && (reported?.revision ?? 0) <= last)
      return reported === null || reported.revision === last ? null : last;
    const revision = Math.max(now.getTime(), last + 1);
    return (await found.write({ digest, revision })) ? revision : undefined;
  });
}

function isEmpty({ schedules, checks, update }: Plan): boolean {
  return schedules.length + checks.length === 0 && update === undefined;
}

/** Each schedule is in the plan of exactly one agent: the one that is set, otherwise one of the connected agents. */
async function plannedSchedules(
  { schedules }: { schedules: ScheduleStore },
  { site, agents }: { site: { id: SiteId }; agents: readonly Agent[] },
): Promise<(agent: string) => PlannedSchedule[]> {
  const found = await schedules.list(site.id);
  const taken = found.schedules
    .filter(({ enabled }) => enabled)
    .map((schedule) => {
      const { id, timing, startWithinSeconds, request: command } = schedule;
      return { taker: takerOf(schedule, agents), planned: { id, timing, startWithinSeconds, command } };
    });
  return (agent) => taken.filter(({ taker }) => taker === agent).map(({ planned }) => planned);
}

/** A draining agent runs schedules only if there is no other. */
function takerOf({ agent, request }: StoredSchedule, agents: readonly Agent[]): string | null {
  if (agent !== null) return agent;
  const staying = agents.filter(({ state }) => state === 'online');
  const taker = steadyAgent(staying.length === 0 ? agents : staying, Command.parse(request));
  return taker === null ? null : nameOfAgent(taker);
}
