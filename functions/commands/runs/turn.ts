/**
 * The work of a run, in turns of some seconds, so that other runs get theirs in between. A turn fills the free places with
 * parts, each with a job like any command, and follows what it has begun.
 *
 * All that a turn does follows from the rows of the run and of its jobs, and a job can be created only once: so an
 * interrupted turn can be repeated, and two turns of one run at the same time do no harm.
 * @promise A run makes one job for each attempt at a part, once: `test/api/batches.test.ts`, `test/api/scans.test.ts`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isFinal } from '../../../shared/agent/messages.ts';
import type { Job } from '../../../shared/api/jobs.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { nameOfAgent, type SiteId, timeOfUuid } from '../../../shared/identity.ts';
import type { JobHandle } from '../agent-dispatcher.ts';
import { failuresIn } from '../batches/status.ts';
import type { RunContext } from '../context.ts';
import { storedJob } from '../job-events.ts';
import { aborted } from '../wait-for-job.ts';
import { openParts, SYNC_EVERY_MS } from './parts.ts';
import { beginsUntil, type RunProgress, type StoredRun } from './run-store.ts';
import type { RunTask } from './task.ts';

export type TurnContext = Pick<RunContext, 'runs' | 'jobs' | 'tokens' | 'sites' | 'agents' | 'log' | 'now'>;

/** Delay of the next turn while nothing happens, or something is out of reach: a share of the time without any progress. */
const PAUSE = { part: 0.25, leastMs: 1_000, longestMs: 30_000 };
/**
 * Parts that a turn begins per second, and at first: IoT Core lets a connection send and receive a hundred messages a
 * second, of which a command takes two or three.
 */
const PACE = { perSecond: 30, first: 20 };
/** Failures of the service, not of the site: the part is retried later. */
const OUTAGES: readonly string[] = ['unavailable', 'busy', 'too_many_requests'];

/**
 * @param options.lastsMs how long it may take; some seconds may follow until commands that are being sent are acknowledged
 * @param options.signal ends it earlier
 * @returns when the next turn is due; null when there is none
 */
export async function takeTurn(
  context: TurnContext,
  { site, run: id }: RunTask,
  { lastsMs, signal }: { lastsMs: number; signal?: AbortSignal },
): Promise<Date | null> {
  const run = await context.runs.find(site, id);
  const now = context.now().getTime();
  // The row of a batch is written just after its first turn is queued.
  if (run === null) return now - timeOfUuid(id) < 60_000 ? new Date(now + PAUSE.leastMs) : null;
  if (run.progress.endedAt !== null) return null;
  const turn = new Turn(context, run, site === null ? await context.runs.sites(id) : [], signal);
  const nextMs = await turn.take(lastsMs);
  return nextMs === null ? null : new Date(context.now().getTime() + nextMs);
}

class Turn {
  readonly #context: TurnContext;
  #run: StoredRun;
  readonly #progress: RunProgress;
  readonly #parts: ReturnType<typeof openParts>;
  /** The parts that are followed here, by their indexes. */
  readonly #followed = new Map<number, Promise<void>>();
  /** Aborted when the turn is over: what was begun continues, and is no longer followed. */
  readonly #over = new AbortController();
  readonly #whenOver = aborted(this.#over.signal);
  readonly #cancelled = new AbortController();
  readonly #whenCancelled = aborted(this.#cancelled.signal);
  /** Aborted when something has happened since the turn last waited. */
  #news = new AbortController();
  readonly #since: number;
  #begun = 0;
  #activeAt: number;
  #isChanged = false;
  /** Something is out of reach, or an agent has no place: left to the next turn. */
  #isHeldUp = false;

  constructor(context: TurnContext, run: StoredRun, sites: readonly SiteId[], signal?: AbortSignal) {
    this.#context = context;
    this.#run = run;
    this.#progress = structuredClone(run.progress);
    this.#parts = openParts(context, { ...run, progress: this.#progress }, sites);
    this.#since = this.#now();
    this.#activeAt = this.#progress.changedAt;
    signal?.addEventListener('abort', this.#end, { once: true, signal: this.#over.signal });
    if (signal?.aborted) this.#end();
  }

  async take(lastsMs: number): Promise<number | null> {
    let isOurs = false;
    try {
      isOurs = await this.#work(this.#since + lastsMs);
    } finally {
      this.#end();
      await Promise.allSettled(this.#followed.values());
    }
    if (!isOurs || !(await this.#sync()) || this.#progress.endedAt !== null) return null;
    if (!this.#isHeldUp && !this.#isQuiet) return 0;
    const idleMs = this.#now() - this.#progress.changedAt;
    return Math.max(PAUSE.leastMs, Math.min(PAUSE.longestMs, idleMs * PAUSE.part));
  }

  /** @returns false when another turn has taken over the run */
  async #work(until: number): Promise<boolean> {
    for (let syncAt = 0; ; ) {
      if (this.#now() >= syncAt) {
        if (!(await this.#sync())) return false;
        await this.#checkEarlier();
        syncAt = this.#now() + SYNC_EVERY_MS;
      }
      await this.#decide();
      const isOver = this.#isQuiet || this.#isHeldUp || this.#over.signal.aborted || this.#now() >= until;
      if (isOver || this.#progress.endedAt !== null) return true;
      const isFree = this.#progress.reason === null && this.#next() !== null;
      const wakeAt = Math.min(syncAt, until, isFree ? this.#now() + 1_000 / PACE.perSecond : syncAt);
      await sleep(Math.max(0, wakeAt - this.#now()), undefined, { signal: this.#news.signal }).catch(() => {});
      this.#news = new AbortController();
    }
  }

  #now(): number {
    return this.#context.now().getTime();
  }

  /** A turn in which nothing has happened for two seconds is over, and the next one is due later. */
  get #isQuiet(): boolean {
    return this.#now() - this.#activeAt > 2_000;
  }

  readonly #end = (): void => {
    this.#over.abort();
    this.#news.abort();
  };

  #note(): void {
    this.#isChanged = true;
    this.#activeAt = this.#now();
    this.#news.abort();
  }

  /** Stores what has changed, and reads whether the run was cancelled. @returns false when another turn has taken it over */
  async #sync(): Promise<boolean> {
    const { runs } = this.#context;
    for (;;) {
      if (this.#isChanged) {
        const { revision } = this.#run;
        this.#isChanged = false;
        if (await runs.save(this.#run, this.#progress)) {
          this.#run = { ...this.#run, revision: revision + 1 };
          return true;
        }
        this.#isChanged = true;
      }
      const now = await runs.find(this.#run.site, this.#run.id);
      if (now === null || now.revision !== this.#run.revision) return false;
      this.#run = now;
      if (!this.#isChanged) return true;
    }
  }

  /** Of the parts that earlier turns began: records those that have ended, restarts those without a job, stops cancelled ones. */
  async #checkEarlier(): Promise<void> {
    const { agents, jobs } = this.#context;
    const parts = this.#parts;
    await parts.refresh();
    const earlier = this.#progress.open.filter((at) => !this.#followed.has(at));
    if (earlier.length === 0) return;
    const found = await jobs.several(
      earlier.map((at) => parts.job(at)),
      { withResults: parts.hasAttempts },
    );
    for (const at of earlier) {
      const job = found.get(parts.job(at));
      if (job !== undefined) parts.assigned(at, nameOfAgent(job.agent));
      // The agent may not have received the request. After a minute it is not resent, long before the job counts as lost.
      const isNew = job?.state === 'queued' && this.#now() - Date.parse(job.createdAt) < 60_000;
      if (job !== undefined && isFinal(job.state)) this.#ended(at, job);
      else if (job !== undefined && this.#cancelled.signal.aborted) this.#follow(at, async () => agents.follow(job));
      else if (job === undefined && parts.hasAttempts) this.#close(at);
      else if ((job === undefined || isNew) && this.#mayBegin) this.#begin(at, job && nameOfAgent(job.agent));
    }
  }

  /** Begins parts, stops beginning them, or records the end of the run. */
  async #decide(): Promise<void> {
    const progress = this.#progress;
    const reason = progress.reason ?? (await this.#reasonToStop());
    if (reason !== progress.reason) {
      progress.reason = reason;
      progress.state = 'stopping';
      this.#happened();
    }
    if (reason === 'cancelled') this.#cancelled.abort();
    for (let next = this.#next(); reason === null && next !== null && this.#mayBegin; next = this.#next()) {
      progress.open.push(next.at);
      this.#parts.begin(next);
      if (this.#parts.hasAttempts) {
        // An attempt has a job of its own, which is found after a crash by what was stored before.
        this.#note();
        if (!(await this.#sync())) return;
      }
      this.#begin(next.at);
    }
    const areAllBegun = this.#parts.areAllBegun();
    if (progress.open.length > 0 || (reason === null && !areAllBegun)) return;
    // Once every part was begun, no reason but a cancellation has stopped anything.
    const isDone = areAllBegun && reason !== 'cancelled';
    progress.state = isDone ? 'done' : 'stopped';
    if (isDone) progress.reason = null;
    progress.endedAt = this.#now();
    this.#happened();
  }

  get #mayBegin(): boolean {
    const most = PACE.first + ((this.#now() - this.#since) / 1_000) * PACE.perSecond;
    return !this.#isHeldUp && !this.#over.signal.aborted && this.#begun < most;
  }

  #next() {
    return this.#progress.open.length >= this.#run.atOnce ? null : this.#parts.next();
  }

  async #reasonToStop(): Promise<RunProgress['reason']> {
    const { cancelledAt, maxFailures } = this.#run;
    if (cancelledAt !== null) return 'cancelled';
    if (maxFailures !== null && failuresIn(this.#progress) > maxFailures) return 'too_many_failures';
    if (this.#now() > beginsUntil(this.#run)) return 'deadline_passed';
    return (await this.#parts.areAllowed()) ? null : 'forbidden';
  }

  #begin(at: number, again?: string): void {
    this.#begun++;
    this.#follow(at, () => this.#parts.start(at, again));
  }

  /** Follows the job of a part as long as the turn lasts. */
  #follow(at: number, open: () => Promise<JobHandle>): void {
    this.#followed.set(
      at,
      this.#followToEnd(at, open).finally(() => this.#followed.delete(at)),
    );
    this.#note();
  }

  /** Never rejects. */
  async #followToEnd(at: number, open: () => Promise<JobHandle>): Promise<void> {
    const { log, jobs } = this.#context;
    const about = { run: this.#run.id, jobId: this.#parts.job(at) };
    let handle: JobHandle | null = null;
    try {
      const followed = await open();
      handle = followed;
      this.#whenCancelled
        .then(async () => void (this.#followed.has(at) && (await followed.cancel())))
        .catch((err: unknown) => log.warn({ err, ...about }, 'cannot cancel a job of a run'));
      const ended = await Promise.race([handle.end(beginsUntil(this.#run) - this.#since), this.#whenOver]);
      // So that a reader who sees the end of the run finds the result of each part.
      if (ended !== null) this.#ended(at, await storedJob(jobs, handle.id));
    } catch (err) {
      const code = err instanceof ServiceError ? err.code : 'internal_error';
      if (handle !== null || OUTAGES.includes(code)) {
        this.#isHeldUp = true;
        log.warn({ err, ...about }, 'a part of a run is retried in the next turn');
      } else if (code !== 'conflict') {
        if (code === 'internal_error') log.error({ err, ...about }, 'a part of a run has failed');
        await this.#refused(at, code);
      }
    } finally {
      handle?.leave();
    }
  }

  async #refused(at: number, code: string): Promise<void> {
    const { hasAttempts } = this.#parts;
    // An interrupted turn may have started the job that this one cannot start: then it is handled as one of an earlier turn.
    const mayBeStarted = !hasAttempts && code !== 'agent_silent';
    const started = mayBeStarted ? await this.#context.jobs.among([this.#parts.job(at)]).catch(() => null) : null;
    if ((started?.size ?? 0) > 0 || !this.#close(at)) return;
    this.#parts.refused(at, code);
    if (hasAttempts) this.#isHeldUp = true;
    else this.#happened();
  }

  #ended(at: number, job: Job): void {
    if (!isFinal(job.state) || !this.#close(at)) return;
    if (this.#parts.ended(at, job, this.#run.cancelledAt !== null)) this.#happened();
    else this.#isHeldUp = true;
  }

  /** @returns false for a part that is not open any more */
  #close(at: number): boolean {
    const { open } = this.#progress;
    if (!open.includes(at)) return false;
    this.#progress.open = open.filter((one) => one !== at);
    this.#note();
    return true;
  }

  #happened(): void {
    this.#note();
    this.#progress.changedAt = this.#now();
  }
}
