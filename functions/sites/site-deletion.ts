/**
 * Deletion, restoration and final removal of a site.
 *
 * The certificates of its agents are suspended: when the site is restored, the agents reconnect. Messages of theirs until then
 * are not confirmed, so that the agents keep them (`functions/sightings/ingest.ts`).
 */
import type { Site } from '../../shared/api/records.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import { emptyPlans, type PlanStores, syncPlans } from '../monitoring/schedules/plans.ts';
import type { Stores } from '../stores.ts';
import type { AgentRegistry } from './agents/agent-registry.ts';
import { certificateIds } from './agents/agent-row.ts';
import { revokeAgent } from './agents/revocation.ts';
import { publishSettings } from './agents/settings-message.ts';
import { type Deletion, restorableUntil } from './deletion-store.ts';

export type DeletionContext = PlanStores &
  Pick<Stores, 'certificates' | 'deletions' | 'jobs' | 'people' | 'tokens'> & { registry: AgentRegistry; now(): Date };

/** For the audit. */
const BY_UPKEEP = { actor: 'service', requestId: 'upkeep', sourceAddress: null };

/** @returns null when it is deleted already */
export async function deleteSite(
  context: DeletionContext & { log: Log },
  site: Site,
  by: string,
): Promise<Deletion | null> {
  const { deletions, registry, now, log } = context;
  const deletion = await deletions.delete(site.id, by);
  if (deletion === null) return null;
  try {
    const revision = Math.max(now().getTime(), site.revision + 1);
    await publishSettings(context, { ...site, revision, discovery: { ...site.discovery, enabled: false } });
    await emptyPlans(context, site, (agent, message) => registry.publish(agent, message), now());
  } catch (error) {
    log.warn({ err: error, site: site.id }, 'cannot stop every agent of a deleted site');
  }
  // The upkeep, once an hour, suspends those that fail or do not fit into 15 s of a request.
  const until = performance.now() + 15_000;
  await suspendAgents(context, deletion, () => performance.now() > until).catch((error: unknown) => {
    log.warn({ err: error, site: site.id }, 'cannot suspend every agent of a deleted site; the upkeep retries');
  });
  return deletion;
}

/** @returns false when the deletion is final already */
export async function restoreSite(
  context: DeletionContext & { log: Log },
  site: Site,
  deletion: Deletion,
): Promise<boolean> {
  const { deletions, sites, registry, now, log } = context;
  // First: as long as the site is deleted, an interrupted call can be repeated.
  await resumeAgents(context, site.id);
  if (!(await deletions.restore(site, deletion))) return false;
  try {
    await sites.updateStaleness(site.id);
    const restored = await sites.find(site.id);
    if (restored !== null) await publishSettings(context, restored);
    await syncPlans(context, site.id, (agent, message) => registry.publish(agent, message), now());
  } catch (error) {
    log.warn(
      { err: error, site: site.id },
      'cannot notify every agent of a restored site; they sync when they connect',
    );
  }
  return true;
}

/**
 * Removes the sites whose deletion is final, one after the other, and suspends the remaining agents of the others. A failure
 * for one site holds up no other.
 * @param isTime whether to stop, checked repeatedly; another call continues
 * @throws {AggregateError} when some have failed
 */
export async function removeDeleted(context: DeletionContext, log: Log, isTime: () => boolean): Promise<void> {
  const failures: unknown[] = [];
  for (const { deletion } of await context.deletions.list()) {
    if (isTime()) break;
    const { site } = deletion;
    try {
      if (context.now().getTime() < restorableUntil(deletion)) await suspendAgents(context, deletion, isTime);
      else if (await remove(context, deletion, isTime)) log.info({ site }, 'deleted site removed for good');
    } catch (error) {
      log.error({ site, err: error }, 'the upkeep of a deleted site failed');
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} deleted sites have failed`);
}

/** @returns false when another call must continue */
async function remove(context: DeletionContext, deletion: Deletion, isTime: () => boolean): Promise<boolean> {
  const { devices, deletions, sites, tokens, people } = context;
  const { site } = deletion;
  const isStill = () => deletions.holds(deletion);
  if (!(await devices.retire(site, deletion.at))) return false;
  for (const agent of await sites.agentIds(site)) {
    if (isTime()) return false;
    await revokeAgent(context, agent, isStill);
  }
  // These tokens and roles must not apply to a later site of this id.
  await tokens.forgetSite(site, isStill);
  await people.forgetSite(site, isStill);
  if (!(await deletions.sweep(deletion, isTime))) return false;
  await deletions.end(deletion, { ...BY_UPKEEP, site: null, action: 'site.erase', detail: { site } });
  return true;
}

async function suspendAgents(context: DeletionContext, deletion: Deletion, isTime: () => boolean): Promise<void> {
  const { sites, certificates, registry, deletions } = context;
  for (const agent of await sites.agentIds(deletion.site)) {
    const known = await certificates.find(agent);
    if (known !== null && !isTime()) await registry.suspend(agent, certificateIds(known));
  }
  if (!(await deletions.holds(deletion))) await resumeAgents(context, deletion.site); // It was restored meanwhile.
}

async function resumeAgents({ sites, certificates, registry }: DeletionContext, site: SiteId): Promise<void> {
  for (const agent of await sites.agentIds(site)) {
    const known = await certificates.find(agent);
    if (known === null) continue;
    await registry.resume(
      agent,
      certificateIds(known).filter((id) => id !== known.retired),
    );
  }
}
