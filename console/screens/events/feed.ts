/**
 * The events of many sites as one list, the newest first; reads only what is shown. Each site has a bound that no unread
 * event exceeds: its last change, then the time of the last event read. An event is shown once no unread one of another
 * site can be later.
 */
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { Unreadable } from '../../../shared/api/operation.ts';
import type { AnswerOf } from '../../api/client.ts';

export type EventPage = Pick<AnswerOf<'GET /events'>, 'events' | 'unreadable' | 'nextCursor'>;

export interface SiteEvent {
  site: string;
  event: DeviceEvent;
}

/** `changedAt`: Unix, ms; Infinity: unknown; -Infinity: never. */
export interface Head {
  site: string;
  changedAt: number;
}

export interface Feed {
  events: readonly SiteEvent[];
  hasMore: boolean;
  sites: { read: number; all: number };
  unreadable: readonly { site: string; id: string; problem: string }[];
  /** Of sites that cannot be read while others can. */
  problems: readonly { site: string; problem: string }[];
}

export interface FeedReader {
  page(head: Head, cursor: string | undefined): Promise<EventPage>;
  /** The message for a failure of one site alone; null: it ends the reading. */
  problemOfSite(error: unknown): string | null;
}

export const STEP = 100;
/** Pages per step. With filters that few events match, a step may be shorter. */
export const MAX_PAGES = 24;
const AT_ONCE = 6;
/** Events have whole seconds, changes do not. */
const SECOND_MS = 1_000;

interface Source extends Head {
  /** The newest first, without a gap. */
  entries: SiteEvent[];
  /** Null: no older ones. */
  older: { cursor: string | undefined } | null;
  /** No unread event is later (Unix, ms). */
  bound: number;
  unreadable: Unreadable[];
  problem: string | null;
}

/** Starts at the newest event every time; the reader caches pages. */
export async function readFeed(heads: readonly Head[], steps: number, reader: FeedReader, step = STEP): Promise<Feed> {
  const sources = heads.map(({ site, changedAt }): Source => {
    const older = changedAt === -Infinity ? null : { cursor: undefined };
    return { site, changedAt, entries: [], older, bound: changedAt + SECOND_MS, unreadable: [], problem: null };
  });
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
        sites: { read: sources.filter(isRead).length, all: sources.length },
        unreadable: sources.flatMap(({ site, unreadable }) => unreadable.map((one) => ({ site, ...one }))),
        problems: sources.flatMap(({ site, problem }) => (problem === null ? [] : [{ site, problem }])),
      };
    }
    left -= next.length;
    await Promise.all(next.map((source) => readOlder(source, reader)));
  }
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

const isRead = ({ older }: Source): boolean => older === null || older.cursor !== undefined;

/** When the service recorded it: each site lists its events in this order, however late the agent reported. */
export const timeOf = ({ event }: SiteEvent): number => Date.parse(event.recordedAt);

export const idOf = ({ site, event }: SiteEvent): string => `${site} ${event.id}`;
