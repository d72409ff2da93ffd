/** Agents' messages in the queue between the broker's rules and ingest. */
import * as z from 'zod';
import { sourceOf } from '../../shared/agent/topics.ts';
import type { AgentId, Stage } from '../../shared/identity.ts';
import { parseJson } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import type { Ingest } from './ingest.ts';

/** A message as a rule forwards it. The names are those in the rule's SQL. */
export const Queued = z.object({ topic: z.string(), payload: z.base64() });
export type Queued = z.infer<typeof Queued>;

export interface QueueRecord {
  messageId: string;
  body: string;
}

interface Message {
  id: string;
  kind: keyof Ingest;
  payload: Uint8Array;
}

/**
 * Handles a batch of records: those of one agent in sequence, different agents in parallel. Messages that no agent of this
 * stage can have sent are logged and dropped, because a retry would fail as well.
 * @returns the ids of the records to redeliver, because the database or the broker failed
 */
export async function ingestQueued(
  stage: Stage,
  ingest: Ingest,
  records: readonly QueueRecord[],
  log: Log,
): Promise<string[]> {
  const agents = [...byAgent(stage, records, log)];
  return (await Promise.all(agents.map(([agent, messages]) => ingestInOrder(ingest, agent, messages, log)))).flat();
}

async function ingestInOrder(ingest: Ingest, agent: AgentId, messages: Message[], log: Log): Promise<string[]> {
  const failed: string[] = [];
  for (const { id, kind, payload } of messages) {
    try {
      await ingest[kind](agent, payload);
    } catch (error) {
      log.warn({ err: error, agentId: agent, kind }, 'failed to store a message of an agent; it is redelivered');
      failed.push(id);
    }
  }
  return failed;
}

function byAgent(stage: Stage, records: readonly QueueRecord[], log: Log): Map<AgentId, Message[]> {
  const messages = new Map<AgentId, Message[]>();
  for (const { messageId, body } of records) {
    const queued = Queued.safeParse(parseJson(body));
    const source = queued.success ? sourceOf(queued.data.topic) : null;
    if (!queued.success || source?.stage !== stage || source.kind === 'reply') {
      log.warn({ messageId, topic: queued.data?.topic }, 'dropped a message with an unexpected form or topic');
      continue;
    }
    const payload = Buffer.from(queued.data.payload, 'base64');
    const ofAgent = messages.get(source.agent) ?? [];
    ofAgent.push({ id: messageId, kind: source.kind, payload });
    messages.set(source.agent, ofAgent);
  }
  return messages;
}
