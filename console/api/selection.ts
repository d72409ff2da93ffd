/** A selection of sites, as in tokens, roles, schedules and batches. */
import type { SiteRef, Tag } from '../../shared/identity.ts';
import { TAG_REF, tagOfRef } from '../../shared/site-ref.ts';

/** All sites, or some, by their ids and tags. */
export type Selection = '*' | readonly SiteRef[];

export function refOfTag(tag: Tag): SiteRef {
  return TAG_REF + tag;
}

export interface TaggedSite {
  id: string;
  tags: readonly string[];
}

export function isSelected(selection: Selection, { id, tags }: TaggedSite): boolean {
  return selection === '*' || selection.some((ref) => ref === id || tags.includes(tagOfRef(ref) ?? ''));
}

/** How many of the sites have each tag, by name. */
export function countedTags(sites: readonly Pick<TaggedSite, 'tags'>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const tag of sites.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return new Map([...counts].sort(([a], [b]) => a.localeCompare(b)));
}
