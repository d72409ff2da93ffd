/**
 * When devices were online. The journal says so, but reading it takes the longer the more happens on a site, and it ends after
 * 90 days: so each day that is over is kept as a row.
 */
import type { SiteId } from '../../shared/identity.ts';
import type { JournalEntry } from '../devices/change-row.ts';
import type { DeviceKey } from '../devices/device-codec.ts';
import type { DeviceStore } from '../devices/device-store.ts';
import { inSlices, yieldToEventLoop } from '../devices/slices.ts';
import { rows, seriesPartition } from '../rows.ts';
import type { Table } from '../table.ts';
import { startOf } from './bucket.ts';
import { PresenceWalk, type Span, type Turn } from './presence.ts';
import { decodeDevice, encodeDay } from './presence-row.ts';

/** The collection as `DeviceStore.read` gives it. */
type Collection = Awaited<ReturnType<DeviceStore['read']>>;

/** How all devices of a site were lately. */
export interface RecentPresence {
  /** Since when that is known (Unix, s). */
  from: number;
  /** Devices that are there, and those that were. */
  keys: readonly DeviceKey[];
  /** How a device was, in order. What is not known is so because nobody watched. */
  turnsOf(device: DeviceKey, span: Span): Turn[];
}

/** How far back the journal is read for all devices at once. */
export const RECENT = { day: 86_400, week: 7 * 86_400 } as const;

export interface PresenceStore {
  /** How a device was, in order; what is not known is so because nobody watched. A device that is not there has no turns. */
  read(site: SiteId, device: DeviceKey, span: Span): Promise<Turn[]>;
  /**
   * How all devices were, from the journal of the last day or week. It is read once, and kept with the collection in memory;
   * for a later version of the collection only the changes since are read.
   */
  recent(collection: Collection, back: keyof typeof RECENT): Promise<RecentPresence>;
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
/** The same for an answer about all devices. */
const MAX_RECENT_ENTRIES = 20_000;
const JOURNAL_PAGE = 500;

/** What the journal says up to a version, and since when (Unix, s). */
interface Walked {
  walked: PresenceWalk;
  from: number;
  version: number;
}

export function openPresenceStore(table: Table, devices: DeviceStore, now: () => Date): PresenceStore {
  const second = () => Math.floor(now().getTime() / 1000);

  /** Walks back to a time. @returns what was found, and from when on it is complete */
  async function walk(collection: Collection, from: number, most = MAX_ENTRIES) {
    const walked = new PresenceWalk();
    let entries = 0;
    for await (const { found } of devices.changesBefore(collection.snapshot, null, JOURNAL_PAGE)) {
      for (const entry of found) {
        const at = Math.ceil(entry.at.getTime() / 1000);
        if (at < from) return { ...collection, walked, from };
        if (++entries > most) return { ...collection, walked, from: at };
        walked.take(entry);
      }
      await yieldToEventLoop();
    }
    return { ...collection, walked, from };
  }

  /** What is known at this version of the collection. Begun anew when most of what is known is from before that time. */
  async function walkedTo(collection: Collection, last: Walked | undefined, seconds: number): Promise<Walked> {
    const { site, version } = collection.snapshot;
    const since = second() - seconds;
    if (last === undefined || last.from < since - seconds || version - last.version > MAX_RECENT_ENTRIES) {
      const { walked, from } = await walk(collection, since, MAX_RECENT_ENTRIES);
      return { walked, from, version };
    }
    const entries: JournalEntry[] = [];
    for await (const entry of devices.changesBetween(site, last.version, version)) entries.push(entry);
    return { ...last, walked: last.walked.followedBy(entries), version };
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
        const { walked, snapshot, ...watched } = await walk(await devices.read(site), kept);
        const span = { from: watched.from, until };
        turns.push(...walked.turnsOf(device, snapshot.get(device), watched, span));
      }
      return turns;
    },

    async recent(collection, back) {
      const { snapshot, watch, staleSince } = collection;
      const { walked, from } = await snapshot.deriveFromLast<Walked>(`presence of a ${back}`, (_, last) =>
        walkedTo(collection, last, RECENT[back]),
      );
      const gone = [...walked.keys()].filter((key) => snapshot.get(key) === undefined);
      return {
        from,
        keys: [...snapshot.devices.map(({ key }) => key), ...gone],
        turnsOf: (key, span) =>
          walked.turnsOf(key, snapshot.get(key), { watch, staleSince }, { ...span, from: Math.max(span.from, from) }),
      };
    },

    async keepDays(site) {
      const today = startOf(second() - LATE, DAY);
      const newest = await newestDay(site);
      const first = Math.max(newest === null ? 0 : newest + DAY, today - JOURNAL_DAYS * DAY);
      if (first >= today) return;
      const { walked, snapshot, ...watched } = await walk(await devices.read(site), first);
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
