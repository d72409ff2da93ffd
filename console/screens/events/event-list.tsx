/** The events by day, with a line between what is new since the last visit and what was there then. */
import texts from 'messages:events';
import { useMemo } from 'react';
import { dayText } from '../../text/format.ts';
import type { KnownActors } from '../../ui/actor-name.ts';
import { useNow } from '../../ui/time.tsx';
import { byDay, daysAgo } from './days.ts';
import { EventRow } from './event-row.tsx';
import styles from './events.module.css';
import { idOf, type SiteEvent } from './feed.ts';
import { folded, isFold } from './fold.ts';
import { FoldRow } from './fold-row.tsx';

interface Props {
  entries: readonly SiteEvent[];
  actors: KnownActors;
  /** Names of the sites by their ids, for sentences about them; null where they are not known. */
  siteNames: ReadonlyMap<string, string> | null;
  /** Whether nobody has to be told which site it is. */
  isOfOneSite?: boolean;
  /** How many of the entries, from the first one on, are new. */
  newCount: number;
  isOfOneDevice: boolean;
}

export function EventList({
  entries,
  actors,
  siteNames,
  isOfOneSite = siteNames === null,
  newCount,
  isOfOneDevice,
}: Props) {
  const days = useMemo(() => byDay(entries), [entries]);
  const now = useNow();
  const fresh = useMemo(() => new Set(entries.slice(0, newCount)), [entries, newCount]);
  const firstSeen = newCount === 0 ? undefined : entries[newCount];
  return days.map(({ key, at, entries: ofDay }) => (
    <section
      key={key}
      className="grid gap-2 min-w-0 [&_h2_span]:ms-1 [&_h2_span]:text-muted [&_h2_span]:text-sm [&_h2_span]:font-normal"
      aria-label={dayText(at)}
    >
      <DayTitle at={at} now={now} />
      <ul className={`${styles.rows} card overflow-hidden`}>
        {folded(ofDay, (entry) => fresh.has(entry)).map((one) => {
          const first = isFold(one) ? one.entries[0] : one;
          if (first === undefined) return null;
          const about = {
            actors,
            siteName: siteNames?.get(first.site),
            isOfOneSite,
            isNew: fresh.has(first),
          };
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
    </section>
  ));
}

function DayTitle({ at, now }: { at: Date; now: number }) {
  const ago = daysAgo(at, new Date(now));
  if (ago > 1) return <h2>{dayText(at)}</h2>;
  return (
    <h2>
      {ago === 0 ? texts.today : texts.yesterday} <span>{dayText(at)}</span>
    </h2>
  );
}
