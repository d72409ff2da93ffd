/** The events by day, with a line above those of the last visit. */
import texts from 'messages:events';
import { useMemo } from 'react';
import { dayText } from '../../text/format.ts';
import type { KnownActors } from '../../ui/actor-name.ts';
import { useNow } from '../../ui/time.tsx';
import { DaySection } from './day-section.tsx';
import { byDay, daysAgo } from './days.ts';
import { EventRow } from './event-row.tsx';
import styles from './events.module.css';
import { idOf, type SiteEvent } from './feed.ts';
import { folded, isFold } from './fold.ts';
import { FoldRow } from './fold-row.tsx';

interface Props {
  entries: readonly SiteEvent[];
  actors: KnownActors;
  siteNames: ReadonlyMap<string, string> | null;
  isOfOneSite?: boolean;
  newCount: number;
  isOfOneDevice: boolean;
}

export function EventList(props: Props) {
  const { entries, actors, siteNames, isOfOneSite = siteNames === null, newCount, isOfOneDevice } = props;
  const days = useMemo(() => byDay(entries), [entries]);
  const now = new Date(useNow());
  const fresh = useMemo(() => new Set(entries.slice(0, newCount)), [entries, newCount]);
  const firstSeen = newCount === 0 ? undefined : entries[newCount];
  return days.map(({ key, at, entries: ofDay }) => (
    <DaySection key={key} label={dayText(at)} name={nameOf(daysAgo(at, now))} date={dayText(at)}>
      <ul className={`${styles.rows} card overflow-hidden`}>
        {folded(ofDay, (entry) => fresh.has(entry)).map((one) => {
          const first = isFold(one) ? one.entries[0] : one;
          if (first === undefined) return null;
          const about = { actors, siteName: siteNames?.get(first.site), isOfOneSite, isNew: fresh.has(first) };
          return [
            first === firstSeen ? (
              <li
                key="mark"
                className={`${styles.mark} flex items-center gap-3 px-4 py-0.5 bg-background text-muted text-xs`}
              >
                {texts.sinceMark}
              </li>
            ) : null,
            isFold(one) ? (
              <FoldRow key={idOf(first)} fold={one} {...about} />
            ) : (
              <EventRow key={idOf(first)} entry={first} isOfOneDevice={isOfOneDevice} {...about} />
            ),
          ];
        })}
      </ul>
    </DaySection>
  ));
}

function nameOf(daysAgo: number): string {
  if (daysAgo > 1) return '';
  return daysAgo === 0 ? texts.today : texts.yesterday;
}
