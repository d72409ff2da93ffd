/** When devices were online, from the journal of their collection: up to 90 days. */
import type { SiteId } from '../../../shared/identity.ts';
import { secondOf } from '../../../shared/time.ts';
import type { JournalEntry } from '../../devices/collection/change-row.ts';
import type { DeviceKey } from '../../devices/collection/device-codec.ts';
import type { DeviceStore } from '../../devices/collection/device-store.ts';
import { yieldToEventLoop } from '../../table/slices.ts';
import { PresenceWalk, type Span, type StateChange } from './presence.ts';

type Collection = Awaited<ReturnType<DeviceStore['read']>>;

export interface RecentPresence {
  /** Since when it is known (Unix, s). */
  from: number;
  /** Devices that exist, and those that did. */
  keys: readonly DeviceKey[];
  /** The states of a device, in order; unknown while no agent watched it. */
  statesOf(device: DeviceKey, span: Span): StateChange[];
  /** When an alert was wanted for a device, in order. */
  alertsOf(device: DeviceKey, from: number): StateChange[];
}

/** How far back the journal is read for all devices at once. */
export const RECENT = { day: 86_400, week: 7 * 86_400, month: 30 * 86_400 } as const;

/** A day less than the journal's retention. */
const JOURNAL_S = 89 * 86_400;
/** Journal entries that are read at most, which takes some seconds. Presence before them is unknown. */
const MAX_ENTRIES = 100_000;
/** The same for a response about all devices. */
const MAX_RECENT_ENTRIES = 20_000;
const JOURNAL_PAGE = 500;

/** What the journal has up to a version, and since when (Unix, s). */
interface Walked {
  walked: PresenceWalk;
  from: number;
  version: number;
}

export function openPresenceStore(devices: DeviceStore, now: () => Date) {
  const second = () => secondOf(now());

  /** Walks back to a time. @returns the walk, and since when it is complete */
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

  /** The walk up to this version. Read again when most of the known one is from before the time wanted. */
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

  /** The same for several devices, for which the journal is read once. */
  async function readMany(site: SiteId, some: readonly DeviceKey[], { from, until }: Span) {
    const since = Math.max(from, second() - JOURNAL_S);
    if (since >= until) return new Map<DeviceKey, StateChange[]>();
    const { walked, snapshot, ...watched } = await walk(await devices.read(site), since);
    const span = { from: watched.from, until };
    return new Map(some.map((key) => [key, walked.statesOf(key, snapshot.get(key), watched, span)]));
  }

  return {
    /** The states of a device, in order; unknown while no agent watched it. Empty for a device that does not exist. */
    async read(site: SiteId, device: DeviceKey, span: Span): Promise<StateChange[]> {
      return (await readMany(site, [device], span)).get(device) ?? [];
    },

    readMany,

    /** From the journal of the last day, week or month. Cached with the collection; for a later version only newer changes are read. */
    async recent(collection: Collection, back: keyof typeof RECENT): Promise<RecentPresence> {
      const { snapshot, watch, staleSince } = collection;
      const { walked, from } = await snapshot.deriveFromLast<Walked>(`presence of a ${back}`, (_, last) =>
        walkedTo(collection, last, RECENT[back]),
      );
      const gone = [...walked.keys()].filter((key) => snapshot.get(key) === undefined);
      return {
        from,
        keys: [...snapshot.devices.map(({ key }) => key), ...gone],
        statesOf: (key, span) =>
          walked.statesOf(key, snapshot.get(key), { watch, staleSince }, { ...span, from: Math.max(span.from, from) }),
        alertsOf: (key, since) => walked.alertsOf(key, snapshot.get(key), Math.max(since, from)),
      };
    },
  };
}
