/** At which site the upkeep goes on, when its time was over before it came to the end of the list. */
import type { SiteId } from '../../shared/identity.ts';
import { EXISTS } from '../table/condition.ts';
import { rows } from '../table/rows.ts';
import type { Table } from '../table/table.ts';

interface UpkeepTurn {
  /** The site behind which it goes on; null for the beginning of the list. */
  read(): Promise<SiteId | null>;
  write(after: SiteId | null): Promise<void>;
}

/** In the row that each table has, because no other is about the whole deployment and never replaced. */
export function openUpkeepTurn(table: Table): UpkeepTurn {
  return {
    async read() {
      const after = (await table.get(rows.format()))?.upkeepAfter;
      return typeof after === 'string' ? after : null;
    },
    async write(after) {
      const by = after === null ? { remove: ['upkeepAfter'] } : { set: { upkeepAfter: after } };
      await table.update(rows.format(), by, EXISTS);
    },
  };
}
