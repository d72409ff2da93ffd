/** What is done later for hooks: a turn of a hook, or of each hook of a site. */
import * as z from 'zod';
import { HookId } from '../../shared/api/hooks.ts';
import { SiteId } from '../../shared/identity.ts';
import { type Key, PARTITIONS, PREFIXES } from '../table/rows.ts';

export const HookTask = z.object({ site: SiteId, hook: HookId.optional() });
export type HookTask = z.infer<typeof HookTask>;

/** The site whose hooks may have something to send when a row with this key was put; null for most rows. */
export function wokenBy({ pk, sk }: Key): SiteId | null {
  return pk.startsWith(PARTITIONS.site) && sk.startsWith(PREFIXES.change) ? pk.slice(PARTITIONS.site.length) : null;
}
