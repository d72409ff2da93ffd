const LONGEST = 32;

/** An id for a site of this name; empty when nothing of the name can stand in one. */
export function siteIdFrom(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST)
    .replace(/-$/, '');
}
