/**
 * A bounded queue between the broker and ingest: accepts messages at once and passes them on, a few at a time. Agents take turns,
 * and the messages of one stay in their order.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { rateLimitedWarnings } from '../functions/http/rate-limited-log.ts';
import type { Ingest } from '../functions/sightings/ingest.ts';
import { backOffMs, deadline } from '../shared/async.ts';
import type { AgentId } from '../shared/identity.ts';

/** Agents whose messages are stored at the same time. */
const CONCURRENCY = 8;
/** Limits for the waiting messages of all agents, and of one. A result has at most 128 KiB. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_BYTES_OF_ONE = MAX_BYTES / 3;
/** Added to the size of each payload, so that many small messages are limited too. */
const OVERHEAD_BYTES = 256;
/** A database that has crashed is restarted within seconds. */
const PRESENCE_ATTEMPTS = 6;

interface IngestQueue {
  /** Never waits and never throws. A message for which there is no room is dropped and logged. */
  add(kind: keyof Ingest, agent: AgentId, payload: Uint8Array): void;
  /** Accepts no more messages, and resolves when all have been passed on, or after `withinMs`. */
  drain(withinMs: number): Promise<void>;
}

interface Message {
  kind: keyof Ingest;
  payload: Uint8Array;
}

/** The messages of one agent. */
interface Queue {
  messages: Message[];
  bytes: number;
}

/**
 * Passes on the messages of one agent in sequence, because an `offline` must not overtake the `online` before it. Results
 * and sightings that cannot be stored are not retried here, because their agent sends them again until they are stored;
 * other messages are, because nobody repeats a last will or an event of the broker.
 */
export function createIngestQueue(ingest: Ingest, log: Logger): IngestQueue {
  const waiting = new Map<AgentId, Queue>();
  const places = pLimit(CONCURRENCY);
  const working = new Set<Promise<void>>();
  const closing = new AbortController();
  const warn = rateLimitedWarnings(log);
  let bytes = 0;

  function add(kind: keyof Ingest, agent: AgentId, payload: Uint8Array): void {
    const size = payload.length + OVERHEAD_BYTES;
    const queue = waiting.get(agent) ?? { messages: [], bytes: 0 };
    if (closing.signal.aborted || bytes + size > MAX_BYTES || queue.bytes + size > MAX_BYTES_OF_ONE) {
      warn(agent, { agent, kind }, 'a message was dropped: too many are waiting to be stored');
      return;
    }
    bytes += size;
    queue.bytes += size;
    queue.messages.push({ kind, payload });
    if (waiting.has(agent)) return;
    waiting.set(agent, queue);
    const work = empty(agent, queue).finally(() => working.delete(work));
    working.add(work);
  }

  /** Each message waits for a place behind those of other agents. */
  async function empty(agent: AgentId, queue: Queue): Promise<void> {
    for (let message = queue.messages.shift(); message !== undefined; message = queue.messages.shift()) {
      const { kind, payload } = message;
      await places(async () => {
        await setImmediate(); // Between two messages, requests have their turn.
        await handOn(agent, { kind, payload });
      });
      const size = payload.length + OVERHEAD_BYTES;
      bytes -= size;
      queue.bytes -= size;
    }
    waiting.delete(agent);
  }

  async function handOn(agent: AgentId, { kind, payload }: Message): Promise<void> {
    const attempts = kind === 'result' || kind === 'sightings' ? 1 : PRESENCE_ATTEMPTS;
    for (let attempt = 1; ; attempt++) {
      try {
        return await ingest[kind](agent, payload);
      } catch (error) {
        log.warn({ agentId: agent, kind, attempt, err: error }, 'a message of an agent could not be stored');
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
