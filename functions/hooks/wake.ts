/** The same table, which wakes the hooks of a site when a change of its collection is committed. */
import type { Log } from '../../shared/log.ts';
import { type Key, rows } from '../table/rows.ts';
import type { Table } from '../table/table.ts';
import type { TaskQueue } from '../task-queue.ts';
import { type HookTask, wokenBy } from './tasks.ts';

export function wakingHooks(table: Table, queue: TaskQueue<HookTask>, now: () => Date, log: Log): Table {
  async function wake(keys: readonly Key[]): Promise<void> {
    for (const site of new Set(keys.map(wokenBy))) {
      if (site === null) continue;
      try {
        const known = await table.get(rows.site(site), { attributes: ['hooked'] });
        if (known?.hooked !== undefined) await queue.send({ site }, now());
      } catch (error) {
        // The change is made. The next one of the site, or the upkeep, wakes its hooks.
        log.warn({ site, err: error }, 'the hooks of a site could not be woken');
      }
    }
  }
  return {
    ...table,
    async put(item, condition) {
      const isMade = await table.put(item, condition);
      if (isMade) await wake([item]);
      return isMade;
    },
    async transact(writes) {
      const isMade = await table.transact(writes);
      if (isMade) await wake(writes.flatMap((one) => ('put' in one ? [one.put] : [])));
      return isMade;
    },
  };
}
