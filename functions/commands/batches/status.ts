/** The status of a batch and of each of its sites, from its row and those of its jobs. */
import type { Batch, BatchCounts, BatchSite } from '../../../shared/api/batches.ts';
import type { Job } from '../../../shared/api/jobs.ts';
import { ERROR_MEANINGS } from '../../../shared/errors.ts';
import { jobOfBatch, type SiteId, timeOfUuid } from '../../../shared/identity.ts';
import { isFinal } from '../../../shared/words.ts';
import type { RunProgress, StoredRun } from '../runs/run-store.ts';

/** Sites that were skipped because the token may not use them any more. All others without a job have failed. */
const SKIPPED: readonly string[] = ['forbidden', 'site_forbidden'];

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

/** The error code of each site without a job, by its index. */
export function refusals({ progress }: StoredRun): ReadonlyMap<number, string> {
  return new Map(Object.entries(progress.refused).flatMap(([code, places]) => places.map((at) => [at, code] as const)));
}

const NOTHING = { job: null, agent: null, startedAt: null, endedAt: null, summary: null, message: null };

/** A site of a batch, by its index. */
export interface Place {
  at: number;
  site: SiteId;
}

/** @param job of the site; undefined when it has none */
export function siteOf(
  batch: StoredRun,
  refused: ReadonlyMap<number, string>,
  { at, site }: Place,
  job: Job | undefined,
): BatchSite {
  const code = refused.get(at);
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
