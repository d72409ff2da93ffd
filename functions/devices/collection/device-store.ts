/**
 * The collections of devices, one for each site.
 *
 * Optimistic concurrency: a collection has a version. A warm function keeps snapshots in memory, and reads one small row to
 * check whether they are current. An outdated snapshot catches up from the journal.
 *
 * A write-ahead journal: every change is planned on a snapshot of one version, and committed when its entry is in the
 * journal under the next version, which only one change can have. Then the rows of its devices are written, and then the
 * version of the collection is increased. If the writer crashes after its commit, the next writer carries the change out.
 * Each row has the version that wrote it, so writing it twice, or late, does no harm. The devices of a change of many are in
 * the journal before its entry: so it, too, is made whole or not at all.
 */
import { randomBytes } from 'node:crypto';
import type { DeviceRecord } from '../../../shared/device.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { backOff } from '../../table/back-off.ts';
import { type Condition, IS_NEW } from '../../table/condition.ts';
import { rows } from '../../table/rows.ts';
import { sortedInSlices } from '../../table/slices.ts';
import type { Item, Table, Write } from '../../table/table.ts';
import { openChangeHistory } from './change-history.ts';
import {
  type Change,
  changeOf,
  diffDevices,
  effectOf,
  encodeEntry,
  type JournalEntry,
  lagsOf,
  type Origin,
} from './change-row.ts';
import { collectionAfter, openCollections, readCollection } from './collection-row.ts';
import { seenIn } from './coverage-row.ts';
import {
  type DeviceKey,
  decodeDevice,
  encodeDevice,
  encodeTombstone,
  isTombstone,
  type StoredDevice,
} from './device-codec.ts';
import { inParts, openJournal } from './journal.ts';
import { byKey, type Snapshot } from './snapshot.ts';
import { isCurrent, openSnapshots } from './snapshots.ts';

type Plan<C extends Change> = (snapshot: Snapshot) => C | Promise<C>;

/** Larger changes are one event, in parts of the journal; sightings and joins have one per device if the entry fits a row. */
export const SMALL_CHANGE = 25;
const READS_AT_ONCE = 25;
/** How often a writer finds the same committed change unfinished before it carries it out itself. */
const PATIENCE = 4;

export type DeviceStore = ReturnType<typeof openDeviceStore>;

/** @param keepDevices how many devices are kept in memory at most, over all sites, besides those of the site in use */
export function openDeviceStore(table: Table, now: () => Date, keepDevices?: number) {
  const journal = openJournal(table);
  /** Committed changes that this process could not carry out. */
  const broken = new Set<string>();
  // After 30 s, the writer of a change of many that is not carried out is gone.
  const isUnderWay = ({ id, at, devices }: JournalEntry) =>
    devices === null && !broken.has(id) && now().getTime() - at.getTime() < 30_000;
  const snapshots = openSnapshots({ table, journal, isUnderWay, complete }, now, keepDevices);
  const { current, keep } = snapshots;
  const writing = new Map<SiteId, Promise<unknown>>();

  async function totals(site: SiteId) {
    const { counts, staleSince } = await readCollection(table, site);
    if (counts !== null) return { counts, staleSince };
    const { snapshot, staleSince: since } = await read(site);
    return { counts: snapshot.counts, staleSince: since };
  }

  async function read(site: SiteId) {
    const { collection, snapshot } = await current(site, { isRead: true });
    const { staleSince, watch, born } = collection;
    return { snapshot, staleSince, watch, born };
  }

  /** Serializes the changes of a site within this process; the journal excludes those of other processes. */
  async function change<C extends Change>(site: SiteId, origin: Origin, plan: Plan<C>) {
    const before = writing.get(site) ?? Promise.resolve();
    const mine = before.catch(() => {}).then(() => changeAlone(site, origin, plan));
    writing.set(site, mine);
    try {
      return await mine;
    } finally {
      if (writing.get(site) === mine) writing.delete(site);
    }
  }

  async function changeAlone<C extends Change>(site: SiteId, origin: Origin, plan: Plan<C>) {
    const giveUpAt = now().getTime() + 20_000;
    let seen = { version: 0, times: 0 };
    for (let attempt = 0; ; attempt++) {
      const { collection, snapshot: base } = await current(site);
      seen = { version: base.version, times: seen.version === base.version ? seen.times + 1 : 0 };
      if (base.version === collection.version) {
        const planned = await plan(base);
        const changed = await attemptChange(base, origin, planned, seen.times);
        if (changed !== 'taken') return { ...planned, version: changed, watch: collection.watch };
      }
      if (now().getTime() > giveUpAt) {
        const message = `Another change of the devices of site "${site}" is in progress; try again`;
        throw new ServiceError('conflict', message, { retryAfter: 5 });
      }
      await backOff(attempt);
    }
  }

  /** @returns the version after the change, null when nothing changes, `taken` when another change came first */
  async function attemptChange(
    base: Snapshot,
    origin: Origin,
    planned: Change,
    times: number,
  ): Promise<number | null | 'taken'> {
    const { site } = base;
    const { occurrences = [], also = [], outages } = planned;
    const effect = await effectOf(base, planned);
    const size = effect.put.length + effect.remove.length;
    if (size + occurrences.length === 0) return also.length === 0 || (await table.transact(also)) ? null : 'taken';
    const at = now();
    const hasEventPerDevice = origin.cause === 'sighting' || origin.cause === 'join';
    const devices = size <= SMALL_CHANGE || hasEventPerDevice ? diffDevices(base, effect) : null;
    const entry: JournalEntry = {
      ...origin,
      version: base.version + 1,
      at,
      id: randomBytes(6).toString('base64url'),
      devices,
      lags: devices && lagsOf(devices, at, planned.noticed),
      counts: { put: effect.put.length, removed: effect.remove.length },
      ...(occurrences.length === 0 ? {} : { occurrences }),
      ...(outages === undefined || outages.size === 0 ? {} : { outages }),
    };
    const isSmall = devices !== null && encodeEntry(site, entry) !== null;
    const parts = isSmall ? null : inParts(base, effect, at, planned.noticed);
    if (!(await journal.append(site, entry, parts, also))) {
      if (times >= PATIENCE) await takeOver(base);
      return 'taken';
    }
    keep(await complete(base, effect, entry));
    return entry.version;
  }

  /** Carries out the next version's change if its writer has not done so while this one waited. */
  async function takeOver(base: Snapshot): Promise<void> {
    const entry = await journal.find(base.site, base.version + 1);
    if (entry === null || isUnderWay(entry)) return;
    await complete(base, changeOf(base, await journal.changesIn(base.site, [entry])), entry);
  }

  /** Writes the rows of a committed change, deletions last, and then increases the collection's version. */
  async function complete(
    base: Snapshot,
    { put, remove }: Change,
    { version, at, id }: JournalEntry,
  ): Promise<Snapshot> {
    const { site } = base;
    const after = await base.with(put, remove, version);
    // LMDB keeps neighbouring keys on one page: another order would write several times as many pages.
    const inOrder = await sortedInSlices(put, byKey);
    const condition: Condition = { any: [IS_NEW, { less: { v: version } }] };
    // Encoded as they are sent, so that the items of 100,000 devices are never in memory at once.
    function* writes(): Generator<Write> {
      for (const device of inOrder) yield { put: encodeDevice(site, device, version), condition };
    }
    function* removals(): Generator<Write> {
      for (const device of remove.flatMap((key) => base.get(key) ?? []))
        yield { put: encodeTombstone(site, device, version, at), condition };
    }
    try {
      await table.bulk(writes());
      await table.bulk(removals());
      const isBase = { equals: { ver: base.version } };
      await table.update(rows.collection(site), { set: collectionAfter(after, now()) }, isBase);
    } catch (error) {
      broken.add(id);
      throw error;
    }
    broken.delete(id);
    return after;
  }

  /** Single reads, because no function may read devices in batches. */
  async function* rowsOf(site: SiteId, keys: readonly DeviceKey[], consistent: boolean): AsyncGenerator<Item> {
    for (let at = 0; at < keys.length; at += READS_AT_ONCE) {
      const some = keys.slice(at, at + READS_AT_ONCE).map((key) => table.get(rows.device(site, key), { consistent }));
      for (const item of await Promise.all(some)) if (item !== null) yield item;
    }
  }

  async function recordsOf(site: SiteId, keys: readonly DeviceKey[]): Promise<Map<DeviceKey, DeviceRecord>> {
    const records = new Map<DeviceKey, DeviceRecord>();
    for await (const item of rowsOf(site, keys, false)) {
      const device = readable(item);
      if (device !== null) records.set(device.key, device.record);
    }
    return records;
  }

  return {
    ...openChangeHistory(table, journal),
    ...openCollections(table, now),

    /** The collection, the time since which no agent has watched the site, its watch, and the collection's first version. */
    read,
    /** Numbers of devices in the order of TOTALS_ORDER. Throws as `snapshot` does. */
    totals,
    /**
     * Changes the collection. `plan` may take long if it yields to other requests. When another change comes first, it is
     * called again with a newer snapshot, so it must have no side effects. Once the promise is fulfilled, the change is
     * durable.
     * @returns the plan, the version of its journal entry, null when it changes nothing, and the watch of the devices
     * @throws {ServiceError} `conflict` when other changes of the site take too long: nothing was changed. `unavailable` when
     *   the database fails: all or nothing of it will be made, and it may be repeated.
     */
    change,

    /** What these devices were at their last deletion, as far as that is kept and none was added again. */
    async lastDeleted(site: SiteId, keys: readonly DeviceKey[]) {
      const deleted: StoredDevice[] = [];
      // Consistent, because the deletion may have been made a moment ago.
      for await (const item of rowsOf(site, keys, true)) {
        if (isTombstone(item) && Number(item.ttl) * 1000 > now().getTime()) deleted.push(decodeDevice(item));
      }
      return deleted;
    },

    /** With every change that was acknowledged before the call. @throws {ServiceError} `site_forbidden` when the site does not exist */
    async snapshot(site: SiteId) {
      return (await current(site, { isRead: true })).snapshot;
    },

    /** One device, or null, without the collection; may lack a change in progress. Throws as `snapshot`, or when unreadable. */
    async find(site: SiteId, key: DeviceKey) {
      const [{ born }, item] = await Promise.all([readCollection(table, site), table.get(rows.device(site, key))]);
      return item === null || !isCurrent(item, born) ? null : decodeDevice(item);
    },

    /**
     * The row of the collection, for one read unit. Throws as `snapshot` does. `counts` are those of `totals`; null where only
     * that can count the devices. `lastChangeAt` is null until the first change. `seen`, by what agents see, is null when that
     * takes devices that are not in memory.
     */
    async summary(site: SiteId) {
      const { version, changedAt, counts, born, staleSince, watch } = await readCollection(table, site);
      const lastChangeAt = version === born ? null : new Date(changedAt).toISOString();
      const known = snapshots.known(site);
      const seen =
        watch.coverage.watched.length === 0
          ? counts && { online: 0, offline: 0, down: 0, unknown: counts[0] ?? 0 }
          : known?.version === version
            ? await seenIn(known, watch)
            : null;
      return { counts, lastChangeAt, staleSince, seen };
    },

    /** The number of devices in the snapshot in memory, of whatever version. */
    sizeInMemory: (site: SiteId) => snapshots.known(site)?.size ?? null,

    /** Names of devices, including deleted ones, without those that are not found. */
    async namesOf(site: SiteId, keys: readonly DeviceKey[]) {
      const records = await recordsOf(site, keys);
      return new Map([...records].map(([key, { devName }]) => [key, devName]));
    },

    /** Records of devices, including deleted ones, without those that are not found. */
    recordsOf,
  };
}

/** Null for an unreadable row, so that it does not hide the others. */
function readable(item: Item): StoredDevice | null {
  try {
    return decodeDevice(item);
  } catch {
    return null;
  }
}
