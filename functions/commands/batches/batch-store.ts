/**
 * Batches: one command at many sites, kept for thirty days. What a batch is and how far it has come is one small row that is
 * written about once a second while it goes on; its sites, which may be thousands, are another that never changes. How each
 * site stands is in the row of its job, `<site>.<batch>`.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { BATCH_WITHIN_MS, Batch } from '../../../shared/api/batches.ts';
import type { Unreadable } from '../../../shared/api/operation.ts';
import { BatchId, SiteId, timeOfUuid } from '../../../shared/identity.ts';
import { problemOf } from '../../../shared/problem.ts';
import { StoredCommand } from '../../../shared/tools/list.ts';
import { BATCH_REASONS, BATCH_STATES, FINAL_STATES } from '../../../shared/words.ts';
import { IS_NEW } from '../../table/condition.ts';
import { PARTITIONS, rows } from '../../table/rows.ts';
import type { Item, Table } from '../../table/table.ts';

const count = z.int().min(0);

/** How far a batch has come. Sites are named by their place in the list of its sites. */
export const BatchProgress = z.object({
  state: z.enum(BATCH_STATES),
  /** Why no further sites are begun. */
  reason: z.enum(BATCH_REASONS).nullable(),
  /** The sites before this place have been begun, or passed over. */
  begun: count,
  /** Those of them that are not known to have ended. */
  open: z.array(count),
  /** How many have ended in each state, with a job. */
  ended: z.partialRecord(z.enum(FINAL_STATES), count),
  /** Those that got no job, by the code of the error. */
  refused: z.record(z.string(), z.array(count)),
  /** When something has happened last (Unix, ms). */
  changedAt: count,
  endedAt: count.nullable(),
});
export type BatchProgress = z.infer<typeof BatchProgress>;

/** What a batch is, from its start on. */
const Settings = Batch.pick({
  sites: true,
  agent: true,
  total: true,
  atOnce: true,
  maxFailures: true,
}).extend({
  request: StoredCommand,
  /** Id of the token that started it. */
  actor: z.string(),
  /** Id of the person whose token that is; null when it is nobody's in particular. */
  person: z.string().nullable(),
  sourceAddress: z.string().nullable(),
});
type Settings = z.infer<typeof Settings>;
export interface NewBatch extends Settings {
  id: BatchId;
}

export interface StoredBatch extends NewBatch {
  progress: BatchProgress;
  /** Whether somebody has asked to stop it. */
  isCancelled: boolean;
  /** Changes with each change of `progress`. */
  revision: number;
}

interface BatchStore {
  /** @param sites in the order of their ids */
  create(batch: NewBatch, sites: readonly SiteId[]): Promise<void>;
  /** @throws when its row cannot be read */
  find(id: BatchId): Promise<StoredBatch | null>;
  sites(id: BatchId): Promise<readonly SiteId[]>;
  /** The newest first. */
  list(
    before: BatchId | undefined,
    limit: number,
  ): Promise<{ batches: StoredBatch[]; unreadable: Unreadable[]; next: BatchId | null }>;
  /** Those that go on, the newest first. */
  running(): AsyncGenerator<StoredBatch>;
  /**
   * Records how far a batch has come.
   * @returns false, and does nothing, when somebody else has, or when somebody has asked to stop it, since it was read
   */
  save(batch: StoredBatch, progress: BatchProgress): Promise<boolean>;
  /** Asks whoever drives it to stop it. @returns false when there is no such batch */
  cancel(id: BatchId): Promise<boolean>;
}

const KEEP_DAYS = 30;
/** A batch of which nobody has recorded the end so long after its last site may have begun was given up. */
const GIVEN_UP_AFTER_MS = BATCH_WITHIN_MS + 3_600_000;

export function openBatchStore(table: Table, now: () => Date): BatchStore {
  const expiry = () => Math.ceil(now().getTime() / 1000) + KEEP_DAYS * 86_400;

  function read(item: Item): StoredBatch {
    const id = BatchId.parse(item.sk);
    const progress = BatchProgress.parse(JSON.parse(String(item.p)));
    const isGivenUp = progress.endedAt === null && now().getTime() - timeOfUuid(id) > GIVEN_UP_AFTER_MS;
    return {
      id,
      ...Settings.parse(JSON.parse(String(item.d))),
      progress: isGivenUp
        ? { ...progress, state: 'stopped', reason: 'deadline_passed', endedAt: progress.changedAt }
        : progress,
      isCancelled: item.cancelledAt !== undefined,
      revision: Number(item.rev),
    };
  }

  const isOver = (item: Item) => Number(item.ttl) * 1000 < now().getTime();

  async function* newest(startAfter: BatchId | undefined, limit: number): AsyncGenerator<Item> {
    const options = { consistent: true, descending: true, limit, ...(startAfter === undefined ? {} : { startAfter }) };
    for await (const page of table.query(PARTITIONS.batches, null, options))
      yield* page.filter((item) => !isOver(item));
  }

  return {
    async create({ id, ...settings }, sites) {
      const ttl = expiry();
      // First, so that a batch has its sites. Those without a batch are removed when their time is over.
      await table.put({ ...rows.batchSites(id), sites: gzipSync(JSON.stringify(sites)), ttl });
      const progress: BatchProgress = {
        ...{ state: 'running', reason: null, begun: 0, open: [], ended: {}, refused: {} },
        ...{ changedAt: now().getTime(), endedAt: null },
      };
      await table.put(
        { ...rows.batch(id), d: JSON.stringify(settings), p: JSON.stringify(progress), rev: 0, ttl },
        IS_NEW,
      );
    },

    async find(id) {
      const item = await table.get(rows.batch(id), { consistent: true });
      return item === null || isOver(item) ? null : read(item);
    },

    async sites(id) {
      const item = await table.get(rows.batchSites(id));
      const packed = z.instanceof(Uint8Array).parse(item?.sites);
      return z.array(SiteId).parse(JSON.parse(gunzipSync(packed).toString('utf8')));
    },

    async list(before, limit) {
      const batches: StoredBatch[] = [];
      const unreadable: Unreadable[] = [];
      for await (const item of newest(before, limit + 1)) {
        const last = batches.length + unreadable.length === limit;
        if (last) return { batches, unreadable, next: lastOf(batches, unreadable) };
        try {
          batches.push(read(item));
        } catch (error) {
          unreadable.push({ id: item.sk, problem: problemOf(error) });
        }
      }
      return { batches, unreadable, next: null };
    },

    async *running() {
      for await (const item of newest(undefined, 100)) {
        if (now().getTime() - timeOfUuid(item.sk) > GIVEN_UP_AFTER_MS) return;
        try {
          const batch = read(item);
          if (batch.progress.endedAt === null) yield batch;
        } catch {
          // Lists name it.
        }
      }
    },

    save({ id, revision, isCancelled }, progress) {
      return table.update(
        rows.batch(id),
        { set: { p: JSON.stringify(progress), rev: revision + 1 } },
        { all: [{ equals: { rev: revision } }, ...(isCancelled ? [] : [{ equals: { cancelledAt: null } }])] },
      );
    },

    cancel: (id) => table.update(rows.batch(id), { setOnce: { cancelledAt: now().getTime() } }, { present: ['rev'] }),
  };
}

/** The smallest id of a page, which is in descending order. */
function lastOf(batches: readonly StoredBatch[], unreadable: readonly Unreadable[]): BatchId {
  return [...batches, ...unreadable].map(({ id }) => id).sort()[0] ?? '';
}
