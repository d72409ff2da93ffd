/** Hourly maintenance, for work that no request or message triggers. */
import type { Site } from '../../shared/api/records.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import type { HookTask } from '../hooks/tasks.ts';
import { followAddresses } from '../monitoring/checks/follow-addresses.ts';
import { observeChecks } from '../monitoring/checks/observe-checks.ts';
import { observeConnections } from '../monitoring/outages/connections.ts';
import { advanceRollOut, type RollOutContext } from '../sites/agents/releases/roll-out.ts';
import { type DeletionContext, removeDeleted } from '../sites/site-deletion.ts';
import type { Stores } from '../stores.ts';
import { openLimit } from '../table/slices.ts';
import type { TaskQueue } from '../task-queue.ts';
import { applyAt, BY_UPKEEP, type TemplateContext } from '../templates/apply.ts';

export type UpkeepContext = RollOutContext &
  DeletionContext &
  Omit<TemplateContext, 'log'> &
  Pick<Stores, 'series' | 'siteStates' | 'upkeepCursor'> & { hookQueue: TaskQueue<HookTask> };

/**
 * A task for each site, run every hour, at any minute. It must be idempotent, also when two processes run it concurrently, and
 * find its own work and progress.
 */
export type Duty = (context: UpkeepContext, site: Site, log: Log) => Promise<void>;

/** By names for the log. */
const DUTIES: Readonly<Record<string, Duty>> = {
  async series({ series, sites }, { id }) {
    for (const agent of await sites.agentIds(id)) await series.closeIdle(agent);
  },
  connections: (context, { id }) => observeConnections(context, id, context.now()),
  checks: (context, { id }) => observeChecks(context, id, context.now()),
  addresses: followAddresses,
  // For digests, for delays beyond the queue's limit, and for hooks whose task was lost in a crash.
  async hooks({ hooks, hookQueue, now }, { id: site }) {
    if ((await hooks.list(site)).hooks.length > 0) await hookQueue.send({ site }, now());
  },
  templates: (context, { id, tags, templates }, log) =>
    tags.length === 0 && templates === undefined ? Promise.resolve() : applyAt({ ...context, log }, id, BY_UPKEEP),
};

const SITES_AT_ONCE = 8;

/**
 * Runs the duties of all sites, removes deleted sites, and advances the roll-out. A failure for one site holds up no other.
 * @param isTime whether to stop, checked before each site; the next call continues there
 * @throws {AggregateError} when something has failed
 */
export async function upkeep(context: UpkeepContext, log: Log, isTime: () => boolean, duties = DUTIES): Promise<void> {
  const failures: unknown[] = [];
  // These two first, because they are short: with many sites, no time would be left for them in any hour.
  if (!isTime()) await rollOutRelease(context, log).catch((error) => failures.push(error));
  await removeDeleted(context, log, isTime).catch((error) => failures.push(error));
  const before = await context.upkeepCursor.read();
  const done = await runDuties(context, log, isTime, duties, before);
  if (done.after !== before) await context.upkeepCursor.write(done.after);
  failures.push(...done.failures);
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts of the upkeep have failed`);
}

/** Advances the roll-out of the current release: see `functions/sites/agents/releases/rings.ts`. */
export async function rollOutRelease(context: UpkeepContext, log: Log): Promise<void> {
  try {
    await advanceRollOut(context, (agent, message) => context.registry.publish(agent, message));
  } catch (error) {
    log.error({ err: error }, 'cannot advance the roll-out of the release');
    throw error;
  }
}

/**
 * Runs the duties of the sites that are not deleted, beginning after the cursor.
 * @returns the logged failures, and the cursor of the next call; null when all sites are done
 */
async function runDuties(
  context: UpkeepContext,
  log: Log,
  isTime: () => boolean,
  duties: Readonly<Record<string, Duty>>,
  before: SiteId | null = null,
): Promise<{ failures: unknown[]; after: SiteId | null }> {
  const failures: unknown[] = [];
  const all = await context.sites.list();
  const isAfter = ({ id }: Site) => before === null || id > before;
  const sites = [...all.filter(isAfter), ...all.filter((site) => !isAfter(site))];
  let begun = 0;
  async function maintain(site: Site): Promise<void> {
    if (isTime()) return;
    begun++;
    for (const [duty, work] of Object.entries(duties)) {
      try {
        await work(context, site, log);
      } catch (error) {
        log.error({ site: site.id, duty, err: error }, 'a part of the upkeep has failed');
        failures.push(error);
      }
    }
  }
  const limit = openLimit(SITES_AT_ONCE);
  await Promise.all(sites.map((site) => limit(() => maintain(site))));
  return { failures, after: begun === sites.length ? null : (sites[begun - 1]?.id ?? before) };
}
