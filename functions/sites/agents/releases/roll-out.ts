/**
 * Carries a release to the agents: looks at what they say, writes down how far it has come, tells of failures, and sends
 * plans to those whose turn it is. Presence messages bring it about, and the upkeep of each hour for what no message does:
 * the end of a wait, and the beginning of a window.
 */

import type { Presence } from '../../../../shared/agent/messages.ts';
import { isOlder } from '../../../../shared/agent/release.ts';
import type { Site } from '../../../../shared/api/records.ts';
import { ServiceError } from '../../../../shared/errors.ts';
import { type AgentId, nameOfAgent, type SiteId, siteOfAgent } from '../../../../shared/identity.ts';
import type { Occurrence } from '../../../devices/collection/change-row.ts';
import type { ServiceSettings } from '../../../http/context.ts';
import { ALL_SITES } from '../../../http/reach.ts';
import type { PlanStores } from '../../../monitoring/schedules/plans.ts';
import { syncPlans, type TellPlan } from '../../../monitoring/schedules/plans.ts';
import { backOff } from '../../../table/back-off.ts';
import { readSites } from '../../site-state.ts';
import type { ReleaseSource } from './release-source.ts';
import { type Failure, mayConcern, nextStep, plannedUpdate, type SeenAgent, type Step } from './rings.ts';
import type { RollOut } from './roll-out-store.ts';

export interface RollOutContext extends PlanStores {
  releases?: Pick<ReleaseSource, 'current'>;
  settings?: Pick<ServiceSettings, 'updateSettlesMs'>;
  now(): Date;
}

/** What an agent says of its last update is looked at for so long by its messages, and then by the upkeep. */
const NEWS_FOR_MS = 24 * 3_600_000;
const ATTEMPTS = 8;
/** More sites than a deployment has. */
const MAX_SITES = 100_000;

/**
 * After a presence message: notes what became of the agent, and whose turn it is now. For one that has nothing to do with the
 * release it asks the table for nothing; for one that waits, half a read unit.
 */
export async function lookAtAgent(
  context: RollOutContext,
  agent: AgentId,
  presence: Presence,
  site: Site,
  tell: TellPlan,
): Promise<void> {
  const version = await versionOf(context);
  if (version === null || site.updates.mode !== 'auto' || !mayMatter(presence, version, context.now())) return;
  const { rollOut } = await context.rollOuts.read();
  if (!mayConcern(rollOut, version, agent)) return;
  const after = await goOn(context, version, await agentsOf(context, site), tell);
  // A process that has written it down may have been stopped before it sent the plan. One that was sent is not sent again.
  if (plannedUpdate(after, agent) !== undefined) await tellSites(context, [agent], tell);
}

/** Looks at all agents. Whoever is under way and was not sent its plan, because a process has ended, is sent it. */
export async function lookAtAll(context: RollOutContext, tell: TellPlan): Promise<void> {
  const version = await versionOf(context);
  if (version === null) return;
  const { sites } = await context.sites.page(ALL_SITES, null, MAX_SITES);
  if (sites.every(({ updates }) => updates.mode !== 'auto') && (await context.rollOuts.read()).rollOut === null) return;
  const after = await goOn(context, version, null, tell);
  await tellSites(context, after.state === 'going' ? Object.keys(after.underWay) : [], tell);
}

/** Changes the roll-out as an administrator wants it. @returns it as it is then; null when there is none to change */
export async function changeRollOut(
  context: RollOutContext,
  change: (before: RollOut, now: number) => RollOut | null,
  tell: TellPlan,
): Promise<RollOut | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { rollOut, write } = await context.rollOuts.read({ consistent: true });
    const after = rollOut && change(rollOut, context.now().getTime());
    if (after === null) return null;
    if (await write(after)) {
      await tellChanged(context, rollOut, after, tell);
      return after;
    }
    await backOff(attempt);
  }
  throw contention();
}

async function versionOf({ releases }: RollOutContext): Promise<string | null> {
  return (await releases?.current())?.version ?? null;
}

function mayMatter({ state, version, update }: Presence, release: string, now: Date): boolean {
  if (state !== 'online' || update === undefined) return false;
  const last = update.last?.version === release ? update.last : null;
  if (isOlder(version, release)) return update.able || last !== null;
  return last !== null && now.getTime() - last.at < NEWS_FOR_MS;
}

/**
 * Takes steps until nothing changes any more. Each failure is written down together with the event that tells of it.
 * @param some the agents that are looked at; null for all
 */
async function goOn(
  context: RollOutContext,
  version: string,
  some: readonly SeenAgent[] | null,
  tell: TellPlan,
): Promise<RollOut> {
  let agents = some ?? (await allAgents(context));
  let isAll = some === null;
  let first: { rollOut: RollOut | null } | null = null;
  for (let conflicts = 0; conflicts < ATTEMPTS; ) {
    const known = await context.rollOuts.read({ consistent: true });
    first ??= known;
    const step = stepOf(context, known.rollOut, agents, version, isAll);
    if (step.needsAll) {
      agents = await allAgents(context);
      isAll = true;
      continue;
    }
    const [failure] = step.failures;
    if (failure !== undefined) {
      await tellFailure(context, failure, version, agents);
    } else if (isSame(known.rollOut, step.rollOut) || (await known.write(step.rollOut))) {
      await tellChanged(context, first.rollOut, step.rollOut, tell);
      return step.rollOut;
    } else {
      await backOff(conflicts++);
    }
  }
  throw contention();
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

/** Writes a failure down and tells of it, unless another process has. */
async function tellFailure(
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
      const told: Occurrence = {
        type: 'agent-update-failed',
        at: Math.floor(context.now().getTime() / 1000),
        subject: { kind: 'agent', id: agent, name: nameOfAgent(agent) },
        detail: { version, reason },
      };
      return { ...nothing, occurrences: [told], also: [known.replaceBy(step.rollOut)] };
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'site_forbidden') throw error;
    // The site is deleted: nobody is left there to be told.
    const known = await context.rollOuts.read({ consistent: true });
    await known.write(stepOf(context, known.rollOut, its, version, false).rollOut);
  }
}

/** Sends plans at the sites of the agents whose plans are other ones. */
async function tellChanged(
  context: RollOutContext,
  before: RollOut | null,
  after: RollOut,
  tell: TellPlan,
): Promise<void> {
  const agents = new Set([...Object.keys(before?.underWay ?? {}), ...Object.keys(after.underWay)]);
  const changed = [...agents].filter((agent) => {
    return plannedUpdate(before, agent)?.version !== plannedUpdate(after, agent)?.version;
  });
  await tellSites(context, changed, tell);
}

/** A site for which no plans can be made, or sent, holds up no other. @throws what has failed first */
async function tellSites(context: RollOutContext, agents: readonly AgentId[], tell: TellPlan): Promise<void> {
  const sites = new Set<SiteId>(agents.map(siteOfAgent));
  const failures: unknown[] = [];
  await readSites([...sites], (site) =>
    syncPlans(context, site, tell, context.now()).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.code !== 'site_forbidden') failures.push(error);
    }),
  );
  if (failures.length > 0) throw failures[0];
}

function contention(): ServiceError {
  return new ServiceError('conflict', 'The roll-out of the release keeps changing; try again', { retryAfter: 1 });
}
