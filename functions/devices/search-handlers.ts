/**
 * `/search`: devices of all sites.
 *
 * Costs bringing each collection up to date, one read unit for one that is in memory, and with a port the rows of the
 * site's scans. The size of a collection that is not in memory is read first, for one more unit: a call is limited in
 * sites, devices and scans, and its cursor leads to the next sites.
 */
import type { Unreadable } from '../../shared/api/operation.ts';
import type { Site } from '../../shared/api/records.ts';
import { type FoundDevice, type search as operations, SITES_PER_SEARCH } from '../../shared/api/search.ts';
import { statusOf, TOTALS_ORDER } from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import { SiteId } from '../../shared/identity.ts';
import { problemOf } from '../../shared/problem.ts';
import type { Handlers } from '../http/call.ts';
import { checkCursor } from '../http/errors.ts';
import type { Reach } from '../http/reach.ts';
import { openSemaphore } from '../http/semaphore.ts';
import { reachIn } from '../sites/many-sites.ts';
import { inSlices } from '../table/slices.ts';
import type { SiteWatch } from './collection/coverage-row.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import type { DevicesContext } from './context.ts';
import { type Match, matchOf, type Wanted, wantedOf } from './match.ts';
import { candidatesFor } from './search.ts';

/** Sites that are read at the same time. */
const AT_ONCE = 8;
/** Devices and scan rows that a call visits at most, unless its first site alone has more. */
const DEVICES_PER_CALL = 100_000;
const SCANS_PER_CALL = 5_000;
/** Rows of scans that are read of one site. */
const SCANS_PER_SITE = 2_000;

/** Each loads many collections, and visits all of their devices. */
const searches = openSemaphore({
  atOnce: 4,
  waiting: 9_000,
  refusal: 'Too many searches over all sites are under way at the moment; try again later',
});

interface Found {
  site: Site;
  device: StoredDevice;
  watch: SiteWatch;
  match: Match;
  /** Compared number by number; smaller ones come first. */
  rank: readonly number[];
}

interface SiteFound {
  found: Found[];
  isMore: boolean;
  devices: number;
  scans: number;
  unreadable: Unreadable[];
}
const NOTHING: SiteFound = { found: [], isMore: false, devices: 0, scans: 0, unreadable: [] };

export const searchHandlers: Handlers<typeof operations, DevicesContext> = {
  async searchEverywhere(context, { reach: whole }, { q, sites: named, limit, cursor }) {
    const reach = reachIn(named, whole);
    checkCursor(
      cursor === undefined || SiteId.safeParse(cursor).success,
      'expected the nextCursor of an earlier answer',
    );
    return searches.run(async () => {
      const wanted = wantedOf(q);
      const page = await context.sites.page(reach, cursor ?? null, SITES_PER_SEARCH);
      const results: SiteFound[] = [];
      while (results.length < page.sites.length) {
        const next = page.sites.slice(results.length, results.length + AT_ONCE);
        const sites = await withinLimits(context, next, wanted, results);
        if (sites.length === 0) break;
        results.push(...(await Promise.all(sites.map((site) => searchSite(context, site, wanted, limit)))));
      }
      const searched = results.length;
      const isWhole = searched === page.sites.length;
      const found = results.flatMap((one) => one.found).sort(byFit);
      return {
        success: true,
        query: q,
        devices: found.slice(0, limit).map(shown),
        searched,
        sites: await countOf(context, reach, cursor === undefined && page.next === null ? page.sites.length : null),
        truncated: found.length > limit || results.some(({ isMore }) => isMore),
        unreadable: [...page.unreadable, ...results.flatMap(({ unreadable }) => unreadable)],
        nextCursor: isWhole ? page.next : (page.sites[searched - 1]?.id ?? null),
      };
    });
  },
};

/** As many of the next sites as fit into the limits; at least one in the first batch. */
async function withinLimits(
  { devices }: Pick<DevicesContext, 'devices'>,
  next: readonly Site[],
  wanted: Wanted | null,
  results: readonly SiteFound[],
): Promise<readonly Site[]> {
  if (wanted === null) return next;
  const sizes = await Promise.all(next.map(({ id }) => sizeOf(devices, id)));
  const sum = (count: (one: SiteFound) => number) => results.reduce((total, one) => total + count(one), 0);
  let left = DEVICES_PER_CALL - sum((one) => one.devices);
  let scansLeft = SCANS_PER_CALL - sum((one) => one.scans);
  const end = sizes.findIndex((size, at) => {
    left -= size;
    if (wanted.port !== null) scansLeft -= Math.min(size, SCANS_PER_SITE);
    return (left < 0 || scansLeft < 0) && results.length + at > 0;
  });
  return end === -1 ? next : next.slice(0, end);
}

/** An unknown size, while many devices are being changed, counts as large. An unreadable one counts as 0: the search itself reports it. */
async function sizeOf(devices: DevicesContext['devices'], site: SiteId): Promise<number> {
  const inMemory = devices.sizeInMemory(site);
  if (inMemory !== null) return inMemory;
  const summary = await devices.summary(site).catch(() => null);
  if (summary === null) return 0;
  const count = (category: (typeof TOTALS_ORDER)[number]) => summary.counts?.[TOTALS_ORDER.indexOf(category)] ?? 0;
  return summary.counts === null ? DEVICES_PER_CALL : count('my') + count('archived');
}

/** The number of all sites, cached for a minute; by store, because one process may have several. */
const counted = new WeakMap<DevicesContext['sites'], { at: number; sites: Promise<number> }>();

/** @param known the number, if the page has all sites */
async function countOf(
  { sites, now }: Pick<DevicesContext, 'sites' | 'now'>,
  reach: Reach,
  known: number | null,
): Promise<number> {
  if (known !== null) return known;
  if (reach.only !== null) return reach.only.length;
  if (!reach.isAll) return (await sites.list()).filter(reach.has).length;
  const at = now().getTime();
  const last = counted.get(sites);
  if (last !== undefined && Math.abs(at - last.at) < 60_000) return last.sites;
  const count = sites.list().then((all) => all.length);
  counted.set(sites, { at, sites: count });
  count.catch(() => counted.delete(sites));
  return count;
}

/** An unreadable site is listed as such, and hides no other; one that was removed meanwhile has no results. */
async function searchSite(
  { devices, ports }: Pick<DevicesContext, 'devices' | 'ports'>,
  site: Site,
  wanted: Wanted | null,
  limit: number,
): Promise<SiteFound> {
  if (wanted === null) return NOTHING;
  try {
    const { snapshot, watch, born } = await devices.read(site.id);
    const scans = wanted.port === null ? null : await ports.withPort(site.id, wanted.port, { born }, SCANS_PER_SITE);
    const found: Found[] = [];
    let isMore = scans?.isAll === false;
    for await (const slice of inSlices(await candidatesFor(snapshot, wanted))) {
      for (const device of slice) {
        if (scans !== null && !scans.devices.has(device.key)) continue;
        const match = matchOf(device, wanted);
        if (match !== null) found.push({ site, device, watch, match, rank: rankOf(device, match) });
      }
      found.sort(byFit);
      if (found.splice(limit).length > 0) isMore = true;
    }
    return { found, isMore, devices: snapshot.size, scans: scans?.rows ?? 0, unreadable: [] };
  } catch (error) {
    const isRemoved = error instanceof ServiceError && error.code === 'site_forbidden';
    return { ...NOTHING, unreadable: isRemoved ? [] : [{ id: site.id, problem: problemOf(error) }] };
  }
}

function byFit(a: Found, b: Found): number {
  for (const [i, value] of a.rank.entries()) {
    const difference = value - (b.rank[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Archived devices come last; then the quality of the match decides, then a match of the name, favourites, and being online. */
function rankOf({ record }: StoredDevice, { quality, field }: Match): readonly number[] {
  const { devIsArchived, devFavorite } = record;
  return [devIsArchived, quality, field === 'name' ? 0 : 1, 1 - devFavorite, statusOf(record) === 'online' ? 0 : 1];
}

function shown({ site, device: { key, record }, device, watch, match }: Found): FoundDevice {
  const { devMac, devName, devLastIP, devVendor, devModel, devType, devOwner, devGroup, devFavorite, devIsNew } =
    record;
  return {
    ...{ site: site.id, siteName: site.name, key, devMac, devName, devLastIP, devVendor, devModel, devType },
    ...{ devOwner, devGroup, devFavorite, devIsNew, status: statusOf(record), watch: watch.of(device) },
    match: match.field,
  };
}
