/** The ends of jobs that agents have reported and the rows need not say yet. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobId } from '../../../shared/identity.ts';
import { isFinal } from '../../../shared/words.ts';
import type { JobStore } from '../job-store.ts';

/** An end is in the row of the job within this time, and usually at once. */
const STORED_WITHIN_MS = 5_000;
const STORED_CHECK_MS = 200;

/** When the agent reported each of them. */
export type ReportedEnds = Map<JobId, number>;

/** Waits for the rows, so that a reader who sees that the batch has ended finds the result of each site. */
export async function untilStored(jobs: Pick<JobStore, 'several'>, reported: ReportedEnds): Promise<void> {
  for (;;) {
    const recent = [...reported].filter(([, at]) => Date.now() - at < STORED_WITHIN_MS).map(([id]) => id);
    if (recent.length === 0) return;
    const found = await jobs.several(recent);
    for (const id of recent) {
      const job = found.get(id);
      if (job === undefined || isFinal(job.state)) reported.delete(id);
    }
    if (reported.size > 0) await sleep(STORED_CHECK_MS);
  }
}
