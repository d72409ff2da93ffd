/** The row of a site: its name, its settings, and what is noted beside them. */
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

/** What is kept as JSON. */
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

/** The JSON of a row. How the site is watched stands in attributes beside it, which ingest writes. */
export function encodeSite({
  id,
  name,
  tags,
  createdAt,
  discovery,
  timeZone,
  reachableAt,
  updates,
  policy,
  templates,
  revision,
}: Omit<Site, 'staleSince' | 'coverage'>): string {
  return JSON.stringify({
    id,
    name,
    tags,
    createdAt,
    discovery,
    timeZone,
    reachableAt,
    updates,
    policy,
    templates,
    revision,
  } satisfies Stored);
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

/** Since when nobody watches what the row is about, as a time; null while somebody does, or nobody is to. */
export function staleSinceOf({ staleSince }: Item): string | null {
  return typeof staleSince === 'number' ? new Date(staleSince).toISOString() : null;
}

/** Whether the site of this row, or of this row of a collection, is deleted: then it counts as absent. */
export const isGone = ({ gone }: Item): boolean => gone !== undefined;
