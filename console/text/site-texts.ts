/** What a selection of sites is called wherever one is made or shown. */
import { tagOfRef } from '../../shared/site-ref.ts';
import type { Selection } from '../api/selection.ts';
import { numberText, plural } from './format.ts';
import { inLanguage } from './language.ts';
import { german } from './site-texts.de.ts';

export const siteTexts = inLanguage(
  {
    all: 'All sites, including future ones',
    allNow: 'All sites',
    byTagNow: 'By tag',
    chosen: 'Only these',
    chosenOnes: 'Chosen',
    byTag: 'By tag, including future sites',
    single: 'Single sites',
    sitesOf: (count: number) => plural(count, 'site'),
    find: 'Find a site or tag',
    more: (count: number) => `and ${numberText(count)} more: type to find them`,
    noMatch: 'No site or tag matches.',
    remove: (name: string) => `Remove ${name}`,
    everywhere: 'all sites',
    tag: (tag: string) => `tag ${tag}`,
    tags: 'Tags',
    addTag: 'Add a tag',
    tagHint: 'Lower-case letters, digits and hyphens. Enter adds it.',
    tagWrong: 'A tag has 1 to 32 lower-case letters, digits and inner hyphens.',
    anyTag: 'All tags',
    missing: 'Choose at least one site or tag.',
  },
  german,
);

/** `Home, tag customers`. @param nameOf what a site is called */
export function selectionText(selection: Selection, nameOf: (site: string) => string): string {
  if (selection === '*') return siteTexts.everywhere;
  return selection
    .map((ref) => {
      const tag = tagOfRef(ref);
      return tag === null ? nameOf(ref) : siteTexts.tag(tag);
    })
    .join(', ');
}
