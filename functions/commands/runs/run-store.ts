/**
 * Runs: one command in many parts, kept for thirty days. A batch has a part for each of its sites; the scan of a large network
 * belongs to one site, and has a part for each shard of the network. A small row, stored about once a second while the run
 * is in progress, has its settings and its progress. Another, which never changes, has the sites of a batch, which may be
 * thousands. The status of each part is in the row of its job.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { BATCH_WITHIN_MS, Batch } from '../../../shared/api/batches.ts';
import { MAX_SCAN_MS, MAX_SHARD_ATTEMPTS, MAX_SHARDS } from '../../../shared/api/scans.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { type BatchId, SiteId, timeOfUuid } from '../../../shared/identity.ts';
import { readEach } from '../../../shared/problem.ts';
import { StoredCommand } from '../../../shared/tools/list.ts';
import { BATCH_REASONS, BATCH_STATES, FINAL_STATES } from '../../../shared/words.ts';
import { IS_NEW, IS_NOT_DELETED } from '../../table/condition.ts';
import { PARTITIONS, rows, runPartition } from '../../table/rows.ts';
import type { Item, Table } from '../../table/table.ts';
import { RunTask } from './task.ts';

const count = z.int().min(0);

/**
 * A piece of a network: how many attempts have failed, how many hosts have replied, -1 without a result, and how many seconds
 * after the start of the scan its last attempt was begun.
 */
const Shard = z.tuple([count.max(MAX_SHARD_ATTEMPTS), z.int().min(-1), count]);
export type Shard = z.infer<typeof Shard>;

/** The progress of a run. Parts are named by their index in the list of its sites, or shards. */
export const RunProgress = z.object({
  state: z.enum(BATCH_STATES),
  /** Why no further parts are begun. */
  reason: z.enum(BATCH_REASONS).nullable(),
  /** Of a batch: the sites before this index have been begun, or skipped. */
  begun: count,
  /** Parts that are begun and not known to have ended. */
  open: z.array(count),
  /** Number of parts whose jobs ended in each state. */
  ended: z.partialRecord(z.enum(FINAL_STATES), count),
  /** Parts without a job, by the code of the error. */
  refused: z.record(z.string(), z.array(count)),
  /** Of a scan only. */
  shards: z.array(Shard).max(MAX_SHARDS).optional(),
  /** Of a scan: why its last failed attempt has failed. */
  problem: z.string().optional(),
  /** Of the last change of a part (Unix, ms). */
  changedAt: count,
  endedAt: count.nullable(),
});
export type RunProgress = z.infer<typeof RunProgress>;

/** The settings of a run, which never change. */
const Settings = Batch.pick({ sites: true, agent: true, total: true, atOnce: true, maxFailures: true }).extend({
  request: StoredCommand,
  /** Id of the token that started it. */
  actor: z.string(),
  /** Id of the person that the token belongs to; null when it belongs to none. */
  person: z.string().nullable(),
  sourceAddress: z.string().nullable(),
});
export interface NewRun extends z.infer<typeof Settings> {
  /** Begins with its time. */
  id: RunTask['run'];
  /** Of a scan; null for a batch. */
  site: SiteId | null;
}

export interface StoredRun extends NewRun {
  progress: RunProgress;
  /** When it was cancelled (Unix, ms). */
  cancelledAt: number | null;
  /** Changes with each change of `progress`. */
  revision: number;
}

const KEEP_DAYS = 30;

/** Until when parts are begun (Unix, ms). */
export function beginsUntil({ site, id }: Pick<NewRun, 'site' | 'id'>): number {
  return timeOfUuid(id) + (site === null ? BATCH_WITHIN_MS : MAX_SCAN_MS);
}

export function openRunStore(table: Table, now: () => Date) {
  /** A run without a recorded end an hour after its last part may have begun was abandoned. */
  const isAbandoned = (run: Pick<NewRun, 'site' | 'id'>) => now().getTime() > beginsUntil(run) + 3_600_000;

  function read(item: Item): StoredRun {
    const site = item.pk === PARTITIONS.batches ? null : item.pk.slice(PARTITIONS.runs.length);
    const { run: id } = RunTask.parse({ run: item.sk, site });
    const progress = RunProgress.parse(JSON.parse(String(item.p)));
    const isOver = progress.endedAt === null && isAbandoned({ site, id });
    return {
      ...{ id, site, ...Settings.parse(JSON.parse(String(item.d))) },
      progress: isOver
        ? { ...progress, state: 'stopped', reason: 'deadline_passed', endedAt: progress.changedAt }
        : progress,
      cancelledAt: item.cancelledAt === undefined ? null : Number(item.cancelledAt),
      revision: Number(item.rev),
    };
  }

  const hasExpired = (item: Item) => Number(item.ttl) * 1000 < now().getTime();

  async function* newest(site: SiteId | null, startAfter?: string, limit = 100): AsyncGenerator<Item> {
    const options = { consistent: true, descending: true, limit, ...(startAfter === undefined ? {} : { startAfter }) };
    for await (const page of table.query(runPartition(site), null, options))
      yield* page.filter((item) => !hasExpired(item));
  }

  /** The runs that can be read, the newest first. */
  async function* readable(site: SiteId | null): AsyncGenerator<StoredRun> {
    for await (const item of newest(site)) {
      try {
        yield read(item);
      } catch {
        // Lists name it as unreadable.
      }
    }
  }

  return {
    /**
     * @param sites of a batch, in the order of their ids
     * @throws {ServiceError} `conflict` when the site of a scan does not exist, or already has a scan of this id
     */
    async create({ id, site, ...settings }: NewRun, sites: readonly SiteId[] = []): Promise<void> {
      const ttl = Math.ceil(now().getTime() / 1000) + KEEP_DAYS * 86_400;
      const shards: Shard[] = Array.from({ length: settings.total }, () => [0, -1, 0]);
      const progress: RunProgress = {
        ...{ state: 'running', reason: null, begun: 0, open: [], ended: {}, refused: {} },
        ...{ changedAt: now().getTime(), endedAt: null, ...(site === null ? {} : { shards }) },
      };
      const d = JSON.stringify(settings);
      const row = { ...rows.run(site, id), d, p: JSON.stringify(progress), rev: 0, ttl };
      if (site === null) {
        // First, so that each batch has its sites. Sites without a batch expire like the others.
        await table.put({ ...rows.batchSites(id), sites: gzipSync(JSON.stringify(sites)), ttl });
        await table.put(row, IS_NEW);
        return;
      }
      const added = await table.transact([
        // Otherwise it could outlive the site, and run at a later one of the same id.
        { check: rows.site(site), condition: IS_NOT_DELETED },
        // The second condition: this call is retried when its response is lost.
        { put: row, condition: { any: [IS_NEW, { equals: { d } }] } },
      ]);
      if (!added) throw new ServiceError('conflict', `The scan could not be added to the site "${site}"; try again`);
    },

    /** @throws when its row cannot be read */
    async find(site: SiteId | null, id: string): Promise<StoredRun | null> {
      const item = await table.get(rows.run(site, id), { consistent: true });
      return item === null || hasExpired(item) ? null : read(item);
    },

    /** The sites of a batch. */
    async sites(id: BatchId): Promise<readonly SiteId[]> {
      const item = await table.get(rows.batchSites(id));
      const packed = z.instanceof(Uint8Array).parse(item?.sites);
      return z.array(SiteId).parse(JSON.parse(gunzipSync(packed).toString('utf8')));
    },

    /** The batches, or the scans of a site, the newest first. */
    async list(site: SiteId | null, before: string | undefined, limit: number) {
      const items: Item[] = [];
      let next: string | null = null;
      for await (const item of newest(site, before, limit + 1)) {
        if (items.length === limit) {
          next = items.at(-1)?.sk ?? '';
          break;
        }
        items.push(item);
      }
      const { readable: runs, unreadable } = readEach(items, ({ sk }) => sk, read);
      return { runs, unreadable, next };
    },

    readable,

    /** Those of the readable runs that have not ended. */
    async *running(site: SiteId | null): AsyncGenerator<StoredRun> {
      for await (const run of readable(site)) {
        if (isAbandoned(run)) return;
        if (run.progress.endedAt === null) yield run;
      }
    },

    /** @returns false, and does nothing, when another turn has stored its progress, or it was cancelled, since it was read */
    save({ site, id, revision, cancelledAt }: StoredRun, progress: RunProgress): Promise<boolean> {
      return table.update(
        rows.run(site, id),
        { set: { p: JSON.stringify(progress), rev: revision + 1 } },
        { all: [{ equals: { rev: revision } }, ...(cancelledAt === null ? [{ equals: { cancelledAt: null } }] : [])] },
      );
    },

    /** @returns false when there is no such run */
    cancel(site: SiteId | null, id: string): Promise<boolean> {
      return table.update(rows.run(site, id), { setOnce: { cancelledAt: now().getTime() } }, { present: ['rev'] });
    },

    remove: async (site: SiteId, id: string) => void (await table.remove(rows.run(site, id))),
  };
}
