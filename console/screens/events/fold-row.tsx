/** Several like events as one line that opens. */
import common from 'messages:common';
import eventNames from 'messages:eventNames';
import texts from 'messages:events';
import { ChevronRightIcon } from 'lucide-react';
import { useState } from 'react';
import { Actor } from '../../ui/actor.tsx';
import type { KnownActors } from '../../ui/actor-name.ts';
import { EventIcon } from './event-icon.tsx';
import { Cause, Clock, EventRow, META } from './event-row.tsx';
import styles from './events.module.css';
import { idOf } from './feed.ts';
import type { Fold } from './fold.ts';
import { deviceLabel } from './sentence.ts';

interface Props {
  fold: Fold;
  actors: KnownActors;
  siteName: string | undefined;
  isOfOneSite: boolean;
  isNew: boolean;
}

const MAX_NAMES = 4;

export function FoldRow({ fold: { entries }, actors, siteName, isOfOneSite, isNew }: Props) {
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
            <Actor id={actor} known={actors} />
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
