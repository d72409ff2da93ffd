/**
 * A change of many devices, which is not atomic in DynamoDB. Its first update of the collection's row records its id as
 * `pending`, and its last one removes it. Both increase the version, so that what is read in between passes neither for
 * the collection before the change nor for the one after it.
 *
 * Before that, its entry is in the journal and says that nothing is changed: that takes the version. Only when the change
 * has begun does the entry say how many devices it changes, so that one that never begins is no event.
 *
 * `pending` is a lease: if a writer ends in between, then after LEASE_MS readers stop trusting their cached snapshots,
 * and the next writer may take over.
 */
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import type { Condition } from '../../table/condition.ts';
import { DISK_IS_FULL, isFullDisk } from '../../table/outage.ts';
import { rows } from '../../table/rows.ts';
import { sortedInSlices } from '../../table/slices.ts';
import type { Table, Update, Write } from '../../table/table.ts';
import type { Change, JournalEntry } from './change-row.ts';
import { type Collection, collectionAfter } from './collection-row.ts';
import { encodeDevice, encodeTombstone } from './device-codec.ts';
import type { Journal } from './journal.ts';
import { byKey, type Snapshot } from './snapshot.ts';

/** The lease of a bulk change: without a sign of progress for this time, it counts as abandoned. */
const LEASE_MS = 30_000;
const RENEW_MS = 5_000;

export interface BulkChanges {
  /**
   * Makes a change whose entry is in the journal already.
   * @returns the collection after it; null when it was taken for dead before it began, and nothing was changed
   * @throws {ServiceError} when the database fails; parts of the change may have been made
   */
  carryOut(base: Snapshot, change: Change, entry: JournalEntry): Promise<Snapshot | null>;
  /** Whether a change that was begun has come to no end, and its writer is gone. */
  isAbandoned(collection: Collection): boolean;
  /** Ends it: moves the version on, so that nobody trusts what was read while the writer was still writing. */
  closeAbandoned(site: SiteId, collection: Collection): Promise<boolean>;
  /** Passes over the version of a change that is in the journal, but was never begun, when its writer is gone. */
  skipAbandoned(site: SiteId, entry: JournalEntry): Promise<void>;
}

export function openBulkChanges(table: Table, journal: Pick<Journal, 'setCounts'>, now: () => Date): BulkChanges {
  /** Changes of this process that failed and could not be closed because the database was unreachable. */
  const failed = new Set<string>();

  const isDead = (id: string, heardAt: number) => failed.has(id) || now().getTime() - heardAt > LEASE_MS;

  /** Encoded as they are sent, so that the items of 100,000 devices are never in memory together. */
  function writesOf(base: Snapshot, { put, remove }: Change, { version }: JournalEntry) {
    const at = now();
    const removed = remove.map((key) => base.get(key)).filter((device) => device !== undefined);
    return {
      length: put.length + removed.length,
      *[Symbol.iterator](): Generator<Write> {
        for (const device of put) yield { put: encodeDevice(base.site, device, version) };
        for (const device of removed) yield { put: encodeTombstone(base.site, device, version, at) };
      },
    };
  }

  /**
   * @returns a function that renews the lease of the change when it is due, and throws when it is lost: a process that was
   *   stopped for a while must not write over what others have written since
   */
  function leaseOf(site: SiteId, id: string, begunAt: number): () => Promise<void> {
    let renewedAt = begunAt;
    let renewal: Promise<void> | null = null;
    return async () => {
      const at = now().getTime();
      if (at - renewedAt < RENEW_MS) return;
      renewal ??= renewLease(site, id, {}).finally(() => (renewal = null));
      await renewal;
      renewedAt = at;
    };
  }

  /** Renews the lease of the change, together with other attributes of the collection. */
  async function renewLease(site: SiteId, id: string, { set, remove = [] }: Pick<Update, 'set' | 'remove'>) {
    // The last update may have been carried out although its answer was lost. Then it holds, unless the version has moved
    // on since: a take-over replaces `changedBy`, and small changes leave it.
    const isRepeated: Condition[] =
      set?.ver === undefined ? [] : [{ equals: { pending: null, changedBy: id, ver: Number(set.ver) } }];
    const mine = await table.update(
      rows.collection(site),
      { set: { verAt: now().getTime(), ...set }, remove },
      { any: [{ equals: { pending: id } }, ...isRepeated] },
    );
    if (!mine) throw takenOver();
  }

  /** Ends a change that failed half-way, so that others need not wait until its lease expires. */
  async function abandon(site: SiteId, id: string): Promise<void> {
    failed.add(id);
    await table
      .update(
        rows.collection(site),
        { set: { verAt: now().getTime() }, add: { ver: 1 }, remove: ['pending'] },
        { equals: { pending: id } },
      )
      .then((closed) => closed && failed.delete(id))
      .catch(() => {}); // The next change closes it; other processes do so when the lease has expired.
  }

  return {
    async carryOut(base, change, entry) {
      const { site } = base;
      const { version, id } = entry;
      try {
        const begunAt = now().getTime();
        const begun = await table.update(
          rows.collection(site),
          { set: { ver: version, verAt: begunAt, pending: id, changedBy: id } },
          { any: [{ equals: { ver: base.version, pending: null } }, { equals: { pending: id } }] },
        );
        if (!begun) return null;
        const after = await base.with(change.put, change.remove, version + 1);
        // LMDB keeps neighbouring keys on one page: in another order than that of the keys, each commit would write
        // several times as many pages. Devices that are deleted come in that order, because the snapshot has it.
        const put = await sortedInSlices(change.put, byKey);
        const writes = writesOf(base, { ...change, put }, entry);
        const keepLease = leaseOf(site, id, begunAt);
        await keepLease();
        if (!(await journal.setCounts(site, entry))) throw takenOver();
        await table.bulk(writes, keepLease);
        await renewLease(site, id, { set: collectionAfter(after, now()), remove: ['pending'] });
        return after;
      } catch (error) {
        await abandon(site, id);
        if (!(error instanceof ServiceError)) throw error;
        const why = isFullDisk(error) ? `${DISK_IS_FULL}. ` : '';
        const message = `${why}The change was interrupted and may be incomplete; repeat the request to complete it`;
        throw new ServiceError(error.code, message, { cause: error, retryAfter: 5 });
      }
    },

    isAbandoned: ({ pending, changedAt }) => pending !== null && isDead(pending, changedAt),

    async closeAbandoned(site, { version, pending }) {
      return table.update(
        rows.collection(site),
        { set: { ver: version + 1, verAt: now().getTime() }, remove: ['pending', 'changedBy'] },
        { equals: { ver: version, pending: pending ?? '' } },
      );
    },

    async skipAbandoned(site, { version, id, at }) {
      if (!isDead(id, at.getTime())) return;
      await table.update(
        rows.collection(site),
        { set: { ver: version + 1, verAt: now().getTime() } },
        { equals: { ver: version - 1, pending: null } },
      );
    },
  };
}

function takenOver(): ServiceError {
  return new ServiceError('unavailable', 'The change took too long and was taken over by another one');
}
