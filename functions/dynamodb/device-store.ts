/**
 * The collections of devices, one for each site.
 *
 * A collection has a version. Every change is planned on a snapshot of one version and begins by moving the version
 * on, on the condition that it is still that one: two changes never mix, and a snapshot whose version is the current
 * one is the truth. A warm function therefore keeps snapshots in memory and reads one small item to know whether it
 * may answer from them.
 *
 * A change of many devices is not atomic in DynamoDB. It is bracketed: the first update names it as `pending`, the
 * last one takes the name away. A writer that dies in between leaves `pending` behind; after LEASE_MS readers stop
 * trusting what they have cached, and the next writer may take over.
 */
import { v4 as uuid } from 'uuid';
import { type Category, type DeviceRecord, inCategory, TOTALS_ORDER } from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { inSlices } from '../load/slices.ts';
import { backOff } from '../retry/back-off.ts';
import { type DeviceKey, decodeDevice, encodeDevice, type StoredDevice } from './device-codec.ts';
import type { Update } from './expression.ts';
import { readAhead } from './read-ahead.ts';
import { PREFIXES, rows, sitePartition } from './rows.ts';
import { Snapshot } from './snapshot.ts';
import type { Item, Table, Write } from './table.ts';

/** What a change does to a collection: devices written whole, and devices deleted. No key occurs twice. */
export interface Change {
  put: StoredDevice[];
  remove: DeviceKey[];
}

type Plan<C extends Change> = (snapshot: Snapshot) => C | Promise<C>;

export interface DeviceStore {
  /**
   * Begins to read the version of the collection, which `snapshot` or `totals` of this site uses later in the same
   * request. Costs nothing where one of them follows, and one read unit where none does.
   */
  readAhead(site: SiteId): void;
  /**
   * The collection as it is now: every write that was acknowledged before the call is in it.
   * @throws {ServiceError} `site_forbidden` when there is no such site
   */
  snapshot(site: SiteId): Promise<Snapshot>;
  /** Numbers of devices in the order of TOTALS_ORDER, as they are now. Throws as `snapshot` does. */
  totals(site: SiteId): Promise<number[]>;
  /**
   * Changes the collection. `plan` may take its time, to let other requests have theirs. It may be called again, with a newer snapshot, when another change came first; it
   * must not have effects of its own. When the promise is fulfilled the change is durable.
   * @throws {ServiceError} `conflict` when other changes of the site do not end in time; nothing was changed then.
   *   `unavailable` when the database fails; parts of a change of many devices may have been made, and making the
   *   same change again completes it.
   */
  change<C extends Change>(site: SiteId, plan: Plan<C>): Promise<C>;
  /** Makes the empty collection of a new site. @returns false when the site has one already */
  create(site: SiteId, now: Date): Promise<boolean>;
}

/** How long a bulk change may be silent before it counts as dead. */
const LEASE_MS = 30_000;
const RENEW_MS = 5_000;
/** How long a change waits for others to end. */
const CHANGE_WITHIN_MS = 20_000;
/** Rows that a write younger than this may not yet show in an eventually consistent read. */
const SETTLE_MS = 2_000;
/** Devices kept in memory, over all sites. 100,000 take about 60 MB. */
const KEEP_DEVICES = 400_000;

interface Meta {
  version: number;
  changedAt: number;
  pending: string | null;
  counts: number[] | null;
}

export function openDeviceStore(table: Table, now: () => Date): DeviceStore {
  /** Least recently used first. */
  const kept = new Map<SiteId, Snapshot>();
  const loading = new Map<string, Promise<Snapshot>>();
  const writing = new Map<SiteId, Promise<unknown>>();

  async function readMeta(site: SiteId): Promise<Meta> {
    const item = await table.get(rows.collection(site), { consistent: true });
    if (item === null) throw new ServiceError('site_forbidden', siteForbidden(site));
    return toMeta(item);
  }

  const metaAhead = readAhead(readMeta);

  async function snapshot(site: SiteId): Promise<Snapshot> {
    const meta = await metaAhead.take(site);
    const known = kept.get(site);
    const abandoned = isAbandoned(meta);
    if (known?.version === meta.version && !abandoned) {
      keep(known);
      return known;
    }
    return load(site, abandoned ? await closeAbandoned(site, meta) : meta);
  }

  /** One load at a time for each version, however many requests wait for it. */
  function load(site: SiteId, meta: Meta): Promise<Snapshot> {
    const name = `${site} ${meta.version}`;
    const underWay = loading.get(name);
    if (underWay) return underWay;
    const promise = (async () => {
      const devices: StoredDevice[] = [];
      const consistent = now().getTime() - meta.changedAt < SETTLE_MS;
      for await (const page of table.query(sitePartition(site), PREFIXES.device, { consistent })) {
        for (const item of page) devices.push(decodeDevice(item));
      }
      const snapshot = new Snapshot(site, meta.version, devices);
      keep(snapshot);
      return snapshot;
    })().finally(() => loading.delete(name));
    loading.set(name, promise);
    return promise;
  }

  function keep(snapshot: Snapshot): void {
    const known = kept.get(snapshot.site);
    if (known && known.version > snapshot.version) return;
    kept.delete(snapshot.site);
    kept.set(snapshot.site, snapshot);
    let devices = 0;
    for (const { size } of kept.values()) devices += size;
    for (const [site, { size }] of kept) {
      if (devices <= KEEP_DEVICES || site === snapshot.site) return;
      kept.delete(site);
      devices -= size;
    }
  }

  /** Changes of this process that failed; the database may have been away when they should have been closed. */
  const failed = new Set<string>();

  function isAbandoned({ pending, changedAt }: Meta): boolean {
    return pending !== null && (failed.has(pending) || now().getTime() - changedAt > LEASE_MS);
  }

  /** Moves the version on, so that nobody trusts a snapshot that was taken while the dead writer was still writing. */
  async function closeAbandoned(site: SiteId, meta: Meta): Promise<Meta> {
    const closed = await table.update(rows.collection(site), {
      set: { ver: meta.version + 1, verAt: now().getTime() },
      remove: ['pending', 'changedBy'],
      condition: '#ver = :seen AND #pending = :dead',
      values: { seen: meta.version, dead: meta.pending ?? '' },
    });
    return closed ? { ...meta, version: meta.version + 1, changedAt: now().getTime(), pending: null } : readMeta(site);
  }

  async function totals(site: SiteId): Promise<number[]> {
    const meta = await metaAhead.take(site);
    if (meta.counts !== null && !isAbandoned(meta)) return meta.counts;
    const current = await snapshot(site);
    return countDevices(current.devices);
  }

  /** Changes of one site in this process wait for each other here; those of other processes are met in `begin`. */
  async function change<C extends Change>(site: SiteId, plan: Plan<C>): Promise<C> {
    const before = writing.get(site) ?? Promise.resolve();
    const mine = before.catch(() => {}).then(() => changeAlone(site, plan));
    writing.set(site, mine);
    try {
      return await mine;
    } finally {
      if (writing.get(site) === mine) writing.delete(site);
    }
  }

  async function changeAlone<C extends Change>(site: SiteId, plan: Plan<C>): Promise<C> {
    const giveUpAt = now().getTime() + CHANGE_WITHIN_MS;
    for (let attempt = 0; ; attempt++) {
      const base = await snapshot(site);
      const planned = await plan(base);
      if (planned.put.length + planned.remove.length === 0) return planned;
      const id = uuid();
      if (await begin(site, base, id)) {
        await carryOut(site, base, planned, id);
        return planned;
      }
      if (now().getTime() > giveUpAt) {
        throw new ServiceError('conflict', `Another change of the devices of site "${site}" is under way; try again`, {
          retryAfter: 5,
        });
      }
      await backOff(attempt);
    }
  }

  /**
   * @returns false when another change came first or is under way. Made again after its answer was lost, it holds:
   *   the SDK sends a request again when the connection breaks, whether or not it was carried out.
   */
  function begin(site: SiteId, base: Snapshot, id: string): Promise<boolean> {
    return table.update(rows.collection(site), {
      set: { ver: base.version + 1, verAt: now().getTime(), pending: id, changedBy: id },
      condition: '(#ver = :seen AND attribute_not_exists(#pending)) OR #pending = :pending',
      values: { seen: base.version },
    });
  }

  async function carryOut(site: SiteId, base: Snapshot, { put, remove }: Change, id: string): Promise<void> {
    const writes: Write[] = [];
    for await (const slice of inSlices(put)) {
      for (const device of slice) writes.push({ put: encodeDevice(site, device, base.version + 1) });
    }
    for (const key of remove) writes.push({ remove: rows.device(site, key) });
    const after = await base.with(put, remove, base.version + 2);
    try {
      let renewedAt = now().getTime();
      await table.bulk(writes, async () => {
        if (now().getTime() - renewedAt < RENEW_MS) return;
        await stillMine(site, id, {});
        renewedAt = now().getTime();
      });
      await stillMine(site, id, {
        set: { ver: after.version, counts: JSON.stringify([after.version, ...countDevices(after.devices)]) },
        remove: ['pending'],
      });
    } catch (error) {
      await abandon(site, id);
      if (!(error instanceof ServiceError)) throw error;
      const message = 'The change was interrupted, and parts of it may have been made: make it again to complete it';
      throw new ServiceError(error.code, message, { cause: error, retryAfter: 5 });
    }
    keep(after);
  }

  /** Notes that the change is still under way, together with other attributes of the collection. */
  async function stillMine(site: SiteId, id: string, { set, remove = [] }: Pick<Update, 'set' | 'remove'>) {
    const mine = await table.update(rows.collection(site), {
      set: { verAt: now().getTime(), ...set },
      remove,
      // Or ended by us already, and only the answer was lost: whoever takes a change over takes our name away.
      condition: '#pending = :id OR (attribute_not_exists(#pending) AND #changedBy = :id)',
      values: { id },
    });
    if (!mine) throw new ServiceError('unavailable', 'The change took too long and was taken over by another one');
  }

  /** Ends a change that failed half-way, so that others need not wait for its lease to run out. */
  async function abandon(site: SiteId, id: string): Promise<void> {
    failed.add(id);
    await table
      .update(rows.collection(site), {
        set: { verAt: now().getTime() },
        add: { ver: 1 },
        remove: ['pending'],
        condition: '#pending = :id',
        values: { id },
      })
      .then(() => failed.delete(id))
      .catch(() => {}); // The database is gone. Then whoever comes next does it; other processes, after the lease.
  }

  async function create(site: SiteId, at: Date): Promise<boolean> {
    // Versions start at the time of creation: a site that is made anew never repeats a version that a client has cached.
    const ver = at.getTime();
    // An update and no put: whoever may add sites has no right to write over a whole item, which may be a device.
    return table.update(rows.collection(site), {
      set: { ver, verAt: ver, counts: JSON.stringify([ver, ...TOTALS_ORDER.map(() => 0)]) },
      condition: 'attribute_not_exists(pk)',
    });
  }

  return { readAhead: metaAhead.begin, snapshot, totals, change, create };
}

/** One sentence for both: whether a site exists is nobody's business who may not use it. */
export function siteForbidden(site: string): string {
  return `The site "${site}" does not exist, or the token may not use it`;
}

function toMeta(item: Item): Meta {
  const version = Number(item.ver);
  const counted: unknown = typeof item.counts === 'string' ? JSON.parse(item.counts) : null;
  const [countedVersion, ...counts] = Array.isArray(counted) ? counted.map(Number) : [];
  return {
    version,
    changedAt: Number(item.verAt),
    pending: typeof item.pending === 'string' ? item.pending : null,
    counts: countedVersion === version ? counts : null,
  };
}

/** Numbers of devices in the order of TOTALS_ORDER. */
export function countDevices(devices: readonly StoredDevice[]): number[] {
  const counted = (category: Category) =>
    devices.reduce((count, { record }: { record: DeviceRecord }) => count + Number(inCategory(category, record)), 0);
  return TOTALS_ORDER.map(counted);
}
