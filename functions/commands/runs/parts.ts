/** The parts of a run: their jobs, and whose commands they are. */
import { ServiceError } from '../../../shared/errors.ts';
import { type JobId, jobOfBatch, type SiteId } from '../../../shared/identity.ts';
import { Command } from '../../../shared/tools/list.ts';
import { type Caller, callerOf, hasScope } from '../../http/caller.ts';
import { isReached } from '../../sites/sites.ts';
import type { JobHandle } from '../agent-dispatcher.ts';
import type { RunContext } from '../context.ts';
import type { StoredRun } from './run-store.ts';
import { commandOfShard, jobOfShard } from './shards.ts';

type PartsContext = Pick<RunContext, 'tokens' | 'sites' | 'agents' | 'now'>;

interface Parts {
  job(at: number): JobId;
  /** @param agent its name, where it is not to be chosen @param isAgain whether that was sent the request before */
  start(at: number, agent: string | undefined, isAgain: boolean): Promise<JobHandle>;
  /** Whether the one who began the run may still run commands. A scan may outlast the session of a person. */
  areAllowed(): Promise<boolean>;
}

const LOOK_UP_EVERY_MS = 1_000;

/** @param run with the progress that the turn keeps up to date @param sites of a batch */
export function openParts(context: PartsContext, run: StoredRun, sites: readonly SiteId[]): Parts {
  const { id, site: scanned, actor, sourceAddress, agent: named, request } = run;
  const caller = callerOnceASecond(context, actor);

  function siteAt(at: number): SiteId {
    const site = sites[at];
    if (site === undefined) throw new RangeError(`the batch ${id} has no site ${at}`);
    return site;
  }

  const job = (at: number) => (scanned === null ? jobOfBatch(siteAt(at), id) : jobOfShard(run, at));

  return {
    job,

    async start(at, agent, isAgain) {
      const by = { sourceAddress, begunAt: context.now().getTime(), isAgain };
      if (scanned !== null)
        return context.agents.start(job(at), commandOfShard(run, at), { ...by, actor: `scan:${id}` }, { name: agent });
      const allowed = await caller();
      if (allowed === null) throw new ServiceError('forbidden', 'The token has ended');
      const site = siteAt(at);
      if (!(await isReached(context, allowed.reach, site))) throw new ServiceError('site_forbidden', site);
      const wish = { name: agent ?? named ?? undefined };
      return context.agents.start(job(at), Command.parse(request), { ...by, actor }, wish);
    },

    areAllowed: async () => scanned !== null || (await caller()) !== null,
  };
}

/** @returns the caller, looked up again after a second; null when the token has ended, or must not run commands */
function callerOnceASecond({ tokens, now }: PartsContext, token: string): () => Promise<Caller | null> {
  let known: { caller: Promise<Caller | null>; at: number } | null = null;
  const lookUp = async () => {
    const found = await tokens.find(token);
    const caller = found && callerOf(found, 'nettools:run');
    return caller !== null && hasScope(caller.token, 'nettools:run') ? caller : null;
  };
  return () => {
    const at = now().getTime();
    if (known === null || at - known.at >= LOOK_UP_EVERY_MS) known = { caller: lookUp(), at };
    return known.caller;
  };
}
