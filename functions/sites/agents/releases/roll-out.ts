/**
 * Rolls out a release: evaluates the agents' reports, persists the state, records events of failures, and sends plans to the
 * agents to update. Triggered by presence messages and, for timeouts and maintenance windows, by the hourly upkeep.
 */
import type { Presence } from '../../../../shared/agent/messages.ts';
import { isOlder } from '../../../../shared/agent/release.ts';
import type { Site } from '../../../../shared/api/records.ts';
import { ServiceError } from '../../../../shared/errors.ts';
import { type AgentId, nameOfAgent, type SiteId, siteOfAgent } from '../../../../shared/identity.ts';
import { DAY_MS } from '../../../../shared/time.ts';
import type { ServiceSettings } from '../../../http/context.ts';
import { ALL_SITES } from '../../../http/reach.ts';
import { type PlanStores, type SendPlan, syncPlans } from '../../../monitoring/schedules/plans.ts';
import { retryOnConflict } from '../../../table/retry.ts';
import { readSites } from '../../site-state.ts';
import type { ReleaseSource } from './release-source.ts';
import { type Failure, mayConcern, nextStep, plannedUpdate, type SeenAgent, type Step } from './rings.ts';
import type { RollOut } from './roll-out-store.ts';

export interface RollOutContext extends PlanStores {
  releases?: Pick<ReleaseSource, 'current'>;
  settings?: Pick<ServiceSettings, 'updateSettlesMs'>;
  now(): Date;
}

/** More sites than a deployment has. */
const MAX_SITES = 100_000;

/**
 * Advances the roll-out after a presence message. Costs nothing for an agent unaffected by the release, and half a read unit
 * for a waiting one.
 */
export async function advanceForAgent(
  context: RollOutContext,
  agent: AgentId,
  presence: Presence,
  site: Site,
  send: SendPlan,
): Promise<void> {
  const version = await versionOf(context);
  if (version === null || site.updates.mode !== 'auto' || !mayMatter(presence, version, context.now())) return;
  const { rollOut } = await context.rollOuts.read();
  if (!mayConcern(rollOut, version, agent)) return;
  const after = await advance(context, version, await agentsOf(context, site), send);
  // Another process may have persisted it and stopped before it sent the plan. A plan is not sent twice.
  if (plannedUpdate(after, agent) !== undefined) await sendToSites(context, [agent], send);
}

/** Advances the roll-out with all agents, and sends the plans that a stopped process did not send. */
export async function advanceRollOut(context: RollOutContext, send: SendPlan): Promise<void> {
  const version = await versionOf(context);
  if (version === null) return;
  const { sites } = await context.sites.page(ALL_SITES, null, MAX_SITES);
  if (sites.every(({ updates }) => updates.mode !== 'auto') && (await context.rollOuts.read()).rollOut === null) return;
  const after = await advance(context, version, null, send);
  await sendToSites(context, after.state === 'going' ? Object.keys(after.underWay) : [], send);
}

/** An administrator's change. @param change returns null to change nothing, which is then the result */
export async function changeRollOut(
  context: RollOutContext,
  change: (before: RollOut, now: number) => RollOut | null,
  send: SendPlan,
): Promise<RollOut | null> {
  return retryOnConflict(CONTENTION, async () => {
    const { rollOut, write } = await context.rollOuts.read({ consistent: true });
    const after = rollOut && change(rollOut, context.now().getTime());
    if (after === null) return null;
    if (!(await write(after))) return undefined;
    await sendChanged(context, rollOut, after, send);
    return after;
  });
}

async function versionOf({ releases }: RollOutContext): Promise<string | null> {
  return (await releases?.current())?.version ?? null;
}

function mayMatter({ state, version, update }: Presence, release: string, now: Date): boolean {
  if (state !== 'online' || update === undefined) return false;
  const last = update.last?.version === release ? update.last : null;
  if (isOlder(version, release)) return update.able || last !== null;
  // After a day, only the upkeep evaluates the agent's last update.
  return last !== null && now.getTime() - last.at < DAY_MS;
}

/**
 * Repeats steps until the state is stable. Each failure is stored together with its event.
 * @param some the agents to evaluate; null for all
 */
async function advance(
  context: RollOutContext,
  version: string,
  some: readonly SeenAgent[] | null,
  send: SendPlan,
): Promise<RollOut> {
  let agents = some ?? (await allAgents(context));
  let isAll = some === null;
  let first: { rollOut: RollOut | null } | null = null;
  return retryOnConflict(CONTENTION, async () => {
    for (;;) {
      const known = await context.rollOuts.read({ consistent: true });
      first ??= known;
      const step = stepOf(context, known.rollOut, agents, version, isAll);
      const [failure] = step.failures;
      if (step.needsAll) {
        agents = await allAgents(context);
        isAll = true;
      } else if (failure !== undefined) {
        await recordFailure(context, failure, version, agents);
      } else if (isSame(known.rollOut, step.rollOut) || (await known.write(step.rollOut))) {
        await sendChanged(context, first.rollOut, step.rollOut, send);
        return step.rollOut;
      } else return undefined;
    }
  });
}

function stepOf(
  { now, settings }: RollOutContext,
  before: RollOut | null,
  agents: readonly SeenAgent[],
  version: string,
  isAll: boolean,
): Step {
  return nextStep(before, agents, { version, now: now().getTime(), isAll, settleMs: settings?.updateSettlesMs });
}

const isSame = (one: RollOut | null, other: RollOut) => JSON.stringify(one) === JSON.stringify(other);

async function allAgents(context: RollOutContext): Promise<SeenAgent[]> {
  const { sites } = await context.sites.page(ALL_SITES, null, MAX_SITES);
  const auto = sites.filter(({ updates }) => updates.mode === 'auto');
  return (await readSites(auto, (site) => agentsOf(context, site))).flat();
}

async function agentsOf({ sites }: RollOutContext, site: Site): Promise<SeenAgent[]> {
  return (await sites.agents(site.id)).map((agent) => ({ agent, site }));
}

/** Records a failure and its event, unless another process has. */
async function recordFailure(
  context: RollOutContext,
  { agent, reason }: Failure,
  version: string,
  agents: readonly SeenAgent[],
): Promise<void> {
  const its = agents.filter((one) => one.agent.id === agent);
  const nothing = { put: [], remove: [] };
  try {
    await context.devices.change(siteOfAgent(agent), { actor: 'service', cause: 'observation' }, async () => {
      const known = await context.rollOuts.read({ consistent: true });
      const step = stepOf(context, known.rollOut, its, version, false);
      if (step.failures.length === 0) return nothing;
      const event = {
        type: 'agent-update-failed' as const,
        at: Math.floor(context.now().getTime() / 1000),
        subject: { kind: 'agent' as const, id: agent, name: nameOfAgent(agent) },
        detail: { version, reason },
      };
      return { ...nothing, occurrences: [event], also: [known.replaceBy(step.rollOut)] };
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'site_forbidden') throw error;
    // The site is deleted, so there is no journal for the event.
    const known = await context.rollOuts.read({ consistent: true });
    await known.write(stepOf(context, known.rollOut, its, version, false).rollOut);
  }
}

/** Sends plans at the sites of the agents whose plans have changed. */
async function sendChanged(
  context: RollOutContext,
  before: RollOut | null,
  after: RollOut,
  send: SendPlan,
): Promise<void> {
  const agents = new Set([...Object.keys(before?.underWay ?? {}), ...Object.keys(after.underWay)]);
  const changed = [...agents].filter((agent) => {
    return plannedUpdate(before, agent)?.version !== plannedUpdate(after, agent)?.version;
  });
  await sendToSites(context, changed, send);
}

/** A failure at one site holds up no other. @throws the first failure */
async function sendToSites(context: RollOutContext, agents: readonly AgentId[], send: SendPlan): Promise<void> {
  const sites = new Set<SiteId>(agents.map(siteOfAgent));
  const failures: unknown[] = [];
  await readSites([...sites], (site) =>
    syncPlans(context, site, send, context.now()).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.code !== 'site_forbidden') failures.push(error);
    }),
  );
  if (failures.length > 0) throw failures[0];
}

const CONTENTION = 'The roll-out of the release keeps changing; try again';
