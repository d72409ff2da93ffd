/** The events by day, with a line above those of the last visit. */
import common from 'messages:common';
import eventNames from 'messages:eventNames';
import texts from 'messages:events';
import { ChevronRightIcon } from 'lucide-react';
import { useMemo, useState } from 'react';
import { dayText } from '../../text/format.ts';
import { Actor } from '../../ui/actor.tsx';
import type { KnownActors } from '../../ui/actor-name.ts';
import { useNow } from '../../ui/time.tsx';
import { DaySection } from './day-section.tsx';
import { byDay, daysAgo } from './days.ts';
import { EventIcon } from './event-icon.tsx';
import { Cause, Clock, EventRow, META } from './event-row.tsx';
import styles from './events.module.css';
import { idOf, type SiteEvent } from './feed.ts';
import { type Fold, folded, isFold } from './fold.ts';
import { deviceLabel } from './sentence.ts';

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

interface FoldProps {
  fold: Fold;
  actors: KnownActors;
  siteName: string | undefined;
  isOfOneSite: boolean;
  isNew: boolean;
}

const MAX_NAMES = 4;

/** Several like events as one line that opens. */
function FoldRow({ fold: { entries }, actors, siteName, isOfOneSite, isNew }: FoldProps) {
  const [isOpen, setOpen] = useState(false);
  const [newest] = entries;
  if (newest === undefined) return null;
  const { type, actor, cause } = newest.event;
  const devices = new Map(entries.flatMap(({ event: { device } }) => (device === null ? [] : [[device.key, device]])));
  const names = [...devices.values()].map(deviceLabel);
  // Each port counts, but each device once.
  const count = type.startsWith('port-') ? entries.length : devices.size;
  const folded: Partial<Record<typeof type, typeof texts.folded.new>> = texts.folded;
  const say = folded[type];
  const sentence =
    say === undefined ? texts.foldedOther({ name: eventNames[type], count: entries.length }) : say({ count });
  const more = names.length - MAX_NAMES;
  return (
    <li
      className={`${styles.fold} relative [&>button]:border-0 [&>button]:bg-transparent [&>button]:text-start [&>button]:cursor-pointer`}
      data-new={isNew || undefined}
      data-open={isOpen || undefined}
    >
      <button type="button" className={styles.row} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Clock event={newest.event} />
        <EventIcon type={type} />
        <span className={styles.said}>
          <span className="flex gap-x-2 min-w-0 overflow-hidden whitespace-nowrap max-600:flex-wrap max-600:whitespace-normal [&>:last-child]:overflow-hidden [&>:last-child]:text-ellipsis">
            <strong className={`${styles.device} font-[550] no-underline text-text`}>
              {isOfOneSite ? sentence : texts.at({ sentence, site: siteName ?? newest.site })}
            </strong>
            <span className="text-muted" data-foreign>
              {names.slice(0, MAX_NAMES).join(', ')} {more > 0 ? common.andMore({ count: more }) : ''}
            </span>
          </span>
          <span className={META}>
            <Actor id={actor} known={{ ...actors, site: newest.site }} />
            <Cause cause={cause} />
          </span>
        </span>
        <ChevronRightIcon
          className={`${styles.chevron} justify-self-center w-4 h-5 text-muted [transition:transform_var(--quick)] max-600:row-1 max-600:col-4`}
          aria-hidden="true"
        />
      </button>
      {isOpen ? (
        <ul className={`${styles.inside} pb-2`}>
          {entries.map((entry) => (
            <EventRow
              key={idOf(entry)}
              {...{ entry, actors, siteName, isOfOneSite, isNew }}
              isOfOneDevice={false}
              isInside
            />
          ))}
        </ul>
      ) : null}
    </li>
  );
}
