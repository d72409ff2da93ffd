/** Scans of large networks: what is scanned, and how far that has come. One row each, for thirty days. */
import * as z from 'zod';
import { MAX_SHARD_ATTEMPTS, MAX_SHARDS, PlanItemId } from '../../../shared/agent/plan.ts';
import type { Unreadable } from '../../../shared/api/operation.ts';
import { Scan } from '../../../shared/api/scans.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { problemOf } from '../../../shared/problem.ts';
import { Millis } from '../../../shared/time.ts';
import { NmapMode, NmapProtocol, withProtocol } from '../../../shared/tools/nmap.ts';
import { backOff } from '../../table/back-off.ts';
import { EXISTS, IS_NEW } from '../../table/condition.ts';
import { monitoringPartition, PREFIXES, rows } from '../../table/rows.ts';
import { type Item, listItems, type Table } from '../../table/table.ts';
import { beginProgress, type ScanProgress, type Shard } from './scan-progress.ts';

/** What was asked for: it never changes. */
const ScanSettings = z.object({
  /** An IPv4 network, by its first address. */
  range: z.string(),
  mode: NmapMode,
  protocol: NmapProtocol.optional(),
  /** Unix, ms. */
  startedAt: Millis,
  createdBy: z.string(),
});
type ScanSettings = z.infer<typeof ScanSettings>;

export interface StoredScan extends ScanSettings, ScanProgress {
  id: PlanItemId;
}

export interface ScanStore {
  /** The scans of a site in the last 30 days, the newest first. What cannot be read is named, and hides no other. */
  list(site: SiteId): Promise<{ scans: StoredScan[]; unreadable: Unreadable[] }>;
  find(site: SiteId, id: PlanItemId): Promise<StoredScan | null>;
  /** @throws {ServiceError} `conflict` when the site is not there, or is deleted */
  add(site: SiteId, id: PlanItemId, settings: ScanSettings, shards: number): Promise<StoredScan>;
  remove(site: SiteId, id: PlanItemId): Promise<void>;
  /**
   * @param plan what becomes of it, null for nothing; called again when somebody else was first
   * @returns the scan before and after the change, the same one when nothing becomes of it; null when there is none
   * @throws {ServiceError} `conflict` when it keeps changing
   */
  change(
    site: SiteId,
    id: PlanItemId,
    plan: (before: ScanProgress) => ScanProgress | null,
  ): Promise<{ before: StoredScan; after: StoredScan } | null>;
}

const KEEP_DAYS = 30;
const ATTEMPTS = 8;

/** For each shard, how many attempts have failed, and how many hosts have answered, -1 without a result. */
const Shards = z.array(z.tuple([z.int().min(0).max(MAX_SHARD_ATTEMPTS), z.int().min(-1)])).max(MAX_SHARDS);
const Progress = z.object({
  state: Scan.shape.state,
  shards: Shards,
  problem: z.string().nullable(),
  endedAt: Millis.nullable(),
});

export function openScanStore(table: Table, now: () => Date): ScanStore {
  async function read(site: SiteId, id: PlanItemId): Promise<Item | null> {
    const item = await table.get(rows.scan(site, id), { consistent: true });
    return item === null || hasExpired(item) ? null : item;
  }
  const hasExpired = (item: Item) => Number(item.ttl) * 1000 <= now().getTime();

  return {
    async list(site) {
      const scans: StoredScan[] = [];
      const unreadable: Unreadable[] = [];
      for (const item of await listItems(table, monitoringPartition(site), PREFIXES.scan)) {
        if (hasExpired(item)) continue;
        try {
          scans.push(decode(item));
        } catch (error) {
          unreadable.push({ id: item.sk.slice(PREFIXES.scan.length), problem: problemOf(error) });
        }
      }
      scans.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? -1 : 1));
      return { scans, unreadable };
    },

    async find(site, id) {
      const item = await read(site, id);
      return item === null ? null : decode(item);
    },

    async add(site, id, settings, shards) {
      const progress = beginProgress(shards);
      const d = JSON.stringify(settings);
      const ttl = Math.ceil(settings.startedAt / 1000) + KEEP_DAYS * 86_400;
      const added = await table.transact([
        // Otherwise it could outlive the site, and go on at a later one of the same id.
        { check: rows.site(site), condition: { all: [EXISTS, { equals: { gone: null } }] } },
        // The second one: this call is repeated when its answer is lost.
        {
          put: { ...rows.scan(site, id), d, progress: encode(progress), ttl },
          condition: { any: [IS_NEW, { equals: { d } }] },
        },
      ]);
      if (!added) throw new ServiceError('conflict', `The scan could not be added to the site "${site}"; try again`);
      return { id, ...settings, ...progress };
    },

    async remove(site, id) {
      await table.remove(rows.scan(site, id));
    },

    async change(site, id, plan) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const item = await read(site, id);
        if (item === null) return null;
        const before = decode(item);
        const planned = plan(before);
        if (planned === null) return { before, after: before };
        const progress = encode(planned);
        // What it writes itself: this call is repeated when its answer is lost.
        const asRead = { in: { progress: [String(item.progress), progress] } };
        if (await table.update(rows.scan(site, id), { set: { progress } }, asRead))
          return { before, after: { ...before, ...planned } };
        await backOff(attempt);
      }
      throw new ServiceError('conflict', `The scan ${id} keeps changing; try again`, { retryAfter: 1 });
    },
  };
}

function encode({ state, shards, problem, endedAt }: ScanProgress): string {
  const packed = shards.map(({ failed, hosts }) => [failed, hosts ?? -1]);
  return JSON.stringify({ state, shards: packed, problem, endedAt });
}

/** @throws when the item is no scan */
function decode(item: Item): StoredScan {
  const { shards, ...progress } = Progress.parse(JSON.parse(String(item.progress)));
  return {
    id: PlanItemId.parse(item.sk.slice(PREFIXES.scan.length)),
    ...ScanSettings.parse(withProtocol(JSON.parse(String(item.d)))),
    ...progress,
    shards: shards.map(([failed, hosts]): Shard => ({ failed, hosts: hosts === -1 ? null : hosts })),
  };
}
