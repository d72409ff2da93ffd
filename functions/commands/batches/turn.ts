/**
 * The work of a batch, in turns of some seconds, so that batches of others get theirs in between. A turn fills the free places
 * with sites, each with a job as any command, and follows what it has begun.
 *
 * All that a turn does follows from the rows of the batch and of its jobs, and a job can be made once: so a turn that was broken
 * off is done again, and two of one batch at the same time do no harm.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isFinal } from '../../../shared/agent/messages.ts';
import { BATCH_WITHIN_MS } from '../../../shared/api/batches.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { type BatchId, jobOfBatch, nameOfAgent, type SiteId, timeOfUuid } from '../../../shared/identity.ts';
import { Command } from '../../../shared/tools/list.ts';
import type { FINAL_STATES } from '../../../shared/words.ts';
import { isReached } from '../../http/authenticate.ts';
import type { JobHandle } from '../agent-dispatcher.ts';
import type { BatchContext } from '../context.ts';
import { actorOf } from './actor.ts';
import type { BatchProgress, StoredBatch } from './batch-store.ts';
import { BETWEEN_MS, Pace } from './pace.ts';
import { failuresIn } from './standing.ts';
import { type ReportedEnds, untilStored } from './stored-ends.ts';

export type TurnContext = Pick<BatchContext, 'batches' | 'jobs' | 'tokens' | 'sites' | 'agents' | 'log' | 'now'>;

/** A turn in which nothing happens for so long is over: the next one is due later. */
const QUIET_MS = 2_000;
/** How often what has happened is written down, and looked after what others have: a stop, and the ends of earlier jobs. */
const SYNC_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 2_000;
/** Until the next turn, where nothing happens: a part of the time since something has. */
const PAUSE = { part: 0.25, leastMs: 1_000, longestMs: 30_000 };
/** Until the next turn when the broker or the database was out of reach. */
const OUTAGE_PAUSE_MS = 5_000;
/** The row of a batch is written just after its first turn was handed over. */
const APPEARS_WITHIN_MS = 60_000;
/** A request that may not have reached its agent is sent again so long: its job is not yet lost for long after that. */
const AGAIN_WITHIN_MS = 60_000;
/** Failures of the service, not of the site: it is begun again later. */
const OUTAGES: readonly string[] = ['unavailable', 'busy', 'too_many_requests'];

/**
 * @param options.lastsMs how long it may go on; some seconds may follow in which commands that are being sent are acknowledged
 * @param options.signal ends it earlier
 * @returns in how many milliseconds the next turn is due; null when there is none
 */
export async function takeTurn(
  context: TurnContext,
  id: BatchId,
  { lastsMs, signal }: { lastsMs: number; signal?: AbortSignal },
): Promise<number | null> {
  const batch = await context.batches.find(id);
  if (batch === null) {
    return context.now().getTime() - timeOfUuid(id) < APPEARS_WITHIN_MS ? PAUSE.leastMs : null;
  }
  if (batch.progress.endedAt !== null) return null;
  const turn = new Turn(context, batch, await context.batches.sites(id), signal);
  return turn.take(lastsMs);
}

class Turn {
  readonly #context: TurnContext;
  readonly #sites: readonly SiteId[];
  readonly #command: Command;
  #batch: StoredBatch;
  readonly #progress: BatchProgress;
  /** Places of the sites that are begun or followed here, with what ends when that does. */
  readonly #works = new Map<number, Promise<void>>();
  readonly #handles = new Map<number, JobHandle>();
  /** Aborted when the turn is over: what was begun goes on, and is followed no longer. */
  readonly #over = new AbortController();
  readonly #whenOver = new Promise<null>((resolve) => {
    this.#over.signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  readonly #signal: AbortSignal | undefined;
  /** Aborted when something has happened since the turn last waited. */
  #news = new AbortController();
  readonly #pace = new Pace();
  #isChanged = false;
  #hasOutage = false;
  readonly #reported: ReportedEnds = new Map();
  #hasCancelled = false;
  readonly #caller: ReturnType<typeof actorOf>;

  constructor(context: TurnContext, batch: StoredBatch, sites: readonly SiteId[], signal?: AbortSignal) {
    this.#context = context;
    this.#batch = batch;
    this.#caller = actorOf(context.tokens, batch.actor);
    this.#sites = sites;
    this.#command = Command.parse(batch.request);
    this.#progress = structuredClone(batch.progress);
    this.#signal = signal;
    signal?.addEventListener('abort', this.#end, { once: true });
    if (signal?.aborted) this.#end();
  }

  async take(lastsMs: number): Promise<number | null> {
    const until = Date.now() + lastsMs;
    let syncAt = 0;
    let lookAt = 0;
    try {
      for (;;) {
        if (Date.now() >= syncAt) {
          if (!(await this.#sync())) return null;
          syncAt = Date.now() + SYNC_EVERY_MS;
        }
        if (Date.now() >= lookAt) {
          await this.#look();
          lookAt = Date.now() + LOOK_EVERY_MS;
        }
        await this.#decide();
        if (this.#progress.endedAt !== null) return (await this.#sync()) ? null : PAUSE.leastMs;
        const quietMs = this.#now() - this.#progress.changedAt;
        const isOver = this.#over.signal.aborted || this.#hasOutage || Date.now() >= until || quietMs > QUIET_MS;
        if (isOver) return await this.#leave(quietMs);
        const waitMs = Math.min(syncAt, until, Date.now() + this.#waitMs()) - Date.now();
        await sleep(Math.max(0, waitMs), undefined, { signal: this.#news.signal }).catch(() => {});
        this.#news = new AbortController();
      }
    } finally {
      this.#end();
      await Promise.allSettled(this.#works.values());
    }
  }

  /** Follows no longer, and writes down how far the batch is. */
  async #leave(quietMs: number): Promise<number | null> {
    this.#end();
    await Promise.allSettled(this.#works.values());
    if (!(await this.#sync())) return null;
    if (this.#hasOutage) return OUTAGE_PAUSE_MS;
    return quietMs > QUIET_MS ? Math.max(PAUSE.leastMs, Math.min(PAUSE.longestMs, quietMs * PAUSE.part)) : 0;
  }

  /** Until a further site may be begun, where a place is free. */
  #waitMs(): number {
    const { begun, open, reason } = this.#progress;
    const isFree = reason === null && begun < this.#batch.total && open.length < this.#batch.atOnce;
    return isFree ? BETWEEN_MS : SYNC_EVERY_MS;
  }

  #now(): number {
    return this.#context.now().getTime();
  }

  readonly #end = (): void => {
    this.#signal?.removeEventListener('abort', this.#end);
    this.#over.abort();
    this.#news.abort();
  };

  #note(): void {
    this.#isChanged = true;
    this.#progress.changedAt = this.#now();
    this.#news.abort();
  }

  /** Writes down what has changed, and hears whether the batch is to be stopped. @returns false when another turn goes on with it */
  async #sync(): Promise<boolean> {
    const { batches } = this.#context;
    for (;;) {
      if (this.#isChanged) {
        const { revision } = this.#batch;
        this.#isChanged = false;
        if (await batches.save(this.#batch, this.#progress)) {
          this.#batch = { ...this.#batch, revision: revision + 1 };
          return true;
        }
        this.#isChanged = true;
      }
      const now = await batches.find(this.#batch.id);
      if (now === null || now.revision !== this.#batch.revision) return false;
      this.#batch = now;
      if (!this.#isChanged) return true;
    }
  }

  /** Sees which jobs of earlier turns have ended, and begins again what has no job. */
  async #look(): Promise<void> {
    const earlier = this.#progress.open.filter((at) => !this.#works.has(at));
    if (earlier.length === 0) return;
    const jobs = await this.#context.jobs.several(earlier.map((at) => this.#jobAt(at)));
    for (const at of earlier) {
      const job = jobs.get(this.#jobAt(at));
      const isNew = job?.state === 'queued' && this.#now() - Date.parse(job.createdAt) < AGAIN_WITHIN_MS;
      if (job !== undefined && isFinal(job.state)) this.#ended(at, job.state);
      else if ((job === undefined || isNew) && this.#mayBegin()) this.#begin(at, job && nameOfAgent(job.agent));
    }
  }

  /** What is to be done now. */
  async #decide(): Promise<void> {
    const { total, atOnce } = this.#batch;
    const progress = this.#progress;
    const reason = progress.reason ?? (await this.#reasonToStop());
    if (reason !== progress.reason) {
      progress.reason = reason;
      progress.state = 'stopping';
      this.#note();
    }
    if (progress.reason === 'cancelled') this.#cancelAll();
    while (progress.reason === null && progress.begun < total && progress.open.length < atOnce && this.#mayBegin()) {
      const at = progress.begun++;
      progress.open.push(at);
      this.#begin(at);
    }
    if (progress.open.length > 0 || (progress.reason === null && progress.begun < total)) return;
    await untilStored(this.#context.jobs, this.#reported);
    // Whatever came in between, where every site was begun there is nothing that it has stopped but what was cancelled.
    const isDone = progress.begun === total && progress.reason !== 'cancelled';
    progress.state = isDone ? 'done' : 'stopped';
    if (isDone) progress.reason = null;
    progress.endedAt = this.#now();
    this.#note();
  }

  #mayBegin(): boolean {
    return !this.#hasOutage && !this.#over.signal.aborted && this.#pace.mayBegin;
  }

  async #reasonToStop(): Promise<BatchProgress['reason']> {
    const { id, isCancelled, maxFailures } = this.#batch;
    if (isCancelled) return 'cancelled';
    if (maxFailures !== null && failuresIn(this.#progress) > maxFailures) return 'too_many_failures';
    if (this.#now() > timeOfUuid(id) + BATCH_WITHIN_MS) return 'deadline_passed';
    return (await this.#caller()) === null ? 'forbidden' : null;
  }

  /** @param again the name of the agent that was sent the request before */
  #begin(at: number, again?: string): void {
    this.#pace.count();
    const work = this.#run(at, again).finally(() => {
      this.#works.delete(at);
      this.#handles.delete(at);
    });
    this.#works.set(at, work);
    this.#note();
  }

  /** Has the site run the command, and follows it as long as the turn lasts. Never rejects. */
  async #run(at: number, again: string | undefined): Promise<void> {
    const { log } = this.#context;
    let handle: JobHandle | null = null;
    try {
      handle = await this.#start(at, again);
      this.#handles.set(at, handle);
      await this.#follow(at, handle);
    } catch (error) {
      const code = error instanceof ServiceError ? error.code : 'internal_error';
      if (handle !== null || OUTAGES.includes(code)) {
        // It is begun again, or looked after, in the next turn.
        this.#hasOutage = true;
        log.warn({ err: error, batch: this.#batch.id, site: this.#sites[at] }, 'a site of a batch has to wait');
      } else if (code !== 'conflict') {
        if (code === 'internal_error') log.error({ err: error, batch: this.#batch.id }, 'a site of a batch has failed');
        await this.#refusedUnlessStarted(at, code);
      }
    } finally {
      handle?.leave();
    }
  }

  async #follow(at: number, handle: JobHandle): Promise<void> {
    if (this.#hasCancelled) this.#cancel(handle);
    const ended = await Promise.race([handle.end(BATCH_WITHIN_MS), this.#whenOver]);
    if (ended !== null) this.#ended(at, ended.state, Date.now());
  }

  async #start(at: number, again: string | undefined): Promise<JobHandle> {
    const { agents, sites } = this.#context;
    const { actor, sourceAddress, agent } = this.#batch;
    const site = this.#siteAt(at);
    const caller = await this.#caller();
    if (caller === null) throw new ServiceError('forbidden', 'The token has ended');
    if (!(await isReached({ sites }, caller.reach, site))) throw new ServiceError('site_forbidden', site);
    const by = { actor, sourceAddress, begunAt: Date.now(), isAgain: again !== undefined };
    return agents.start(this.#jobAt(at), this.#command, by, { name: again ?? agent ?? undefined });
  }

  /** Once in a turn: those that are not heard of are asked again in the next one. */
  #cancelAll(): void {
    if (this.#hasCancelled) return;
    this.#hasCancelled = true;
    for (const handle of this.#handles.values()) this.#cancel(handle);
    const { tool } = this.#command;
    for (const at of this.#progress.open.filter((one) => !this.#works.has(one))) {
      const work = this.#cancelEarlier(at, tool).finally(() => this.#works.delete(at));
      this.#works.set(at, work);
    }
  }

  async #cancelEarlier(at: number, tool: Command['tool']): Promise<void> {
    const job = (await this.#context.jobs.several([this.#jobAt(at)])).get(this.#jobAt(at));
    if (job === undefined || isFinal(job.state)) return;
    const handle = this.#context.agents.follow({ id: job.id, agent: job.agent, tool, state: job.state });
    try {
      await this.#follow(at, handle);
    } catch (error) {
      this.#context.log.warn({ err: error, jobId: job.id }, 'a job of a batch cannot be followed');
    } finally {
      handle.leave();
    }
  }

  /** A turn that was broken off may have started it, which this one cannot: then it is looked after like those. */
  async #refusedUnlessStarted(at: number, code: string): Promise<void> {
    const started =
      code === 'agent_silent' ? null : await this.#context.jobs.among([this.#jobAt(at)]).catch(() => null);
    if (started === null || started.size === 0) this.#refused(at, code);
  }

  #cancel(handle: JobHandle): void {
    handle.cancel().catch((error: unknown) => {
      this.#context.log.warn({ err: error, jobId: handle.id }, 'a job of a batch cannot be stopped');
    });
  }

  /** @param reportedAt when its agent reported it; null when its row says so */
  #ended(at: number, state: (typeof FINAL_STATES)[number], reportedAt: number | null = null): void {
    if (!this.#close(at)) return;
    if (reportedAt !== null) this.#reported.set(this.#jobAt(at), reportedAt);
    this.#progress.ended[state] = (this.#progress.ended[state] ?? 0) + 1;
    this.#note();
  }

  #refused(at: number, code: string): void {
    if (!this.#close(at)) return;
    this.#progress.refused[code] = [...(this.#progress.refused[code] ?? []), at];
    this.#note();
  }

  /** @returns false for one that is not open any more */
  #close(at: number): boolean {
    const before = this.#progress.open;
    this.#progress.open = before.filter((one) => one !== at);
    return this.#progress.open.length < before.length;
  }

  #siteAt(at: number): SiteId {
    const site = this.#sites[at];
    if (site === undefined) throw new RangeError(`the batch ${this.#batch.id} has no site ${at}`);
    return site;
  }

  #jobAt(at: number) {
    return jobOfBatch(this.#siteAt(at), this.#batch.id);
  }
}
