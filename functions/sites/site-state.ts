/** The state of a site as shown among many: counts of devices, agents, and troubles. */
import type { Unreadable } from '../../shared/api/operation.ts';
import type { Agent } from '../../shared/api/records.ts';
import { type CategoryCounts, categoryCounts } from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { SeenCounts } from '../devices/collection/coverage-row.ts';
import type { SiteState as Troubles } from '../monitoring/outages/site-state.ts';
import type { Stores } from '../stores.ts';
import { openLimit } from '../table/slices.ts';

export interface SiteState {
  /** Null while they cannot be determined without reading the devices: see `DeviceStore.summary`. */
  counts: CategoryCounts | null;
  lastChangeAt: string | null;
  staleSince: string | null;
  /** See `DeviceStore.summary`. */
  seen: SeenCounts | null;
  agents: Agent[];
  /** Agents whose rows cannot be read. */
  unreadable: Unreadable[];
  troubles: Troubles;
}

/**
 * Reads the rows of the collection and of the agents, with consistent reads, and never a device. A site costs one read unit,
 * and one for each 4 KB of rows of its agents: two in all for up to three or four agents, however many devices it has; and
 * half a unit for troubles.
 * @throws {ServiceError} `site_forbidden` when the site does not exist
 */
export async function readSiteState(
  { devices, sites, siteStates }: Pick<Stores, 'devices' | 'sites' | 'siteStates'>,
  site: SiteId,
): Promise<SiteState> {
  const [{ counts, ...summary }, { agents, unreadable }, { state: troubles }] = await Promise.all([
    devices.summary(site),
    sites.listAgents(site),
    siteStates.read(site),
  ]);
  const { lastChangeAt, staleSince, seen } = summary;
  return { counts: counts && categoryCounts(counts), lastChangeAt, staleSince, seen, agents, unreadable, troubles };
}

/**
 * Calls `read` for each site, eight at a time.
 * @returns the results in the order of the sites, without those for which `read` has thrown `site_forbidden`: a site that
 *   has just been removed hides no other
 */
export async function readSites<S, T>(sites: readonly S[], read: (site: S) => Promise<T>): Promise<T[]> {
  const limit = openLimit(8);
  const readPresent = async (site: S): Promise<T[]> => {
    try {
      return [await read(site)];
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'site_forbidden') return [];
      throw error;
    }
  };
  try {
    const results = await Promise.all(sites.map((site) => limit(() => readPresent(site))));
    return results.flat() as T[];
  } finally {
    limit.clearQueue(); // After a failure the others are not needed.
  }
}
