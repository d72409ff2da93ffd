/** Named views, with filters, order, groups and columns. This browser stores them. */
import { useMemo } from 'react';
import { makeKeptStore } from '../../ui/store.ts';

interface SavedView {
  name: string;
  /** The address of the screen, which can be shared. */
  to: string;
}

/** By site, the names and the queries of the address. */
type Kept = Record<string, readonly (readonly [name: string, query: string])[]>;

export const MAX_NAME = 40;
const MAX_OF_SITE = 20;
const MAX_QUERY = 2_000;
const kept = makeKeptStore('lanreach.devices.views');

/** Sorted by name; the same array until they change. */
export function useSavedViews(site: string): readonly SavedView[] {
  const text = kept.use();
  return useMemo(
    () =>
      (parse(text)[site] ?? [])
        .map(([name, query]): SavedView => ({ name, to: pathOf(site, query) }))
        .sort((a, b) => a.name.localeCompare(b.name)),
    [text, site],
  );
}

/** Replaces one of the same name. */
export function saveView(site: string, name: string, query: string): void {
  const all = parse(kept.get());
  const others = (all[site] ?? []).filter(([other]) => other !== name);
  kept.set(JSON.stringify({ ...all, [site]: [...others, [name, query]].slice(-MAX_OF_SITE) }));
}

export function removeView(site: string, name: string): void {
  const { [site]: ofSite = [], ...others } = parse(kept.get());
  const left = ofSite.filter(([other]) => other !== name);
  kept.set(JSON.stringify(left.length === 0 ? others : { ...others, [site]: left }));
}

/** The address of the view of a query. */
export function pathOf(site: string, query: string): string {
  return `/sites/${site}/devices${query === '' ? '' : `?${query}`}`;
}

/** @param text anything: the storage is not trusted */
function parse(text: string | null): Kept {
  let all: unknown;
  try {
    all = JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
  if (typeof all !== 'object' || all === null) return {};
  return Object.fromEntries(
    Object.entries(all).map(([site, views]) => [site, Array.isArray(views) ? views.filter(isView) : []]),
  );
}

function isView(one: unknown): one is readonly [string, string] {
  if (!Array.isArray(one)) return false;
  const [name, query] = one as unknown[];
  return typeof name === 'string' && name.length <= MAX_NAME && typeof query === 'string' && query.length <= MAX_QUERY;
}
