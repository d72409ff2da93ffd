/** `/jobs`: the state and the result of commands. */
import { isFinal } from '../../shared/agent/messages.ts';
import { CANCEL_WITHIN_MS } from '../../shared/agent/timing.ts';
import type { Job, jobs as operations } from '../../shared/api/jobs.ts';
import { ServiceError } from '../../shared/errors.ts';
import { JobId, type SiteId, siteOfJob } from '../../shared/identity.ts';
import { siteForbidden } from '../devices/collection/collection-row.ts';
import type { Handlers, TokenCall } from '../http/call.ts';
import { userOf } from '../http/caller.ts';
import { checkCursor } from '../http/errors.ts';
import { etagOf } from '../http/etag.ts';
import { EventStream } from '../http/event-stream.ts';
import { EXPORT_PAGE, type Exported, exportOf } from '../http/export.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { endOfWait, resumeFrom } from '../http/waiting.ts';
import { isReached } from '../sites/sites.ts';
import type { JobHandle } from './agent-dispatcher.ts';
import type { CommandContext } from './context.ts';
import { endedJob, jobEvents, storedJob } from './job-events.ts';
import type { JobStore, ListedJob } from './job-store.ts';
import { endOf } from './wait-for-job.ts';

export const jobsHandlers: Handlers<typeof operations, CommandContext> = {
  async listJobs(context, { site }, { limit, cursor, ...filter }) {
    checkCursor(cursor === undefined || JobId.safeParse(cursor).success);
    const { jobs, sites } = context;
    const [known, { next, jobs: listed, unreadable }] = await Promise.all([
      sites.find(site),
      jobs.list(site, filter, cursor, limit),
    ]);
    if (known === null) throw new ServiceError('site_forbidden', siteForbidden(site));
    const shown = await withReach(context, site, jobsOf(listed));
    return { success: true, jobs: shown, unreadable, nextCursor: next };
  },

  async exportJobs(context, { site }, { format, bom, since, until, ...filter }) {
    const { jobs, sites } = context;
    if ((await sites.find(site)) === null) throw new ServiceError('site_forbidden', siteForbidden(site));
    const exported: Exported<Job> = {
      name: 'jobs',
      async read(before) {
        const startAfter = before === undefined ? undefined : `${site}.${before}`;
        const page = await jobs.list(site, filter, startAfter, EXPORT_PAGE);
        const entries = await withReach(context, site, jobsOf(page.jobs));
        return { entries, unreadable: page.unreadable, next: page.next === null ? null : uuidOf(page.next) };
      },
      timeOf: ({ createdAt }) => createdAt,
      columns: JOB_COLUMNS,
      cellsOf: ({ id, site, agent, tool, request, state, reason, actor, createdAt, startedAt, endedAt }) => ({
        ...{ id, site, agent, tool, state, actor, createdAt },
        request: JSON.stringify(request),
        reason: reason ?? '',
        startedAt: startedAt ?? '',
        endedAt: endedAt ?? '',
      }),
    };
    return exportOf(exported, { format, bom, since, until });
  },

  async getJob(context, call, { id, from, wait }) {
    const job = await findJob(context, call, id);
    const now = isFinal(job.state) ? job : await currentState(context, call, job, wait);
    const [shown = now] = await withReach(context, now.site, [now]);
    const body = { success: true, ...shown, output: shown.output?.slice(from) ?? null };
    return new HandlerResult(body, { headers: { ETag: etagOf(body), 'Cache-Control': 'private, no-cache' } });
  },

  async followJob(context, call, { id }) {
    const job = await findJob(context, call, id);
    const from = { from: resumeFrom(call.lastEventId), user: userOf(call) };
    const stream = (unread: AbortSignal) => jobEvents(context, context.agents.follow(job), from, unread);
    return new HandlerResult(new EventStream(stream));
  },

  async cancelJob(context, call, { id }) {
    const job = await findJob(context, call, id);
    refuseEnded(job);
    const followed = context.agents.follow(job);
    try {
      await followed.cancel();
      const ended = await followed.end(CANCEL_WITHIN_MS);
      if (ended === null) await throwUnconfirmed(context, job);
    } finally {
      followed.leave();
    }
    const stopped = await storedJob(context.jobs, id);
    if (stopped.state !== 'cancelled') refuseEnded(stopped);
    await call.audit({ job: id, tool: stopped.tool }, { site: stopped.site });
    return { success: true, ...stopped };
  },
};

/** What lists show of a job: neither its message nor its result. */
const JOB_COLUMNS = 'id site agent tool request state reason actor createdAt startedAt endedAt'.split(' ');

const jobsOf = (listed: readonly ListedJob[]) => listed.map(({ job }) => job);
const uuidOf = (id: JobId) => id.slice(id.indexOf('.') + 1);

/** The jobs of a site, each with the time since which its agent is offline. Agents are read only if a job is unfinished. */
export async function withReach(
  { sites }: Pick<CommandContext, 'sites'>,
  site: SiteId,
  jobs: readonly Job[],
): Promise<Job[]> {
  if (jobs.every(({ state }) => isFinal(state))) return [...jobs];
  const agents = await sites.agents(site);
  const away = new Map(agents.flatMap(({ id, state, since }) => (state === 'offline' ? [[id, since]] : [])));
  return jobs.map((job) => (isFinal(job.state) ? job : { ...job, agentOfflineSince: away.get(job.agent) ?? null }));
}

/** @throws {ServiceError} `not_found`, also for each job of a site that the token may not use */
async function findJob({ jobs, sites }: CommandContext, { reach }: TokenCall, id: JobId): Promise<Job> {
  const mayUse = await isReached({ sites }, reach, siteOfJob(id));
  // The jobs of a deleted site still exist.
  const [site, job] = mayUse ? await Promise.all([sites.find(siteOfJob(id)), jobs.find(id)]) : [null, null];
  if (site === null || job === null) throw new ServiceError('not_found', `The job ${id} does not exist`);
  return job;
}

/** An unfinished job, after it has ended or the wait is over; as stored when its agent cannot be queried. */
async function currentState(context: CommandContext, call: TokenCall, job: Job, waitS: number): Promise<Job> {
  let followed: JobHandle | undefined;
  try {
    followed = context.agents.follow(job);
    if (waitS > 0) {
      const until = endOfWait(call.waitLimit, waitS);
      const ended = await endOf(context.waitSlots, followed, { user: userOf(call), until, gone: call.gone() });
      if (ended !== null) return await endedJob(context.jobs, job.id, ended);
    }
    return await withCurrentOutput(context.jobs, followed, job);
  } catch {
    return job;
  } finally {
    followed?.leave();
  }
}

/** The job with its output so far, from its agent. */
async function withCurrentOutput(jobs: JobStore, followed: JobHandle, job: Job): Promise<Job> {
  const { output, isRunning } = await followed.soFar();
  if (!isRunning || job.state === 'running') return { ...job, output };
  // The request that started it is over, and no longer records it.
  await jobs.accepted(job.id, 'running');
  return { ...((await jobs.find(job.id)) ?? job), output };
}

function refuseEnded({ id, state }: Job): void {
  if (isFinal(state)) throw new ServiceError('conflict', `The job ${id} has ended already: ${state}`);
}

async function throwUnconfirmed({ sites }: CommandContext, { site, agent }: Job): Promise<never> {
  const now = (await sites.agents(site)).find(({ id }) => id === agent);
  const [code, problem, retryAfter] =
    now?.state === 'offline'
      ? (['agent_offline', 'is not connected; its command cannot be stopped now', 10] as const)
      : (['agent_silent', 'has not confirmed that the command has stopped', 5] as const);
  throw new ServiceError(code, `The agent ${agent} ${problem}`, { retryAfter });
}
