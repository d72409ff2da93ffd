/** What has become of a site since a day: by device, in sentences. */
import { useState } from 'react';
import { Link } from 'wouter';
import type { ChangeGroup } from '../../../shared/api/changes.ts';
import type { AnswerOf } from '../../api/client.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useSiteName } from '../../api/site-name.ts';
import { dateTimeText, parseTime, utcText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import { deviceLabel } from '../events/sentence.ts';
import styles from './changes.module.css';
import { beginOfDay, dayOf, daysBefore, KEPT_DAYS, lastFriday } from './days.ts';
import { texts } from './texts.ts';

const WEEK_DAYS = 7;
const MONTH_DAYS = 30;

export default function Changes({ site }: { site: string }) {
  const [address, setAddress] = useHashQuery();
  const [today] = useState(() => new Date());
  const since = dayIn(address.get('since')) ?? daysBefore(today, 1);
  const until = dayIn(address.get('until'));
  const end = until === null ? null : beginOfDay(until, 1);
  const answer = useAnswer(
    'GET /changes',
    { site, query: { since: beginOfDay(since) ?? undefined, ...(end === null ? {} : { until: end }) } },
    { everyMs: POLL_MS.calm },
  );
  const choose = (from: string, to: string | null) =>
    setAddress(new URLSearchParams({ since: from, ...(to === null ? {} : { until: to }) }), { replace: true });
  return (
    <Page title={texts.title(useSiteName(site))}>
      <search className={styles.filters}>
        <Presets today={today} since={until === null ? since : ''} onChoose={(day) => choose(day, null)} />
        <TextField
          label={texts.since}
          type="date"
          min={daysBefore(today, KEPT_DAYS)}
          max={dayOf(today)}
          value={since}
          onChange={({ target }) => (target.value === '' ? undefined : choose(target.value, until))}
        />
        <TextField
          label={texts.until}
          type="date"
          min={since}
          max={dayOf(today)}
          value={until ?? ''}
          onChange={({ target }) => choose(since, target.value === '' ? null : target.value)}
        />
      </search>
      <Answered of={answer}>{(changes) => <Groups site={site} changes={changes} />}</Answered>
    </Page>
  );
}

function dayIn(text: string | null): string | null {
  return text === null || beginOfDay(text) === null ? null : text;
}

function Presets({ today, since, onChoose }: { today: Date; since: string; onChoose: (day: string) => void }) {
  const presets = [
    [texts.yesterday, daysBefore(today, 1)],
    [texts.friday, lastFriday(today)],
    [texts.week, daysBefore(today, WEEK_DAYS)],
    [texts.month, daysBefore(today, MONTH_DAYS)],
  ] as const;
  return (
    <fieldset className={styles.presets}>
      <legend className="visually-hidden">{texts.spans}</legend>
      {presets.map(([label, day]) => (
        <Button key={label} aria-pressed={since === day} onClick={() => onChoose(day)}>
          {label}
        </Button>
      ))}
    </fieldset>
  );
}

function Groups({ site, changes }: { site: string; changes: AnswerOf<'GET /changes'> }) {
  const { summary, changes: groups, truncated, unreadable } = changes;
  return (
    <>
      <p className={styles.summary} role="status">
        {summary}
      </p>
      {truncated ? <p className="note">{texts.truncated}</p> : null}
      <UnreadableNote title={texts.unreadable} entries={unreadable} />
      {groups.length === 0 ? (
        <Empty title={texts.none}>
          <p>{texts.noneWhy}</p>
        </Empty>
      ) : (
        <ul className={styles.groups} aria-label={texts.list}>
          {groups.map((group) => (
            <li key={keyOf(group)} className={styles.group}>
              <h2 data-foreign>
                <Subject site={site} group={group} />
              </h2>
              <ul className={styles.sentences}>
                {group.sentences.map(({ at, type, text }) => (
                  <li key={`${at} ${type} ${text}`}>
                    <Clock at={at} />
                    <span data-foreign>{text}</span>
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
      <Link href={`/sites/${site}/events`}>{texts.all}</Link>
    </>
  );
}

function keyOf({ device, subject }: ChangeGroup): string {
  return device?.key ?? `${subject?.kind} ${subject?.id}`;
}

function Subject({ site, group: { device, subject, sentences } }: { site: string; group: ChangeGroup }) {
  if (device !== null) {
    const isGone = sentences.at(-1)?.type === 'deleted';
    const label = deviceLabel(device);
    if (isGone) return label;
    return <Link href={`/sites/${site}/devices/${encodeURIComponent(device.key)}`}>{label}</Link>;
  }
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
    <time className={styles.clock} dateTime={at} title={utcText(time)}>
      {dateTimeText(time)}
    </time>
  );
}
