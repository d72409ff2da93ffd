/** How a selection names sites: each by its id, or all with a tag. The colon tells them apart. */

export const TAG_REF = 'tag:';

/** The tag of `tag:<tag>`; null for the id of a site. */
export function tagOfRef(ref: string): string | null {
  return ref.startsWith(TAG_REF) ? ref.slice(TAG_REF.length) : null;
}
