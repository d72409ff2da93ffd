/** The upkeep's cursor, for a run that times out before the end of the list of sites. */
import type { SiteId } from '../../shared/identity.ts';
import { EXISTS } from '../table/condition.ts';
import { rows } from '../table/rows.ts';
import type { Table } from '../table/table.ts';

/** Stored in the row of the format, the only one of the whole deployment that is never replaced. */
export function openUpkeepCursor(table: Table) {
  return {
    /** The site after which the next run continues; null for the beginning of the list. */
    async read() {
      const after = (await table.get(rows.format()))?.upkeepAfter;
      return typeof after === 'string' ? after : null;
    },
    async write(after: SiteId | null) {
      const by = after === null ? { remove: ['upkeepAfter'] } : { set: { upkeepAfter: after } };
      await table.update(rows.format(), by, EXISTS);
    },
  };
}
