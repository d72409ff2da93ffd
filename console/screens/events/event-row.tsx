/** One event as a plain sentence, with when and by whom. */
import {
  ArchiveIcon,
  DoorClosedIcon,
  DoorOpenIcon,
  DownloadIcon,
  GlobeIcon,
  HistoryIcon,
  type LucideIcon,
  MergeIcon,
  NetworkIcon,
  PencilIcon,
  PlusIcon,
  RouteIcon,
  SplitIcon,
  TagIcon,
  Trash2Icon,
  Undo2Icon,
} from 'lucide-react';
import { memo, useState } from 'react';
import { Link } from 'wouter';
import type { DeviceEvent, EventType } from '../../../shared/api/events.ts';
import { clockText, dateTimeText, utcText } from '../../text/format.ts';
import { Actor } from '../../ui/actor.tsx';
import type { KnownActors } from '../../ui/actor-name.ts';
import { StatusShape, type Tone } from '../../ui/status.tsx';
import styles from './events.module.css';
import type { SiteEvent } from './feed.ts';
import { deviceLabel, type FieldChange, type Part, sentenceOf } from './sentence.ts';
import { texts } from './texts.ts';

/** Agents tell within a minute what they notice, unless they are cut off. */
const LATE_MS = 60_000;

interface Props {
  entry: SiteEvent;
  actors: KnownActors;
  /** The name of the site, where the list is about many. */
  siteName: string | null;
  isNew: boolean;
  /** Whether the list shows one device only, so that nothing leads to its events. */
  isOfOneDevice: boolean;
}

const TONES: Partial<Record<EventType, Tone>> = {
  online: 'good',
  offline: 'calm',
  down: 'bad',
  'check-down': 'bad',
  'check-up': 'good',
  'certificate-ending': 'warn',
  'agent-lost': 'warn',
  'agent-back': 'good',
  'agent-update-failed': 'bad',
  'site-dark': 'bad',
  'site-back': 'good',
  'internet-lost': 'bad',
  'internet-back': 'good',
  'speed-low': 'warn',
  'speed-normal': 'good',
  outage: 'bad',
  'outage-over': 'good',
  'turn-missed': 'warn',
};
const ICONS: Partial<Record<EventType, LucideIcon>> = {
  new: PlusIcon,
  found: PlusIcon,
  'ip-changed': NetworkIcon,
  renamed: TagIcon,
  edited: PencilIcon,
  archived: ArchiveIcon,
  deleted: Trash2Icon,
  restored: Undo2Icon,
  imported: DownloadIcon,
  joined: MergeIcon,
  split: SplitIcon,
  'port-opened': DoorOpenIcon,
  'port-closed': DoorClosedIcon,
  'route-changed': RouteIcon,
  'address-changed': GlobeIcon,
};

export const EventRow = memo(function EventRow({ entry, actors, siteName, isNew, isOfOneDevice }: Props) {
  const { site, event } = entry;
  const { at, recordedAt, type, device, actor, cause } = event;
  const { parts, changes } = sentenceOf(event);
  const [time, happened] = [new Date(recordedAt), new Date(at)];
  const isLate = time.getTime() - happened.getTime() > LATE_MS;
  // What was deleted has no page of its own any more, but its events.
  const devicePath = type === 'deleted' || device === null ? null : devicePage(site, device.key);
  return (
    <li className={styles.row} data-new={isNew || undefined}>
      <time className={styles.clock} dateTime={recordedAt} title={utcText(time)}>
        {clockText(time)}
      </time>
      <TypeIcon type={type} />
      <div className={styles.said}>
        <div>
          <Parts parts={parts} devicePath={devicePath} />
        </div>
        <FieldChanges changes={changes} />
        <Members site={site} event={event} />
        <div className={styles.meta}>
          <Actor id={actor} known={actors} />
          <span>{texts.causes[cause]}</span>
          {isLate ? <time dateTime={at}>{texts.toldLate(dateTimeText(happened))}</time> : null}
          {siteName === null ? null : (
            <Link href={`/sites/${site}/events`} className={styles.site} data-foreign>
              {siteName}
            </Link>
          )}
        </div>
      </div>
      {device === null || isOfOneDevice ? null : (
        <Link
          href={`/sites/${site}/events?${new URLSearchParams({ device: device.key })}`}
          className={styles.history}
          aria-label={texts.allOfDevice(deviceLabel(device))}
          title={texts.allOfDevice(deviceLabel(device))}
        >
          <HistoryIcon aria-hidden="true" />
        </Link>
      )}
    </li>
  );
});

export function devicePage(site: string, key: string): string {
  return `/sites/${site}/devices/${encodeURIComponent(key)}`;
}

function TypeIcon({ type }: { type: EventType }) {
  const tone = TONES[type];
  const Icon = ICONS[type];
  return (
    <span className={styles.icon} title={texts.types[type]}>
      {tone === undefined ? null : <StatusShape tone={tone} />}
      {Icon === undefined ? null : <Icon aria-hidden="true" />}
    </span>
  );
}

function Parts({ parts, devicePath }: { parts: readonly Part[]; devicePath: string | null }) {
  return parts.map((part, i) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the parts of a sentence never change their places
    if ('text' in part) return <span key={i}>{part.text}</span>;
    if ('value' in part) {
      return (
        <span key={i} className={styles.value} data-foreign title={part.value}>
          {part.value}
        </span>
      );
    }
    if (devicePath === null) {
      return (
        <strong key={i} className={styles.value} data-foreign title={part.device}>
          {part.device}
        </strong>
      );
    }
    return (
      <Link key={i} href={devicePath} className={`${styles.value} ${styles.device}`} data-foreign title={part.device}>
        {part.device}
      </Link>
    );
    // biome-ignore-end lint/suspicious/noArrayIndexKey: the same
  });
}

function FieldChanges({ changes }: { changes: readonly FieldChange[] }) {
  if (changes.length === 0) return null;
  return (
    <ul className={styles.changes}>
      {changes.map(({ field, from, to }) => (
        <li key={field}>
          {field}: <span data-foreign>{from}</span> → <span data-foreign>{to}</span>
        </li>
      ))}
    </ul>
  );
}

/** The devices of an outage, once somebody asks for them. */
function Members({ site, event: { members = [], count = 0 } }: { site: string; event: DeviceEvent }) {
  const [isOpen, setOpen] = useState(false);
  if (members.length === 0) return null;
  return (
    <details className={styles.members} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.members(Math.max(count, members.length))}</summary>
      {isOpen ? (
        <ul>
          {members.map((member) => (
            <li key={member.key}>
              <Link href={devicePage(site, member.key)} data-foreign>
                {deviceLabel(member)}
              </Link>
            </li>
          ))}
          {count > members.length ? <li>{texts.moreMembers(count - members.length)}</li> : null}
        </ul>
      ) : null}
    </details>
  );
}
