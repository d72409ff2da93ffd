/** A selection names sites by id, or all with a tag. Ids contain no colon. */

export const TAG_REF = 'tag:';

/** Of sites, tags and agents. */
export const NAME = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

/** The tag of `tag:<tag>`; null for the id of a site. */
export function tagOfRef(ref: string): string | null {
  return ref.startsWith(TAG_REF) ? ref.slice(TAG_REF.length) : null;
}
