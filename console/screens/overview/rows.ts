/** Which rows the overview shows. */
import type { Job } from '../../../shared/api/jobs.ts';

/** How many rows each kind gets: in rounds, so that many of one kind hide no other. The first kinds come first. */
export function shares(counts: readonly number[], most: number): number[] {
  const given = counts.map(() => 0);
  for (let round = 1, left = most; left > 0 && counts.some((count) => count >= round); round++) {
    for (const [kind, count] of counts.entries()) {
      if (count < round || left === 0) continue;
      given[kind] = round;
      left--;
    }
  }
  return given;
}

/** Without interfaces, and without scheduled runs that found the same as the one before. @param jobs the newest first */
export function withoutRoutine(jobs: readonly Job[]): Job[] {
  return jobs.filter((job, at) => {
    if (job.state !== 'succeeded') return true;
    if (!job.actor.startsWith('schedule:')) return job.tool !== 'interfaces';
    const before = jobs.slice(at + 1).find(({ actor, state }) => actor === job.actor && state === 'succeeded');
    return foundBy(job) !== foundBy(before);
  });
}

/** Without what differs between any two runs. */
function foundBy(job: Job | undefined): string {
  const { rttMs, downloadMbps, uploadMbps, pingMs, packets, awakeAfterMs, ...found } = job?.summary ?? {};
  return JSON.stringify(found);
}
