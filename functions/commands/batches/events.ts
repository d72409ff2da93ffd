/** How a batch goes on, as a stream of events. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchId, SiteId } from '../../../shared/identity.ts';
import { jobOfBatch } from '../../../shared/identity.ts';
import type { ServerEvent } from '../../http/event-stream.ts';
import type { RunContext } from '../context.ts';
import type { StoredRun } from '../runs/run-store.ts';
import { hasEnded, refusals, siteOf, toBatch } from './standing.ts';

/** How long a stream lasts; the client then comes back. A function is paid for as long as one is open. */
const STREAM_MS = 120_000;
const RETRY_MS = { afterStream: 1_000, withoutPlace: 5_000 };
/** Between two looks at the rows: a part of the time in which nothing has changed. */
const LOOK = { leastMs: 500, longestMs: 3_000 };

interface Followed {
  batch: StoredRun;
  /** Those that the reader may see, by their places in the batch. */
  sites: readonly { at: number; site: SiteId }[];
  /** Who reads. */
  user: string;
}

/**
 * The events of a batch until it has ended: each site as often as its state changes, the batch as often as its counts do, and
 * `result` at the end. Without a place to wait it is over as soon as it has shown how all stands.
 * @param unread aborted when nobody reads any more
 */
export async function* batchEvents(
  context: Pick<RunContext, 'runs' | 'jobs' | 'waitSlots' | 'now'>,
  { batch: { id }, sites, user }: Followed,
  unread: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const until = context.now().getTime() + STREAM_MS;
  const giveBack = context.waitSlots.take('stream', user);
  /** The state of each site that was told last. */
  const told = new Map<SiteId, string>();
  let counts = '';
  let open = sites;
  let pauseMs = LOOK.leastMs;
  try {
    while (!unread.aborted) {
      const batch = await context.runs.find(null, id);
      if (batch === null) return;
      let isNews = false;
      const begun = open.filter(({ at }) => at < batch.progress.begun || batch.progress.endedAt !== null);
      const ended = new Set<SiteId>();
      for (const one of await standingOf(context, id, batch, begun)) {
        if (hasEnded(one)) ended.add(one.site);
        if (told.get(one.site) === one.state) continue;
        told.set(one.site, one.state);
        isNews = true;
        yield { event: 'site', data: one };
      }
      open = open.filter(({ site }) => !ended.has(site));
      const now = toBatch(batch);
      if (batch.progress.endedAt !== null) return yield { event: 'result', data: now };
      if (JSON.stringify([now.state, now.counts]) !== counts) {
        counts = JSON.stringify([now.state, now.counts]);
        isNews = true;
        yield { event: 'batch', data: now };
      }
      if (giveBack === null || context.now().getTime() > until) {
        yield { event: 'end', retry: giveBack === null ? RETRY_MS.withoutPlace : RETRY_MS.afterStream, data: {} };
        return;
      }
      pauseMs = isNews ? LOOK.leastMs : Math.min(LOOK.longestMs, pauseMs * 1.5);
      await sleep(pauseMs, undefined, { signal: unread }).catch(() => {});
    }
  } finally {
    giveBack?.();
  }
}

async function standingOf(
  { jobs }: Pick<RunContext, 'jobs'>,
  id: BatchId,
  batch: StoredRun,
  places: Followed['sites'],
) {
  const refused = refusals(batch);
  const found = await jobs.several(places.map(({ site }) => jobOfBatch(site, id)));
  return places.map((place) => siteOf(batch, refused, place, found.get(jobOfBatch(place.site, id))));
}
