/** The progress of a batch as a stream of events. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SiteId } from '../../../shared/identity.ts';
import { RETRY_MS, type ServerEvent, STREAM_MS } from '../../http/event-stream.ts';
import type { RunContext } from '../context.ts';
import type { StoredRun } from '../runs/run-store.ts';
import { hasEnded, type Place, statusesOf, toBatch } from './status.ts';

/** Pause between two polls of the rows: it grows while nothing changes. */
const POLL = { leastMs: 500, longestMs: 3_000 };

/**
 * The events of a batch until it has ended: each site whenever its state changes, the batch whenever its counts do, and
 * `result` at the end. Without a slot, the stream ends as soon as it has reported the current state.
 * @param places the sites that the reader may see
 * @param user who reads
 * @param unread aborted when the reader is gone
 */
export async function* batchEvents(
  context: Pick<RunContext, 'runs' | 'jobs' | 'waitSlots' | 'now'>,
  { batch: { id }, places, user }: { batch: StoredRun; places: readonly Place[]; user: string },
  unread: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const until = context.now().getTime() + STREAM_MS;
  const giveBack = context.waitSlots.take('stream', user);
  /** The last state of each site that was sent. */
  const sent = new Map<SiteId, string>();
  let counts = '';
  let open = places;
  let pauseMs = POLL.leastMs;
  try {
    while (!unread.aborted) {
      const batch = await context.runs.find(null, id);
      if (batch === null) return;
      let isNews = false;
      const isOver = batch.progress.endedAt !== null;
      const begun = open.filter(({ at }) => at < batch.progress.begun || isOver);
      const ended = new Set<SiteId>();
      for await (const { one } of statusesOf(context, batch, begun, { atOnce: begun.length })) {
        if (hasEnded(one)) ended.add(one.site);
        if (sent.get(one.site) === one.state) continue;
        sent.set(one.site, one.state);
        isNews = true;
        yield { event: 'site', data: one };
      }
      open = open.filter(({ site }) => !ended.has(site));
      const now = toBatch(batch);
      if (isOver) return yield { event: 'result', data: now };
      if (JSON.stringify([now.state, now.counts]) !== counts) {
        counts = JSON.stringify([now.state, now.counts]);
        isNews = true;
        yield { event: 'batch', data: now };
      }
      if (giveBack === null) return yield { event: 'end', retry: RETRY_MS.withoutSlot, data: {} };
      if (context.now().getTime() > until) return yield { event: 'end', retry: RETRY_MS.afterStream, data: {} };
      pauseMs = isNews ? POLL.leastMs : Math.min(POLL.longestMs, pauseMs * 1.5);
      await sleep(pauseMs, undefined, { signal: unread }).catch(() => {});
    }
  } finally {
    giveBack?.();
  }
}
