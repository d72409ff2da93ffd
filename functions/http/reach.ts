/** The sites that a call may use: those that each of its limits allows, by name or by a tag. */
import type { Site } from '../../shared/api/records.ts';
import { type SiteId, type SiteRef, tagOfRef } from '../../shared/identity.ts';

/** All sites, or those named by ids or tags. */
export type Limit = '*' | readonly SiteRef[];

export interface Reach {
  /** All sites, including future ones. */
  readonly isAll: boolean;
  /** The ids of its sites; null where tags or all sites are in it. */
  readonly only: readonly SiteId[] | null;
  has(site: Pick<Site, 'id' | 'tags'>): boolean;
  /** The same without reading the site; undefined where its tags decide. */
  knows(site: SiteId): boolean | undefined;
  /** Whether it includes all of a reference: a site, the sites with a tag, now and later, or all. Undefined where tags decide. */
  covers(ref: SiteRef | '*'): boolean | undefined;
}

/** @param limits each of them must allow a site */
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

/** The part of a reach within a selection of sites. */
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

/** Those of the candidates that are in reach; null when tags decide for one. */
function onlyOf(candidates: readonly SiteId[], knows: Reach['knows']): readonly SiteId[] | null {
  const left = candidates.filter((site) => knows(site) !== false);
  return left.every((site) => knows(site)) ? left : null;
}

function and(answers: readonly (boolean | undefined)[]): boolean | undefined {
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}
