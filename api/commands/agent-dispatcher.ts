/** Commands for the agents of a site: chooses an agent, sends it the command, and follows the command to its end. */

import {
  type Control,
  type DiscoveryControl,
  type EndedJob,
  isFinal,
  PROTOCOL_VERSION,
  Reply,
  type Request,
} from '../../shared/agent/messages.ts';
import { ACK_WITHIN_MS, SEND_AGAIN_AFTER_MS, START_WITHIN_MS } from '../../shared/agent/timing.ts';
import { sourceOf, topics } from '../../shared/agent/topics.ts';
import { jobOfResult } from '../../shared/agent/wire.ts';
import type { Job } from '../../shared/api/jobs.ts';
import type { Agent } from '../../shared/api/records.ts';
import { deadline } from '../../shared/async.ts';
import { ServiceError } from '../../shared/errors.ts';
import {
  type AgentId,
  agentId,
  clientIdOf,
  type JobId,
  type SiteId,
  type Stage,
  siteOfAgent,
  siteOfJob,
  timeOfJob,
} from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import type { IpRange } from '../../shared/network.ts';
import { problemOf } from '../../shared/problem.ts';
import type { Command } from '../../shared/tools/list.ts';
import type { SiteStore } from '../../store/access/site-store.ts';
import type { JobStore, NewJob } from '../../store/commands/job-store.ts';
import { siteForbidden } from '../../store/devices/collection-row.ts';
import { rateLimitedWarnings } from '../status/rate-limited-log.ts';
import { chooseAgent } from './choose-agent.ts';
import { type BrokerSettings, type LiveConnection, openConnection } from './connection.ts';
import { type JobEvent, JobTracker } from './job-tracker.ts';
import { readResult } from './read-result.ts';

/** A command that some request follows. Must be released when no request does any more. */
export interface JobHandle {
  readonly id: JobId;
  readonly agent: AgentId;
  /** How it ended, from its agent or its row; null when it has not ended within `ms`. */
  end(ms: number): Promise<EndedJob | null>;
  /** What its agent reports, with the output from this position on, until a promise is settled. */
  events(from: number, until: Promise<unknown>): AsyncGenerator<JobEvent>;
  /** Its output so far, and whether it runs, as far as the agent answers quickly. */
  soFar(): Promise<{ output: string; isRunning: boolean }>;
  /** Asks the agent to stop it. The result arrives as usual. */
  cancel(): Promise<void>;
  leave(): void;
}

/** Which agent is to get a command. Agents are named as within their site. */
export interface AgentWish {
  /** This one and no other. */
  name?: string | undefined;
  /** The first of these that is connected; if none is, one is chosen as usual. */
  preferred?: readonly string[];
  /** What the chosen one should be attached to, where that is not the target of the command. */
  near?: IpRange | undefined;
}

/** Who asked for a command, and from which address. */
export type JobOrigin = Pick<NewJob, 'actor' | 'sourceAddress'>;

export interface AgentDispatcher {
  /**
   * Sends a command to an agent of the site.
   * @param by who asked for it, and from where
   * @param wish which agent; by default, one is chosen
   * @param requestId of the HTTP request, for the log of the agent
   * @returns when the agent has accepted it
   * @throws {ServiceError} `agent_offline` when no agent of the site, or not the named one, is connected;
   *   `validation_failed` when the site has no agent of that name; `agent_silent` when the agent does not answer,
   *   `site_forbidden` when the site does not exist, `unavailable` when the broker or the database fails
   */
  start(id: JobId, command: Command, by: JobOrigin, wish?: AgentWish, requestId?: string): Promise<JobHandle>;
  /** Follows a command that was started before, here or by another process. */
  follow(job: Pick<Job, 'id' | 'agent' | 'tool' | 'state'>): JobHandle;
  /** Tells an agent that a result is stored, so that it can delete its copy. */
  confirmStored(agent: AgentId, id: JobId): Promise<void>;
  /** Tells an agent something about discovery. */
  control(agent: AgentId, message: DiscoveryControl): Promise<void>;
  /** Whether the broker answers. Throws `unavailable` when it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The state of a command that is unfinished after this time is recorded in its row, for readers of the job. */
const RECORD_STATE_AFTER_MS = 1_000;
/** How often the job's row is read, because the result may have reached another process: often while disconnected. */
const POLL_MS = { connected: 15_000, disconnected: 1_000 };
/** How long to wait for a missing piece of output before it is requested again. */
const MISSING_AFTER_MS = 1_000;
const OUTPUT_WITHIN_MS = 1_000;
const OUTPUT_SETTLES_MS = 100;
/** Names of agents in an error message. */
const MAX_NAMES = 20;

export function openAgentDispatcher(
  settings: BrokerSettings,
  { sites, jobs }: { sites: SiteStore; jobs: JobStore },
  log: Log,
): AgentDispatcher {
  const followed = new Map<JobId, JobTracker>();
  const turns = new Map<AgentId, number>();
  let choices = 0;
  const warn = rateLimitedWarnings(log);
  const connection = openConnection(settings, log, receive);
  const { stage, ackWithinMs = ACK_WITHIN_MS } = settings;

  function receive(topic: string, payload: Uint8Array): void {
    const source = sourceOf(topic);
    if (source?.kind === 'reply') takeReply(source.agent, payload);
    if (source?.kind === 'result') takeResult(source.agent, payload);
  }

  function takeReply(agent: AgentId, payload: Uint8Array): void {
    try {
      const reply = Reply.parse(JSON.parse(Buffer.from(payload).toString('utf8')));
      followedAt(agent, reply.id)?.take(reply);
    } catch (error) {
      warn(agent, { agentId: agent, problem: problemOf(error) }, 'unreadable reply');
    }
  }

  /** Unpacks a result only if a request waits for it here, and only once. Otherwise it is left to ingest. */
  function takeResult(agent: AgentId, payload: Uint8Array): void {
    const id = jobOfResult(payload);
    const tracker = id === null ? null : followedAt(agent, id);
    if (tracker === null || tracker.hasEnded) return;
    const { tool } = tracker;
    tracker.end(readResult(payload, { tool, createdAt: timeOfJob(tracker.id) }));
  }

  /** The followed command with this id, if it was given to this agent. */
  function followedAt(agent: AgentId, id: JobId): JobTracker | null {
    const tracker = followed.get(id);
    if (tracker === undefined || tracker.agent === agent) return tracker ?? null;
    warn(agent, { agentId: agent, jobId: id }, 'ignored a message of an agent about the job of another agent');
    return null;
  }

  async function start(
    id: JobId,
    command: Command,
    by: JobOrigin,
    wish: AgentWish = {},
    requestId?: string,
  ): Promise<JobHandle> {
    const agent = await agentFor(siteOfJob(id), command, wish);
    const tracker = new JobTracker({ id, agent, tool: command.tool });
    // Counted from now on: a request that joins it by its Idempotency-Key, and leaves, must not end it meanwhile.
    tracker.followers++;
    followed.set(id, tracker);
    try {
      // The row must exist before the request is sent; meanwhile the connection is opened.
      connection.open().catch(() => {});
      await jobs.create({ id, agent, command, ...by });
      let isGivenUp = false;
      const send = () =>
        connection.publish((instance) => {
          if (isGivenUp) throw new Error('the attempt was given up, because the agent did not answer');
          return requestFor(instance, { stage, agent }, id, {
            command,
            ...(requestId === undefined ? {} : { requestId }),
          });
        });
      let used = await send();
      if (!(await settlesWithin(tracker.acknowledged, SEND_AGAIN_AFTER_MS))) {
        // Not awaited, because the answer to the first copy may arrive while the broker accepts the second.
        send().then(
          (later) => {
            used = later;
          },
          (error) => log.warn({ err: error, jobId: id }, 'a request cannot be sent again'),
        );
        const inTime = await settlesWithin(tracker.acknowledged, ackWithinMs - SEND_AGAIN_AFTER_MS);
        if (!inTime && !(await hasEnded(id))) {
          isGivenUp = true;
          await giveUp(tracker);
        }
      }
      return subscribe(tracker, used);
    } finally {
      tracker.followers--;
      if (tracker.followers === 0) followed.delete(id);
    }
  }

  async function hasEnded(id: JobId): Promise<boolean> {
    const job = await jobs.find(id);
    return job !== null && isFinal(job.state);
  }

  /**
   * The agent does not answer. The command is cancelled, in case that the agent is only slow, because the caller will
   * assume that it was not carried out. If the presence has changed meanwhile, the agent is reported as offline.
   */
  async function giveUp({ id, agent }: JobTracker): Promise<never> {
    const calledOff = tell(agent, (replyTo) => ({ v: PROTOCOL_VERSION, t: 'cancel', id, replyTo }));
    // Awaited, because a frozen function would send it much later.
    const [agents] = await Promise.all([
      sites.agents(siteOfAgent(agent)),
      settlesWithin(calledOff, ACK_WITHIN_MS).catch(() => false),
    ]);
    const now = agents.find((one) => one.id === agent);
    if (now?.state !== 'online') {
      throw new ServiceError('agent_offline', `The agent ${agent} is not connected any more`, { retryAfter: 10 });
    }
    throw new ServiceError('agent_silent', `The agent ${agent} counts as connected but does not answer`, {
      retryAfter: 5,
    });
  }

  function follow(job: Pick<Job, 'id' | 'agent' | 'tool' | 'state'>): JobHandle {
    const known = followed.get(job.id);
    if (known !== undefined) return subscribe(known, null);
    const tracker = new JobTracker(job);
    followed.set(job.id, tracker);
    return subscribe(tracker, null);
  }

  /** The end of each followed command, from the agent's message or the row. */
  const ends = new WeakMap<JobTracker, Promise<EndedJob>>();

  function subscribe(tracker: JobTracker, used: LiveConnection | null): JobHandle {
    tracker.followers++;
    const known = ends.get(tracker);
    const end = known ?? endOf(tracker, used);
    end.catch(() => {}); // Handled by those that await it.
    ends.set(tracker, end);
    let left = false;
    return {
      id: tracker.id,
      agent: tracker.agent,
      end: (ms) => deadline(end, ms, () => null),
      events: (from, until) => tracker.events(from, until),
      async soFar() {
        if (known === undefined && used === null) {
          await settlesWithin(tracker.acknowledged, OUTPUT_WITHIN_MS);
          await settlesWithin(tracker.ended, OUTPUT_SETTLES_MS);
        }
        return { output: tracker.text, isRunning: tracker.isRunning };
      },
      async cancel() {
        await tell(tracker.agent, (replyTo) => ({ v: PROTOCOL_VERSION, t: 'cancel', id: tracker.id, replyTo }));
      },
      leave() {
        if (left) return;
        left = true;
        tracker.followers--;
        if (tracker.followers === 0 && followed.get(tracker.id) === tracker) followed.delete(tracker.id);
      },
    };
  }

  /**
   * Waits for the end of a command, as long as any request follows it: from the agent's message, which is requested
   * again over a new connection when one breaks, and by polling the row.
   */
  async function endOf(tracker: JobTracker, used: LiveConnection | null): Promise<EndedJob> {
    const { id } = tracker;
    let live = used;
    const noteAfter = Date.now() + RECORD_STATE_AFTER_MS;
    let noted: Job['state'] = tracker.recorded;
    let lookAt = Date.now() + (used === null ? 0 : POLL_MS.connected);
    for (;;) {
      live ??= await watch(tracker).catch(() => null);
      const pause = Math.max(0, Math.min(lookAt - Date.now(), MISSING_AFTER_MS));
      const news = await nextEvent(tracker, live, pause);
      if (news === 'cut') {
        live = null;
        lookAt = Date.now() + POLL_MS.disconnected;
        continue;
      }
      if (news !== null) return news;
      if (tracker.followers === 0) throw new Error('nobody follows this command any more');
      if (tracker.hasGap && live !== null) live = await watch(tracker).catch(() => null);
      const state = tracker.isRunning ? 'running' : 'accepted';
      // Who follows a command of somebody else's knows nothing but what the agent says.
      const isNews = noted !== state && (used !== null || tracker.isRunning);
      if (isNews && Date.now() >= noteAfter) {
        noted = state; // Only one attempt, because the state in the row is not essential.
        await jobs
          .accepted(id, state)
          .catch((error) => log.warn({ err: error, jobId: id }, 'cannot record the state of a job'));
      }
      if (Date.now() < lookAt) continue;
      lookAt = Date.now() + (live === null ? POLL_MS.disconnected : POLL_MS.connected);
      try {
        const job = await jobs.find(id);
        if (job === null) throw new ServiceError('not_found', `The job ${id} does not exist`);
        if (isFinal(job.state)) return endOfRow(job);
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'not_found') throw error;
        log.warn({ err: error, jobId: id }, 'cannot read the row of a job that is followed');
        lookAt = Date.now() + POLL_MS.disconnected; // The database may be available again before the wait is over.
      }
    }
  }

  /** Waits for the result or the end of the connection, whichever comes first; null when neither comes in time. */
  async function nextEvent(
    tracker: JobTracker,
    live: LiveConnection | null,
    ms: number,
  ): Promise<EndedJob | 'cut' | null> {
    let forget = () => {};
    const cut = new Promise<'cut'>((resolve) => {
      forget = live?.onClosed(() => resolve('cut')) ?? forget;
    });
    try {
      return await deadline(Promise.race([tracker.ended, cut]), ms, () => null);
    } finally {
      forget();
    }
  }

  function watch({ id, agent, text }: JobTracker): Promise<LiveConnection> {
    return tell(agent, (replyTo) => ({ v: PROTOCOL_VERSION, t: 'watch', id, replyTo, from: text.length }));
  }

  function tell(agent: AgentId, message: (instance: string) => Control): Promise<LiveConnection> {
    const topic = topics.control(clientIdOf(stage, agent));
    return connection.publish((instance) => ({ topic, payload: Buffer.from(JSON.stringify(message(instance))) }));
  }

  /** The agent of this name, or the one that is chosen. */
  async function agentFor(site: SiteId, command: Command, { name, preferred = [], near }: AgentWish): Promise<AgentId> {
    // A site that is being removed counts as absent, though agents may still be connected.
    const [known, all] = await Promise.all([sites.find(site), sites.agents(site)]);
    if (known === null) throw new ServiceError('site_forbidden', siteForbidden(site));
    if (name !== undefined) return agentNamed(name, site, all);
    const online = all.filter(({ state }) => state === 'online');
    if (online.length === 0) {
      throw new ServiceError('agent_offline', `No agent of site "${site}" is connected`, { retryAfter: 10 });
    }
    const first = preferred.map((one) => agentId(site, one)).find((id) => online.some((agent) => agent.id === id));
    const chosen = first ?? chooseAgent(online, command, turns, Math.random(), near);
    turns.set(chosen, ++choices);
    return chosen;
  }

  return {
    start,
    follow,

    async confirmStored(agent, id) {
      await tell(agent, () => ({ v: PROTOCOL_VERSION, t: 'stored', id }));
    },

    async control(agent, message) {
      await tell(agent, () => message);
    },

    async ping() {
      await connection.open();
    },

    close: () => connection.close(),
  };
}

/** @throws {ServiceError} `agent_silent` when it is too late to send it */
function requestFor(
  instance: string,
  { stage, agent }: { stage: Stage; agent: AgentId },
  id: JobId,
  what: Pick<Request, 'command' | 'requestId'>,
) {
  const sentAt = Date.now();
  // Relative to the creation of the job: a function that was frozen meanwhile must not send it with a new deadline.
  const deadline = timeOfJob(id) + START_WITHIN_MS;
  if (sentAt >= deadline) {
    throw new ServiceError('agent_silent', `The command could not be handed to ${agent} in time`, { retryAfter: 1 });
  }
  const request: Request = {
    v: PROTOCOL_VERSION,
    t: 'request',
    id,
    replyTo: instance,
    sentAt,
    deadline,
    ...what,
  };
  return { topic: topics.request(clientIdOf(stage, agent)), payload: Buffer.from(JSON.stringify(request)) };
}

/**
 * The agent of this name, which is connected.
 * @throws {ServiceError} `validation_failed` when the site has none of this name, `agent_offline` when it is not connected
 */
export function agentNamed(name: string, site: SiteId, agents: readonly Agent[]): AgentId {
  const named = agents.find(({ id }) => id === agentId(site, name));
  if (named === undefined) {
    const names = agents.map(({ id }) => id.slice(site.length + 1)).slice(0, MAX_NAMES);
    const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    const message = `expected the name of an agent of site "${site}": ${known}`;
    throw new ServiceError('validation_failed', `query.agent: ${message}`, {
      fields: [{ path: 'query.agent', message }],
    });
  }
  if (named.state === 'online') return named.id;
  throw new ServiceError('agent_offline', `The agent ${named.id} is not connected`, { retryAfter: 10 });
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

async function settlesWithin(event: Promise<unknown>, withinMs: number): Promise<boolean> {
  return deadline(
    event.then(() => true),
    withinMs,
    () => false,
  );
}
