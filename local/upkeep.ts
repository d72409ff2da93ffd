/** Maintenance every hour, like the rule of EventBridge in the cloud; the roll-out of a release of the agent every minute. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { rollOutRelease, type UpkeepContext, upkeep } from '../functions/groups/upkeep.ts';
import { HOUR_MS, MINUTE_MS } from '../shared/time.ts';

/** @returns stops it, after the current site */
export function startUpkeep(context: UpkeepContext, log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const isTime = () => signal.aborted;
  // Failures are in the log, and the next run retries them.
  async function repeat(firstAfterMs: number, everyMs: number, work: () => Promise<unknown>): Promise<void> {
    for (let waitMs = firstAfterMs; ; waitMs = everyMs) {
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await work().catch(() => {});
    }
  }
  const running = Promise.all([
    // First when the start has ended, and agents have had time to reconnect.
    repeat(200_000, HOUR_MS, () => upkeep(context, log, isTime)),
    repeat(MINUTE_MS, MINUTE_MS, () => rollOutRelease(context, log)), // More often than in the cloud, where each call costs.
  ]);
  return async () => {
    stopping.abort();
    await running;
  };
}
