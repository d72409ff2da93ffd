/** Deletes expired items from the embedded engine, which stores times to live but does not act on them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Attributes, fromAttributes, toAttributes } from '../store/attribute-values.ts';
import { TABLE_SHAPE, type Table } from '../store/table.ts';

const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 6 * 60 * 60_000;
/** Small pages with a pause after each, because the engine handles one call at a time, and requests wait for it. */
const PAGE_ITEMS = 200;
const PAUSE_MS = 20;

export interface Sweeper {
  close(): Promise<void>;
}

/** Deletes after one minute, and then every six hours. */
export function startSweeper(table: Table, log: Logger): Sweeper {
  const stopping = new AbortController();
  const { signal } = stopping;
  async function run(): Promise<void> {
    for (let waitMs = FIRST_AFTER_MS; !signal.aborted; waitMs = EVERY_MS) {
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await sweep(table, new Date(), signal).then(
        (removed) => log.info({ removed }, 'expired items removed'),
        (error: unknown) => log.warn({ err: error }, 'expired items could not be removed'),
      );
    }
  }
  const running = run();
  return {
    close() {
      stopping.abort();
      return running;
    },
  };
}

/** Deletes the items that had expired at that time. @returns how many */
export async function sweep(table: Table, now: Date, signal?: AbortSignal): Promise<number> {
  let removed = 0;
  let from: Attributes | undefined;
  do {
    const page = await table.client.call('Scan', {
      TableName: table.name,
      FilterExpression: '#ttl < :now',
      ProjectionExpression: 'pk, sk',
      ExpressionAttributeNames: { '#ttl': TABLE_SHAPE.timeToLive },
      ExpressionAttributeValues: toAttributes({ ':now': Math.floor(now.getTime() / 1000) }),
      Limit: PAGE_ITEMS,
      ExclusiveStartKey: from,
    });
    const keys = (page.Items ?? []).map(fromAttributes).map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }));
    // On the condition that it has still expired: a device may have been added again in the place of one that was deleted.
    const expired = { condition: '#ttl < :now', values: { now: Math.floor(now.getTime() / 1000) } };
    const done = await Promise.all(keys.map((key) => table.remove(key, expired)));
    removed += done.filter(Boolean).length;
    from = page.LastEvaluatedKey;
    if (from !== undefined) await sleep(PAUSE_MS);
  } while (from !== undefined && !signal?.aborted);
  return removed;
}
