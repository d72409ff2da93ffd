/**
 * `GET /events?sites=`: the events of several sites as one list, the newest first.
 *
 * Costs the row of each site's collection (one read unit); then the journals of the sites with the latest changes, until no
 * unread event of another site can be later; and, for events whose entry does not name the device, a read for each device.
 * A further page also finds its place in the journal of each site that has changed since, with some twenty single reads.
 * It loads no collection.
 */
import * as z from 'zod';
import type { DeviceEvent } from '../../shared/api/events.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { problemOf } from '../../shared/problem.ts';
import { invalid } from '../http/errors.ts';
import type { Reach } from '../http/reach.ts';
import { openSemaphore } from '../http/semaphore.ts';
import { readSites } from '../sites/site-state.ts';
import type { JournalPage } from './collection/journal.ts';
import type { DevicesContext } from './context.ts';
import { eventsOf } from './events.ts';
import { cursorText, parseCursor } from './pages.ts';

/** Sites of one list; a token that reaches more names some of them. */
const MAX_SITES = 1_000;
/** Journals that are read at the same time, and entries that one query of each reads. */
const AT_ONCE = 8;
const PAGE = 25;
/** Journal entries that one request reads, about. */
const MAX_ENTRIES = 10_000;
const MAX_CHARACTERS = 4_000_000;

/** Each reads the rows of many sites. */
export const manySites = openSemaphore({
  atOnce: 4,
  waiting: 9_000,
  refusal: 'Too many lists of the events of several sites are being made at the moment; try again later',
});

/** The place of an event among those of all sites: later seconds first, then by site (empty: before all), then as in its own list. */
const Place = z.strictObject({ second: z.int(), site: z.string(), version: z.int(), index: z.int() });
type Place = z.infer<typeof Place>;

interface Source {
  site: SiteId;
  /** Null: nothing is left to read. */
  pages: AsyncGenerator<JournalPage> | null;
  /** No unread event is of a later second. */
  bound: number;
  found: { place: Place; event: DeviceEvent }[];
}

interface Heads {
  heads: { site: SiteId; lastChangeAt: string }[];
  unreadable: Unreadable[];
}

/** The sites in reach, and their latest changes. @throws {ServiceError} `validation_failed` when they are too many */
export async function readHeads({ sites, devices }: Pick<DevicesContext, 'sites' | 'devices'>, reach: Reach) {
  const page = await sites.page(reach, null, MAX_SITES);
  if (page.next !== null)
    throw invalid('query.sites', `expected at most ${MAX_SITES} sites, by ids and tags: this token may read more`);
  const read = await readSites(page.sites, async ({ id: site }): Promise<Heads> => {
    try {
      const { lastChangeAt } = await devices.summary(site);
      return { heads: lastChangeAt === null ? [] : [{ site, lastChangeAt }], unreadable: [] };
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      return { heads: [], unreadable: [{ id: site, problem: problemOf(error) }] };
    }
  });
  return {
    heads: read.flatMap(({ heads }) => heads),
    unreadable: [...page.unreadable, ...read.flatMap(({ unreadable }) => unreadable)],
  };
}

interface Wanted {
  limit: number;
  cursor?: string | undefined;
  since?: Date | undefined;
  fits: (event: DeviceEvent) => boolean;
}

export async function eventsOfSites(
  { devices }: Pick<DevicesContext, 'devices'>,
  { heads, unreadable: unreadableSites }: Heads,
  { limit, cursor, since, fits }: Wanted,
) {
  const after = cursor === undefined ? null : parseCursor(Place, cursor, 'query.cursor');
  const from = since === undefined ? 0 : secondOf(since.getTime());
  const until = new Date(after === null ? '9999' : (after.second + 1) * 1000);
  const unreadable = [...unreadableSites];
  const sources = heads.map(({ site, lastChangeAt }): Source => {
    const bound = Math.min(secondOf(Date.parse(lastChangeAt)), after?.second ?? Infinity);
    const pages = bound < from ? null : devices.changesRecorded(site, new Date(from * 1000), until, PAGE);
    return { site, pages, bound, found: [] };
  });
  let entries = 0;

  async function readOlder(source: Source): Promise<void> {
    const { site, pages, found } = source;
    const page = await pages?.next().catch((error: unknown) => {
      if (!(error instanceof ServiceError && error.code === 'site_forbidden')) throw error; // Removed meanwhile.
    });
    if (page === undefined || page.done) {
      source.pages = null;
      return;
    }
    unreadable.push(...page.value.unreadable.map(({ id, problem }) => ({ id: `${site} ${id}`, problem })));
    for (const entry of page.value.found) {
      entries++;
      source.bound = Math.min(source.bound, secondOf(entry.at.getTime()));
      for (const event of eventsOf(entry, () => '').reverse()) {
        const place = placeIn(site, event);
        if ((after === null || compare(place, after) > 0) && fits(event)) found.push({ place, event });
      }
    }
  }

  for (;;) {
    const open = sources.filter(({ pages }) => pages !== null).sort((a, b) => b.bound - a.bound);
    const bound = open[0]?.bound ?? -Infinity;
    const ready = sources.flatMap(({ found }) => found.filter(({ place }) => place.second > bound));
    const isOver = open.length === 0;
    if (!isOver && ready.length < limit && entries < MAX_ENTRIES) {
      await Promise.all(open.slice(0, AT_ONCE).map(readOlder));
      continue;
    }
    const sorted = ready.sort((a, b) => compare(a.place, b.place));
    const shown = startOf(sorted, limit);
    const isFull = shown.length === limit || shown.length < sorted.length;
    const last = isFull ? shown.at(-1)?.place : { second: bound, site: '', version: 0, index: 0 };
    const isMore = !isOver || shown.length < sorted.length;
    return {
      events: await withNames(devices, shown),
      unreadable,
      nextCursor: isMore && last !== undefined ? cursorText(last) : null,
    };
  }
}

function startOf(sorted: Source['found'], limit: number): Source['found'] {
  let characters = 0;
  for (const [i, { event }] of sorted.slice(0, limit).entries()) {
    characters += JSON.stringify(event).length;
    if (characters > MAX_CHARACTERS) return sorted.slice(0, i + 1);
  }
  return sorted.slice(0, limit);
}

/** Names of devices that the journal's entries do not have. */
async function withNames(devices: DevicesContext['devices'], shown: Source['found']): Promise<DeviceEvent[]> {
  const unnamed = new Map<SiteId, Set<string>>();
  for (const { place, event } of shown) {
    if (event.device?.name === '')
      unnamed.set(place.site, (unnamed.get(place.site) ?? new Set()).add(event.device.key));
  }
  const names = new Map(
    await Promise.all(
      [...unnamed].map(async ([site, keys]) => [site, await devices.namesOf(site, [...keys])] as const),
    ),
  );
  return shown.map(({ place: { site }, event: { device, ...event } }) => ({
    ...event,
    site,
    device: device && { ...device, name: device.name || (names.get(site)?.get(device.key) ?? '') },
  }));
}

const secondOf = (ms: number) => Math.floor(ms / 1000);

function placeIn(site: SiteId, { id, recordedAt }: DeviceEvent): Place {
  const [version, index] = id.split('.').map(Number);
  return { second: secondOf(Date.parse(recordedAt)), site, version: version ?? 0, index: index ?? 0 };
}

function compare(a: Place, b: Place): number {
  if (a.second !== b.second) return b.second - a.second;
  if (a.site !== b.site) return a.site < b.site ? -1 : 1;
  return b.version - a.version || b.index - a.index;
}
