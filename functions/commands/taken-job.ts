/** A command that its agent has taken, when nobody waits for it any longer. */
import type { Job } from '../../shared/api/jobs.ts';
import type { Log } from '../../shared/log.ts';
import type { Stores } from '../stores.ts';
import type { JobHandle } from './agent-dispatcher.ts';

/**
 * The job of a command that its agent has accepted, although its row may not say so yet. As nobody follows it any more,
 * that is written down: whoever looks at the job while its agent cannot be asked is told how far it has come.
 */
export async function takenJob(
  { jobs, log }: Pick<Stores, 'jobs'> & { log: Log },
  followed: JobHandle,
): Promise<Job | null> {
  const { id } = followed;
  const row = await jobs.find(id);
  if (row?.state !== 'queued') return row;
  const { isRunning } = await followed.soFar();
  await jobs
    .accepted(id, isRunning ? 'running' : 'accepted')
    .catch((error) => log.warn({ err: error, jobId: id }, 'cannot record the state of a job'));
  return { ...row, state: 'accepted' };
}
