/** The parts of a run: which is begun next, by which job, and what its end means. Only here do batches and scans differ. */
import { isFinal } from '../../../shared/agent/messages.ts';
import type { Job } from '../../../shared/api/jobs.ts';
import type { Agent } from '../../../shared/api/records.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { type JobId, jobOfBatch, type SiteId, timeOfUuid } from '../../../shared/identity.ts';
import { Command } from '../../../shared/tools/list.ts';
import { type Caller, callerOf, hasScope } from '../../http/caller.ts';
import { isReached } from '../../sites/sites.ts';
import type { JobHandle } from '../agent-dispatcher.ts';
import type { RunContext } from '../context.ts';
import type { StoredRun } from './run-store.ts';
import {
  afterAttempt,
  commandOfShard,
  hadNoPlace,
  isOpen,
  jobOfShard,
  nextShard,
  scanOf,
  withAttempt,
} from './shards.ts';

type PartsContext = Pick<RunContext, 'runs' | 'tokens' | 'sites' | 'agents' | 'now'>;

/** A part by its index; of a scan, with the name of the agent that gets it. */
interface Part {
  at: number;
  agent?: string;
}

interface Parts {
  /** Whether a failed part gets another attempt, each with a job of its own. */
  readonly hasAttempts: boolean;
  job(at: number): JobId;
  /** Looks up which agents can take parts. */
  refresh(): Promise<void>;
  /** The part that can be begun now, if any. */
  next(): Part | null;
  /** Records that a part is begun. */
  begin(part: Part): void;
  /** Records that an open part already has a job, at this agent. */
  assigned(at: number, agent: string): void;
  areAllBegun(): boolean;
  /** @param again name of the agent that was sent the request before, and may not have received it */
  start(at: number, again: string | undefined): Promise<JobHandle>;
  /** Whether the token that started the run may still run commands. A scan may outlast the session of a person. */
  areAllowed(): Promise<boolean>;
  /** Records how the job of a part ended. @returns false when its agent had no place for it */
  ended(at: number, job: Job, isCancelled: boolean): boolean;
  /** Records that a part got no job. @param code of the error */
  refused(at: number, code: string): void;
}

/** How often a run is stored, and how often what others change is read: a stop, the token, the ends of earlier jobs. */
export const SYNC_EVERY_MS = 1_000;

/** @param run with the progress that the turn keeps up to date @param sites of a batch */
export function openParts(context: PartsContext, run: StoredRun, sites: readonly SiteId[]): Parts {
  return run.site === null ? batchParts(context, run, sites) : scanParts(context, run, run.site);
}

function batchParts(context: PartsContext, run: StoredRun, sites: readonly SiteId[]): Parts {
  const { id, actor, sourceAddress, agent: named, request, total, progress } = run;
  const caller = cachedCaller(context, actor);

  function siteAt(at: number): SiteId {
    const site = sites[at];
    if (site === undefined) throw new RangeError(`the batch ${id} has no site ${at}`);
    return site;
  }

  return {
    hasAttempts: false,
    job: (at) => jobOfBatch(siteAt(at), id),
    async refresh() {},
    next: () => (progress.begun < total ? { at: progress.begun } : null),
    begin: () => void progress.begun++,
    assigned() {},
    areAllBegun: () => progress.begun === total,

    async start(at, again) {
      const allowed = await caller();
      if (allowed === null) throw new ServiceError('forbidden', 'The token has ended');
      const { person } = allowed;
      const by = { actor, person, sourceAddress, begunAt: context.now().getTime(), isAgain: again !== undefined };
      const site = siteAt(at);
      if (!(await isReached(context, allowed.reach, site))) throw new ServiceError('site_forbidden', site);
      const wish = { name: again ?? named ?? undefined };
      return context.agents.start(jobOfBatch(site, id), Command.parse(request), by, wish);
    },

    areAllowed: async () => (await caller()) !== null,

    ended(_at, { state }) {
      if (isFinal(state)) progress.ended[state] = (progress.ended[state] ?? 0) + 1;
      return true;
    },

    refused(at, code) {
      progress.refused[code] = [...(progress.refused[code] ?? []), at];
    },
  };
}

function scanParts(context: PartsContext, run: StoredRun, site: SiteId): Parts {
  const { id, sourceAddress, progress } = run;
  const { shards = [] } = progress;
  let online: readonly Agent[] = [];
  /** The agent of each shard that was begun. */
  const takers = new Map<number, string>();

  return {
    hasAttempts: true,
    job: (at) => jobOfShard(run, at),

    /** The oldest scan of a site runs and the others wait, because each agent takes one shard at a time. */
    async refresh() {
      let oldest = id;
      for await (const other of context.runs.running(site)) if (other.cancelledAt === null) oldest = other.id;
      const agents = oldest === id ? await context.sites.agents(site) : [];
      online = agents.filter(({ state }) => state === 'online');
    },

    next: () => nextShard(run, progress, online, new Set(progress.open.map((at) => takers.get(at) ?? ''))),

    begin({ at, agent = '' }) {
      takers.set(at, agent);
      shards[at] = withAttempt(shards[at]!, context.now().getTime() - timeOfUuid(id));
    },

    assigned: (at, agent) => void takers.set(at, agent),
    areAllBegun: () => !shards.some(isOpen),

    start(at, again) {
      const by = { sourceAddress, begunAt: context.now().getTime(), isAgain: again !== undefined };
      const wish = { name: again ?? takers.get(at) };
      return context.agents.start(jobOfShard(run, at), commandOfShard(run, at), { ...by, actor: `scan:${id}` }, wish);
    },

    areAllowed: async () => true,

    ended(at, job, isCancelled) {
      if (!isCancelled) {
        const [shard, problem] = afterAttempt(shards[at]!, job, scanOf(run).mode);
        shards[at] = shard;
        if (problem !== null) progress.problem = problem;
      }
      return !hadNoPlace(job);
    },

    refused() {}, // The next attempt follows.
  };
}

/** @returns looks up the caller, at most once a second; null when the token has ended, or must not run commands */
function cachedCaller({ tokens, now }: PartsContext, token: string): () => Promise<Caller | null> {
  let known: { caller: Promise<Caller | null>; at: number } | null = null;
  const lookUp = async () => {
    const found = await tokens.find(token);
    const caller = found && callerOf(found, 'nettools:run');
    return caller !== null && hasScope(caller.token, 'nettools:run') ? caller : null;
  };
  return () => {
    const at = now().getTime();
    if (known === null || at - known.at >= SYNC_EVERY_MS) known = { caller: lookUp(), at };
    return known.caller;
  };
}
