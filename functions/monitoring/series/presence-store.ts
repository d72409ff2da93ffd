/** When devices were online, as the journal of their collection has it: for 90 days. */
import type { SiteId } from '../../../shared/identity.ts';
import type { JournalEntry } from '../../devices/collection/change-row.ts';
import type { DeviceKey } from '../../devices/collection/device-codec.ts';
import type { DeviceStore } from '../../devices/collection/device-store.ts';
import { yieldToEventLoop } from '../../table/slices.ts';
import { PresenceWalk, type Span, type Turn } from './presence.ts';

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

interface PresenceStore {
  /** How a device was, in order; what is not known is so because nobody watched. A device that is not there has no turns. */
  read(site: SiteId, device: DeviceKey, span: Span): Promise<Turn[]>;
  /**
   * How all devices were, from the journal of the last day or week. It is read once, and kept with the collection in memory;
   * for a later version of the collection only the changes since are read.
   */
  recent(collection: Collection, back: keyof typeof RECENT): Promise<RecentPresence>;
}

/** The journal keeps its entries for a day longer. */
const JOURNAL_S = 89 * 86_400;
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

export function openPresenceStore(devices: DeviceStore, now: () => Date): PresenceStore {
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

  return {
    async read(site, device, { from, until }) {
      const since = Math.max(from, second() - JOURNAL_S);
      if (since >= until) return [];
      const { walked, snapshot, ...watched } = await walk(await devices.read(site), since);
      return walked.turnsOf(device, snapshot.get(device), watched, { from: watched.from, until });
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
  };
}
