/**
 * The events of many sites as one list, the newest first, of which no more is read than is shown. Each site is a source of
 * its own: its events are read page by page, and a time is known that none of its unread older ones is later than. An
 * event is shown when no unread one of another site can be later.
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
  /** In which round of looking for new events it was found; 0: it was among those that were read to fill the list. */
  round: number;
}

/** A site, and when it was changed last (Unix, ms); Infinity when that is not known, so that it has to be asked. */
export interface Head {
  site: string;
  changedAt: number;
}

export interface Source extends Head {
  /** The `changedAt` for which the newest events were read; -Infinity before the first time. */
  readFor: number;
  /** What has been read: the newest first, without a gap. */
  entries: readonly SiteEvent[];
  /** Where older ones go on; null: there are none. */
  older: { cursor: string | undefined } | null;
  /** No unread older event is later (Unix, ms). */
  bound: number;
  unreadable: readonly Unreadable[];
  /** Why the site cannot be asked, while others can. */
  problem: string | null;
}

/** Times of events are whole seconds, those of changes are not. */
const SECOND_MS = 1_000;

export function newSource({ site, changedAt }: Head, bound = changedAt + SECOND_MS): Source {
  return {
    ...{ site, changedAt, bound, readFor: -Infinity },
    ...{ entries: [], older: { cursor: undefined }, unreadable: [], problem: null },
  };
}

/** With the page that follows on what has been read. */
export function withOlder(source: Source, page: EventPage): Source {
  const entries = [...source.entries, ...entriesOf(source.site, page, 0)];
  const isFirst = source.readFor === -Infinity;
  return {
    ...source,
    ...after(entries, page.nextCursor, source.bound),
    readFor: isFirst ? source.changedAt : source.readFor,
    unreadable: together(source.unreadable, page.unreadable),
    problem: null,
  };
}

/**
 * With what is new: a page from the newest event on that reaches back to what has been read. One that does not takes the
 * place of what has been read, which {@link withOlder} reads once more.
 */
export function withNewest(source: Source, page: EventPage, round: number): Source {
  const [newest] = source.entries;
  const fresh = page.events.filter(({ id }) => newest === undefined || isLater(id, newest.event.id));
  const entries = entriesOf(source.site, { ...page, events: fresh }, round);
  const read = { readFor: source.changedAt, unreadable: together(source.unreadable, page.unreadable), problem: null };
  if (reaches(source, page)) return { ...source, ...read, entries: [...entries, ...source.entries] };
  return { ...source, ...read, ...after(entries, page.nextCursor, source.changedAt + SECOND_MS) };
}

/** Whether a page from the newest event on leaves no gap to what has been read. */
export function reaches({ entries, older }: Source, page: EventPage): boolean {
  const [newest] = entries;
  const last = page.events.at(-1);
  if (newest === undefined) return page.nextCursor === null && older === null;
  if (page.nextCursor === null) return true;
  return last !== undefined && !isLater(last.id, newest.event.id);
}

/** Whether the first event came after the second one, of the same site. */
export function isLater(id: string, other: string): boolean {
  const [version = 0, index = 0] = id.split('.').map(Number);
  const [otherVersion = 0, otherIndex = 0] = other.split('.').map(Number);
  return version === otherVersion ? index > otherIndex : version > otherVersion;
}

export interface Merged {
  /** In order, and without a gap. */
  ready: readonly SiteEvent[];
  /** Whether there may be older ones that have not been read. */
  hasMore: boolean;
}

export function merge(sources: readonly Source[]): Merged {
  const bound = Math.max(-Infinity, ...sources.filter(isOpen).map((source) => source.bound));
  const all = sources.flatMap(({ entries }) => entries);
  // Stable: events of the same second stay in the order of their site.
  const ordered = all.sort((a, b) => timeOf(b) - timeOf(a));
  return { ready: ordered.filter((entry) => timeOf(entry) >= bound), hasMore: bound > -Infinity };
}

/**
 * The sites to ask next so that so many events can be shown: those whose unread ones may be the latest. None when they can
 * be shown already, or when all has been read.
 */
export function toRead(sources: readonly Source[], wanted: number, most: number): Source[] {
  const { ready, hasMore } = merge(sources);
  if (!hasMore || ready.length >= wanted) return [];
  return sources
    .filter(isOpen)
    .sort((a, b) => b.bound - a.bound)
    .slice(0, most);
}

/** The sites that have changed since they were asked, those that changed last first; not those whose change is further
 * down than what is shown. */
export function due(sources: readonly Source[], oldestShown: number): Source[] {
  return sources
    .filter(({ changedAt, readFor }) => (changedAt > readFor || changedAt === Infinity) && changedAt >= oldestShown)
    .sort((a, b) => b.changedAt - a.changedAt);
}

/** With the sites as they are now: new ones are added, removed ones are gone. */
export function withHeads(sources: readonly Source[], heads: readonly Head[], oldestShown: number): Source[] {
  const known = new Map(sources.map((source) => [source.site, source]));
  return heads.map((head) => {
    const source = known.get(head.site);
    // What is shown stays in order, also when a site that has not been asked yet changes: `due` names it.
    if (source !== undefined) return { ...source, changedAt: head.changedAt };
    return sources.length === 0 ? newSource(head) : newSource(head, Math.min(head.changedAt + SECOND_MS, oldestShown));
  });
}

/** When the service learned of it: in this order each site lists its events, however late an agent told of some. */
export function timeOf({ event }: SiteEvent): number {
  return Date.parse(event.recordedAt);
}

function isOpen({ older, problem }: Source): boolean {
  return older !== null && problem === null;
}

function entriesOf(site: string, { events }: EventPage, round: number): SiteEvent[] {
  return events.map((event) => ({ site, event, round }));
}

function after(entries: readonly SiteEvent[], cursor: string | null, bound: number) {
  const last = entries.at(-1);
  return {
    entries,
    older: cursor === null ? null : { cursor },
    bound: last === undefined ? bound : Math.min(bound, timeOf(last)),
  };
}

function together(known: readonly Unreadable[], found: readonly Unreadable[]): readonly Unreadable[] {
  const ids = new Set(known.map(({ id }) => id));
  const others = found.filter(({ id }) => !ids.has(id));
  return others.length === 0 ? known : [...known, ...others];
}
