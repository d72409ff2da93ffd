/** The history of a collection, from its journal. */
import type { SiteId } from '../../../shared/identity.ts';
import type { Table } from '../../table/table.ts';
import { deletedIn, type JournalEntry } from './change-row.ts';
import { readCollection } from './collection-row.ts';
import type { StoredDevice } from './device-codec.ts';
import type { Journal, JournalPage } from './journal.ts';
import type { Snapshot } from './snapshot.ts';

/** Journal entries per query, where the number of wanted ones is unknown. */
const JOURNAL_PAGE = 100;

export interface ChangeHistory extends Pick<Journal, 'partsOf'> {
  /** The last version whose change is carried out. Costs one read unit. Throws as `snapshot` does. */
  carriedOut(site: SiteId): Promise<number>;
  /** The change of this version; null when it does not exist, has expired, or is not carried out yet. */
  changeAt(site: SiteId, version: number): Promise<JournalEntry | null>;
  /** The changes that lead to a snapshot, newest first; only those before a version, if one is given. */
  changesBefore(
    snapshot: Pick<Snapshot, 'site' | 'version'>,
    before: number | null,
    pageSize: number,
  ): AsyncGenerator<JournalPage>;
  /** The changes recorded in a span of time, newest first. Later changes are not read. Throws as `snapshot` does. */
  changesRecorded(site: SiteId, since: Date, until: Date, pageSize: number): AsyncGenerator<JournalPage>;
  /** The changes after a version and up to another one, in order, without unreadable ones. `pageSize` are read per query. */
  changesBetween(site: SiteId, behind: number, upTo: number, pageSize?: number): AsyncGenerator<JournalEntry>;
  /** The first `limit` changes after a version, and whether there are more. They are final: the next writer carries out the last. */
  finalChanges(site: SiteId, behind: number, limit: number): Promise<{ entries: JournalEntry[]; hasMore: boolean }>;
  /** The devices that a change has deleted, as they were. @throws as `partsOf` does */
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
