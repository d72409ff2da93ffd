/** What is kept of a device that was deleted, until it is added again: its row, as a tombstone. */
import type { SiteId } from '../../../shared/identity.ts';
import { rows } from '../../table/rows.ts';
import type { Table } from '../../table/table.ts';
import { type DeviceKey, decodeDevice, isTombstone, type StoredDevice } from './device-codec.ts';

export interface DeletedDevices {
  /** What these devices were when they were deleted last, as far as that is kept and none was added again. */
  lastDeleted(site: SiteId, keys: readonly DeviceKey[]): Promise<StoredDevice[]>;
}

/** Rows that are read at the same time. */
const AT_ONCE = 25;

export function openDeletedDevices(table: Table, now: () => Date): DeletedDevices {
  return {
    async lastDeleted(site, keys) {
      const deleted: StoredDevice[] = [];
      for (let from = 0; from < keys.length; from += AT_ONCE) {
        const some = keys.slice(from, from + AT_ONCE);
        // Consistent, because the deletion may have been made a moment ago.
        const items = await Promise.all(some.map((key) => table.get(rows.device(site, key), { consistent: true })));
        for (const item of items) {
          const isKept = item !== null && isTombstone(item) && Number(item.ttl) * 1000 > now().getTime();
          if (isKept) deleted.push(decodeDevice(item));
        }
      }
      return deleted;
    },
  };
}
