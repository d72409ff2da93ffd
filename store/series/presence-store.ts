/**
 * When devices were online. The journal says so, but reading it takes the longer the more happens on a site, and it ends after
 * 90 days: so each day that is over is kept as a row.
 */
import type { SiteId } from '../../shared/identity.ts';
import type { DeviceKey } from '../devices/device-codec.ts';
import type { DeviceStore } from '../devices/device-store.ts';
import { inSlices } from '../devices/slices.ts';
import { rows, seriesPartition } from '../rows.ts';
import type { Table } from '../table.ts';
import { startOf } from './bucket.ts';
import { PresenceWalk, type Span, type Turn } from './presence.ts';
import { decodeDevice, encodeDay } from './presence-row.ts';

export interface PresenceStore {
  /** How a device was, in order; what is not known is so because nobody watched. A device that is not there has no turns. */
  read(site: SiteId, device: DeviceKey, span: Span): Promise<Turn[]>;
  /** Keeps the days that are over and that are not kept yet, as far back as the journal says. */
  keepDays(site: SiteId): Promise<void>;
}

const PREFIX = 'online#';
const DAY = 86_400;
/** Some hours, in which agents that were cut off tell what they saw. */
const LATE = 2 * 3_600;
const KEEP = 1_130 * DAY;
const MAX_ROW_BYTES = 300_000;
/** Days that the journal surely has. */
const JOURNAL_DAYS = 89;
/** Days that are taken from the journal when they are not kept yet, because nobody has kept them. */
const UNKEPT_DAYS = 4;
/** Entries of the journal that are read at most: some seconds. What is before them is not known. */
const MAX_ENTRIES = 100_000;
const JOURNAL_PAGE = 500;

export function openPresenceStore(table: Table, devices: DeviceStore, now: () => Date): PresenceStore {
  const second = () => Math.floor(now().getTime() / 1000);

  /** Walks back to a time. @returns what was found, and from when on it is complete */
  async function walk(site: SiteId, from: number) {
    const collection = await devices.read(site);
    const walked = new PresenceWalk();
    let entries = 0;
    for await (const { found } of devices.changesBefore(collection.snapshot, null, JOURNAL_PAGE)) {
      for (const entry of found) {
        const at = Math.ceil(entry.at.getTime() / 1000);
        if (at < from) return { ...collection, walked, from };
        if (++entries > MAX_ENTRIES) return { ...collection, walked, from: at };
        walked.take(entry);
      }
    }
    return { ...collection, walked, from };
  }

  /** The newest day that is kept; null when none is. */
  async function newestDay(site: SiteId): Promise<number | null> {
    for await (const page of table.query(seriesPartition(site), PREFIX, { descending: true, limit: 1 })) {
      // The first part of a day is written last.
      for (const { sk } of page) if (sk.endsWith(partOf(0))) return dayOf(sk);
    }
    return null;
  }

  return {
    async read(site, device, { from, until }) {
      const turns: Turn[] = [];
      const first = startOf(from, DAY);
      let kept = Math.max(from, startOf(second() - UNKEPT_DAYS * DAY, DAY));
      const options = { startAfter: keyOf(site, first - DAY, 99).sk, limit: Math.ceil((until - first) / DAY) + 1 };
      pages: for await (const page of table.query(seriesPartition(site), PREFIX, options)) {
        for (const { sk, d } of page) {
          const day = dayOf(sk);
          if (day >= until) break pages;
          kept = Math.max(kept, day + DAY);
          const known = readable(() => decodeDevice(d as Uint8Array, device, day));
          if (known !== null) turns.push(...known, { at: day + DAY, is: null });
        }
      }
      if (kept < until) {
        const { walked, snapshot, ...watched } = await walk(site, kept);
        const span = { from: watched.from, until };
        turns.push(...walked.turnsOf(device, snapshot.get(device), watched, span));
      }
      return turns;
    },

    async keepDays(site) {
      const today = startOf(second() - LATE, DAY);
      const newest = await newestDay(site);
      const first = Math.max(newest === null ? 0 : newest + DAY, today - JOURNAL_DAYS * DAY);
      if (first >= today) return;
      const { walked, snapshot, ...watched } = await walk(site, first);
      const keys = [...new Set([...snapshot.devices.map(({ key }) => key), ...walked.keys()])].sort();
      for (let day = Math.ceil(watched.from / DAY) * DAY; day < today; day += DAY) {
        const found = new Map<DeviceKey, Turn[]>();
        for await (const slice of inSlices(keys)) {
          for (const key of slice) {
            const turns = walked.turnsOf(key, snapshot.get(key), watched, { from: day, until: day + DAY });
            if (turns.some(({ is }) => is !== null)) found.set(key, turns);
          }
        }
        // The last day says how far it has come, also when there is nothing to say.
        if (found.size === 0 && day < today - DAY) continue;
        const parts = [...encodeDay(found, day, MAX_ROW_BYTES).entries()];
        for (const [i, d] of parts.reverse()) await table.put({ ...keyOf(site, day, i), d, ttl: day + KEEP });
      }
    },
  };
}

/** @param part of the rows of a day, counted from 0 */
function keyOf(site: SiteId, day: number, part: number) {
  return rows.series(site, `${PREFIX}${String(Math.max(0, day)).padStart(10, '0')}${partOf(part)}`);
}

const partOf = (part: number) => `#${String(part).padStart(2, '0')}`;

function dayOf(sk: string): number {
  return Number(sk.slice(PREFIX.length).split('#')[0]);
}

/** A row that cannot be read hides no other: nothing is known of its day. */
function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
