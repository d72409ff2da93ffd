/** What has been changed of a collection, from its journal. */
import type { SiteId } from '../../../shared/identity.ts';
import type { Table } from '../../table/table.ts';
import type { BulkChanges } from './bulk-change.ts';
import type { JournalEntry } from './change-row.ts';
import { readCollection } from './collection-row.ts';
import type { Journal, JournalPage } from './journal.ts';
import type { Snapshot } from './snapshot.ts';

/** Entries of the journal that are read with one call, where it is not known how many are wanted. */
const JOURNAL_PAGE = 100;

export interface ChangeHistory {
  /**
   * The version up to which all changes have been carried out. Costs one read unit, whatever the size of the collection.
   * Throws as `snapshot` does.
   */
  carriedOut(site: SiteId): Promise<number>;
  /** The change of this version; null when there is none, or it has expired, or has not been carried out yet. */
  changeAt(site: SiteId, version: number): Promise<JournalEntry | null>;
  /** The changes that lead to a snapshot, the newest first; only those before a version, if one is given. */
  changesBefore(snapshot: Snapshot, before: number | null, pageSize: number): AsyncGenerator<JournalPage>;
  /**
   * The changes that were recorded in a span of time, the newest first. Of a span that has ended long ago, later changes
   * are not read. Throws as `snapshot` does.
   */
  changesRecorded(site: SiteId, since: Date, until: Date, pageSize: number): AsyncGenerator<JournalPage>;
  /**
   * The changes behind a version and up to another one, in order, without those that cannot be read.
   * @param pageSize how many are read with one call
   */
  changesBetween(site: SiteId, behind: number, upTo: number, pageSize?: number): AsyncGenerator<JournalEntry>;
  /**
   * The changes behind a version, in order, that nothing can undo any more; at most so many. A small change is final when
   * it is in the journal, even if its writer was stopped there, because the next writer carries it out. One of many
   * devices is final when it has ended, or its writer is gone. `next` is what comes behind them.
   */
  finalChanges(
    site: SiteId,
    behind: number,
    limit: number,
  ): Promise<{ entries: JournalEntry[]; next: 'nothing' | 'more' | 'not final' }>;
}

export function openChangeHistory(table: Table, journal: Journal, bulk: BulkChanges): ChangeHistory {
  return {
    async carriedOut(site) {
      const { version, pending } = await readCollection(table, site);
      return pending === null ? version : version - 1;
    },

    async changeAt(site, version) {
      // The entry last, because that of a bulk change says how many devices were changed only since the change has begun.
      const [collection, entry] = [await readCollection(table, site), await journal.find(site, version)];
      return entry !== null && isCarriedOut(entry, collection.version) ? entry : null;
    },

    async *changesBefore({ site, version }, before, pageSize) {
      for await (const page of journal.newestFirst(site, Math.min(version + 1, before ?? Infinity), pageSize)) {
        yield { ...page, found: page.found.filter((entry) => isCarriedOut(entry, version)) };
      }
    },

    async *changesRecorded(site, since, until, pageSize) {
      const { version, changedAt } = await readCollection(table, site);
      const last = changedAt < until.getTime() ? version : await journal.versionAt(site, until, version);
      for await (const page of journal.newestFirst(site, last + 1, pageSize)) {
        const found = page.found.filter((entry) => isCarriedOut(entry, version));
        const end = found.findIndex(({ at }) => at.getTime() < since.getTime());
        yield { ...page, found: end === -1 ? found : found.slice(0, end) };
        if (end !== -1) return;
      }
    },

    async *changesBetween(site, behind, upTo, pageSize = JOURNAL_PAGE) {
      for await (const { found } of journal.oldestFirst(site, behind, pageSize)) {
        for (const entry of found) {
          if (entry.version > upTo) return;
          yield entry;
        }
      }
    },

    async finalChanges(site, behind, limit) {
      const entries: JournalEntry[] = [];
      for await (const { found } of journal.oldestFirst(site, behind, limit)) {
        for (const entry of found) {
          if (entries.length === limit) return { entries, next: 'more' };
          if (entry.devices === null) {
            const collection = await readCollection(table, site);
            const isLeft = collection.version === entry.version && bulk.isAbandoned(collection);
            if (!isLeft && !isCarriedOut(entry, collection.version)) return { entries, next: 'not final' };
            // Again, because it says how many devices were changed only since the change has begun.
            const counted = await journal.find(site, entry.version);
            if (counted !== null) entries.push(counted);
          } else {
            entries.push(entry);
          }
        }
      }
      return { entries, next: 'nothing' };
    },
  };
}

/**
 * Whether a change is in a collection of this version. One of many devices moves the version on twice: when it begins, and
 * when it has ended.
 */
function isCarriedOut({ version, devices }: JournalEntry, collectionVersion: number): boolean {
  return devices === null ? version < collectionVersion : version <= collectionVersion;
}
