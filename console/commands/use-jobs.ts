/** The jobs of a site, polled often while one is running. */
import type { Question } from '../api/client.ts';
import { usePages } from '../api/pages.ts';
import { POLL_MS } from '../api/queries.ts';
import { hasEnded } from './job-progress.ts';

export function useJobs(site: string, query: Question<'GET /jobs'>['query']) {
  const everyMs = (pages: readonly { jobs: readonly Parameters<typeof hasEnded>[0][] }[]) =>
    pages.some(({ jobs }) => !jobs.every(hasEnded)) ? POLL_MS.lively : POLL_MS.calm;
  return usePages('GET /jobs', { site, query: query ?? {} }, { everyMs });
}
