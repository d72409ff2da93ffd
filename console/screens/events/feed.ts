/**
 * The events of many sites as one list, the newest first, of which no more is read than is shown. Of each site a time is
 * known that none of its unread events is later than: when it was changed last, and then that of the last event that was
 * read. An event is shown when no unread one of another site can be later.
 */
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { Unreadable } from '../../../shared/api/operation.ts';

export interface EventPage {
  /** The newest first. */
  events: readonly DeviceEvent[];
  unreadable: readonly Unreadable[];
  nextCursor: string | null;
}

export interface SiteEvent {
  site: string;
  event: DeviceEvent;
}

/** A site, and when it was changed last (Unix, ms); Infinity when that is not known, -Infinity when never. */
export interface Head {
  site: string;
  changedAt: number;
}

export interface Feed {
  events: readonly SiteEvent[];
  hasMore: boolean;
  sites: { asked: number; all: number };
  unreadable: readonly { site: string; id: string; problem: string }[];
  /** Why sites cannot be asked, while others can. */
  problems: readonly { site: string; problem: string }[];
}

export interface FeedReader {
  page(head: Head, cursor: string | undefined): Promise<EventPage>;
  /** What to say of a failure that concerns one site alone; null for one that ends the reading. */
  problemOfSite(error: unknown): string | null;
}

/** By how many events the list grows. */
export const STEP = 100;
/** Pages for each step. With filters that few events fit, a step may be shorter for that. */
export const MAX_PAGES = 24;
const AT_ONCE = 6;
/** Times of events are whole seconds, those of changes are not. */
const SECOND_MS = 1_000;

interface Source extends Head {
  /** What has been read: the newest first, without a gap. */
  entries: SiteEvent[];
  /** Where older ones go on; null: there are none. */
  older: { cursor: string | undefined } | null;
  /** No unread event is later (Unix, ms). */
  bound: number;
  unreadable: Unreadable[];
  problem: string | null;
}

/** Reads from the newest event on, every time: what was read before, the reader knows. */
export async function readFeed(heads: readonly Head[], steps: number, reader: FeedReader, step = STEP): Promise<Feed> {
  const sources = heads.map(sourceOf);
  const wanted = steps * step;
  for (let left = steps * MAX_PAGES; ; ) {
    const open = sources.filter(({ older }) => older !== null).sort((a, b) => b.bound - a.bound);
    const bound = open[0]?.bound ?? -Infinity;
    const ready = sources
      .flatMap(({ entries }) => entries)
      .filter((entry) => timeOf(entry) >= bound)
      .sort((a, b) => timeOf(b) - timeOf(a)); // Stable: events of the same second stay in the order of their site.
    const next = ready.length >= wanted ? [] : open.slice(0, Math.min(AT_ONCE, left));
    if (next.length === 0) {
      return {
        events: ready.slice(0, wanted),
        hasMore: open.length > 0 || ready.length > wanted,
        sites: { asked: sources.filter(isAsked).length, all: sources.length },
        unreadable: sources.flatMap(({ site, unreadable }) => unreadable.map((one) => ({ site, ...one }))),
        problems: sources.flatMap(({ site, problem }) => (problem === null ? [] : [{ site, problem }])),
      };
    }
    left -= next.length;
    await Promise.all(next.map((source) => readOlder(source, reader)));
  }
}

function sourceOf({ site, changedAt }: Head): Source {
  return {
    site,
    changedAt,
    entries: [],
    older: changedAt === -Infinity ? null : { cursor: undefined },
    bound: changedAt + SECOND_MS,
    unreadable: [],
    problem: null,
  };
}

async function readOlder(source: Source, reader: FeedReader): Promise<void> {
  try {
    const { events, unreadable, nextCursor } = await reader.page(source, source.older?.cursor);
    source.entries.push(...events.map((event) => ({ site: source.site, event })));
    source.unreadable.push(...unreadable);
    source.older = nextCursor === null ? null : { cursor: nextCursor };
    const last = source.entries.at(-1);
    if (last !== undefined) source.bound = Math.min(source.bound, timeOf(last));
  } catch (error) {
    source.problem = reader.problemOfSite(error);
    source.older = null;
    if (source.problem === null) throw error;
  }
}

function isAsked({ older }: Source): boolean {
  return older === null || older.cursor !== undefined;
}

/** When the service learned of it: in this order each site lists its events, however late an agent told of some. */
export function timeOf({ event }: SiteEvent): number {
  return Date.parse(event.recordedAt);
}

/** Names an event among those of all sites. */
export function idOf({ site, event }: SiteEvent): string {
  return `${site} ${event.id}`;
}
