/** The changes of one device or other subject, as a line. */
import texts from 'messages:changes';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ChangeGroup, ChangeSentence } from '../../../shared/api/changes.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { minuteText, parseTime, utcText } from '../../text/format.ts';
import { sentenceText } from '../../text/said-texts.ts';
import { Answered } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { EventIcon } from '../events/event-icon.tsx';
import { devicePage } from '../events/event-sentence.tsx';
import { deviceLabel } from '../events/sentence.ts';
import styles from './changes.module.css';
import { withoutNoOps } from './no-op.ts';

interface Props {
  site: string;
  group: Pick<ChangeGroup, 'device' | 'subject'>;
  /** The oldest first. */
  sentences: readonly ChangeSentence[];
  /** In place of the time of day. */
  time?: ReactNode;
}

export function ChangeRow({ site, group, sentences, time }: Props) {
  const last = sentences.at(-1);
  if (last === undefined) return null;
  return (
    <li
      className={`${styles.row} grid grid-cols-[20px_minmax(120px,240px)_minmax(0,1fr)_auto] items-start gap-x-3 min-h-[calc(var(--row-height)_+_4px)] py-1.75 text-sm leading-5 max-700:grid-cols-[20px_minmax(0,1fr)_auto]`}
    >
      <EventIcon type={last.type} />
      <span className="font-[550] wrap-anywhere [&_a]:no-underline [&_a]:text-text [&_a:hover]:underline" data-foreign>
        <Subject site={site} group={group} />
      </span>
      <span className="grid gap-0.5 min-w-0 wrap-anywhere max-700:[grid-area:2/2/auto/-1]">
        {sentences.map((sentence) => (
          <span
            key={`${sentence.at} ${sentence.type} ${sentence.text}`}
            className="block first-letter:uppercase"
            data-foreign
          >
            {sentenceText(sentence)}
          </span>
        ))}
      </span>
      <span className="text-muted text-xs whitespace-nowrap max-700:row-1 max-700:col-3">
        {time ?? <Clock at={last.at} />}
      </span>
    </li>
  );
}

export function keyOf({ device, subject }: Pick<ChangeGroup, 'device' | 'subject'>): string {
  return device?.key ?? `${subject?.kind} ${subject?.id}`;
}

function Subject({ site, group: { device, subject } }: Pick<Props, 'site' | 'group'>) {
  // A deleted device also has a page, which offers to restore it.
  if (device !== null) return <Link href={devicePage(site, device.key)}>{deviceLabel(device)}</Link>;
  if (subject === null) return texts.site;
  const places: Partial<Record<typeof subject.kind, string>> = {
    check: `/checks/${subject.id}`,
    schedule: '/schedules',
    internet: '/internet',
    agent: '/settings',
  };
  const path = places[subject.kind];
  // Subjects that belong to the whole site have an id as name, or none.
  const names: Partial<Record<typeof subject.kind, string>> = texts.subjects;
  const name = names[subject.kind] ?? subject.name;
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

const SHORT_LINES = 5;
const SHORT_SENTENCES = 2;

/** The changes of a site in the last day, for its overview. */
export function ShortChanges({ site }: { site: string }) {
  const answer = useAnswer('GET /changes', { site }, { everyMs: POLL_MS.calm });
  return (
    <Answered of={answer}>
      {({ changes: all }) => {
        const changes = withoutNoOps(all);
        return changes.length === 0 ? (
          <p className="text-muted">{texts.shortNone}</p>
        ) : (
          <>
            <ul className={styles.short}>
              {changes.slice(0, SHORT_LINES).map((group) => (
                <ChangeRow
                  key={keyOf(group)}
                  site={site}
                  group={group}
                  sentences={group.sentences.slice(-SHORT_SENTENCES)}
                  time={<Time at={group.sentences.at(-1)?.at} />}
                />
              ))}
            </ul>
            <Link href={`/sites/${site}/changes`} className="justify-self-start no-underline text-sm">
              {changes.length > SHORT_LINES ? texts.more({ count: changes.length - SHORT_LINES }) : texts.showAll}
            </Link>
          </>
        );
      }}
    </Answered>
  );
}
