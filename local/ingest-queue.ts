/** A bounded queue from broker to ingest, which takes a few messages at a time: agents take turns, each in order. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { rateLimitedWarnings } from '../functions/http/rate-limited-log.ts';
import type { Ingest } from '../functions/sightings/ingest.ts';
import { backOffMs, deadline } from '../shared/async.ts';
import type { AgentId } from '../shared/identity.ts';

/** Agents whose messages ingest stores at the same time. */
const CONCURRENCY = 8;
/** Limits for the queued messages of all agents, and of one. A result has at most 128 KiB. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_BYTES_OF_ONE = MAX_BYTES / 3;
/** Added to the size of each payload, to limit many small messages too. */
const OVERHEAD_BYTES = 256;
/** A crashed database restarts within seconds. */
const PRESENCE_ATTEMPTS = 6;

interface IngestQueue {
  /** Never waits and never throws. Without room it drops the message, and logs that. */
  add(kind: keyof Ingest, agent: AgentId, payload: Uint8Array): void;
  /** Accepts no more messages, and resolves when the queue is empty, or after `withinMs`. */
  drain(withinMs: number): Promise<void>;
}

interface Message {
  kind: keyof Ingest;
  payload: Uint8Array;
}

interface Queue {
  messages: Message[];
  bytes: number;
}

/**
 * Passes on the messages of one agent in sequence, because an `offline` must not overtake the `online` before it. Retries
 * failed messages such as last wills and events of the broker, which have no other retry; not results and sightings, which
 * their agent resends until they are stored.
 */
export function createIngestQueue(ingest: Ingest, log: Logger): IngestQueue {
  const waiting = new Map<AgentId, Queue>();
  const slots = pLimit(CONCURRENCY);
  const working = new Set<Promise<void>>();
  const closing = new AbortController();
  const warn = rateLimitedWarnings(log);
  let bytes = 0;

  function add(kind: keyof Ingest, agent: AgentId, payload: Uint8Array): void {
    const size = payload.length + OVERHEAD_BYTES;
    const queue = waiting.get(agent) ?? { messages: [], bytes: 0 };
    if (closing.signal.aborted || bytes + size > MAX_BYTES || queue.bytes + size > MAX_BYTES_OF_ONE) {
      warn(agent, { agent, kind }, 'a message was dropped: the queue is full');
      return;
    }
    bytes += size;
    queue.bytes += size;
    queue.messages.push({ kind, payload });
    if (waiting.has(agent)) return;
    waiting.set(agent, queue);
    const work = flush(agent, queue).finally(() => working.delete(work));
    working.add(work);
  }

  /** Each message waits for a slot behind those of other agents. */
  async function flush(agent: AgentId, queue: Queue): Promise<void> {
    for (let message = queue.messages.shift(); message !== undefined; message = queue.messages.shift()) {
      const { kind, payload } = message;
      await slots(async () => {
        await setImmediate(); // Lets requests run between two messages.
        await passOn(agent, { kind, payload });
      });
      const size = payload.length + OVERHEAD_BYTES;
      bytes -= size;
      queue.bytes -= size;
    }
    waiting.delete(agent);
  }

  async function passOn(agent: AgentId, { kind, payload }: Message): Promise<void> {
    const attempts = kind === 'result' || kind === 'sightings' ? 1 : PRESENCE_ATTEMPTS;
    for (let attempt = 1; ; attempt++) {
      try {
        return await ingest[kind](agent, payload);
      } catch (error) {
        log.warn({ agentId: agent, kind, attempt, err: error }, 'cannot store a message of an agent');
        if (attempt >= attempts || closing.signal.aborted) return;
      }
      const pauseMs = backOffMs(attempt, { firstMs: 250, longestMs: 60_000, least: 0.5 });
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  return {
    add,
    async drain(withinMs) {
      closing.abort();
      await deadline(Promise.all(working), withinMs, () => {});
    },
  };
}
