/**
 * The collections in memory: one snapshot for each site, as long as there is room. An outdated snapshot catches up from the
 * journal if it is some versions behind; otherwise the collection is loaded.
 */
import type { SiteId } from '../../../shared/identity.ts';
import { PREFIXES, sitePartition } from '../../table/rows.ts';
import { inSlices } from '../../table/slices.ts';
import type { Item, Table } from '../../table/table.ts';
import { type Change, changeOf, type JournalEntry } from './change-row.ts';
import { type Collection, readCollection } from './collection-row.ts';
import { decodeDevice, isTombstone, type StoredDevice } from './device-codec.ts';
import type { Journal } from './journal.ts';
import { Snapshot } from './snapshot.ts';

/** Versions that are caught up from the journal; further behind, reloading the collection costs little more. */
const CATCH_UP_VERSIONS = 100;
/** Devices kept in memory, over all sites. 100,000 take 60 to 80 MB. */
const KEEP_DEVICES = 400_000;

/** How many devices a process with this much memory may keep: a third of it, for large and small sites alike. */
export const devicesKeptIn = (memoryMb: number): number => Math.floor(memoryMb * 390);

interface Parts {
  table: Table;
  journal: Journal;
  /** Whether the writer of a committed change is still carrying it out. */
  isUnderWay(entry: JournalEntry): boolean;
  complete(base: Snapshot, change: Change, entry: JournalEntry): Promise<Snapshot>;
}

/** @param keepDevices how many devices are kept in memory at most, over all sites, besides those of the site in use */
export function openSnapshots(
  { table, journal, isUnderWay, complete }: Parts,
  now: () => Date,
  keepDevices = KEEP_DEVICES,
) {
  /** Least recently used first. */
  const kept = new Map<SiteId, Snapshot>();
  const loading = new Map<string, Promise<Snapshot>>();

  /** The current collection; the snapshot may be ahead of the row. Unless `isRead`, carries out a change whose writer is gone. */
  async function current(
    site: SiteId,
    { isRead = false } = {},
  ): Promise<{ collection: Collection; snapshot: Snapshot }> {
    const collection = await readCollection(table, site);
    const known = kept.get(site);
    const { version } = collection;
    if (known !== undefined && (known.version === version || (isRead && known.version > version))) {
      kept.delete(site);
      kept.set(site, known);
      return { collection, snapshot: known };
    }
    return { collection, snapshot: await bringUp(site, collection, isRead) };
  }

  /** Loads each version once, however many requests wait for it. */
  function bringUp(site: SiteId, collection: Collection, isRead: boolean): Promise<Snapshot> {
    const name = `${site} ${collection.version} ${isRead}`;
    const underWay = loading.get(name);
    if (underWay) return underWay;
    const promise = (async () => {
      const snapshot = (await catchUp(site, collection)) ?? (await load(site, collection, isRead));
      keep(snapshot);
      return snapshot;
    })().finally(() => loading.delete(name));
    loading.set(name, promise);
    return promise;
  }

  async function catchUp(site: SiteId, { version }: Collection): Promise<Snapshot | null> {
    const known = kept.get(site);
    if (known === undefined || version - known.version > CATCH_UP_VERSIONS) return null;
    if (known.version > version) {
      const next = await journal.find(site, version + 1);
      return next !== null && isUnderWay(next) ? known : null;
    }
    const entries = await journal.between(site, known.version, version);
    // Reloading costs no more than applying more changes than there are devices.
    const isMuch = entries?.some(({ devices, counts }) => devices === null && counts.put + counts.removed > known.size);
    // An unreadable entry must not hide the collection.
    return entries === null || isMuch ? null : after(known, entries, version).catch(() => null);
  }

  async function after(base: Snapshot, entries: readonly JournalEntry[], version: number): Promise<Snapshot> {
    const { put, remove } = changeOf(base, await journal.changesIn(base.site, entries));
    return base.with(put, remove, version);
  }

  /**
   * Reads all devices, and then the journal entries of changes that were made meanwhile: some of their devices were read
   * before the change and some after it. The result has every change that was committed before the last device was read.
   */
  async function load(site: SiteId, { version, changedAt, born }: Collection, isRead: boolean): Promise<Snapshot> {
    // Eventually consistent reads may lack writes of the last two seconds.
    const consistent = now().getTime() - changedAt < 2_000;
    const devices: StoredDevice[] = [];
    for await (const items of deviceRows(site, consistent)) {
      for (const item of items) if (isCurrent(item, born)) devices.push(decodeDevice(item));
    }
    const loaded = new Snapshot(site, version, devices);
    const entries = await journal.since(site, version, CATCH_UP_VERSIONS);
    if (entries === null) return load(site, await readCollection(table, site), isRead);
    const last = entries.pop();
    if (last === undefined) return loaded;
    const before = await after(loaded, entries, last.version - 1);
    if (isRead || isUnderWay(last)) return after(before, [last], last.version);
    return complete(before, changeOf(before, await journal.changesIn(site, [last])), last);
  }

  /** In slices: with Node.js 20, an await for each of 10,000 rows is a fifth of the time to load them. */
  async function* deviceRows(site: SiteId, consistent: boolean): AsyncGenerator<readonly Item[]> {
    for await (const page of table.query(sitePartition(site), PREFIXES.device, { consistent })) yield* inSlices(page);
  }

  function keep(snapshot: Snapshot): void {
    const known = kept.get(snapshot.site);
    if (known && known.version > snapshot.version) return;
    kept.delete(snapshot.site);
    kept.set(snapshot.site, snapshot);
    let devices = 0;
    for (const { size } of kept.values()) devices += size;
    for (const [site, { size }] of kept) {
      if (devices <= keepDevices || site === snapshot.site) return;
      kept.delete(site);
      devices -= size;
    }
  }

  return {
    current,
    /** The snapshot in memory, of whatever version. */
    known: (site: SiteId) => kept.get(site),
    keep,
  };
}

/**
 * Whether a row is of a present device: neither a tombstone, nor left by a removed site of the same id, for which a stalled
 * writer may have written since.
 * @param born the first version of the collection
 */
export const isCurrent = (item: Item, born: number): boolean => !isTombstone(item) && Number(item.v ?? 0) >= born;
