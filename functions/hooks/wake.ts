/** The same table, which wakes the hooks of a site when a change of its collection is committed, and a hook that has changed. */
import type { SiteId } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import { type Key, PARTITIONS, PREFIXES, rows } from '../table/rows.ts';
import type { Table } from '../table/table.ts';
import type { TaskQueue } from '../task-queue.ts';
import type { HookTask } from './tasks.ts';

export function wakingHooks(table: Table, queue: TaskQueue<HookTask>, now: () => Date, log: Log): Table {
  async function wake(keys: readonly Key[]): Promise<void> {
    for (const site of new Set(keys.map(changedSite))) {
      if (site === null) continue;
      try {
        const known = await table.get(rows.site(site), { attributes: ['hooked'] });
        if (known?.hooked !== undefined) await queue.send({ site }, now());
      } catch (error) {
        // The change is committed. The next change of the site, or the upkeep, wakes its hooks.
        log.warn({ site, err: error }, 'cannot wake the hooks of a site');
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
    async update(key, update, condition) {
      const isMade = await table.update(key, update, condition);
      // Of its settings only: the worker stores the progress, and needs no waking.
      if (isMade && key.pk.startsWith(PARTITIONS.hooks) && update.set?.d !== undefined) await wake([key]);
      return isMade;
    },
    async transact(writes) {
      const isMade = await table.transact(writes);
      if (isMade) await wake(writes.flatMap((one) => ('put' in one ? [one.put] : [])));
      return isMade;
    },
  };
}

/** The site whose hooks may have something to send when a row with this key has changed; null for most rows. */
function changedSite({ pk, sk }: Key): SiteId | null {
  if (pk.startsWith(PARTITIONS.hooks)) return pk.slice(PARTITIONS.hooks.length);
  return pk.startsWith(PARTITIONS.site) && sk.startsWith(PREFIXES.change) ? pk.slice(PARTITIONS.site.length) : null;
}
