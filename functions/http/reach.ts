/** Which sites a call may use: those that each of its limits allows, by name or by a tag. */
import type { Site } from '../../shared/api/records.ts';
import { type SiteId, type SiteRef, tagOfRef } from '../../shared/identity.ts';

/** All sites, or those that are named, by their ids or by tags. */
export type Limit = '*' | readonly SiteRef[];

export interface Reach {
  /** Whether it is all sites, also those that do not exist yet. */
  readonly isAll: boolean;
  /** All its sites; null when they are not all known by their ids. */
  readonly only: readonly SiteId[] | null;
  has(site: Pick<Site, 'id' | 'tags'>): boolean;
  /** The same without a look at the site; undefined where its tags decide. */
  knows(site: SiteId): boolean | undefined;
  /** Whether it is all that is meant: a site, the sites with a tag, now and later, or all. Undefined where tags decide. */
  covers(ref: SiteRef | '*'): boolean | undefined;
}

/** @param limits each of them has to allow a site */
export function reachOf(limits: readonly Limit[]): Reach {
  const named = limits.filter((limit) => limit !== '*').map((refs) => new Set(refs));
  const withoutTags = named.filter((refs) => [...refs].every((ref) => tagOfRef(ref) === null));
  const [first] = withoutTags;
  const knows = (site: SiteId) =>
    and(named.map((refs) => refs.has(site) || (withoutTags.includes(refs) ? false : undefined)));
  return {
    isAll: named.length === 0,
    only: first === undefined ? null : onlyOf([...first].sort(), knows),
    has: ({ id, tags }) => named.every((refs) => refs.has(id) || tags.some((tag) => refs.has(`tag:${tag}`))),
    knows,
    covers(ref) {
      if (ref === '*') return named.length === 0;
      return tagOfRef(ref) === null ? knows(ref) : named.every((refs) => refs.has(ref));
    },
  };
}

export const ALL_SITES = reachOf(['*']);

/** What of a reach lies within a selection of sites. */
export function within(reach: Reach, selection: Limit): Reach {
  const chosen = reachOf([selection]);
  const knows = (site: SiteId) => and([reach.knows(site), chosen.knows(site)]);
  const possible = chosen.only ?? reach.only;
  return {
    isAll: reach.isAll && chosen.isAll,
    only: possible === null ? null : onlyOf(possible, knows),
    has: (site) => reach.has(site) && chosen.has(site),
    knows,
    covers: (ref) => and([reach.covers(ref), chosen.covers(ref)]),
  };
}

/** Those of the sites that it can be which it is; null when tags decide of one. */
function onlyOf(possible: readonly SiteId[], knows: Reach['knows']): readonly SiteId[] | null {
  const left = possible.filter((site) => knows(site) !== false);
  return left.every((site) => knows(site)) ? left : null;
}

function and(answers: readonly (boolean | undefined)[]): boolean | undefined {
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}
