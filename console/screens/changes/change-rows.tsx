/** What has become of one thing, in a line: its picture, its name, and what happened last in sentences. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ChangeGroup, ChangeSentence } from '../../../shared/api/changes.ts';
import { minuteText, parseTime, utcText } from '../../text/format.ts';
import { EventIcon } from '../events/event-icon.tsx';
import { devicePage } from '../events/event-sentence.tsx';
import { deviceLabel } from '../events/sentence.ts';
import styles from './changes.module.css';
import { sentenceText } from './spoken.ts';
import { texts } from './texts.ts';

interface Props {
  site: string;
  group: Pick<ChangeGroup, 'device' | 'subject'>;
  /** The oldest first. */
  sentences: readonly ChangeSentence[];
  /** What stands at the end in place of the time of day. */
  time?: ReactNode;
}

export function ChangeRow({ site, group, sentences, time }: Props) {
  const last = sentences.at(-1);
  if (last === undefined) return null;
  return (
    <li className={styles.row}>
      <EventIcon type={last.type} />
      <span className={styles.name} data-foreign>
        <Subject site={site} group={group} />
      </span>
      <span className={styles.sentences}>
        {sentences.map(({ at, type, text }) => (
          <span key={`${at} ${type} ${text}`} className={styles.sentence} data-foreign>
            {sentenceText(text)}
          </span>
        ))}
      </span>
      <span className={styles.clock}>{time ?? <Clock at={last.at} />}</span>
    </li>
  );
}

export function keyOf({ device, subject }: Pick<ChangeGroup, 'device' | 'subject'>): string {
  return device?.key ?? `${subject?.kind} ${subject?.id}`;
}

function Subject({ site, group: { device, subject } }: Pick<Props, 'site' | 'group'>) {
  // The page of what was deleted offers to bring it back.
  if (device !== null) return <Link href={devicePage(site, device.key)}>{deviceLabel(device)}</Link>;
  if (subject === null) return texts.site;
  const places: Partial<Record<typeof subject.kind, string>> = {
    check: `/checks/${subject.id}`,
    schedule: '/schedules',
    internet: '/internet',
    agent: '/settings',
  };
  const path = places[subject.kind];
  // What belongs to the site as a whole has its id for a name, or none.
  const name = texts.subjects[subject.kind] ?? subject.name;
  return path === undefined ? name : <Link href={`/sites/${site}${path}`}>{name}</Link>;
}

function Clock({ at }: { at: string }) {
  const time = parseTime(at);
  if (time === null) return null;
  return (
    <time dateTime={at} title={utcText(time)}>
      {minuteText(time)}
    </time>
  );
}
