/** The row of a site: its name and settings, and attributes beside them. */
import * as z from 'zod';
import { DiscoverySettings } from '../../shared/agent/discovery.ts';
import { SitePolicy } from '../../shared/agent/site-policy.ts';
import { ReachableAt, Site, SiteTemplates, Updates } from '../../shared/api/records.ts';
import { networksOf } from '../../shared/coverage.ts';
import { Tag } from '../../shared/identity.ts';
import { TimeZone } from '../../shared/schedule-terms.ts';
import { Millis } from '../../shared/time.ts';
import { coverageOf } from '../devices/collection/coverage-row.ts';
import type { Item } from '../table/table.ts';

/** Stored as JSON. */
const Stored = Site.pick({ id: true, name: true, createdAt: true }).extend({
  tags: z.array(Tag),
  discovery: DiscoverySettings,
  timeZone: TimeZone,
  reachableAt: ReachableAt.nullable(),
  updates: Updates,
  policy: SitePolicy.optional(),
  templates: SiteTemplates.optional(),
  revision: Millis.optional(),
});
type Stored = z.infer<typeof Stored>;

/** The JSON of a row, without the state of monitoring: ingest writes that to attributes beside it. */
export function encodeSite(site: Omit<Site, 'staleSince' | 'coverage'> & Partial<Site>): string {
  const { staleSince: _, coverage: __, ...stored } = site;
  return JSON.stringify(stored satisfies Stored);
}

/** @throws when the item is no row of a site */
export function decodeSite(item: Item): Site {
  const stored = Stored.parse(JSON.parse(String(item.d)));
  return {
    ...stored,
    revision: stored.revision ?? Date.parse(stored.createdAt),
    staleSince: staleSinceOf(item),
    coverage: networksOf(coverageOf(item)),
  };
}

/** Since when the subject of the row is unmonitored; null while it is monitored, or need not be. */
export function staleSinceOf({ staleSince }: Item): string | null {
  return typeof staleSince === 'number' ? new Date(staleSince).toISOString() : null;
}

/** Whether the site of this row, or of a collection's row, is deleted: then it counts as absent. */
export const isGone = ({ gone }: Item): boolean => gone !== undefined;
