/**
 * A bounded queue between the broker and ingest: accepts messages at once and passes them on in order, a few at a time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Ingest } from '../api/sightings/ingest.ts';
import { rateLimitedWarnings } from '../api/status/rate-limited-log.ts';
import { backOffMs, deadline } from '../shared/async.ts';
import type { AgentId } from '../shared/identity.ts';

/** Agents whose messages are stored at the same time. */
const CONCURRENCY = 8;
/** Limits for the waiting messages of all agents and of one. A result has at most 128 KiB. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_AGENT_BYTES = 8 * 1024 * 1024;
/** Added to the size of each payload, so that many small messages are limited too. */
const OVERHEAD_BYTES = 256;
/** A database that has crashed is restarted within seconds. */
const PRESENCE_ATTEMPTS = 6;

export interface IngestQueue {
  /** Never waits and never throws. A message for which there is no room is dropped and logged. */
  add(kind: keyof Ingest, agent: AgentId, payload: Uint8Array): void;
  /** Accepts no more messages, and resolves when all have been passed on, or after `withinMs`. */
  drain(withinMs: number): Promise<void>;
}

interface Message {
  kind: keyof Ingest;
  payload: Uint8Array;
}

/**
 * Passes on the messages of one agent in sequence, because an `offline` must not overtake the `online` before it. Results
 * and sightings that cannot be stored are not retried here, because their agent sends them again until they are stored;
 * other messages are, because nobody repeats a last will or an event of the broker.
 */
export function createIngestQueue(ingest: Ingest, log: Logger): IngestQueue {
  const waiting = new Map<AgentId, { messages: Message[]; bytes: number }>();
  const ready: AgentId[] = []; // Agents with messages that no worker handles yet.
  const workers = new Set<Promise<void>>();
  let working = 0; // Not workers.size, because an idle worker is removed a moment later.
  const closing = new AbortController();
  const warn = rateLimitedWarnings(log);
  let bytes = 0;

  function add(kind: keyof Ingest, agent: AgentId, payload: Uint8Array): void {
    const size = payload.length + OVERHEAD_BYTES;
    const queue = waiting.get(agent) ?? { messages: [], bytes: 0 };
    if (closing.signal.aborted || bytes + size > MAX_BYTES || queue.bytes + size > MAX_AGENT_BYTES) {
      warn(agent, { agent, kind }, 'a message was dropped: too many are waiting to be stored');
      return;
    }
    bytes += size;
    queue.bytes += size;
    queue.messages.push({ kind, payload });
    if (waiting.has(agent)) return;
    waiting.set(agent, queue);
    ready.push(agent);
    if (working >= CONCURRENCY) return;
    working++;
    const worker = work().finally(() => workers.delete(worker));
    workers.add(worker);
  }

  async function work(): Promise<void> {
    for (let agent = ready.shift(); agent !== undefined; agent = ready.shift()) {
      const queue = waiting.get(agent);
      const message = queue?.messages.shift();
      if (queue === undefined || message === undefined) continue;
      await handOn(agent, message);
      const size = message.payload.length + OVERHEAD_BYTES;
      bytes -= size;
      queue.bytes -= size;
      if (queue.messages.length === 0) waiting.delete(agent);
      else ready.push(agent); // At the end (round robin), so that a busy agent does not delay others.
    }
    working--;
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
      await deadline(Promise.all(workers), withinMs, () => {});
    },
  };
}
