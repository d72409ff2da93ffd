/** The events by day, with a line between what is new since the last visit and what was there then. */
import { useMemo } from 'react';
import { dayText } from '../../text/format.ts';
import type { KnownActors } from '../../ui/actor-name.ts';
import { useNow } from '../../ui/time.tsx';
import { byDay, daysAgo } from './days.ts';
import { EventRow } from './event-row.tsx';
import styles from './events.module.css';
import { idOf, type SiteEvent } from './feed.ts';
import { texts } from './texts.ts';

interface Props {
  entries: readonly SiteEvent[];
  actors: KnownActors;
  /** Names of the sites by their ids; null where the list is about one. */
  siteNames: ReadonlyMap<string, string> | null;
  /** How many of the entries, from the first one on, are new. */
  newCount: number;
  isOfOneDevice: boolean;
}

export function EventList({ entries, actors, siteNames, newCount, isOfOneDevice }: Props) {
  const days = useMemo(() => byDay(entries), [entries]);
  const now = useNow();
  const fresh = useMemo(() => new Set(entries.slice(0, newCount)), [entries, newCount]);
  const firstSeen = newCount === 0 ? undefined : entries[newCount];
  return days.map(({ key, at, entries: ofDay }) => (
    <section key={key} className={styles.day} aria-label={dayText(at)}>
      <h2>{dayTitle(at, now)}</h2>
      <ul className={styles.rows}>
        {ofDay.map((entry) => [
          entry === firstSeen ? (
            <li key="mark" className={styles.mark}>
              {texts.sinceMark}
            </li>
          ) : null,
          <EventRow
            key={idOf(entry)}
            entry={entry}
            actors={actors}
            siteName={siteNames === null ? null : (siteNames.get(entry.site) ?? entry.site)}
            isNew={fresh.has(entry)}
            isOfOneDevice={isOfOneDevice}
          />,
        ])}
      </ul>
    </section>
  ));
}

function dayTitle(at: Date, now: number): string {
  const ago = daysAgo(at, new Date(now));
  if (ago === 0) return texts.today(dayText(at));
  return ago === 1 ? texts.yesterday(dayText(at)) : dayText(at);
}
