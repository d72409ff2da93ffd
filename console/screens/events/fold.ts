/** Folds like events of several devices within a minute, so that a scan does not fill a page. */
import { timeOf } from './days.ts';
import type { SiteEvent } from './feed.ts';

export interface Fold {
  /** Of one site, type, cause and actor; the newest first. */
  entries: SiteEvent[];
}

export const LEAST = 3;
const MINUTE_MS = 60_000;

/** Puts each fold where its newest event was. Takes the newest first; folds new events with new ones only. */
export function folded(entries: readonly SiteEvent[], isNew: (entry: SiteEvent) => boolean): (SiteEvent | Fold)[] {
  const alike = new Map<string, SiteEvent[]>();
  for (const entry of entries) {
    const key = keyOf(entry, isNew(entry));
    if (key === null) continue;
    const known = alike.get(key);
    if (known === undefined) alike.set(key, [entry]);
    else known.push(entry);
  }
  return entries.flatMap((entry): (SiteEvent | Fold)[] => {
    const key = keyOf(entry, isNew(entry));
    const some = key === null ? undefined : alike.get(key);
    if (some === undefined || new Set(some.map(deviceOf)).size < LEAST) return [entry];
    return some[0] === entry ? [{ entries: some }] : [];
  });
}

const deviceOf = ({ event }: SiteEvent) => event.device?.key;

function keyOf(entry: SiteEvent, isNew: boolean): string | null {
  const { site, event } = entry;
  if (event.device === null) return null;
  const minute = Math.floor(timeOf(entry) / MINUTE_MS);
  return [site, minute, event.type, event.cause, event.actor, isNew].join(' ');
}

export const isFold = (one: SiteEvent | Fold): one is Fold => 'entries' in one;
