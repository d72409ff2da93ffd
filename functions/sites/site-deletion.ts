/**
 * Deleting a site, taking that back, and removing what is left when it cannot be taken back any more.
 *
 * Agents of a deleted site keep their certificates, which are out of use meanwhile: when the site is restored, they come back
 * by themselves. What they send until then is not confirmed, so that they keep it (`functions/sightings/ingest.ts`).
 */
import type { Site } from '../../shared/api/records.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import type { PlanStores } from '../monitoring/schedules/plans.ts';
import { emptyPlans, syncPlans } from '../monitoring/schedules/plans.ts';
import type { Stores } from '../stores.ts';
import type { AgentRegistry } from './agents/agent-registry.ts';
import { certificateIds } from './agents/agent-row.ts';
import { revokeAgent } from './agents/revocation.ts';
import { tellSettings } from './agents/tell-settings.ts';
import { type Deletion, restorableUntil } from './deletion-store.ts';

/** The dependencies beyond the stores: to cut agents off and to let them in. */
export type DeletionContext = PlanStores &
  Pick<Stores, 'certificates' | 'deletions' | 'jobs' | 'people' | 'tokens'> & { registry: AgentRegistry; now(): Date };

/** Who does it, for the audit. */
const BY_UPKEEP = { actor: 'service', requestId: 'upkeep', sourceAddress: null };
/** How long one request cuts agents off. What is left then is done within the hour, as what fails is. */
const CUT_WITHIN_MS = 15_000;

/** @returns null when it is deleted already */
export async function deleteSite(
  context: DeletionContext & { log: Log },
  site: Site,
  by: string,
): Promise<Deletion | null> {
  const { deletions, registry, now, log } = context;
  const deletion = await deletions.delete(site.id, by);
  if (deletion === null) return null;
  const until = performance.now() + CUT_WITHIN_MS;
  try {
    const revision = Math.max(now().getTime(), site.revision + 1);
    await tellSettings(context, { ...site, revision, discovery: { ...site.discovery, enabled: false } });
    await emptyPlans(context, site, (agent, message) => registry.publish(agent, message), now());
  } catch (error) {
    log.warn({ err: error, site: site.id }, 'not every agent of a deleted site could be told to rest');
  }
  await cutOff(context, deletion, () => performance.now() > until).catch((error: unknown) => {
    log.warn({ err: error, site: site.id }, 'not every agent of a deleted site could be cut off; it is tried again');
  });
  return deletion;
}

/** @returns whether it could be taken back still */
export async function restoreSite(
  context: DeletionContext & { log: Log },
  site: Site,
  deletion: Deletion,
): Promise<boolean> {
  const { deletions, sites, registry, now, log } = context;
  // First: as long as the site is deleted, a call that was interrupted can be made again.
  await letIn(context, site.id);
  if (!(await deletions.restore(site, deletion))) return false;
  try {
    await sites.updateStaleness(site.id);
    const restored = await sites.find(site.id);
    if (restored !== null) await tellSettings(context, restored);
    await syncPlans(context, site.id, (agent, message) => registry.publish(agent, message), now());
  } catch (error) {
    log.warn({ err: error, site: site.id }, 'agents of a restored site are told when they connect');
  }
  return true;
}

/**
 * Removes the sites whose deletion cannot be taken back any more, one after the other, and cuts agents of the others off that
 * are not yet. One that fails holds up no other.
 * @param isTime whether to stop; asked again and again. What is left then is for another call
 * @throws {AggregateError} when some have failed
 */
export async function removeDeleted(context: DeletionContext, log: Log, isTime: () => boolean): Promise<void> {
  const failures: unknown[] = [];
  for (const { deletion } of await context.deletions.list()) {
    if (isTime()) break;
    const { site } = deletion;
    try {
      if (context.now().getTime() < restorableUntil(deletion)) await cutOff(context, deletion, isTime);
      else if (await remove(context, deletion, isTime)) log.info({ site }, 'a deleted site is removed for good');
    } catch (error) {
      log.error({ site, err: error }, 'a deleted site could not be looked after');
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} deleted sites have failed`);
}

/** @returns whether this call has come to the end; if not, another one goes on */
async function remove(context: DeletionContext, deletion: Deletion, isTime: () => boolean): Promise<boolean> {
  const { devices, deletions, sites, tokens, people } = context;
  const { site } = deletion;
  const isStill = () => deletions.holds(deletion);
  if (!(await devices.retire(site, deletion.at))) return false;
  for (const agent of await sites.agentIds(site)) {
    if (isTime()) return false;
    await revokeAgent(context, agent, isStill);
  }
  // A site that is made again under this id is none that these tokens were made for, or these roles given at.
  await tokens.forgetSite(site, isStill);
  await people.forgetSite(site, isStill);
  if (!(await deletions.sweep(deletion, isTime))) return false;
  await deletions.end(deletion, { ...BY_UPKEEP, site: null, action: 'site.erase', detail: { site } });
  return true;
}

/** Cuts off the agents of a deleted site, so that they can be let in again. */
async function cutOff(context: DeletionContext, deletion: Deletion, isTime: () => boolean): Promise<void> {
  const { sites, certificates, registry, deletions } = context;
  for (const agent of await sites.agentIds(deletion.site)) {
    const known = await certificates.find(agent);
    if (known !== null && !isTime()) await registry.suspend(agent, certificateIds(known));
  }
  if (!(await deletions.holds(deletion))) await letIn(context, deletion.site); // It was taken back meanwhile.
}

async function letIn({ sites, certificates, registry }: DeletionContext, site: SiteId): Promise<void> {
  for (const agent of await sites.agentIds(site)) {
    const known = await certificates.find(agent);
    if (known === null) continue;
    await registry.resume(
      agent,
      certificateIds(known).filter((id) => id !== known.retired),
    );
  }
}
