/** One event as a plain sentence, with when and by whom. */
import texts from 'messages:events';
import { HistoryIcon } from 'lucide-react';
import { memo, useState } from 'react';
import { Link } from 'wouter';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import { dateTimeText, dayMonthText, minuteText, utcText } from '../../text/format.ts';
import { Actor } from '../../ui/actor.tsx';
import type { KnownActors } from '../../ui/actor-name.ts';
import { EventIcon } from './event-icon.tsx';
import { devicePage, Parts } from './event-sentence.tsx';
import styles from './events.module.css';
import type { SiteEvent } from './feed.ts';
import { deviceLabel, type FieldChange, sentenceOf } from './sentence.ts';

/** Agents report within a minute, unless they are offline. */
const LATE_MS = 60_000;

export const META = `${styles.meta} flex flex-wrap items-center content-start gap-x-3 text-muted text-xs leading-5 [&_a]:min-w-6`;

interface Props {
  entry: SiteEvent;
  actors: KnownActors;
  siteName: string | undefined;
  isOfOneSite: boolean;
  isNew: boolean;
  /** Without links to the events of the device. */
  isOfOneDevice: boolean;
  /** Inside a fold, which shows actor, cause and site. */
  isInside?: boolean;
}

export const EventRow = memo(function EventRow(props: Props) {
  const { entry, actors, siteName, isOfOneSite, isNew, isOfOneDevice, isInside = false } = props;
  const { site, event } = entry;
  const { type, device, actor, cause } = event;
  const { parts, changes } = sentenceOf(event, siteName);
  const historyLabel = device === null ? '' : texts.allOfDevice({ name: deviceLabel(device) });
  // A deleted device also has a page, which offers to restore it.
  const devicePath = device === null ? null : devicePage(site, device.key);
  return (
    <li className={styles.row} data-new={isNew || undefined}>
      <Clock event={event} />
      <EventIcon type={type} />
      <div className={styles.said}>
        <div>
          <Parts parts={parts} devicePath={devicePath} />
        </div>
        <FieldChanges changes={changes} />
        <Members site={site} event={event} />
        <div className={META}>
          {isInside ? null : (
            <>
              <Actor id={actor} known={{ ...actors, site }} />
              <Cause cause={cause} />
            </>
          )}
          {isOfOneSite || isInside ? null : (
            <Link href={`/sites/${site}/events`} className="no-underline text-muted hover:underline" data-foreign>
              {siteName ?? site}
            </Link>
          )}
        </div>
      </div>
      {device === null || isOfOneDevice ? null : (
        <Link
          href={`/sites/${site}/events?${new URLSearchParams({ device: device.key })}`}
          className={`${styles.history} grid place-items-center w-7 h-6 -my-0.5 rounded-control text-muted hover:bg-selected hover:text-text max-600:row-1 max-600:col-4 [&_svg]:size-3.75`}
          aria-label={historyLabel}
          title={historyLabel}
        >
          <HistoryIcon aria-hidden="true" />
        </Link>
      )}
    </li>
  );
});

/** When it happened, with its day if that is not the day of the report, by which events are in order. */
export function Clock({ event: { at, recordedAt } }: { event: Pick<DeviceEvent, 'at' | 'recordedAt'> }) {
  const [happened, reported] = [new Date(at), new Date(recordedAt)];
  const isLate = reported.getTime() - happened.getTime() > LATE_MS;
  const isSameDay = happened.toDateString() === reported.toDateString();
  return (
    <time
      className={`${styles.clock} leading-5 text-muted max-600:row-1 max-600:col-3 max-600:text-xs`}
      dateTime={at}
      title={isLate ? texts.toldLate({ time: dateTimeText(reported), utc: utcText(happened) }) : utcText(happened)}
    >
      {isSameDay ? null : `${dayMonthText(happened)} `}
      {minuteText(happened)}
    </time>
  );
}

/** The causes that the actor does not imply. */
export function Cause({ cause }: Pick<DeviceEvent, 'cause'>) {
  const causes: Partial<Record<typeof cause, string>> = texts.causes;
  const text = causes[cause];
  return text === undefined ? null : <span>{text}</span>;
}

function FieldChanges({ changes }: { changes: readonly FieldChange[] }) {
  if (changes.length === 0) return null;
  return (
    <ul className={`${styles.changes} grid gap-0.5 ps-3 border-s-2 border-line text-muted`}>
      {changes.map(({ field, from, to }) => (
        <li key={field}>
          {field}: <span data-foreign>{from}</span> → <span data-foreign>{to}</span>
        </li>
      ))}
    </ul>
  );
}

/** The devices of an outage; not rendered before the user opens the list. */
function Members({ site, event: { members = [], count = 0 } }: { site: string; event: DeviceEvent }) {
  const [isOpen, setOpen] = useState(false);
  if (members.length === 0) return null;
  return (
    <details
      className={`${styles.members} [&_summary]:w-fit [&_summary]:min-h-6 [&_summary]:text-accent [&_summary]:cursor-pointer [&_a]:inline-block [&_a]:min-w-6 [&_a]:min-h-6`}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{texts.members({ count: Math.max(count, members.length) })}</summary>
      {isOpen ? (
        <ul>
          {members.map((member) => (
            <li key={member.key}>
              <Link href={devicePage(site, member.key)} data-foreign>
                {deviceLabel(member)}
              </Link>
            </li>
          ))}
          {count > members.length ? <li>{texts.moreMembers({ count: count - members.length })}</li> : null}
        </ul>
      ) : null}
    </details>
  );
}
