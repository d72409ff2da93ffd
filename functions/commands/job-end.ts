/** Waits for the end of a command: for the message of its agent or, when that goes to another process, for its row. */
import { type EndedJob, isFinal } from '../../shared/agent/messages.ts';
import type { Job } from '../../shared/api/jobs.ts';
import { deadline } from '../../shared/async.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { LiveConnection } from './connection.ts';
import type { JobStore } from './job-store.ts';
import type { JobTracker } from './job-tracker.ts';

/** How often the job's row is read, because the result may have reached another process: often while disconnected. */
const POLL_MS = { connected: 15_000, disconnected: 1_000 };

interface Dependencies {
  jobs: Pick<JobStore, 'find' | 'accepted'>;
  log: Log;
  /** Requests all remaining messages about the command from the agent; they come over the returned connection. */
  watch(tracker: JobTracker): Promise<LiveConnection>;
}

/**
 * Waits as long as any request follows the command.
 * @param used the connection over which the command was sent; null when another request or process has sent it
 * @throws {ServiceError} `not_found` when the job does not exist
 */
export async function endOfTracked(
  tracker: JobTracker,
  used: LiveConnection | null,
  { jobs, log, watch }: Dependencies,
): Promise<EndedJob> {
  const { id } = tracker;
  /** The connection over which the messages of the agent come; null while there is none. */
  let live = used;
  /** The state in the row, as far as this process knows. */
  let recorded = tracker.recorded;
  /** A command that is unfinished after a second has its state recorded in its row, for readers of the job. */
  const recordAfter = Date.now() + 1_000;
  let readRowAt = Date.now() + (used === null ? 0 : POLL_MS.connected);

  /** The result from the agent; null when the connection breaks first, or after a second at most. */
  async function nextResult(): Promise<EndedJob | null> {
    let forget = () => {};
    const cut = new Promise<null>((resolve) => {
      const onCut = () => {
        live = null;
        readRowAt = Date.now() + POLL_MS.disconnected;
        resolve(null);
      };
      forget = live?.onClosed(onCut) ?? forget;
    });
    // Missing output is requested again after a second.
    const pause = Math.max(0, Math.min(readRowAt - Date.now(), 1_000));
    try {
      return await deadline(Promise.race([tracker.ended, cut]), pause, () => null);
    } finally {
      forget();
    }
  }

  /** Records each state once, with no retry after a failure, because nothing depends on it. */
  async function recordState(): Promise<void> {
    const state = tracker.isRunning ? 'running' : 'accepted';
    // Only where the command was sent from here is it known that its agent has accepted it.
    const isNews = recorded !== state && (used !== null || tracker.isRunning);
    if (!isNews || Date.now() < recordAfter) return;
    recorded = state;
    await jobs
      .accepted(id, state)
      .catch((error) => log.warn({ err: error, jobId: id }, 'cannot record the state of a job'));
  }

  /** The end in the row, when a read is due; null when it has none. */
  async function readRow(): Promise<EndedJob | null> {
    if (Date.now() < readRowAt) return null;
    readRowAt = Date.now() + (live === null ? POLL_MS.disconnected : POLL_MS.connected);
    try {
      const job = await jobs.find(id);
      if (job === null) throw new ServiceError('not_found', `The job ${id} does not exist`);
      return endOfRow(job);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') throw error;
      log.warn({ err: error, jobId: id }, 'cannot read the row of a job that is followed');
      readRowAt = Date.now() + POLL_MS.disconnected; // The database may recover before the wait is over.
      return null;
    }
  }

  for (;;) {
    // A failure to request the messages is retried in the next round.
    if (live === null || tracker.hasGap) live = await watch(tracker).catch(() => null);
    const ended = await nextResult();
    if (ended !== null) return ended;
    if (tracker.followers === 0) throw new Error('no request follows this command any more');
    await recordState();
    const stored = await readRow();
    if (stored !== null) return stored;
  }
}

function endOfRow({ state, reason, message, output, truncated, result, startedAt, endedAt }: Job): EndedJob | null {
  if (!isFinal(state)) return null;
  return {
    ...{ state, reason, message, output: output ?? '', truncated, result },
    startedAt: startedAt === null ? null : Date.parse(startedAt),
    endedAt: endedAt === null ? Date.now() : Date.parse(endedAt),
  };
}
