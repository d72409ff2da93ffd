/**
 * The work of a run, in turns of some seconds, so that the runs of others get theirs in between. A turn fills the free places
 * with parts, each with a job as any command, and follows what it has begun. A batch has a part for each site; a scan has one
 * for each shard, at the agents of its site, and makes further attempts at those that fail.
 *
 * All that a turn does follows from the rows of the run and of its jobs, and a job can be made once: so a turn that was broken
 * off is done again, and two of one run at the same time do no harm.
 * @promise A run makes one job for each attempt at a part, once: `test/api/batches.test.ts`, `test/api/scans.test.ts`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isFinal } from '../../../shared/agent/messages.ts';
import type { Job } from '../../../shared/api/jobs.ts';
import type { Agent } from '../../../shared/api/records.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { nameOfAgent, type SiteId, timeOfUuid } from '../../../shared/identity.ts';
import type { JobHandle } from '../agent-dispatcher.ts';
import { failuresIn } from '../batches/standing.ts';
import type { RunContext } from '../context.ts';
import { storedJob } from '../job-events.ts';
import { openParts } from './parts.ts';
import { beginsUntil, type RunProgress, type StoredRun } from './run-store.ts';
import { afterAttempt, hadNoPlace, isOpen, nextShard, scanOf, withAttempt } from './shards.ts';
import type { RunTask } from './task.ts';

export type TurnContext = Pick<RunContext, 'runs' | 'jobs' | 'tokens' | 'sites' | 'agents' | 'log' | 'now'>;

/** A turn in which nothing happens for so long is over: the next one is due later. */
const QUIET_MS = 2_000;
/** How often what has happened is written down, and looked after what others have: a stop, and the ends of earlier jobs. */
const SYNC_EVERY_MS = 1_000;
/** Until the next turn, where nothing happens or something is out of reach: a part of the time since something has. */
const PAUSE = { part: 0.25, leastMs: 1_000, longestMs: 30_000 };
/**
 * The parts of a turn that are begun in a second, and at first: IoT Core lets a connection send and receive a hundred messages
 * a second, of which a command takes two or three.
 */
const PACE = { perSecond: 30, first: 20 };
/** The row of a batch is written just after its first turn was handed over. */
const APPEARS_WITHIN_MS = 60_000;
/** A request that may not have reached its agent is sent again so long: its job is not yet lost for long after that. */
const AGAIN_WITHIN_MS = 60_000;
/** Failures of the service, not of the site: it is begun again later. */
const OUTAGES: readonly string[] = ['unavailable', 'busy', 'too_many_requests'];

/**
 * @param options.lastsMs how long it may go on; some seconds may follow in which commands that are being sent are acknowledged
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
  if (run === null) return now - timeOfUuid(id) < APPEARS_WITHIN_MS ? new Date(now + PAUSE.leastMs) : null;
  if (run.progress.endedAt !== null) return null;
  const turn = new Turn(context, run, site === null ? await context.runs.sites(id) : [], signal);
  const nextMs = await turn.take(lastsMs);
  return nextMs === null ? null : new Date(context.now().getTime() + nextMs);
}

class Turn {
  readonly #context: TurnContext;
  #run: StoredRun;
  readonly #progress: RunProgress;
  /** Places of the parts that are begun or followed here, with what ends when that does. */
  readonly #works = new Map<number, Promise<void>>();
  /** Of a scan: who is connected, and who has which shard. */
  #agents: readonly Agent[] = [];
  readonly #takers = new Map<number, string>();
  /** Aborted when the turn is over: what was begun goes on, and is followed no longer. */
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
  /** Something is out of reach, or an agent has no place: the next turn goes on. */
  #isHeldUp = false;
  readonly #parts: ReturnType<typeof openParts>;

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
      isOurs = await this.#goOn(this.#since + lastsMs);
    } finally {
      this.#end();
      await Promise.allSettled(this.#works.values());
    }
    if (!isOurs || !(await this.#sync()) || this.#progress.endedAt !== null) return null;
    if (!this.#isHeldUp && !this.#isQuiet) return 0;
    const idleMs = this.#now() - this.#progress.changedAt;
    return Math.max(PAUSE.leastMs, Math.min(PAUSE.longestMs, idleMs * PAUSE.part));
  }

  /** @returns false when another turn goes on with the run */
  async #goOn(until: number): Promise<boolean> {
    for (let syncAt = 0; ; ) {
      if (this.#now() >= syncAt) {
        if (!(await this.#sync())) return false;
        await this.#look();
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

  get #isQuiet(): boolean {
    return this.#now() - this.#activeAt > QUIET_MS;
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

  /** Writes down what has changed, and hears whether the run is to be stopped. @returns false when another turn goes on with it */
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

  /** Sees which jobs of earlier turns have ended, begins again what has no job, and stops what was cancelled. */
  async #look(): Promise<void> {
    const { agents, jobs } = this.#context;
    await this.#lookForAgents();
    const earlier = this.#progress.open.filter((at) => !this.#works.has(at));
    if (earlier.length === 0) return;
    const found = await jobs.several(
      earlier.map((at) => this.#parts.job(at)),
      { withResults: this.#run.site !== null },
    );
    for (const at of earlier) {
      const job = found.get(this.#parts.job(at));
      if (job !== undefined) this.#takers.set(at, nameOfAgent(job.agent));
      const isNew = job?.state === 'queued' && this.#now() - Date.parse(job.createdAt) < AGAIN_WITHIN_MS;
      if (job !== undefined && isFinal(job.state)) this.#ended(at, job);
      else if (job !== undefined && this.#cancelled.signal.aborted) this.#work(at, async () => agents.follow(job));
      else if (job === undefined && this.#run.site !== null) this.#close(at);
      else if ((job === undefined || isNew) && this.#mayBegin) this.#begin(at, job && nameOfAgent(job.agent));
    }
  }

  /** Of a scan. The first one of a site goes on, and others wait, as each agent takes one shard at a time. */
  async #lookForAgents(): Promise<void> {
    const { site, id } = this.#run;
    if (site === null) return;
    let first = id;
    for await (const other of this.#context.runs.running(site)) if (other.cancelledAt === null) first = other.id;
    const all = first === id ? await this.#context.sites.agents(site) : [];
    this.#agents = all.filter(({ state }) => state === 'online');
  }

  /** What is to be done now. */
  async #decide(): Promise<void> {
    const { id, total, site } = this.#run;
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
      if (next.agent !== undefined) this.#takers.set(next.at, next.agent);
      if (site === null) progress.begun++;
      else {
        progress.shards![next.at] = withAttempt(progress.shards![next.at]!, this.#now() - timeOfUuid(id));
        // An attempt has a job of its own: after a crash it is found by what was written before.
        this.#note();
        if (!(await this.#sync())) return;
      }
      this.#begin(next.at);
    }
    const isAllBegun = site === null ? progress.begun === total : !progress.shards!.some(isOpen);
    if (progress.open.length > 0 || (reason === null && !isAllBegun)) return;
    // Whatever came in between, where every part was begun there is nothing that it has stopped but what was cancelled.
    const isDone = isAllBegun && reason !== 'cancelled';
    progress.state = isDone ? 'done' : 'stopped';
    if (isDone) progress.reason = null;
    progress.endedAt = this.#now();
    this.#happened();
  }

  get #mayBegin(): boolean {
    const most = PACE.first + ((this.#now() - this.#since) / 1_000) * PACE.perSecond;
    return !this.#isHeldUp && !this.#over.signal.aborted && this.#begun < most;
  }

  /** The part that may be begun now; of a scan, with the agent that takes it. */
  #next(): { at: number; agent?: string } | null {
    const { site, total, atOnce } = this.#run;
    const { begun, open } = this.#progress;
    if (open.length >= atOnce) return null;
    if (site === null) return begun < total ? { at: begun } : null;
    return nextShard(this.#run, this.#progress, this.#agents, new Set(open.map((at) => this.#takers.get(at) ?? '')));
  }

  async #reasonToStop(): Promise<RunProgress['reason']> {
    const { cancelledAt, maxFailures } = this.#run;
    if (cancelledAt !== null) return 'cancelled';
    if (maxFailures !== null && failuresIn(this.#progress) > maxFailures) return 'too_many_failures';
    if (this.#now() > beginsUntil(this.#run)) return 'deadline_passed';
    return (await this.#parts.areAllowed()) ? null : 'forbidden';
  }

  /** @param again the name of the agent that was sent the request before */
  #begin(at: number, again?: string): void {
    this.#begun++;
    const agent = again ?? this.#takers.get(at);
    this.#work(at, () => this.#parts.start(at, agent, again !== undefined));
  }

  /** Follows the job of a part as long as the turn lasts. */
  #work(at: number, open: () => Promise<JobHandle>): void {
    const work = this.#follow(at, open).finally(() => this.#works.delete(at));
    this.#works.set(at, work);
    this.#note();
  }

  /** Never rejects. */
  async #follow(at: number, open: () => Promise<JobHandle>): Promise<void> {
    const { log, jobs } = this.#context;
    const about = { run: this.#run.id, jobId: this.#parts.job(at) };
    let handle: JobHandle | null = null;
    try {
      const followed = await open();
      handle = followed;
      this.#whenCancelled
        .then(async () => void (this.#works.has(at) && (await followed.cancel())))
        .catch((err: unknown) => log.warn({ err, ...about }, 'a job of a run cannot be stopped'));
      const ended = await Promise.race([handle.end(beginsUntil(this.#run) - this.#since), this.#whenOver]);
      // A reader who sees that the run has ended finds the result of each part.
      if (ended !== null) this.#ended(at, await storedJob(jobs, handle.id));
    } catch (err) {
      const code = err instanceof ServiceError ? err.code : 'internal_error';
      if (handle !== null || OUTAGES.includes(code)) {
        // It is begun again, or looked after, in the next turn.
        this.#isHeldUp = true;
        log.warn({ err, ...about }, 'a part of a run has to wait');
      } else if (code !== 'conflict') {
        if (code === 'internal_error') log.error({ err, ...about }, 'a part of a run has failed');
        await this.#refused(at, code);
      }
    } finally {
      handle?.leave();
    }
  }

  async #refused(at: number, code: string): Promise<void> {
    const isShard = this.#run.site !== null;
    // A turn that was broken off may have started it, which this one cannot: then it is looked after like those.
    const mayBeStarted = !isShard && code !== 'agent_silent';
    const started = mayBeStarted ? await this.#context.jobs.among([this.#parts.job(at)]).catch(() => null) : null;
    if ((started?.size ?? 0) > 0 || !this.#close(at)) return;
    // The next attempt at a shard is made later.
    if (isShard) this.#isHeldUp = true;
    else {
      this.#progress.refused[code] = [...(this.#progress.refused[code] ?? []), at];
      this.#happened();
    }
  }

  #ended(at: number, job: Job): void {
    const { shards, ended } = this.#progress;
    if (!isFinal(job.state) || !this.#close(at)) return;
    if (shards === undefined) ended[job.state] = (ended[job.state] ?? 0) + 1;
    else if (this.#run.cancelledAt === null) {
      const [shard, problem] = afterAttempt(shards[at]!, job, scanOf(this.#run).mode);
      shards[at] = shard;
      if (problem !== null) this.#progress.problem = problem;
    }
    if (shards !== undefined && hadNoPlace(job)) this.#isHeldUp = true;
    else this.#happened();
  }

  /** @returns false for one that is not open any more */
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

/** Resolves when it is aborted. */
function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}
