/** What the broker's rules feed: results to be stored, and presence to be shown. */
import { type Chunk, ConnectionEvent, Presence, Result } from '../../shared/agent/messages.ts';
import { parsePayload, unpackChunks } from '../../shared/agent/wire.ts';
import type { AgentId, JobId } from '../../shared/identity.ts';
import type { JobStore } from '../dynamodb/job-store.ts';
import type { SiteStore } from '../dynamodb/site-store.ts';
import type { Log } from '../log.ts';
import type { AgentLink } from '../mqtt/agent-link.ts';

export interface Ingest {
  /**
   * One payload that an agent published as a result, or as a chunk of one. A whole result is stored and then confirmed to
   * the agent, which keeps it until then. Rejects when the database fails.
   */
  result(agent: AgentId, payload: Uint8Array): Promise<void>;
  /** One payload that an agent, or its last will, published on its presence topic. Rejects when the database fails. */
  presence(agent: AgentId, payload: Uint8Array): Promise<void>;
  /** One event of the broker about a connection of this agent. Rejects when the database fails. */
  connection(agent: AgentId, payload: Uint8Array): Promise<void>;
}

export function openIngest(
  { jobs, sites, agents }: { jobs: JobStore; sites: SiteStore; agents: Pick<AgentLink, 'confirmStored'> },
  log: Log,
): Ingest {
  /** What the sender has garbled would be no better at another try: it is logged and dropped. */
  function read<T>(agent: AgentId, parse: () => T): T | null {
    try {
      return parse();
    } catch (error) {
      log.warn({ err: error, agentId: agent }, 'unreadable payload');
      return null;
    }
  }

  /**
   * Stores the result in a chunk, once all of them are there. They are put together in the table: in the cloud they reach
   * different instances of this function. @returns its id when it was stored, now or before
   */
  async function storeChunk(agent: AgentId, chunk: Chunk): Promise<JobId | null> {
    const compressed = chunk.n === 1 ? Buffer.from(chunk.d, 'base64') : await jobs.addChunk(agent, chunk);
    if (compressed === null) return null;
    return unpacking(async () =>
      store(
        agent,
        read(agent, () => unpackChunks(compressed, chunk)),
      ),
    );
  }

  async function store(agent: AgentId, message: unknown): Promise<JobId | null> {
    const result = Result.safeParse(message);
    if (!result.success) return null;
    const { id, state, reason } = result.data;
    const stored = await jobs.finish(agent, result.data);
    const about = { agentId: agent, jobId: id, state, reason };
    if (stored === 'foreign') log.warn(about, 'refused a result for a job that this agent was not given');
    else log.info({ ...about, stored }, 'result');
    return id;
  }

  const unpacking = oneAtATime();

  return {
    async result(agent, payload) {
      const parsed = read(agent, () => parsePayload(payload));
      if (parsed === null) return;
      const { message, chunk } = parsed;
      const id = chunk === null ? await store(agent, message) : await storeChunk(agent, chunk);
      if (id !== null) await agents.confirmStored(agent, id);
    },

    async presence(agent, payload) {
      // Never in chunks: it is short.
      const presence = Presence.safeParse(read(agent, () => parsePayload(payload).message));
      if (!presence.success) return;
      const changed = await sites.present(agent, presence.data);
      if (changed) log.info({ agentId: agent, state: presence.data.state }, 'presence');
    },

    async connection(agent, payload) {
      const event = read(agent, () => ConnectionEvent.parse(JSON.parse(Buffer.from(payload).toString('utf8'))));
      if (event === null) return;
      if (event.clientId !== agent) return log.warn({ agentId: agent }, 'dropped an event about another client');
      const { eventType, disconnectReason: reason } = event;
      const isNews = await sites.connection(agent, event);
      if (isNews)
        log.info({ agentId: agent, event: eventType, ...(reason === undefined ? {} : { reason }) }, 'connection');
    },
  };
}

/**
 * Runs one piece of work after the other. A message of a few kilobytes may unpack to so much that only one of them has
 * room, and several agents may be minded to send such messages at once.
 */
function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}
