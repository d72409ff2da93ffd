/**
 * The collections of devices, one for each site.
 *
 * Optimistic concurrency: a collection has a version. A warm function keeps snapshots in memory, and reads one small row
 * to know whether it may answer from them. If it is some versions behind, it catches up from the journal.
 *
 * A write-ahead journal: every change is computed from a snapshot of one version, and is committed when its entry is
 * in the journal under the next version, which only one change can have. Then the rows of its devices are written, and
 * then the version of the collection is increased. What a writer that crashes after its commit leaves undone is done by
 * the next writer. Each row holds the version that wrote it, so writing it twice, or late, does no harm. A writer waits
 * for a lease only while a change of many devices is in progress (`bulk-change.ts`).
 */
import { randomBytes } from 'node:crypto';
import type { DeviceRecord } from '../../../shared/device.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { backOff } from '../../table/back-off.ts';
import { type Condition, IS_NEW } from '../../table/condition.ts';
import { rows } from '../../table/rows.ts';
import type { ConditionalWrite, Item, Table } from '../../table/table.ts';
import { openBulkChanges } from './bulk-change.ts';
import { type ChangeHistory, openChangeHistory } from './change-history.ts';
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
import { collectionAfter, readCollection } from './collection-row.ts';
import { type Collections, openCollections } from './collections.ts';
import { type SeenCounts, type SiteWatch, seenIn } from './coverage-row.ts';
import { type DeletedDevices, openDeletedDevices } from './deleted-devices.ts';
import { type DeviceKey, decodeDevice, encodeDevice, encodeTombstone, type StoredDevice } from './device-codec.ts';
import { openJournal } from './journal.ts';
import type { Snapshot } from './snapshot.ts';
import { isCurrent, openSnapshots } from './snapshots.ts';

/** What is known after a change, besides its plan. */
interface Changed {
  version: number | null;
  watch: SiteWatch;
}

type Plan<C extends Change> = (snapshot: Snapshot) => C | Promise<C>;

export interface DeviceStore extends DeletedDevices, ChangeHistory, Collections {
  /**
   * The current collection, with every write that was acknowledged before the call.
   * @throws {ServiceError} `site_forbidden` when the site does not exist
   */
  snapshot(site: SiteId): Promise<Snapshot>;
  /**
   * The same, since when nobody watches the site, how its devices are watched, and the first version of the collection: what has a lower one belongs
   * to a site of the same id that was removed.
   */
  read(site: SiteId): Promise<{ snapshot: Snapshot; staleSince: string | null; watch: SiteWatch; born: number }>;
  /**
   * One device, without loading the collection. May lack a change that is just being made.
   * @returns null when there is no device with this key. Throws as `snapshot` does, and when its row cannot be read.
   */
  find(site: SiteId, key: DeviceKey): Promise<StoredDevice | null>;
  /** Numbers of devices in the order of TOTALS_ORDER, as they are now. Throws as `snapshot` does. */
  totals(site: SiteId): Promise<{ counts: readonly number[]; staleSince: string | null }>;
  /**
   * What the row of the collection says, for one read unit, whatever the size of the collection. Throws as `snapshot` does.
   * `counts` are those of `totals`; null while a change of many devices is under way, and from one that was interrupted
   * to the next change: then only `totals` can count the devices. `lastChangeAt` is null until the first change.
   */
  summary(site: SiteId): Promise<{
    counts: readonly number[] | null;
    lastChangeAt: string | null;
    staleSince: string | null;
    /** What agents see of them; null where only devices that are not in memory can tell. */
    seen: SeenCounts | null;
  }>;
  /** How many devices the collection had when it was read last, if it is in memory still. */
  sizeInMemory(site: SiteId): number | null;
  /**
   * Changes the collection. `plan` may take long, if it gives other requests their turn. It is called again, with a
   * newer snapshot, when another change came first, and so must not have side effects. When the promise is fulfilled,
   * the change is durable.
   * @returns the plan, the version of its journal entry, null when it changes nothing, and how the devices are watched
   * @throws {ServiceError} `conflict` when other changes of the site do not end in time; then nothing was changed.
   *   `unavailable` when the database fails; then a change of many devices may be incomplete, and repeating it
   *   completes it.
   */
  change<C extends Change>(site: SiteId, origin: Origin, plan: Plan<C>): Promise<C & Changed>;
  /** What devices are called, deleted ones included; those that are not found are left out. */
  namesOf(site: SiteId, keys: readonly DeviceKey[]): Promise<Map<DeviceKey, string>>;
  /** What is known of devices, deleted ones included; those that are not found are left out. */
  recordsOf(site: SiteId, keys: readonly DeviceKey[]): Promise<Map<DeviceKey, DeviceRecord>>;
}

/** How long a change waits for others to end. */
const CHANGE_WITHIN_MS = 20_000;
/**
 * Devices of a change that is made without a bracket: as many as one BatchWriteItem takes. Single writes of more devices
 * take longer than the bracket costs. What agents have seen, and what is joined, is made without one as long as its entry in
 * the journal fits into a row: only that says what became of which device.
 */
export const SMALL_CHANGE = 25;
/** How often a writer looks whether the change that came first has ended, before it ends it itself. */
const PATIENCE = 4;
/** @param keepDevices how many devices are kept in memory at most, over all sites, besides those of the site in use */
export function openDeviceStore(table: Table, now: () => Date, keepDevices?: number): DeviceStore {
  const journal = openJournal(table);
  const bulk = openBulkChanges(table, journal, now);
  const snapshots = openSnapshots({ table, journal, bulk, complete }, now, keepDevices);
  const { current, keep } = snapshots;
  const deleted = openDeletedDevices(table, now);
  const writing = new Map<SiteId, Promise<unknown>>();

  async function totals(site: SiteId) {
    const collection = await readCollection(table, site);
    const { counts, staleSince } = collection;
    if (counts !== null && !bulk.isAbandoned(collection)) return { counts, staleSince };
    const { snapshot, staleSince: since } = await read(site);
    return { counts: snapshot.counts, staleSince: since };
  }

  async function read(site: SiteId) {
    const { collection, snapshot } = await current(site, { isRead: true });
    const { staleSince, watch, born } = collection;
    return { snapshot, staleSince, watch, born };
  }

  /** Serializes the changes of one site in this process; those of other processes are excluded by the journal. */
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
    const giveUpAt = now().getTime() + CHANGE_WITHIN_MS;
    let seen = { version: 0, times: 0 };
    for (let attempt = 0; ; attempt++) {
      const { collection, snapshot: base } = await current(site);
      seen = { version: base.version, times: seen.version === base.version ? seen.times + 1 : 0 };
      if (collection.pending === null) {
        const planned = await plan(base);
        const changed = await attemptChange(base, origin, planned, seen.times);
        if (changed !== 'taken') return { ...planned, version: changed, watch: collection.watch };
      }
      if (now().getTime() > giveUpAt) {
        throw new ServiceError(
          'conflict',
          `Another change of the devices of site "${site}" is in progress; try again`,
          {
            retryAfter: 5,
          },
        );
      }
      await backOff(attempt);
    }
  }

  /** @returns the version after the change, null when there is nothing to change, `taken` when another change came first */
  async function attemptChange(
    base: Snapshot,
    origin: Origin,
    planned: Change,
    times: number,
  ): Promise<number | null | 'taken'> {
    const { site } = base;
    const { told = [], also = [], outages } = planned;
    const effect = await effectOf(base, planned);
    const size = effect.put.length + effect.remove.length;
    if (size + told.length === 0) return also.length === 0 || (await table.transact(also)) ? null : 'taken';
    const at = now();
    const isTold = origin.cause === 'sighting' || origin.cause === 'join';
    const devices = size <= SMALL_CHANGE || isTold ? diffDevices(base, effect) : null;
    const entry: JournalEntry = {
      ...origin,
      version: base.version + 1,
      at,
      id: randomBytes(6).toString('base64url'),
      devices,
      lags: devices && lagsOf(devices, at, planned.noticed),
      counts: { put: effect.put.length, removed: effect.remove.length },
      ...(told.length === 0 ? {} : { told }),
      ...(outages === undefined || outages.size === 0 ? {} : { outages }),
    };
    const isSmall = entry.devices !== null && encodeEntry(site, entry) !== null;
    if (!isSmall && told.length + also.length > 0) return tellFirst(base, entry, also);
    if (isSmall && origin.cause !== 'sighting') {
      // What is added over a tombstone would be all that is known of it. Discovery does that by itself.
      const added = effect.put.filter(({ key }) => base.get(key) === undefined).map(({ key }) => key);
      await deleted.setAside(site, added);
    }
    if (!(await journal.append(site, isSmall ? entry : { ...entry, devices: null }, also))) {
      if (times >= PATIENCE) await takeOver(base);
      return 'taken';
    }
    if (isSmall) {
      keep(await complete(base, effect, entry));
      return entry.version;
    }
    const changed = await bulk.carryOut(base, effect, entry);
    if (changed === null) return 'taken';
    keep(changed);
    return entry.version;
  }

  /**
   * Commits what has happened besides a change of many devices, by an entry of its own: that of the devices does not say it.
   * The change is planned again behind it.
   */
  async function tellFirst(
    base: Snapshot,
    { told, ...entry }: JournalEntry,
    also: readonly ConditionalWrite[],
  ): Promise<'taken'> {
    const alone: JournalEntry = {
      ...entry,
      ...(told === undefined ? {} : { told }),
      devices: [],
      lags: null,
      counts: { put: 0, removed: 0 },
    };
    if (await journal.append(base.site, alone, also)) keep(await complete(base, { put: [], remove: [] }, alone));
    return 'taken';
  }

  /** Does what the writer of the next version has not done since we began to wait for it. */
  async function takeOver(base: Snapshot): Promise<void> {
    const entry = await journal.find(base.site, base.version + 1);
    if (entry === null) return;
    if (entry.devices === null) await bulk.skipAbandoned(base.site, entry);
    else await complete(base, changeOf(base, [entry]), entry);
  }

  /** Writes what a committed entry says into the rows of its devices, and moves the version of the collection on. */
  async function complete(base: Snapshot, { put, remove }: Change, { version, at }: JournalEntry): Promise<Snapshot> {
    const { site } = base;
    const tombstones = remove.map((key) => base.get(key)).filter((device) => device !== undefined);
    const items = [
      ...put.map((device) => encodeDevice(site, device, version)),
      ...tombstones.map((device) => encodeTombstone(site, device, version, at)),
    ];
    const isNewer: Condition = { any: [IS_NEW, { less: { v: version } }] };
    for (let from = 0; from < items.length; from += SMALL_CHANGE) {
      await Promise.all(items.slice(from, from + SMALL_CHANGE).map((item) => table.put(item, isNewer)));
    }
    const after = await base.with(put, remove, version);
    const isNext = { equals: { ver: base.version } };
    await table.update(rows.collection(site), { set: collectionAfter(after, now()) }, isNext);
    return after;
  }

  return {
    read,
    totals,
    change,
    ...deleted,
    ...openChangeHistory(table, journal, bulk),
    ...openCollections(table, now),

    async snapshot(site) {
      return (await current(site, { isRead: true })).snapshot;
    },

    async find(site, key) {
      const [{ born }, item] = await Promise.all([readCollection(table, site), table.get(rows.device(site, key))]);
      return item === null || !isCurrent(item, born) ? null : decodeDevice(item);
    },

    async summary(site) {
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

    sizeInMemory: (site) => snapshots.known(site)?.size ?? null,

    async namesOf(site, keys) {
      const records = await recordsOf(site, keys);
      return new Map([...records].map(([key, { devName }]) => [key, devName]));
    },

    recordsOf,
  };

  async function recordsOf(site: SiteId, keys: readonly DeviceKey[]): Promise<Map<DeviceKey, DeviceRecord>> {
    const records = new Map<DeviceKey, DeviceRecord>();
    // Single reads, because no function has the right to read devices in batches.
    for (let at = 0; at < keys.length; at += SMALL_CHANGE) {
      const some = keys.slice(at, at + SMALL_CHANGE).map((key) => table.get(rows.device(site, key)));
      for (const item of await Promise.all(some)) {
        const device = item === null ? null : readable(item);
        if (device !== null) records.set(device.key, device.record);
      }
    }
    return records;
  }
}

/** Null for a row that cannot be read, so that it keeps nobody from the others. */
function readable(item: Item): StoredDevice | null {
  try {
    return decodeDevice(item);
  } catch {
    return null;
  }
}
