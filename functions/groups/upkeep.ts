/** What nobody asks for and no message brings about: done once an hour, for some sites at a time. */
import type { Site } from '../../shared/api/records.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import type { HookTask } from '../hooks/tasks.ts';
import { followAddresses } from '../monitoring/checks/follow-addresses.ts';
import { observeChecks } from '../monitoring/checks/observe-checks.ts';
import { observeConnections } from '../monitoring/outages/connections.ts';
import { lookAtAll, type RollOutContext } from '../sites/agents/releases/roll-out.ts';
import { type DeletionContext, removeDeleted } from '../sites/site-deletion.ts';
import type { Stores } from '../stores.ts';
import { openLimit } from '../table/slices.ts';
import type { TaskQueue } from '../task-queue.ts';
import { applyAt, BY_UPKEEP, type TemplateContext } from '../templates/apply.ts';

export type UpkeepContext = RollOutContext &
  DeletionContext &
  Omit<TemplateContext, 'log'> &
  Pick<Stores, 'series' | 'siteStates' | 'upkeepTurn'> & { hookQueue: TaskQueue<HookTask> };

/**
 * Something that is done for each site. It is called every hour, at no certain minute, and again when it has failed or two
 * processes do it at the same time: it finds out by itself whether there is something to do, and how far it has come.
 */
export type Duty = (context: UpkeepContext, site: Site, log: Log) => Promise<void>;

/** By what each does, for the log. */
const DUTIES: Readonly<Record<string, Duty>> = {
  async series({ series, sites }, { id }) {
    for (const agent of await sites.agentIds(id)) await series.closeIdle(agent);
  },
  connections: (context, { id }) => observeConnections(context, id, context.now()),
  checks: (context, { id }) => observeChecks(context, id, context.now()),
  addresses: followAddresses,
  // For digests, for what has to wait longer than a queue can, and for what was not woken because a process crashed.
  async hooks({ hooks, hookQueue, now }, { id: site }) {
    if ((await hooks.list(site)).hooks.length > 0) await hookQueue.send({ site }, now());
  },
  templates: (context, { id, tags, templates }, log) =>
    tags.length === 0 && templates === undefined ? Promise.resolve() : applyAt({ ...context, log }, id, BY_UPKEEP),
};

/** Sites that are looked after at the same time. */
const SITES_AT_ONCE = 8;

/**
 * Does all of it, looks after deleted sites, and carries the release to those whose turn it is. What fails for one site holds up no other.
 * @param isTime whether to stop; asked before each site. The next call goes on where this one stops
 * @throws {AggregateError} when something has failed
 */
export async function upkeep(context: UpkeepContext, log: Log, isTime: () => boolean, duties = DUTIES): Promise<void> {
  const failures: unknown[] = [];
  // First, because these two are short: many sites would leave them no time in any hour.
  if (!isTime()) await carryRelease(context, log).catch((error) => failures.push(error));
  await removeDeleted(context, log, isTime).catch((error) => failures.push(error));
  const before = await context.upkeepTurn.read();
  const done = await doDuties(context, log, isTime, duties, before);
  if (done.after !== before) await context.upkeepTurn.write(done.after);
  failures.push(...done.failures);
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts of the upkeep have failed`);
}

/** Tells agents whose turn it is to become the release that is handed out: see `functions/sites/agents/releases/rings.ts`. */
export async function carryRelease(context: UpkeepContext, log: Log): Promise<void> {
  try {
    await lookAtAll(context, (agent, message) => context.registry.publish(agent, message));
  } catch (error) {
    log.error({ err: error }, 'the release could not be carried on');
    throw error;
  }
}

/**
 * Does the duties of the sites that are not deleted, those behind the given one first.
 * @returns what has failed, which is in the log, and behind which site the next call goes on; null when this one did all
 */
async function doDuties(
  context: UpkeepContext,
  log: Log,
  isTime: () => boolean,
  duties: Readonly<Record<string, Duty>>,
  before: SiteId | null = null,
): Promise<{ failures: unknown[]; after: SiteId | null }> {
  const failures: unknown[] = [];
  const all = await context.sites.list();
  const isBehind = ({ id }: Site) => before === null || id > before;
  const sites = [...all.filter(isBehind), ...all.filter((site) => !isBehind(site))];
  let begun = 0;
  async function lookAfter(site: Site): Promise<void> {
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
  await Promise.all(sites.map((site) => limit(() => lookAfter(site))));
  return { failures, after: begun === sites.length ? null : (sites[begun - 1]?.id ?? before) };
}
