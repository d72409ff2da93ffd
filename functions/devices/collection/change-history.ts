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

export type ChangeHistory = ReturnType<typeof openChangeHistory>;

export function openChangeHistory(table: Table, journal: Journal) {
  return {
    partsOf: journal.partsOf,

    /** The devices that a change has deleted, as they were. @throws as `partsOf` does */
    async deletedBy(site: SiteId, entry: JournalEntry) {
      const all: StoredDevice[] = [];
      for await (const { devices } of journal.partsOf(site, entry)) all.push(...deletedIn(devices));
      return all;
    },

    /** The last version whose change is carried out. Costs one read unit. Throws as `snapshot` does. */
    async carriedOut(site: SiteId) {
      return (await readCollection(table, site)).version;
    },

    /** The change of this version; null when it does not exist, has expired, or is not carried out yet. */
    async changeAt(site: SiteId, version: number) {
      const [collection, entry] = await Promise.all([readCollection(table, site), journal.find(site, version)]);
      return version <= collection.version ? entry : null;
    },

    /** The changes that lead to a snapshot, newest first; only those before a version, if one is given. */
    changesBefore: ({ site, version }: Pick<Snapshot, 'site' | 'version'>, before: number | null, pageSize: number) =>
      journal.newestFirst(site, Math.min(version + 1, before ?? Infinity), pageSize),

    /** The changes recorded in a span of time, newest first. Later changes are not read. Throws as `snapshot` does. */
    async *changesRecorded(site: SiteId, since: Date, until: Date, pageSize: number): AsyncGenerator<JournalPage> {
      const { version, changedAt } = await readCollection(table, site);
      const last = changedAt < until.getTime() ? version : await journal.versionAt(site, until, version);
      for await (const page of journal.newestFirst(site, last + 1, pageSize)) {
        const end = page.found.findIndex(({ at }) => at.getTime() < since.getTime());
        yield { ...page, found: end === -1 ? page.found : page.found.slice(0, end) };
        if (end !== -1) return;
      }
    },

    /** The changes after a version and up to another one, in order, without unreadable ones. `pageSize` are read per query. */
    async *changesBetween(
      site: SiteId,
      behind: number,
      upTo: number,
      pageSize = JOURNAL_PAGE,
    ): AsyncGenerator<JournalEntry> {
      for await (const { found } of journal.oldestFirst(site, behind, pageSize)) {
        for (const entry of found) {
          if (entry.version > upTo) return;
          yield entry;
        }
      }
    },

    /** The first `limit` changes after a version, and whether there are more. They are final: the next writer carries out the last. */
    async finalChanges(site: SiteId, behind: number, limit: number) {
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
