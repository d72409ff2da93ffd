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
import { TOTALS_ORDER } from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { backOff } from '../back-off.ts';
import { type Condition, IS_NEW } from '../condition.ts';
import { isFullDisk } from '../outage.ts';
import { PREFIXES, rows, sitePartition } from '../rows.ts';
import type { Item, Table } from '../table.ts';
import { openBulkChanges } from './bulk-change.ts';
import {
  type Change,
  changeOf,
  devicesOf,
  effectOf,
  encodeEntry,
  type JournalEntry,
  lagsOf,
  type Origin,
} from './change-row.ts';
import { type Collection, collectionAfter, countsAt, readCollection } from './collection-row.ts';
import { type SiteWatch, unknownIn } from './coverage-row.ts';
import { type DeletedDevices, openDeletedDevices } from './deleted-devices.ts';
import {
  type DeviceKey,
  decodeDevice,
  encodeDevice,
  encodeTombstone,
  isTombstone,
  type StoredDevice,
} from './device-codec.ts';
import { type JournalPage, openJournal } from './journal.ts';
import { inSlices } from './slices.ts';
import { Snapshot } from './snapshot.ts';

/** What is known after a change, besides its plan. */
interface Changed {
  version: number | null;
  watch: SiteWatch;
}

type Plan<C extends Change> = (snapshot: Snapshot) => C | Promise<C>;

export interface DeviceStore extends DeletedDevices {
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
    /** How many devices that are not archived nobody watches; null where only devices that are not in memory can tell. */
    unknown: number | null;
  }>;
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
  /**
   * The version up to which all changes have been carried out. Costs one read unit, whatever the size of the collection.
   * Throws as `snapshot` does.
   */
  carriedOut(site: SiteId): Promise<number>;
  /** The change of this version; null when there is none, or it has expired, or has not been carried out yet. */
  changeAt(site: SiteId, version: number): Promise<JournalEntry | null>;
  /** The changes that lead to a snapshot, the newest first; only those before a version, if one is given. */
  changesBefore(snapshot: Snapshot, before: number | null, pageSize: number): AsyncGenerator<JournalPage>;
  /**
   * The changes behind a version and up to another one, in order, without those that cannot be read.
   * @param pageSize how many are read with one call
   */
  changesBetween(site: SiteId, behind: number, upTo: number, pageSize?: number): AsyncGenerator<JournalEntry>;
  /**
   * The changes behind a version, in order, that nothing can undo any more; at most so many. A small change is final when
   * it is in the journal, even if its writer was stopped there, because the next writer carries it out. One of many
   * devices is final when it has ended, or its writer is gone. `next` is what comes behind them.
   */
  finalChanges(
    site: SiteId,
    behind: number,
    limit: number,
  ): Promise<{ entries: JournalEntry[]; next: 'nothing' | 'more' | 'not final' }>;
  /** What devices are called, deleted ones included; those that are not found are left out. */
  namesOf(site: SiteId, keys: readonly DeviceKey[]): Promise<Map<DeviceKey, string>>;
  /** Creates the empty collection of a new site. @returns false when the site has one already */
  create(site: SiteId, now: Date): Promise<boolean>;
  /**
   * Ends the collection of a site that is being removed: from now on it counts as absent, and no change that is under way
   * can be made. Its row stays for ever, so that the versions of a collection that is made again go on from there.
   * @param isUnderWay whether the removal is; asked after the row was read, so that the row of a later site is left alone
   */
  retire(site: SiteId, isUnderWay: () => Promise<boolean>): Promise<void>;
}

/** How long a change waits for others to end. */
export const CHANGE_WITHIN_MS = 20_000;
/**
 * Devices of a change that is made without a bracket: as many as one BatchWriteItem takes. Single writes of more devices
 * take longer than the bracket costs. What agents have seen is made without one as long as its entry in the journal fits
 * into a row: only that says which device came and which one went.
 */
export const SMALL_CHANGE = 25;
/** Versions that are caught up from the journal; further behind, loading the collection again is not much dearer. */
export const CATCH_UP_VERSIONS = 100;
/** How often a writer looks whether the change that came first has ended, before it ends it itself. */
const PATIENCE = 4;
/** An eventually consistent read may not show writes that are younger than this. */
const SETTLE_MS = 2_000;
/** Entries of the journal that are read with one call, where it is not known how many are wanted. */
const JOURNAL_PAGE = 100;
/** Tries to end a collection while others change it. */
const RETIRE_ATTEMPTS = 8;
/** The counts of an empty collection. */
const NO_DEVICES: readonly number[] = TOTALS_ORDER.map(() => 0);
/** Devices kept in memory, over all sites. 100,000 take 60 to 80 MB. */
const KEEP_DEVICES = 400_000;

/** How many devices a process with this much memory may keep: they take a third of it, of large sites and of small ones. */
export function devicesKeptIn(memoryMb: number): number {
  return Math.floor(memoryMb * 390);
}

/** @param keepDevices how many devices are kept in memory at most, over all sites, besides those of the site in use */
export function openDeviceStore(table: Table, now: () => Date, keepDevices = KEEP_DEVICES): DeviceStore {
  const journal = openJournal(table);
  const bulk = openBulkChanges(table, journal, now);
  /** Least recently used first. */
  const kept = new Map<SiteId, Snapshot>();
  const loading = new Map<string, Promise<Snapshot>>();
  const writing = new Map<SiteId, Promise<unknown>>();

  /**
   * The collection as it is now, after a change of which the writer is gone has been closed. Who only reads gets it also
   * where that cannot be written, for lack of room on the disk: as while the change was under way.
   */
  async function current(
    site: SiteId,
    { isRead = false } = {},
  ): Promise<{ collection: Collection; snapshot: Snapshot }> {
    let collection = await readCollection(table, site);
    if (bulk.isAbandoned(collection)) {
      const closed = await bulk.closeAbandoned(site, collection).catch((error: unknown) => {
        if (isRead && isFullDisk(error)) return null;
        throw error;
      });
      if (closed === true)
        collection = { ...collection, version: collection.version + 1, changedAt: now().getTime(), pending: null };
      if (closed === false) collection = await readCollection(table, site);
    }
    const known = kept.get(site);
    if (known?.version !== collection.version) return { collection, snapshot: await bringUp(site, collection) };
    keep(known);
    return { collection, snapshot: known };
  }

  /** Loads each version once, however many requests wait for it. */
  function bringUp(site: SiteId, collection: Collection): Promise<Snapshot> {
    const name = `${site} ${collection.version}`;
    const underWay = loading.get(name);
    if (underWay) return underWay;
    const promise = (async () => {
      const snapshot = (await catchUp(site, collection)) ?? (await load(site, collection));
      keep(snapshot);
      return snapshot;
    })().finally(() => loading.delete(name));
    loading.set(name, promise);
    return promise;
  }

  async function catchUp(site: SiteId, { version }: Collection): Promise<Snapshot | null> {
    const known = kept.get(site);
    if (known === undefined || known.version > version || version - known.version > CATCH_UP_VERSIONS) return null;
    const entries = await journal.between(site, known.version, version);
    return entries && after(known, entries, version);
  }

  async function after(base: Snapshot, entries: readonly JournalEntry[], version: number): Promise<Snapshot> {
    const { put, remove } = changeOf(base, entries);
    return base.with(put, remove, version);
  }

  /**
   * Reads all devices, and then the journal entries of changes that were made meanwhile, because some of their devices were
   * read before the change and some after it. The result has every change that was committed when the last device was
   * read.
   */
  async function load(site: SiteId, { version, changedAt, born }: Collection): Promise<Snapshot> {
    const consistent = now().getTime() - changedAt < SETTLE_MS;
    const devices: StoredDevice[] = [];
    for await (const items of deviceRows(site, consistent)) {
      for (const item of items) if (isCurrent(item, born)) devices.push(decodeDevice(item));
    }
    const loaded = new Snapshot(site, version, devices);
    const entries = await journal.since(site, version, CATCH_UP_VERSIONS);
    if (entries === null) {
      const collection = await readCollection(table, site);
      // A bulk change that has not begun yet has not written anything.
      return collection.version === version ? loaded : load(site, collection);
    }
    const last = entries.pop();
    if (last === undefined) return loaded;
    const before = await after(loaded, entries, last.version - 1);
    return complete(before, changeOf(before, [last]), last);
  }

  /** In slices: an await for each of 10,000 rows is a fifth of what it takes to load them, with Node.js 20. */
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
    const effect = await effectOf(base, planned);
    const size = effect.put.length + effect.remove.length;
    if (size === 0) return null;
    const at = now();
    const devices = size <= SMALL_CHANGE || origin.cause === 'sighting' ? devicesOf(base, effect) : null;
    const entry: JournalEntry = {
      ...origin,
      version: base.version + 1,
      at,
      id: randomBytes(6).toString('base64url'),
      devices,
      lags: devices && lagsOf(devices, at, planned.noticed),
      counts: { put: effect.put.length, removed: effect.remove.length },
    };
    const isSmall = entry.devices !== null && encodeEntry(site, entry) !== null;
    if (!(await journal.append(site, isSmall ? entry : { ...entry, devices: null }))) {
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
    ...openDeletedDevices(table, now),

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
      const known = kept.get(site);
      const unknown =
        watch.coverage.watched.length === 0
          ? (counts?.[0] ?? null)
          : known?.version === version
            ? await unknownIn(known, watch)
            : null;
      return { counts, lastChangeAt, staleSince, unknown };
    },

    async carriedOut(site) {
      const { version, pending } = await readCollection(table, site);
      return pending === null ? version : version - 1;
    },

    async changeAt(site, version) {
      // The entry last, because that of a bulk change says how many devices were changed only since the change has begun.
      const [collection, entry] = [await readCollection(table, site), await journal.find(site, version)];
      return entry !== null && isCarriedOut(entry, collection.version) ? entry : null;
    },

    async *changesBefore({ site, version }, before, pageSize) {
      for await (const page of journal.newestFirst(site, Math.min(version + 1, before ?? Infinity), pageSize)) {
        yield { ...page, found: page.found.filter((entry) => isCarriedOut(entry, version)) };
      }
    },

    async *changesBetween(site, behind, upTo, pageSize = JOURNAL_PAGE) {
      for await (const { found } of journal.oldestFirst(site, behind, pageSize)) {
        for (const entry of found) {
          if (entry.version > upTo) return;
          yield entry;
        }
      }
    },

    async finalChanges(site, behind, limit) {
      const entries: JournalEntry[] = [];
      for await (const { found } of journal.oldestFirst(site, behind, limit)) {
        for (const entry of found) {
          if (entries.length === limit) return { entries, next: 'more' };
          if (entry.devices === null) {
            const collection = await readCollection(table, site);
            const isLeft = collection.version === entry.version && bulk.isAbandoned(collection);
            if (!isLeft && !isCarriedOut(entry, collection.version)) return { entries, next: 'not final' };
            // Again, because it says how many devices were changed only since the change has begun.
            const counted = await journal.find(site, entry.version);
            if (counted !== null) entries.push(counted);
          } else {
            entries.push(entry);
          }
        }
      }
      return { entries, next: 'nothing' };
    },

    async namesOf(site, keys) {
      const names = new Map<DeviceKey, string>();
      // Single reads, because no function has the right to read devices in batches.
      for (let at = 0; at < keys.length; at += SMALL_CHANGE) {
        const some = keys.slice(at, at + SMALL_CHANGE).map((key) => table.get(rows.device(site, key)));
        for (const item of await Promise.all(some)) {
          const device = item === null ? null : readable(item);
          if (device !== null) names.set(device.key, device.record.devName);
        }
      }
      return names;
    },

    async create(site, at) {
      // Versions start at the time of creation, so that a site that is created anew repeats none that a client has
      // cached.
      const ver = at.getTime();
      // An update instead of a put, because the role that adds sites must not be able to overwrite a whole item.
      const empty = { ...collectionAfter({ version: ver, counts: NO_DEVICES }, at), born: ver };
      if (await table.update(rows.collection(site), { set: empty }, IS_NEW)) return true;
      return table.update(
        rows.collection(site),
        { set: { verAt: at.getTime() }, add: { ver: 1 }, remove: ['gone'] }, // The version that `retire` has announced.
        { present: ['gone'] },
      );
    },

    async retire(site, isUnderWay) {
      for (let attempt = 0; ; attempt++) {
        const item = await table.get(rows.collection(site), { consistent: true });
        if (item === null || item.gone !== undefined || !(await isUnderWay())) return;
        const seen = Number(item.ver);
        // Nobody ever has this version, or an entry of the journal that leads to it: not even a writer that has committed
        // the next one and not carried it out yet. Whoever is behind it has to load the collection again.
        const ver = Math.max(now().getTime(), seen + 2);
        // `born` and `counts` are of the collection that a later site of this id begins with.
        const ended = { ver, verAt: now().getTime(), gone: 1, born: ver + 1, counts: countsAt(ver + 1, NO_DEVICES) };
        const isRetired = await table.update(
          rows.collection(site),
          { set: ended, remove: ['pending', 'changedBy', 'staleSince', 'coverage'] },
          { equals: { ver: seen } },
        );
        if (isRetired) return;
        if (attempt === RETIRE_ATTEMPTS) {
          throw new ServiceError('conflict', `The devices of site "${site}" keep changing; try again`, {
            retryAfter: 1,
          });
        }
        await backOff(attempt);
      }
    },
  };
}

/**
 * Whether a change is in a collection of this version. One of many devices moves the version on twice: when it begins, and
 * when it has ended.
 */
function isCarriedOut({ version, devices }: JournalEntry, collectionVersion: number): boolean {
  return devices === null ? version < collectionVersion : version <= collectionVersion;
}

/**
 * Whether a row is that of a device of the collection, and not of one that was deleted, or of a site of the same id that was
 * removed: a writer that was stopped for a while may have written for it since.
 * @param born version with which the collection begins
 */
function isCurrent(item: Item, born: number): boolean {
  return !isTombstone(item) && Number(item.v ?? 0) >= born;
}

/** Null for a row that cannot be read, so that it keeps nobody from the others. */
function readable(item: Item): StoredDevice | null {
  try {
    return decodeDevice(item);
  } catch {
    return null;
  }
}
