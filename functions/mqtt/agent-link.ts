/** Commands for the agents of a site: choosing one, handing it the command, waiting for how it ends. */
import { v7 as uuidv7 } from 'uuid';
import {
  type Command,
  isFinal,
  PROTOCOL_VERSION,
  Reply,
  type Request,
  type Result,
  START_WITHIN_MS,
} from '../../shared/agent/messages.ts';
import { sourceOf, topics } from '../../shared/agent/topics.ts';
import { encodeMessage, MessageAssembler } from '../../shared/agent/wire.ts';
import type { Agent } from '../../shared/api/admin.ts';
import type { Job } from '../../shared/api/jobs.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { AgentId, JobId, SiteId } from '../../shared/identity.ts';
import { parseRange, rangeWithin } from '../../shared/network.ts';
import { siteForbidden } from '../dynamodb/device-store.ts';
import type { JobStore } from '../dynamodb/job-store.ts';
import type { SiteStore } from '../dynamodb/site-store.ts';
import type { Log } from '../log.ts';
import { type BrokerSettings, type LiveConnection, openConnection } from './connection.ts';

/** How a command ended, as its agent or its row says. */
export type Ended = Pick<Result, 'state' | 'reason' | 'message' | 'output' | 'truncated' | 'data'>;

/** What a wait for a command gave: its end, or the job that goes on. */
export type Outcome = { ended: Ended } | { job: Job };

export interface AgentLink {
  /**
   * Runs one command on a site and waits for its end, at most `waitMs`.
   * @throws {ServiceError} `agent_offline` when no agent of the site is connected, `agent_silent` when the agent does
   *   not take the command, `site_forbidden` when there is no such site, `unavailable` when the broker or the
   *   database fails
   */
  run(site: SiteId, command: Command, actor: string, waitMs: number): Promise<Outcome>;
  /** Tells an agent that its result is safe. */
  confirmStored(agent: AgentId, id: JobId): Promise<void>;
  /** Whether the broker answers. Throws `unavailable` when it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

const ACK_WITHIN_MS = 1_500;
/** A command that has not ended by then gets its state written down, for those who look at its job. */
const NOTE_RUNNING_AFTER_MS = 1_000;
/** How often the job's row is looked at when results may have gone elsewhere: often while the connection is down. */
const LOOK_MS = { connected: 15_000, disconnected: 1_000 };

interface Waiting {
  agent: AgentId;
  acknowledged(): void;
  ended(result: Result): void;
}

export function openAgentLink(
  settings: BrokerSettings,
  { sites, jobs }: { sites: SiteStore; jobs: JobStore },
  log: Log,
): AgentLink {
  const waiting = new Map<JobId, Waiting>();
  const assemblers = new Map<AgentId, MessageAssembler>();
  const connection = openConnection(settings, log, receive);

  function receive(topic: string, payload: Uint8Array): void {
    const source = sourceOf(topic);
    if (source?.kind !== 'reply') return;
    try {
      const assembler = assemblers.get(source.agent) ?? new MessageAssembler();
      assemblers.set(source.agent, assembler);
      const message = assembler.accept(payload);
      if (message === null) return;
      const reply = Reply.parse(message);
      const waiter = waiting.get(reply.id);
      if (waiter === undefined) return;
      if (waiter.agent !== source.agent) {
        log.warn({ agentId: source.agent, jobId: reply.id }, 'an agent answered a request that another agent was sent');
        return;
      }
      if (reply.t === 'result') waiter.ended(reply);
      else waiter.acknowledged();
    } catch (error) {
      log.warn({ err: error, agentId: source.agent }, 'unreadable reply');
    }
  }

  async function run(site: SiteId, command: Command, actor: string, waitMs: number): Promise<Outcome> {
    const waitUntil = Date.now() + waitMs;
    const agent = await chooseAgent(site, command);
    const id: JobId = `${site}.${uuidv7()}`;
    const acknowledged = signal<void>();
    const ended = signal<Result>();
    waiting.set(id, { agent, acknowledged: acknowledged.give, ended: ended.give });
    try {
      // The row stands before the request leaves, and the connection is made ready meanwhile.
      const ready = connection.open();
      ready.catch(() => {});
      await jobs.create({ id, agent, command, actor });
      const used = await connection.publish((instance) => requestFor(instance, agent, id, command));
      const taken = await within(ACK_WITHIN_MS, acknowledged.given, ended.given);
      if (taken === null && !isFinal((await jobs.find(id))?.state ?? 'queued')) {
        throw new ServiceError('agent_silent', `The agent ${agent} counts as connected but does not answer`, {
          retryAfter: 5,
        });
      }
      return await waitForEnd(id, ended.given, used, waitUntil);
    } finally {
      waiting.delete(id);
    }
  }

  /** The online agent whose networks hold the target; among equals the one with the fewest commands of ours. */
  async function chooseAgent(site: SiteId, command: Command): Promise<AgentId> {
    const all = await sites.agents(site);
    const online = all.filter(({ state }) => state === 'online');
    if (online.length === 0) {
      if (all.length === 0 && (await sites.find(site)) === null) {
        throw new ServiceError('site_forbidden', siteForbidden(site));
      }
      throw new ServiceError('agent_offline', `No agent of site "${site}" is connected`, { retryAfter: 10 });
    }
    const commands = (agent: Agent) => [...waiting.values()].filter((waiter) => waiter.agent === agent.id).length;
    const rank = (agent: Agent) => (isAttached(agent, command) ? 0 : 1_000_000) + commands(agent);
    const [best] = online.sort((a, b) => rank(a) - rank(b));
    return best!.id;
  }

  function requestFor(instance: string, agent: AgentId, id: JobId, command: Command) {
    const sentAt = Date.now();
    const request: Request = {
      v: PROTOCOL_VERSION,
      t: 'request',
      id,
      replyTo: instance,
      sentAt,
      deadline: sentAt + START_WITHIN_MS,
      command,
    };
    return { topic: topics.request(agent), payload: encodeMessage(request)[0]! };
  }

  /** The result as it arrives; where it cannot arrive any more, because a connection broke, the row has it in the end. */
  async function waitForEnd(
    id: JobId,
    result: Promise<Result>,
    used: LiveConnection,
    waitUntil: number,
  ): Promise<Outcome> {
    let disconnected = false;
    const cut = used.closed.then(() => {
      disconnected = true;
    });
    let noted = false;
    for (;;) {
      const left = Math.max(0, waitUntil - Date.now());
      const pause = !noted ? NOTE_RUNNING_AFTER_MS : disconnected ? LOOK_MS.disconnected : LOOK_MS.connected;
      const arrived = await within(Math.min(left, pause), result, ...(disconnected ? [] : [cut]));
      if (arrived) return { ended: arrived };
      if (!noted) {
        noted = true;
        await jobs.accepted(id, 'running');
        if (left > pause) continue;
      }
      const job = await jobs.find(id).catch((error: unknown) => {
        if (Date.now() < waitUntil) return null; // The database may be back before the wait is over.
        throw error;
      });
      if (job && isFinal(job.state)) return { ended: endOf(job) };
      if (job && Date.now() >= waitUntil) return { job };
    }
  }

  return {
    run,

    async confirmStored(agent, id) {
      const message = { v: PROTOCOL_VERSION, t: 'stored', id } as const;
      await connection.publish(() => ({ topic: topics.control(agent), payload: encodeMessage(message)[0]! }));
    },

    async ping() {
      await connection.open();
    },

    close: () => connection.close(),
  };
}

function isAttached(agent: Agent, command: Command): boolean {
  const target = 'target' in command ? parseRange(command.target) : null;
  if (target === null) return false;
  return agent.networks.some((text) => {
    const network = parseRange(text);
    return network !== null && rangeWithin(target, network);
  });
}

function endOf({ state, reason, output, truncated, result }: Job): Ended {
  if (!isFinal(state)) throw new Error('endOf() got a job that has not ended');
  const known = state === 'lost' ? 'interrupted' : state;
  return { state: known, reason, message: null, output: output ?? '', truncated, data: result };
}

/** A promise and the function that fulfils it. */
function signal<T>(): { given: Promise<T>; give(value: T): void } {
  let give: (value: T) => void = () => {};
  const given = new Promise<T>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** What the first of the promises gives (undefined for a mere event); null when none is fulfilled in time. */
async function within<T>(ms: number, ...promises: (Promise<T> | Promise<void>)[]): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  try {
    return (await Promise.race([...promises, late])) as T | null;
  } finally {
    clearTimeout(timer);
  }
}
