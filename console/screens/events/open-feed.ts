/** A feed of events that grows at its end when somebody wants more, and at its top when something happens. */
import {
  due,
  type EventPage,
  type Head,
  merge,
  reaches,
  type SiteEvent,
  type Source,
  timeOf,
  toRead,
  withHeads,
  withNewest,
  withOlder,
} from './feed.ts';

/** What a feed asks for. */
export interface Asking {
  /** The sites, and when each was changed last. */
  heads(signal: AbortSignal): Promise<Head[]>;
  page(site: string, query: { limit: number; cursor: string | undefined }, signal: AbortSignal): Promise<EventPage>;
  /** What to say of a failure that concerns one site alone; null for one that ends the round. */
  problemOfSite(error: unknown): string | null;
}

export interface FeedState {
  /** False until the first round is over. */
  isRead: boolean;
  /** What is shown: the newest first. */
  events: readonly SiteEvent[];
  /** New events that are not shown before `release`. */
  held: number;
  hasMore: boolean;
  sites: { asked: number; all: number };
  unreadable: readonly { site: string; id: string; problem: string }[];
  problems: readonly { site: string; problem: string }[];
}

export interface Feed {
  state(): FeedState;
  subscribe(listener: () => void): () => void;
  /** Looks for what is new; the first time, reads what is shown first. New events are held back until `release`. */
  refresh(signal: AbortSignal): Promise<void>;
  /** Shows older events. */
  more(signal: AbortSignal): Promise<void>;
  /** Shows what is held back. */
  release(): void;
}

/** By how many events the list grows. */
export const STEP = 100;
/** Requests of one round. What is left is asked in the next one. */
export const MAX_REQUESTS = 24;
const AT_ONCE = 6;
const PAGE = 50;
const LARGE_PAGE = 1_000;
/** Large pages that are read to close the gap between what is new and what has been read. */
const MAX_GAP_PAGES = 3;

export function openFeed(asking: Asking, { pageSize = PAGE } = {}): Feed {
  let sources: readonly Source[] = [];
  let wanted = STEP;
  let round = 0;
  let released = 0;
  let isRead = false;
  let current = stateNow();
  const listeners = new Set<() => void>();

  function stateNow(): FeedState {
    const { ready, hasMore } = merge(sources);
    const visible = ready.filter((entry) => entry.round <= released);
    return {
      isRead,
      events: visible.slice(0, wanted),
      held: ready.length - visible.length,
      hasMore: hasMore || visible.length > wanted,
      sites: { asked: sources.filter(({ readFor }) => readFor > -Infinity).length, all: sources.length },
      unreadable: sources.flatMap(({ site, unreadable }) => unreadable.map((one) => ({ site, ...one }))),
      problems: sources.flatMap(({ site, problem }) => (problem === null ? [] : [{ site, problem }])),
    };
  }

  function publish(): void {
    current = stateNow();
    for (const listener of listeners) listener();
  }

  /** By site, because rounds may overlap: somebody wants more while the newest are looked for. */
  function change(site: string, next: (source: Source) => Source): void {
    sources = sources.map((source) => (source.site === site ? next(source) : source));
  }

  function oldestShown(): number {
    const last = current.events.at(-1);
    return last === undefined || !current.hasMore ? -Infinity : timeOf(last);
  }

  /** @returns null when the site cannot be asked, which is noted */
  async function pageOf(site: string, query: { limit: number; cursor: string | undefined }, signal: AbortSignal) {
    try {
      return await asking.page(site, query, signal);
    } catch (error) {
      const problem = signal.aborted ? null : asking.problemOfSite(error);
      if (problem === null) throw error;
      change(site, (source) => ({ ...source, problem, readFor: source.changedAt }));
      return null;
    }
  }

  async function readOlder({ site, older }: Source, signal: AbortSignal): Promise<void> {
    if (older === null) return;
    const page = await pageOf(site, { limit: pageSize, cursor: older.cursor }, signal);
    // What was read meanwhile by another round is not added twice.
    if (page !== null) change(site, (source) => (source.older === older ? withOlder(source, page) : source));
  }

  async function fill(signal: AbortSignal): Promise<void> {
    for (let left = MAX_REQUESTS; left > 0; ) {
      const next = toRead(sources, wanted, Math.min(AT_ONCE, left));
      if (next.length === 0) return;
      left -= next.length;
      await Promise.all(next.map((source) => readOlder(source, signal)));
    }
  }

  async function readNewest({ site }: Source, now: number, signal: AbortSignal): Promise<void> {
    const first = await pageOf(site, { limit: pageSize, cursor: undefined }, signal);
    if (first === null) return;
    let page: EventPage = first;
    const isOpen = () => sources.some((source) => source.site === site && !reaches(source, page));
    const isKnown = sources.some((source) => source.site === site && source.entries.length > 0);
    for (let pages = 0; isKnown && pages < MAX_GAP_PAGES && page.nextCursor !== null && isOpen(); pages++) {
      const further = await pageOf(site, { limit: LARGE_PAGE, cursor: page.nextCursor }, signal);
      if (further === null) return;
      page = { ...further, events: [...page.events, ...further.events] };
    }
    change(site, (source) => withNewest(source, page, now));
  }

  async function look(heads: readonly Head[], signal: AbortSignal): Promise<void> {
    const isFirst = sources.length === 0;
    const oldest = oldestShown();
    sources = withHeads(sources, heads, oldest);
    if (isFirst) return;
    const now = ++round;
    const asked = due(sources, oldest).slice(0, MAX_REQUESTS);
    for (let i = 0; i < asked.length; i += AT_ONCE) {
      await Promise.all(asked.slice(i, i + AT_ONCE).map((source) => readNewest(source, now, signal)));
    }
  }

  return {
    state: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    async refresh(signal) {
      try {
        await look(await asking.heads(signal), signal);
        await fill(signal);
        isRead = true;
      } finally {
        publish(); // Also what a round has found that then failed.
      }
    },

    async more(signal) {
      wanted = Math.max(wanted, current.events.length) + STEP;
      try {
        await fill(signal);
      } finally {
        publish();
      }
    },

    release() {
      if (current.held === 0) return;
      wanted += current.held;
      released = round;
      publish();
    },
  };
}
