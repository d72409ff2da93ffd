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

export class JobEnd {
  readonly #tracker: JobTracker;
  readonly #dependencies: Dependencies;
  /** Whether the command was sent from here: then its agent has accepted it. */
  readonly #isOurs: boolean;
  /** A command that is unfinished after a second has its state recorded in its row, for readers of the job. */
  readonly #recordAfter = Date.now() + 1_000;
  /** The connection over which the messages of the agent come; null while there is none. */
  #live: LiveConnection | null;
  /** The state in the row, as far as this process knows. */
  #recorded: Job['state'];
  #readRowAt: number;

  /** @param used the connection over which the command was sent; null when another request or process has sent it */
  constructor(tracker: JobTracker, used: LiveConnection | null, dependencies: Dependencies) {
    this.#tracker = tracker;
    this.#dependencies = dependencies;
    this.#isOurs = used !== null;
    this.#live = used;
    this.#recorded = tracker.recorded;
    this.#readRowAt = Date.now() + (used === null ? 0 : POLL_MS.connected);
  }

  /**
   * Waits for the end, as long as any request follows the command.
   * @throws {ServiceError} `not_found` when the job does not exist
   */
  async found(): Promise<EndedJob> {
    for (;;) {
      await this.#listen();
      const ended = await this.#heard();
      if (ended !== null) return ended;
      if (this.#tracker.followers === 0) throw new Error('no request follows this command any more');
      await this.#recordState();
      const stored = await this.#readRow();
      if (stored !== null) return stored;
    }
  }

  /** Makes sure that the messages of the agent come here, and none is missing. Retried after a failure. */
  async #listen(): Promise<void> {
    if (this.#live !== null && !this.#tracker.hasGap) return;
    this.#live = await this.#dependencies.watch(this.#tracker).catch(() => null);
  }

  /** The result from the agent; null when the connection breaks first, or after a second at most. */
  async #heard(): Promise<EndedJob | null> {
    let forget = () => {};
    const cut = new Promise<null>((resolve) => {
      const onCut = () => {
        this.#live = null;
        this.#readRowAt = Date.now() + POLL_MS.disconnected;
        resolve(null);
      };
      forget = this.#live?.onClosed(onCut) ?? forget;
    });
    // A missing piece of output is requested again after a second.
    const pause = Math.max(0, Math.min(this.#readRowAt - Date.now(), 1_000));
    try {
      return await deadline(Promise.race([this.#tracker.ended, cut]), pause, () => null);
    } finally {
      forget();
    }
  }

  /** Records each state once, with no retry after a failure, because nothing depends on it. */
  async #recordState(): Promise<void> {
    const { id, isRunning } = this.#tracker;
    const state = isRunning ? 'running' : 'accepted';
    const isNews = this.#recorded !== state && (this.#isOurs || isRunning);
    if (!isNews || Date.now() < this.#recordAfter) return;
    this.#recorded = state;
    const { jobs, log } = this.#dependencies;
    await jobs
      .accepted(id, state)
      .catch((error) => log.warn({ err: error, jobId: id }, 'cannot record the state of a job'));
  }

  /** The end in the row, when a read is due; null when it has none. */
  async #readRow(): Promise<EndedJob | null> {
    if (Date.now() < this.#readRowAt) return null;
    this.#readRowAt = Date.now() + (this.#live === null ? POLL_MS.disconnected : POLL_MS.connected);
    const { id } = this.#tracker;
    const { jobs, log } = this.#dependencies;
    try {
      const job = await jobs.find(id);
      if (job === null) throw new ServiceError('not_found', `The job ${id} does not exist`);
      return isFinal(job.state) ? endOfRow(job) : null;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') throw error;
      log.warn({ err: error, jobId: id }, 'cannot read the row of a job that is followed');
      this.#readRowAt = Date.now() + POLL_MS.disconnected; // The database may be available again before the wait is over.
      return null;
    }
  }
}

function endOfRow({ state, reason, message, output, truncated, result, startedAt, endedAt }: Job): EndedJob {
  if (!isFinal(state)) throw new Error('endOfRow() got a job that has not ended');
  return {
    state,
    reason,
    message,
    output: output ?? '',
    truncated,
    result,
    startedAt: startedAt === null ? null : Date.parse(startedAt),
    endedAt: endedAt === null ? Date.now() : Date.parse(endedAt),
  };
}
