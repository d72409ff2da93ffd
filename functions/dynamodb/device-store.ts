/**
 * The collections of devices, one for each site.
 *
 * Optimistic concurrency: a collection has a version. Every change is computed from a snapshot of one version, and
 * begins with an update that increases the version on the condition that it is unchanged. Two changes never mix, and a
 * snapshot with the current version is up to date. So a warm function keeps snapshots in memory and reads one small
 * item to know whether it may answer from them.
 *
 * A change of many devices is not atomic in DynamoDB. Its first update records its id as `pending`, and its last one
 * removes it. `pending` is a lease: if a writer ends in between, then after LEASE_MS readers stop trusting their cached
 * snapshots, and the next writer may take over.
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

/** A change of a collection: devices to be written, and keys of devices to be deleted. No key occurs twice. */
export interface Change {
  put: StoredDevice[];
  remove: DeviceKey[];
}

type Plan<C extends Change> = (snapshot: Snapshot) => C | Promise<C>;

export interface DeviceStore {
  /**
   * Starts to read the version of the collection, for a later call of `snapshot` or `totals` in the same request. If
   * there is none, one read unit is wasted.
   */
  readAhead(site: SiteId): void;
  /**
   * The current collection, with every write that was acknowledged before the call.
   * @throws {ServiceError} `site_forbidden` when the site does not exist
   */
  snapshot(site: SiteId): Promise<Snapshot>;
  /** Numbers of devices in the order of TOTALS_ORDER, as they are now. Throws as `snapshot` does. */
  totals(site: SiteId): Promise<number[]>;
  /**
   * Changes the collection. `plan` may take long, if it gives other requests their turn. It is called again, with a
   * newer snapshot, when another change came first, and so must not have side effects. When the promise is fulfilled,
   * the change is durable.
   * @throws {ServiceError} `conflict` when other changes of the site do not end in time; then nothing was changed.
   *   `unavailable` when the database fails; then a change of many devices may be incomplete, and repeating it
   *   completes it.
   */
  change<C extends Change>(site: SiteId, plan: Plan<C>): Promise<C>;
  /** Creates the empty collection of a new site. @returns false when the site has one already */
  create(site: SiteId, now: Date): Promise<boolean>;
}

/** The lease of a bulk change: without a sign of progress for this time, it counts as abandoned. */
const LEASE_MS = 30_000;
const RENEW_MS = 5_000;
/** How long a change waits for others to end. */
const CHANGE_WITHIN_MS = 20_000;
/** An eventually consistent read may not show writes that are younger than this. */
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

  /** Loads each version once, however many requests wait for it. */
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

  /** Changes of this process that failed and could not be closed because the database was unreachable. */
  const failed = new Set<string>();

  function isAbandoned({ pending, changedAt }: Meta): boolean {
    return pending !== null && (failed.has(pending) || now().getTime() - changedAt > LEASE_MS);
  }

  /** Increases the version, so that no snapshot counts that was taken while the abandoned change was still writing. */
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

  /** Serializes the changes of one site in this process; those of other processes are excluded in `begin`. */
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

  /**
   * @returns false when another change came first or is in progress. Idempotent, because the SDK repeats a request when
   *   the connection breaks, whether or not it was carried out.
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
        await renewLease(site, id, {});
        renewedAt = now().getTime();
      });
      await renewLease(site, id, {
        set: { ver: after.version, counts: JSON.stringify([after.version, ...countDevices(after.devices)]) },
        remove: ['pending'],
      });
    } catch (error) {
      await abandon(site, id);
      if (!(error instanceof ServiceError)) throw error;
      const message = 'The change was interrupted and may be incomplete; repeat the request to complete it';
      throw new ServiceError(error.code, message, { cause: error, retryAfter: 5 });
    }
    keep(after);
  }

  /** Renews the lease of the change, together with other attributes of the collection. */
  async function renewLease(site: SiteId, id: string, { set, remove = [] }: Pick<Update, 'set' | 'remove'>) {
    const mine = await table.update(rows.collection(site), {
      set: { verAt: now().getTime(), ...set },
      remove,
      // Also when this change has already ended it and only the answer was lost: a take-over replaces `changedBy`.
      condition: '#pending = :id OR (attribute_not_exists(#pending) AND #changedBy = :id)',
      values: { id },
    });
    if (!mine) throw new ServiceError('unavailable', 'The change took too long and was taken over by another one');
  }

  /** Ends a change that failed half-way, so that others need not wait until its lease expires. */
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
      .catch(() => {}); // The next change closes it; other processes do so when the lease has expired.
  }

  async function create(site: SiteId, at: Date): Promise<boolean> {
    // Versions start at the time of creation, so that a site that is created anew repeats none that a client has
    // cached.
    const ver = at.getTime();
    // An update instead of a put, because the role that adds sites must not be able to overwrite a whole item.
    return table.update(rows.collection(site), {
      set: { ver, verAt: ver, counts: JSON.stringify([ver, ...TOTALS_ORDER.map(() => 0)]) },
      condition: 'attribute_not_exists(pk)',
    });
  }

  return { readAhead: metaAhead.begin, snapshot, totals, change, create };
}

/** The same message whether or not the site exists, because a token without access must not learn that. */
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
