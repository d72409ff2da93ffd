/** Maintenance every hour, like the rule of EventBridge in the cloud; the roll-out of a release of the agent every minute. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { rollOutRelease, type UpkeepContext, upkeep } from '../functions/groups/upkeep.ts';
import { HOUR_MS, MINUTE_MS } from '../shared/time.ts';

/** @returns stops it, after the current site */
export function startUpkeep(context: UpkeepContext, log: Logger): () => Promise<void> {
  // First when the start has ended, and agents have had time to reconnect.
  const stopHourly = repeatedly(200_000, HOUR_MS, (signal) => upkeep(context, log, () => signal.aborted));
  // More often than in the cloud, where each call costs.
  const stopRollOut = repeatedly(MINUTE_MS, MINUTE_MS, () => rollOutRelease(context, log));
  return async () => void (await Promise.all([stopHourly(), stopRollOut()]));
}

/** The work logs its failures, and the next run retries them. @returns stops it, and resolves when no run is in progress */
export function repeatedly(firstAfterMs: number, everyMs: number, work: (signal: AbortSignal) => Promise<unknown>) {
  const stopping = new AbortController();
  const { signal } = stopping;
  async function run(): Promise<void> {
    for (let waitMs = firstAfterMs; ; waitMs = everyMs) {
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await work(signal).catch(() => {});
    }
  }
  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}
