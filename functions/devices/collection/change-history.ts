/** What has been changed of a collection, from its journal. */
import type { SiteId } from '../../../shared/identity.ts';
import type { Table } from '../../table/table.ts';
import type { ChangePart } from './change-parts.ts';
import { deletedIn, type JournalEntry } from './change-row.ts';
import { readCollection } from './collection-row.ts';
import type { StoredDevice } from './device-codec.ts';
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
   * The changes behind a version, in order, at most so many, and whether there are more. A change is final when it is in the
   * journal, even if its writer was stopped there, because the next writer carries it out.
   */
  finalChanges(site: SiteId, behind: number, limit: number): Promise<{ entries: JournalEntry[]; hasMore: boolean }>;
  /** What became of the devices of a change, part by part. @throws when a part cannot be read */
  partsOf(site: SiteId, entry: JournalEntry): AsyncGenerator<ChangePart>;
  /** What the devices were that a change has deleted. @throws as `partsOf` does */
  deletedBy(site: SiteId, entry: JournalEntry): Promise<StoredDevice[]>;
}

export function openChangeHistory(table: Table, journal: Journal): ChangeHistory {
  return {
    partsOf: journal.partsOf,

    async deletedBy(site, entry) {
      const all: StoredDevice[] = [];
      for await (const { devices } of journal.partsOf(site, entry)) all.push(...deletedIn(devices));
      return all;
    },

    async carriedOut(site) {
      return (await readCollection(table, site)).version;
    },

    async changeAt(site, version) {
      const [collection, entry] = await Promise.all([readCollection(table, site), journal.find(site, version)]);
      return version <= collection.version ? entry : null;
    },

    changesBefore: ({ site, version }, before, pageSize) =>
      journal.newestFirst(site, Math.min(version + 1, before ?? Infinity), pageSize),

    async *changesRecorded(site, since, until, pageSize) {
      const { version, changedAt } = await readCollection(table, site);
      const last = changedAt < until.getTime() ? version : await journal.versionAt(site, until, version);
      for await (const page of journal.newestFirst(site, last + 1, pageSize)) {
        const end = page.found.findIndex(({ at }) => at.getTime() < since.getTime());
        yield { ...page, found: end === -1 ? page.found : page.found.slice(0, end) };
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
          if (entries.length === limit) return { entries, hasMore: true };
          entries.push(entry);
        }
      }
      return { entries, hasMore: false };
    },
  };
}
