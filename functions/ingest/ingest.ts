/** What the broker's rules feed: results to be stored, and presence to be shown. */
import { ConnectionEvent, Presence, Result } from '../../shared/agent/messages.ts';
import { parsePayload, unpackChunks } from '../../shared/agent/wire.ts';
import type { AgentId } from '../../shared/identity.ts';
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
  /**
   * The message in a payload, or null when there is none (yet). The chunks of a long one are put together in the
   * table: in the cloud they reach different instances of this function.
   */
  async function messageIn(agent: AgentId, payload: Uint8Array): Promise<unknown> {
    const parsed = read(agent, () => parsePayload(payload));
    if (parsed === null) return null;
    const { message, chunk } = parsed;
    if (chunk === null) return message;
    const compressed = chunk.n === 1 ? Buffer.from(chunk.d, 'base64') : await jobs.addChunk(agent, chunk);
    return compressed === null ? null : read(agent, () => unpackChunks(compressed, chunk));
  }

  /** What the sender has garbled would be no better at another try: it is logged and dropped. */
  function read<T>(agent: AgentId, parse: () => T): T | null {
    try {
      return parse();
    } catch (error) {
      log.warn({ err: error, agentId: agent }, 'unreadable payload');
      return null;
    }
  }

  return {
    async result(agent, payload) {
      const result = Result.safeParse(await messageIn(agent, payload));
      if (!result.success) return;
      const stored = await jobs.finish(agent, result.data);
      const about = { agentId: agent, jobId: result.data.id, state: result.data.state, reason: result.data.reason };
      if (stored === 'foreign') log.warn(about, 'refused a result for a job that this agent was not given');
      else log.info({ ...about, stored }, 'result');
      await agents.confirmStored(agent, result.data.id);
    },

    async presence(agent, payload) {
      const presence = Presence.safeParse(await messageIn(agent, payload));
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
