/**
 * The plans of a site's agents: made of its schedules and checks, and of how far a release has come, and sent to an
 * agent that has another one. Which agent does what depends on which of them are connected, so that plans are made anew when
 * that changes.
 */
import { createHash } from 'node:crypto';
import { type PlanControl, PROTOCOL_VERSION } from '../../../shared/agent/messages.ts';
import type { Plan } from '../../../shared/agent/plan.ts';
import { packPlan } from '../../../shared/agent/wire.ts';
import type { Agent, Site } from '../../../shared/api/records.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { type AgentId, nameOfAgent, type SiteId } from '../../../shared/identity.ts';
import { plannedUpdate } from '../../sites/agents/releases/rings.ts';
import type { Stores } from '../../stores.ts';
import { backOff } from '../../table/back-off.ts';
import { planChecks } from '../checks/check-makers.ts';
import { plannedSchedules } from './planned-schedules.ts';

/** All that a plan is made of. */
export type PlanStores = Pick<Stores, 'checks' | 'devices' | 'plans' | 'rollOuts' | 'schedules' | 'sites'>;

export type TellPlan = (agent: AgentId, message: PlanControl) => Promise<void>;

/** An agent that has just connected, and the revision of its plan. */
interface Asker {
  agent: AgentId;
  revision: number | undefined;
}

const ATTEMPTS = 8;

/**
 * Sends each connected agent of the site its plan, if that is another one than it was sent before.
 * @param stores with those that the parts read
 * @param asker an agent that is sent its plan also when only it has another one
 */
export async function syncPlans(
  stores: PlanStores,
  site: SiteId,
  tell: TellPlan,
  now: Date,
  asker: Asker | null = null,
): Promise<void> {
  const [found, all] = await Promise.all([stores.sites.find(site), stores.sites.agents(site)]);
  if (found === null) return;
  const agents = connectedOf(all);
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
  await tellChanged(stores, site, { plans, asker }, tell, now);
}

/** Sends the connected agents of a deleted site plans of nothing to do. */
export async function emptyPlans(
  stores: Pick<Stores, 'plans' | 'sites'>,
  { id, timeZone }: Pick<Site, 'id' | 'timeZone'>,
  tell: TellPlan,
  now: Date,
): Promise<void> {
  const agents = connectedOf(await stores.sites.agents(id));
  const plan: Plan = { timeZone, schedules: [], checks: [] };
  const plans = new Map(agents.map((agent) => [agent.id, plan]));
  await tellChanged(stores, id, { plans, asker: null }, tell, now);
}

const connectedOf = (agents: readonly Agent[]) =>
  agents.filter(({ state }) => state === 'online' || state === 'draining');

async function tellChanged(
  stores: Pick<Stores, 'plans'>,
  site: SiteId,
  { plans, asker }: { plans: ReadonlyMap<AgentId, Plan>; asker: Asker | null },
  tell: TellPlan,
  now: Date,
): Promise<void> {
  for (const { agent, revision } of await revise(stores, site, plans, now, asker)) {
    const plan = plans.get(agent);
    if (plan !== undefined) await tell(agent, { v: PROTOCOL_VERSION, t: 'plan', revision, plan: packPlan(plan) });
  }
}

/** Whether an agent has another plan than it was sent: the answer to a presence message that is no news. Half a read unit. */
export async function hasOtherPlan(
  { plans }: Pick<Stores, 'plans'>,
  site: SiteId,
  agent: AgentId,
  revision: number | undefined,
): Promise<boolean> {
  const { sent } = await plans.read(site);
  return sent[nameOfAgent(agent)]?.revision !== revision;
}

/** Gives plans that have changed new revisions. @returns which agents are to be told, with the revisions of their plans */
async function revise(
  { plans: store }: Pick<Stores, 'plans'>,
  site: SiteId,
  plans: ReadonlyMap<AgentId, Plan>,
  now: Date,
  asker: Asker | null,
): Promise<{ agent: AgentId; revision: number }[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { sent, write } = await store.read(site, { consistent: true });
    const after = { ...sent };
    const told: { agent: AgentId; revision: number }[] = [];
    for (const [agent, plan] of plans) {
      const name = nameOfAgent(agent);
      const known = sent[name];
      const digest = digestOf(plan);
      if (known === undefined && isEmpty(plan)) continue;
      // Agents act on the greatest revision, so that it must grow also when our clock is put back, and when an agent has a
      // greater one than we know of: what we know comes out of a backup.
      const isAhead = asker?.agent === agent && (asker.revision ?? 0) > (known?.revision ?? 0);
      if (known?.digest !== digest || isAhead)
        after[name] = { digest, revision: Math.max(now.getTime(), (known?.revision ?? 0) + 1) };
      const revision = after[name]?.revision ?? 0;
      if (known?.digest !== digest || (asker?.agent === agent && asker.revision !== revision))
        told.push({ agent, revision });
    }
    if (told.every(({ agent, revision }) => sent[nameOfAgent(agent)]?.revision === revision) || (await write(after)))
      return told;
    await backOff(attempt);
  }
  throw new ServiceError('conflict', `The plans of site "${site}" keep changing; try again`, { retryAfter: 1 });
}

function isEmpty({ schedules, checks, update }: Plan): boolean {
  return schedules.length + checks.length === 0 && update === undefined;
}

function digestOf(plan: Plan): string {
  return createHash('sha256').update(JSON.stringify(plan)).digest('base64url').slice(0, 16);
}
