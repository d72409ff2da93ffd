/**
 * A bounded queue between the broker and ingest: accepts messages at once and passes them on, a few at a time. Sites take
 * turns, and within a site its agents, whose messages stay in their order.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Ingest } from '../api/sightings/ingest.ts';
import { rateLimitedWarnings } from '../api/status/rate-limited-log.ts';
import { backOffMs, deadline } from '../shared/async.ts';
import { type AgentId, type SiteId, siteOfAgent } from '../shared/identity.ts';
import { type Holder, mayTakeMore, Turns } from '../shared/turns.ts';
import { inTurnsOf, yieldToEventLoop } from '../store/devices/slices.ts';

/** Agents whose messages are stored at the same time. */
const CONCURRENCY = 8;
/** Limit for the waiting messages of all agents; one alone has a third of it. A result has at most 128 KiB. */
const MAX_BYTES = 32 * 1024 * 1024;
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

/**
 * Passes on the messages of one agent in sequence, because an `offline` must not overtake the `online` before it. Results
 * and sightings that cannot be stored are not retried here, because their agent sends them again until they are stored;
 * other messages are, because nobody repeats a last will or an event of the broker.
 */
export function createIngestQueue(ingest: Ingest, log: Logger): IngestQueue {
  const waiting = new Map<AgentId, { messages: Message[]; bytes: number }>();
  const bytesOf = new Map<SiteId, number>();
  const ready = new Turns<AgentId>(); // Agents with messages that no worker handles yet.
  const busy: SiteId[] = []; // The site of each message that is being stored.
  const workers = new Set<Promise<void>>();
  const closing = new AbortController();
  const warn = rateLimitedWarnings(log);
  let bytes = 0;

  function add(kind: keyof Ingest, agent: AgentId, payload: Uint8Array): void {
    const size = payload.length + OVERHEAD_BYTES;
    const queue = waiting.get(agent) ?? { messages: [], bytes: 0 };
    const site = siteOfAgent(agent);
    const share = { site: bytesOf.get(site) ?? 0, user: queue.bytes };
    if (closing.signal.aborted || !mayTakeMore(share, MAX_BYTES - bytes - size)) {
      warn(agent, { agent, kind }, 'a message was dropped: too many are waiting to be stored');
      return;
    }
    account(site, size);
    queue.bytes += size;
    queue.messages.push({ kind, payload });
    if (waiting.has(agent)) return;
    waiting.set(agent, queue);
    ready.add(holderOf(agent), agent);
    if (busy.length >= CONCURRENCY) return;
    const worker = work().finally(() => workers.delete(worker));
    workers.add(worker);
  }

  function account(site: SiteId, size: number): void {
    bytes += size;
    const ofSite = (bytesOf.get(site) ?? 0) + size;
    if (ofSite === 0) bytesOf.delete(site);
    else bytesOf.set(site, ofSite);
  }

  /** A site may keep half of all busy, if no other one has anything to store. */
  const mayWork = (site: string) =>
    mayTakeMore({ site: busy.filter((other) => other === site).length, user: 0 }, CONCURRENCY - busy.length);

  async function work(): Promise<void> {
    for (let agent = ready.next(mayWork); agent !== undefined; agent = ready.next(mayWork)) {
      const queue = waiting.get(agent);
      const message = queue?.messages.shift();
      if (queue === undefined || message === undefined) continue;
      const site = siteOfAgent(agent);
      busy.push(site);
      await inTurnsOf(holderOf(agent), async () => {
        await yieldToEventLoop();
        await handOn(agent, message);
      });
      busy.splice(busy.indexOf(site), 1);
      const size = message.payload.length + OVERHEAD_BYTES;
      account(site, -size);
      queue.bytes -= size;
      if (queue.messages.length === 0) waiting.delete(agent);
      else ready.add(holderOf(agent), agent);
    }
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

const holderOf = (agent: AgentId): Holder => ({ site: siteOfAgent(agent), user: agent });
