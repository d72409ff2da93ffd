/** What each tool has said last, for the list of tools. */
import texts from 'messages:tools';
import type { Job } from '../../../shared/api/jobs.ts';
import type { Tool } from '../../../shared/tools/list.ts';
import { resultText } from '../../commands/result-text.ts';
import { useJobs } from '../../commands/use-jobs.ts';
import { Time } from '../../ui/time.tsx';

/** Whatever has not been run among so many is not looked for. */
const LOOKED_AT = 100;

export function useLastJobs(site: string): ReadonlyMap<Tool, Job> {
  const { data } = useJobs(site, { limit: LOOKED_AT });
  const last = new Map<Tool, Job>();
  for (const job of data?.pages.flatMap(({ jobs }) => jobs) ?? []) if (!last.has(job.tool)) last.set(job.tool, job);
  return last;
}

export function LastResult({ job }: { job: Job | undefined }) {
  if (job === undefined) return texts.neverRun;
  return (
    <span data-foreign>
      {texts.lastWas({ result: resultText(job) })}, <Time at={job.createdAt} />
    </span>
  );
}
