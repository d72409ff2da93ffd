/** Commands for the agents of a site: chooses an agent, sends it the command, and follows the command to its end. */
import {
  type Control,
  type DiscoveryControl,
  type EndedJob,
  isFinal,
  type PlanControl,
  PROTOCOL_VERSION,
  Reply,
  type Request,
} from '../../shared/agent/messages.ts';
import { ACK_WITHIN_MS, RESEND_AFTER_MS, START_WITHIN_MS } from '../../shared/agent/timing.ts';
import { sourceOf, topics } from '../../shared/agent/topics.ts';
import { headerOfResult } from '../../shared/agent/wire.ts';
import type { Job } from '../../shared/api/jobs.ts';
import { deadline } from '../../shared/async.ts';
import { ServiceError } from '../../shared/errors.ts';
import {
  type AgentId,
  type ClientId,
  clientIdOf,
  type JobId,
  siteOfAgent,
  siteOfJob,
  timeOfJob,
} from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import { problemOf } from '../../shared/problem.ts';
import type { Command } from '../../shared/tools/list.ts';
import { rateLimitedWarnings } from '../http/rate-limited-log.ts';
import type { SiteStore } from '../sites/site-store.ts';
import { type AgentWish, openAgentChoice } from './choose-agent.ts';
import { type BrokerSettings, type LiveConnection, openConnection } from './connection.ts';
import { endOfTracked } from './job-end.ts';
import type { JobStore, NewJob } from './job-store.ts';
import { type JobEvent, JobTracker } from './job-tracker.ts';
import { readResult } from './read-result.ts';

/** A command that some request follows. Call `leave` when the request no longer does. */
export interface JobHandle {
  readonly id: JobId;
  readonly agent: AgentId;
  /** How it ended, as its agent reports or its row has it; null when it has not ended within `ms`. */
  end(ms: number): Promise<EndedJob | null>;
  /** What its agent reports, with the output from this position on, until a promise is settled. */
  events(from: number, until: Promise<unknown>): AsyncGenerator<JobEvent>;
  /** Its output so far, and whether it runs, as far as the agent replies quickly. */
  soFar(): Promise<{ output: string; isRunning: boolean }>;
  /** Requests the agent to stop it. The result arrives as usual. */
  cancel(): Promise<void>;
  leave(): void;
}

interface JobOrigin extends Pick<NewJob, 'actor' | 'person' | 'sourceAddress'> {
  /** When it was begun (Unix, ms), for a job whose id was made earlier. Default: the time in its id. */
  begunAt?: number;
  /** Its row exists, but its agent may not have received the request: it is resent, and the agent accepts it once. */
  isAgain?: boolean;
}

export interface AgentDispatcher {
  /**
   * Sends a command to an agent of the site.
   * @param wish which agent; by default, one is chosen
   * @param requestId of the HTTP request, for the log of the agent
   * @returns when the agent has accepted it
   * @throws {ServiceError} `agent_offline` when no agent of the site, or not the named one, is connected;
   *   `validation_failed` when the site has no agent of that name; `agent_silent` when the agent does not reply,
   *   `site_forbidden` when the site does not exist, `conflict` when a job of this id exists already, `unavailable` when
   *   the broker or the database fails
   */
  start(id: JobId, command: Command, by: JobOrigin, wish?: AgentWish, requestId?: string): Promise<JobHandle>;
  /** Follows a command that was started earlier, here or by another process. */
  follow(job: Pick<Job, 'id' | 'agent' | 'tool' | 'state'>): JobHandle;
  /** Confirms to an agent that a result is stored, so that it can delete its copy. */
  confirmStored(agent: AgentId, id: JobId): Promise<void>;
  /** Sends an agent a message about discovery, or about its plan. */
  control(agent: AgentId, message: DiscoveryControl | PlanControl): Promise<void>;
  /** @throws {ServiceError} `unavailable` when the broker does not respond */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** How long to wait for the output so far, which an agent sends when it is requested to. */
export const OUTPUT_WITHIN_MS = 1_000;

export function openAgentDispatcher(
  settings: BrokerSettings,
  { sites, jobs }: { sites: SiteStore; jobs: JobStore },
  log: Log,
): AgentDispatcher {
  const followed = new Map<JobId, JobTracker>();
  const choice = openAgentChoice(sites);
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

  /** Unpacks a result only if a request waits for it here, and only once. Otherwise ingest handles it. */
  function takeResult(agent: AgentId, payload: Uint8Array): void {
    const header = headerOfResult(payload);
    const tracker = header === null ? null : followedAt(agent, header.id);
    if (tracker === null || tracker.hasEnded) return;
    tracker.end(readResult(payload, { tool: tracker.tool, createdAt: timeOfJob(tracker.id) }));
  }

  /** The followed command with this id, if this agent was given it. */
  function followedAt(agent: AgentId, id: JobId): JobTracker | null {
    const tracker = followed.get(id);
    if (tracker === undefined || tracker.agent === agent) return tracker ?? null;
    warn(agent, { agentId: agent, jobId: id }, 'ignored a message of an agent about the job of another agent');
    return null;
  }

  async function start(
    id: JobId,
    command: Command,
    { begunAt = timeOfJob(id), isAgain = false, ...by }: JobOrigin,
    wish: AgentWish = {},
    requestId?: string,
  ): Promise<JobHandle> {
    const { id: agent } = await choice(siteOfJob(id), command, wish);
    const tracker = new JobTracker({ id, agent, tool: command.tool });
    // Counted from here: a request that joins it by its Idempotency-Key, and leaves, must not end it meanwhile.
    tracker.followers++;
    followed.set(id, tracker);
    try {
      // The row must exist before the request is sent; meanwhile the connection is opened.
      connection.open().catch(() => {});
      const isOurs = isAgain || (await jobs.create({ id, agent, command, ...by }));
      if (!isOurs) throw new ServiceError('conflict', `The job ${id} has been started already`);
      let isGivenUp = false;
      // Relative to the creation of the job: a function that was frozen meanwhile must not send it with a later deadline.
      const deadline = begunAt + START_WITHIN_MS;
      const send = () =>
        connection.publish((replyTo) => {
          if (isGivenUp) throw new Error('the attempt was cancelled, because the agent did not reply in time');
          const sentAt = Date.now();
          if (sentAt >= deadline) {
            const message = `The command could not be handed to ${agent} in time`;
            throw new ServiceError('agent_silent', message, { retryAfter: 1 });
          }
          const request: Request = {
            ...{ v: PROTOCOL_VERSION, t: 'request', id, replyTo, sentAt, deadline, command },
            ...(requestId === undefined ? {} : { requestId }),
          };
          return messageTo(topics.request, agent, request);
        });
      let used = await send();
      if (!(await settlesWithin(tracker.acknowledged, RESEND_AFTER_MS))) {
        // Not awaited, because the reply to the first copy may arrive while the broker accepts the second.
        send().then(
          (later) => {
            used = later;
          },
          (error) => log.warn({ err: error, jobId: id }, 'cannot resend a request'),
        );
        const inTime = await settlesWithin(tracker.acknowledged, ackWithinMs - RESEND_AFTER_MS);
        const row = inTime ? null : await jobs.find(id);
        if (!inTime && (row === null || !isFinal(row.state))) {
          isGivenUp = true;
          await giveUp(agent, id);
        }
      }
      return subscribe(tracker, used);
    } finally {
      tracker.followers--;
      if (tracker.followers === 0) followed.delete(id);
    }
  }

  /**
   * The agent does not reply. In case it is only slow, the command is cancelled, because the caller will assume that it
   * was not run. If the presence has changed meanwhile, the agent is reported as offline.
   */
  async function giveUp(agent: AgentId, id: JobId): Promise<never> {
    const cancelled = sendControl(agent, (replyTo) => ({ v: PROTOCOL_VERSION, t: 'cancel', id, replyTo }));
    // Awaited, because a frozen function would send it much later.
    const [agents] = await Promise.all([
      sites.agents(siteOfAgent(agent)),
      settlesWithin(cancelled, ACK_WITHIN_MS).catch(() => false),
    ]);
    const now = agents.find((one) => one.id === agent);
    if (now?.state !== 'online')
      throw new ServiceError('agent_offline', `The agent ${agent} is not connected any more`, { retryAfter: 10 });
    const message = `The agent ${agent} counts as connected but does not answer`;
    throw new ServiceError('agent_silent', message, { retryAfter: 5 });
  }

  function follow(job: Pick<Job, 'id' | 'agent' | 'tool' | 'state'>): JobHandle {
    const tracker = followed.get(job.id) ?? new JobTracker(job);
    followed.set(job.id, tracker);
    return subscribe(tracker, null);
  }

  /** The end of each followed command, from the agent's message or the row. */
  const ends = new WeakMap<JobTracker, Promise<EndedJob>>();

  function subscribe(tracker: JobTracker, used: LiveConnection | null): JobHandle {
    tracker.followers++;
    const known = ends.get(tracker);
    const end = known ?? endOfTracked(tracker, used, { jobs, log, watch });
    end.catch(() => {}); // Its awaiters handle it.
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
          await settlesWithin(tracker.ended, 100); // A result that follows the output at once has all of it.
        }
        return { output: tracker.text, isRunning: tracker.isRunning };
      },
      async cancel() {
        await sendControl(tracker.agent, (replyTo) => ({ v: PROTOCOL_VERSION, t: 'cancel', id: tracker.id, replyTo }));
      },
      leave() {
        if (left) return;
        left = true;
        tracker.followers--;
        if (tracker.followers === 0 && followed.get(tracker.id) === tracker) followed.delete(tracker.id);
      },
    };
  }

  function watch({ agent, id, text }: JobTracker): Promise<LiveConnection> {
    return sendControl(agent, (replyTo) => ({ v: PROTOCOL_VERSION, t: 'watch', id, replyTo, from: text.length }));
  }

  function sendControl(agent: AgentId, message: (instance: string) => Control): Promise<LiveConnection> {
    return connection.publish((instance) => messageTo(topics.control, agent, message(instance)));
  }

  function messageTo(topicOf: (client: ClientId) => string, agent: AgentId, message: Request | Control) {
    return { topic: topicOf(clientIdOf(stage, agent)), payload: Buffer.from(JSON.stringify(message)) };
  }

  return {
    start,
    follow,

    async confirmStored(agent, id) {
      await sendControl(agent, () => ({ v: PROTOCOL_VERSION, t: 'stored', id }));
    },

    async control(agent, message) {
      await sendControl(agent, () => message);
    },

    async ping() {
      await connection.open();
    },

    close: () => connection.close(),
  };
}

async function settlesWithin(event: Promise<unknown>, withinMs: number): Promise<boolean> {
  return deadline(
    event.then(() => true),
    withinMs,
    () => false,
  );
}
