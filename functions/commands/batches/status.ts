/** The status of a batch and of each of its sites, from its row and those of its jobs. */
import type { Batch, BatchCounts, BatchSite } from '../../../shared/api/batches.ts';
import type { Job } from '../../../shared/api/jobs.ts';
import { ERROR_MEANINGS } from '../../../shared/errors.ts';
import { jobOfBatch, type SiteId, timeOfUuid } from '../../../shared/identity.ts';
import { isFinal } from '../../../shared/words.ts';
import { inGroups } from '../../table/table.ts';
import type { RunContext } from '../context.ts';
import type { RunProgress, StoredRun } from '../runs/run-store.ts';

/** Sites that were skipped: no agent is connected, or the token may not use them any more. All others without a job have failed. */
const SKIPPED: readonly string[] = ['agent_offline', 'forbidden', 'site_forbidden'];

/** Sites that have failed in any way. Cancelled ones have not. */
export function failuresIn({ ended, refused }: RunProgress): number {
  const { failed = 0, expired = 0, interrupted = 0, lost = 0 } = ended;
  return failed + expired + interrupted + lost + refusedIn(refused).failed;
}

export function toBatch(batch: StoredRun): Batch {
  const { id, request, sites, agent, total, atOnce, maxFailures, actor, progress } = batch;
  const { reason, endedAt } = progress;
  const isToStop = batch.cancelledAt !== null && endedAt === null;
  return {
    ...{ id, tool: request.tool, request, sites, agent, total, atOnce, maxFailures },
    state: isToStop ? 'stopping' : progress.state,
    reason: isToStop ? 'cancelled' : reason,
    counts: countsOf(batch),
    actor,
    createdAt: new Date(timeOfUuid(id)).toISOString(),
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
  };
}

function countsOf({ total, progress }: StoredRun): BatchCounts {
  const { open, ended, refused, endedAt } = progress;
  const { failed, skipped } = refusedIn(refused);
  const rest = total - progress.begun;
  const { succeeded = 0, cancelled = 0, expired = 0, interrupted = 0, lost = 0 } = ended;
  return {
    waiting: endedAt === null ? rest : 0,
    running: open.length,
    failed: (ended.failed ?? 0) + failed,
    ...{ succeeded, cancelled, expired, interrupted, lost },
    skipped: skipped + (endedAt === null ? 0 : rest),
  };
}

function refusedIn(refused: RunProgress['refused']): { failed: number; skipped: number } {
  let [failed, skipped] = [0, 0];
  for (const [code, places] of Object.entries(refused)) {
    if (SKIPPED.includes(code)) skipped += places.length;
    else failed += places.length;
  }
  return { failed, skipped };
}

const NOTHING = { job: null, agent: null, startedAt: null, endedAt: null, summary: null, message: null };

/** A site of a batch, by its index. */
export interface Place {
  at: number;
  site: SiteId;
}

/** Each of these sites with its job, in their order. @param atOnce jobs that are read at a time */
export async function* statusesOf(
  { jobs }: Pick<RunContext, 'jobs'>,
  batch: StoredRun,
  places: readonly Place[],
  { atOnce, withResults = false }: { atOnce: number; withResults?: boolean },
): AsyncGenerator<{ one: BatchSite; job: Job | undefined }> {
  const { id, progress } = batch;
  const codes = new Map(
    Object.entries(progress.refused).flatMap(([code, indexes]) => indexes.map((at) => [at, code] as const)),
  );
  for (const group of inGroups(places, atOnce)) {
    const begun = group.filter(({ at }) => at < progress.begun || progress.endedAt === null);
    const found = await jobs.several(
      begun.map(({ site }) => jobOfBatch(site, id)),
      { withResults },
    );
    for (const place of group) {
      const job = found.get(jobOfBatch(place.site, id));
      yield { one: siteOf(batch, codes.get(place.at), place.site, job), job };
    }
  }
}

/** @param code of the error for which it got no job @param job undefined when it has none */
function siteOf(batch: StoredRun, code: string | undefined, site: SiteId, job: Job | undefined): BatchSite {
  const id = jobOfBatch(site, batch.id);
  if (code !== undefined) {
    const message = ERROR_MEANINGS[code as keyof typeof ERROR_MEANINGS]?.cause ?? null;
    const state = SKIPPED.includes(code) ? 'skipped' : 'failed';
    return { ...NOTHING, site, state, reason: code, message, job: job === undefined ? null : id };
  }
  if (job !== undefined) {
    const { state, reason, message, agent, startedAt, endedAt, summary } = job;
    return { site, state, reason, message, job: id, agent, startedAt, endedAt, summary };
  }
  const { reason, endedAt } = batch.progress;
  if (endedAt === null) return { ...NOTHING, site, state: 'waiting', reason: null };
  return { ...NOTHING, site, state: 'skipped', reason };
}

/** Whether its state is final. */
export function hasEnded({ state }: BatchSite): boolean {
  return state === 'skipped' || (state !== 'waiting' && isFinal(state));
}
