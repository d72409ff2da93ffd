/** Does once an hour what nobody asks for; in the cloud a rule of EventBridge calls it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type UpkeepContext, upkeep } from '../api/monitoring/upkeep.ts';

/** After the start, which has enough to do, and when agents that were connected before it have had time to come back. */
const FIRST_AFTER_MS = 200_000;
const EVERY_MS = 3_600_000;

/** @returns ends it, after the site that has begun */
export function startUpkeep(context: UpkeepContext, log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  async function run(): Promise<void> {
    for (let waitMs = FIRST_AFTER_MS; ; waitMs = EVERY_MS) {
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      // What has failed is in the log, and comes again in an hour.
      await upkeep(context, log, () => signal.aborted).catch(() => {});
    }
  }
  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}
