/** A selection of sites in words. */
import siteTexts from 'messages:siteChoice';
import { tagOfRef } from '../../shared/site-ref.ts';
import type { Selection } from '../api/selection.ts';

/** `Home, tag customers`. */
export function selectionText(selection: Selection, nameOf: (site: string) => string): string {
  if (selection === '*') return siteTexts.everywhere;
  return selection
    .map((ref) => {
      const tag = tagOfRef(ref);
      return tag === null ? nameOf(ref) : siteTexts.tag({ tag });
    })
    .join(', ');
}
