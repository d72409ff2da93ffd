/**
 * Maintenance: once an hour, as in the cloud a rule of EventBridge has it done; what concerns a
 * release of the agent, every minute.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { carryRelease, type UpkeepContext, upkeep } from '../functions/groups/upkeep.ts';

/** After the start, which has enough to do, and when agents that were connected before it have had time to come back. */
const FIRST_AFTER_MS = 200_000;
const EVERY_MS = 3_600_000;
/** Where nothing is paid by the call, the next ring of a release comes at its minute. */
const SMALL_EVERY_MS = 60_000;

/** @returns ends it, after the site that has begun */
export function startUpkeep(context: UpkeepContext, log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const isTime = () => signal.aborted;
  // What has failed is in the log, and comes again the next time.
  async function repeat(firstAfterMs: number, everyMs: number, work: () => Promise<unknown>): Promise<void> {
    for (let waitMs = firstAfterMs; ; waitMs = everyMs) {
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await work().catch(() => {});
    }
  }
  const running = Promise.all([
    repeat(FIRST_AFTER_MS, EVERY_MS, () => upkeep(context, log, isTime)),
    repeat(SMALL_EVERY_MS, SMALL_EVERY_MS, () => carryRelease(context, log)),
  ]);
  return async () => {
    stopping.abort();
    await running;
  };
}
