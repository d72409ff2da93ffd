/**
 * What is kept of deleted devices, so that they can be brought back as they were. A deleted device leaves a tombstone: its
 * row. One that is added again, because it is still on its LAN or somebody wants it back, takes that row; then the
 * tombstone stands in a row of its own.
 */
import type { SiteId } from '../../../shared/identity.ts';
import { PREFIXES, rows, sitePartition } from '../../table/rows.ts';
import { inSlices } from '../../table/slices.ts';
import type { Item, Table } from '../../table/table.ts';
import { type DeviceKey, decodeDevice, isTombstone, type StoredDevice } from './device-codec.ts';

export interface DeletedDevices {
  /** The devices that the change of this version deleted, also those that were added again since, unless by a change of many. */
  deletedBy(site: SiteId, version: number): Promise<StoredDevice[]>;
  /** The same of these devices alone, each read by itself: for a change of few. */
  deletedAs(site: SiteId, version: number, keys: readonly DeviceKey[]): Promise<StoredDevice[]>;
  /** What these devices were when they were deleted last, as far as that is kept and none was added again. */
  lastDeleted(site: SiteId, keys: readonly DeviceKey[]): Promise<StoredDevice[]>;
  /**
   * Sets the tombstones of devices aside that are about to be added again. Doing it twice changes nothing.
   * @param keys of devices that the collection does not have
   * @returns those that were deleted
   */
  setAside(site: SiteId, keys: readonly DeviceKey[]): Promise<Set<DeviceKey>>;
}

/** Rows that are read at the same time. */
const AT_ONCE = 25;

export function openDeletedDevices(table: Table, now: () => Date): DeletedDevices {
  const isThere = (item: Item) => isTombstone(item) && Number(item.ttl) * 1000 > now().getTime();

  async function setOneAside(site: SiteId, key: DeviceKey): Promise<boolean> {
    // Consistent, because the deletion may have been made a moment ago.
    const item = await table.get(rows.device(site, key), { consistent: true });
    if (item === null || !isThere(item)) return false;
    await table.put({ ...item, ...rows.returned(site, Number(item.v), key) });
    return true;
  }

  /** What a device was when this change deleted it; null when that is not kept, or not any more. */
  async function oneDeleted(site: SiteId, version: number, key: DeviceKey): Promise<StoredDevice | null> {
    const own = rows.device(site, key);
    const item = await table.get(own, { consistent: true });
    if (item?.v === version && isThere(item)) return decodeDevice(item);
    const returned = await table.get(rows.returned(site, version, key), { consistent: true });
    return returned !== null && isThere(returned) ? decodeDevice({ ...returned, ...own }) : null;
  }

  return {
    async lastDeleted(site, keys) {
      const items = await Promise.all(keys.map((key) => table.get(rows.device(site, key), { consistent: true })));
      return items.flatMap((item) => (item !== null && isThere(item) ? [decodeDevice(item)] : []));
    },

    async deletedAs(site, version, keys) {
      const deleted: StoredDevice[] = [];
      for (let from = 0; from < keys.length; from += AT_ONCE) {
        const some = keys.slice(from, from + AT_ONCE);
        const found = await Promise.all(some.map((key) => oneDeleted(site, version, key)));
        deleted.push(...found.filter((device) => device !== null));
      }
      return deleted;
    },

    async deletedBy(site, version) {
      const deleted = new Map<DeviceKey, StoredDevice>();
      const { pk, sk } = rows.returned(site, version, '');
      for await (const page of table.query(pk, sk, { consistent: true })) {
        for (const item of page.filter(isThere)) {
          const key = item.sk.slice(sk.length);
          deleted.set(key, decodeDevice({ ...item, ...rows.device(site, key) }));
        }
      }
      for await (const page of table.query(sitePartition(site), PREFIXES.device, { consistent: true })) {
        for await (const items of inSlices(page)) {
          for (const item of items) {
            if (!isThere(item) || item.v !== version) continue;
            const device = decodeDevice(item);
            deleted.set(device.key, device);
          }
        }
      }
      return [...deleted.values()];
    },

    async setAside(site, keys) {
      const returning = new Set<DeviceKey>();
      for (let from = 0; from < keys.length; from += AT_ONCE) {
        const some = keys.slice(from, from + AT_ONCE);
        const found = await Promise.all(some.map((key) => setOneAside(site, key)));
        for (const key of some.filter((_, i) => found[i])) returning.add(key);
      }
      return returning;
    },
  };
}
