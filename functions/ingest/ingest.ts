/** What the broker's rules feed: results to be stored, and presence to be shown. */
import type { AgentId } from '../../shared/identity.ts';

export interface Ingest {
  /** One payload that an agent published on a reply topic. Acks, output and progress are passed by. */
  reply(agent: AgentId, payload: Uint8Array): Promise<void>;
  /** One payload that an agent, or its last will, published on its presence topic. */
  presence(agent: AgentId, payload: Uint8Array): Promise<void>;
}
