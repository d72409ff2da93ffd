/** `/batches`: one command at many sites at once. */
import { v7 as uuidv7 } from 'uuid';
import {
  type BatchSite,
  MAX_BATCH_SITES,
  MAX_RUNNING_BATCHES,
  type batches as operations,
} from '../../../shared/api/batches.ts';
import { answerOf, compare, type SiteAnswer, type SiteFailure } from '../../../shared/comparison.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { BatchId, type SiteId, tagOfRef } from '../../../shared/identity.ts';
import type { Handlers, TokenCall } from '../../http/call.ts';
import { userOf } from '../../http/caller.ts';
import { checkCursor, invalid } from '../../http/errors.ts';
import { EventStream } from '../../http/event-stream.ts';
import { HandlerResult } from '../../http/handler-result.ts';
import { openSemaphore } from '../../http/semaphore.ts';
import { coversAll, reachedSites, requireKnown, sitesNamed } from '../../sites/sites.ts';
import { openLimit } from '../../table/slices.ts';
import type { RunContext } from '../context.ts';
import { claimKey, onceStarted } from '../idempotency.ts';
import type { NewRun, StoredRun } from '../runs/run-store.ts';
import { commandOf } from '../schedule-command.ts';
import { batchEvents } from './events.ts';
import { hasEnded, type Place, statusesOf, toBatch } from './status.ts';

/** Jobs read at a time: what one call of the database takes. */
const READ_AT_ONCE = 100;
/** Sites whose jobs one page reads at most, where a filter leaves some out. */
const MAX_READ = 1_000;
/** Whole results, of 350 KB at most, read at a time. */
const RESULTS_AT_ONCE = 25;
/** Pages of batches that one list reads at most, where it leaves some out. */
const MAX_PAGES = 5;

/** Limits the comparisons: each reads the results of all its sites. */
const comparisons = openSemaphore({
  atOnce: 4,
  waiting: 900,
  refusal: 'Too many batches are being compared at the moment; try again later',
});

export const batchesHandlers: Handlers<typeof operations, RunContext> = {
  async startBatch(context, call, { tool, arguments: given, sites: selection, agent = null, atOnce, maxFailures }) {
    const request = commandOf(tool, given);
    const sites = await resolved(context, call, selection);
    const settings: Omit<NewRun, 'id' | 'site'> = {
      ...{ request, sites: selection, agent, total: sites.length, atOnce },
      maxFailures:
        typeof maxFailures === 'string' // A percentage.
          ? Math.floor((Number.parseInt(maxFailures, 10) / 100) * sites.length)
          : (maxFailures ?? null),
      ...{ actor: call.token.id, person: call.person?.id ?? null, sourceAddress: call.sourceAddress },
    };
    const id = await claim(context, call, JSON.stringify([request, selection, agent, atOnce, maxFailures ?? null]));
    const batch = id.isNew
      ? await start(context, { id: id.batch, site: null, ...settings }, sites)
      : await onceStarted(() => context.runs.find(null, id.batch));
    const headers = { Location: `${call.prefix}/batches/${batch.id}` };
    return new HandlerResult({ success: true, ...toBatch(batch) }, { status: 202, headers });
  },

  async listBatches(context, call, { limit, cursor }) {
    checkCursor(cursor === undefined || BatchId.safeParse(cursor).success);
    const seen: StoredRun[] = [];
    let before = cursor;
    for (let pages = 0; ; pages++) {
      const page = await context.runs.list(null, before, limit - seen.length);
      for (const batch of page.runs) if (await maySee(context, call, batch)) seen.push(batch);
      const isFull = seen.length >= limit || pages === MAX_PAGES;
      if (page.next === null || isFull) {
        const unreadable = call.reach.isAll ? page.unreadable : [];
        return { success: true, batches: seen.map(toBatch), unreadable, nextCursor: page.next };
      }
      before = page.next;
    }
  },

  async getBatch(context, call, { id, limit, cursor, state }) {
    const batch = await findBatch(context, call, id);
    const sites = await shownSites(context, call, batch);
    const rest = sites.filter(({ site }) => cursor === undefined || site > cursor);
    const results: BatchSite[] = [];
    let read = 0;
    for await (const { one } of statusesOf(context, batch, rest.slice(0, MAX_READ), { atOnce: READ_AT_ONCE })) {
      read++;
      if (state === undefined || one.state === state) results.push(one);
      if (results.length === limit) break;
    }
    const next = read < rest.length ? (rest[read - 1]?.site ?? null) : null;
    return { success: true, ...toBatch(batch), results, nextCursor: next };
  },

  async followBatch(context, call, { id }) {
    const batch = await findBatch(context, call, id);
    const places = await shownSites(context, call, batch);
    const events = (signal: AbortSignal) => batchEvents(context, { batch, places, user: userOf(call) }, signal);
    return new HandlerResult(new EventStream(events));
  },

  async compareBatch(context, call, { id, limit }) {
    const batch = await findBatch(context, call, id);
    const { tool } = batch.request;
    return comparisons.run(async () => {
      const answers: SiteAnswer[] = [];
      const failures: SiteFailure[] = [];
      const places = await shownSites(context, call, batch);
      const options = { atOnce: RESULTS_AT_ONCE, withResults: true };
      for await (const { one, job } of statusesOf(context, batch, places, options)) {
        if (!hasEnded(one)) continue;
        const result = one.state === 'succeeded' ? (job?.result ?? null) : null;
        if (result !== null) answers.push(answerOf(one.site, tool, result));
        else failures.push({ site: one.site, reason: one.reason ?? one.state, message: one.message });
      }
      return { success: true as const, id, tool, ...compare(answers, failures, limit) };
    });
  },

  async cancelBatch(context, call, { id }) {
    const batch = await findBatch(context, call, id);
    if (batch.progress.endedAt !== null || batch.cancelledAt !== null) return { success: true, ...toBatch(batch) };
    await context.runs.cancel(null, id);
    await context.runQueue.send({ run: id, site: null }, context.now());
    await call.audit({ batch: id, tool: batch.request.tool, sites: batch.total }, { site: null });
    return { success: true, ...toBatch({ ...batch, cancelledAt: context.now().getTime() }) };
  },
};

/**
 * The sites of a selection that the caller may use, in the order of their ids.
 * @throws {ServiceError} `site_forbidden` for a named site that does not exist, or is out of reach
 */
async function resolved(
  context: RunContext,
  { reach }: TokenCall,
  selection: NewRun['sites'],
): Promise<readonly SiteId[]> {
  const sites = [...(await sitesNamed(context, reach, selection))].sort();
  const named = selection === '*' ? [] : selection.filter((ref) => tagOfRef(ref) === null);
  const limit = openLimit(16);
  await Promise.all(named.map((site) => limit(() => requireKnown(context, reach, site))));
  if (sites.length > 0 && sites.length <= MAX_BATCH_SITES) return sites;
  const message =
    sites.length === 0
      ? 'expected sites: there is none'
      : `expected at most ${MAX_BATCH_SITES} sites, got ${sites.length}`;
  throw invalid('sites', message);
}

/** The id of a new batch, or of the one that an earlier request with the same Idempotency-Key has started. */
async function claim(
  { jobs }: RunContext,
  { token, idempotencyKey }: TokenCall,
  request: string,
): Promise<{ batch: BatchId; isNew: boolean }> {
  const id = uuidv7();
  if (idempotencyKey === null) return { batch: id, isNew: true };
  const holder = await claimKey(jobs, token.id, idempotencyKey, request, id);
  return { batch: holder, isNew: holder === id };
}

async function start(context: RunContext, batch: NewRun, sites: readonly SiteId[]): Promise<StoredRun> {
  const { runs, runQueue, log, now } = context;
  let running = 0;
  for await (const { actor, person } of runs.running(null)) {
    if (batch.person === null ? actor === batch.actor : person === batch.person) running++;
  }
  if (running >= MAX_RUNNING_BATCHES) {
    const message = `${batch.person === null ? 'The token has' : 'You have'} ${running} batches that go on, and no more are begun: cancel one, or wait for its end`;
    throw new ServiceError('conflict', message, { retryAfter: 10 });
  }
  // First, so that each stored batch has a task. A turn waits for a batch that is not there yet.
  await runQueue.send({ run: batch.id, site: null }, now());
  await runs.create(batch, sites);
  log.info({ batch: batch.id, tokenId: batch.actor, tool: batch.request.tool, sites: sites.length }, 'batch');
  return await onceStarted(() => runs.find(null, batch.id));
}

/** @throws {ServiceError} `not_found`, also for one that the caller may not see */
async function findBatch(context: RunContext, call: TokenCall, id: BatchId): Promise<StoredRun> {
  const batch = await context.runs.find(null, id);
  if (batch !== null && (await maySee(context, call, batch))) return batch;
  throw new ServiceError('not_found', `The batch ${id} does not exist`);
}

/** The caller who started it may see it, and each caller whose token covers all its sites. */
async function maySee(
  context: Pick<RunContext, 'sites'>,
  { token, person, reach }: TokenCall,
  batch: StoredRun,
): Promise<boolean> {
  const isOwn = batch.actor === token.id || (person !== null && person.id === batch.person);
  return isOwn || coversAll(context, reach, batch.sites);
}

/** The sites of a batch that the caller may use now. */
async function shownSites(context: RunContext, { reach }: TokenCall, batch: StoredRun): Promise<readonly Place[]> {
  const places = (await context.runs.sites(batch.id)).map((site, at) => ({ at, site }));
  if (reach.isAll) return places;
  const reached = new Set(await reachedSites(context, reach));
  return places.filter(({ site }) => reached.has(site));
}
