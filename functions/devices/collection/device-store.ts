/**
 * The collections of devices, one for each site.
 *
 * Optimistic concurrency: a collection has a version. A warm function keeps snapshots in memory, and reads one small row
 * to know whether it may answer from them. If it is some versions behind, it catches up from the journal.
 *
 * A write-ahead journal: every change is computed from a snapshot of one version, and is committed when its entry is
 * in the journal under the next version, which only one change can have. Then the rows of its devices are written, and
 * then the version of the collection is increased. What a writer that crashes after its commit leaves undone is done by
 * the next writer. Each row holds the version that wrote it, so writing it twice, or late, does no harm. The devices of a
 * change of many are in the journal before its entry: so it is made whole or not at all, as every other.
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
import { type ChangeHistory, openChangeHistory } from './change-history.ts';
import { inParts } from './change-parts.ts';
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
import { byKey, type Snapshot } from './snapshot.ts';
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
   * `counts` are those of `totals`; null where only that can count the devices. `lastChangeAt` is null until the first
   * change.
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
   *   `unavailable` when the database fails; then all of it will be made or nothing, and it may be repeated.
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
 * More devices are one event, and stand in parts of the journal. What agents have seen, and what is joined, has an event for each
 * device as long as its entry fits into a row.
 */
export const SMALL_CHANGE = 25;
/** The writer of a change of many that has not carried it out by then is gone. */
const CARRIED_OUT_WITHIN_MS = 30_000;
/** How often a writer looks whether the change that came first has ended, before it ends it itself. */
const PATIENCE = 4;
/** @param keepDevices how many devices are kept in memory at most, over all sites, besides those of the site in use */
export function openDeviceStore(table: Table, now: () => Date, keepDevices?: number): DeviceStore {
  const journal = openJournal(table);
  /** Committed changes that this process could not carry out. */
  const broken = new Set<string>();
  const isUnderWay = ({ id, at, devices }: JournalEntry) =>
    devices === null && !broken.has(id) && now().getTime() - at.getTime() < CARRIED_OUT_WITHIN_MS;
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
      if (base.version === collection.version) {
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
    const isSmall = devices !== null && encodeEntry(site, entry) !== null;
    const parts = isSmall ? null : inParts(base, effect, at, planned.noticed);
    if (!(await journal.append(site, entry, parts, also))) {
      if (times >= PATIENCE) await takeOver(base);
      return 'taken';
    }
    keep(await complete(base, effect, entry));
    return entry.version;
  }

  /** Does what the writer of the next version has not done since we began to wait for it. */
  async function takeOver(base: Snapshot): Promise<void> {
    const entry = await journal.find(base.site, base.version + 1);
    if (entry === null || isUnderWay(entry)) return;
    await complete(base, changeOf(base, await journal.changesIn(base.site, [entry])), entry);
  }

  /**
   * Writes what a committed entry says into the rows of its devices, those that it deletes last, and moves the version of the
   * collection on.
   */
  async function complete(
    base: Snapshot,
    { put, remove }: Change,
    { version, at, id }: JournalEntry,
  ): Promise<Snapshot> {
    const { site } = base;
    const after = await base.with(put, remove, version);
    // LMDB keeps neighbouring keys on one page: in another order, each commit would write several times as many.
    const inOrder = await sortedInSlices(put, byKey);
    const condition: Condition = { any: [IS_NEW, { less: { v: version } }] };
    // Encoded as they are sent, so that the items of 100,000 devices are never in memory together.
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
      await table.update(
        rows.collection(site),
        { set: collectionAfter(after, now()) },
        { equals: { ver: base.version } },
      );
    } catch (error) {
      broken.add(id);
      throw error;
    }
    broken.delete(id);
    return after;
  }

  return {
    read,
    totals,
    change,
    ...openDeletedDevices(table, now),
    ...openChangeHistory(table, journal),
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
