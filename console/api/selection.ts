/** A selection of sites, as tokens, roles, schedules and batches have it. */
import type { SiteRef, Tag } from '../../shared/identity.ts';
import { TAG_REF, tagOfRef } from '../../shared/site-ref.ts';

/** All sites, or those that are named, by themselves or by a tag. */
export type Selection = '*' | readonly SiteRef[];

/** All sites with the tag. */
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
