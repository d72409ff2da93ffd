/** The changes of a site since a day, by day and device, in sentences. */
import texts from 'messages:changes';
import { NotebookText } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { AnswerOf } from '../../api/client.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { dayText } from '../../text/format.ts';
import { summarySentence } from '../../text/said-texts.ts';
import { TextField } from '../../ui/field.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import { DaySection } from '../events/day-section.tsx';
import { ChangeRow, keyOf } from './change-rows.tsx';
import { beginOfDay, byDay, dayOf, daysBefore, KEPT_DAYS, lastFriday } from './days.ts';

type Span = keyof typeof texts.spans;

export default function Changes({ site }: { site: string }) {
  const [address, setAddress] = useHashQuery();
  const [today] = useState(() => new Date());
  const presets: Record<Exclude<Span, 'date'>, string> = {
    yesterday: daysBefore(today, 1),
    friday: lastFriday(today),
    week: daysBefore(today, 7),
    month: daysBefore(today, 30),
  };
  const since = dayIn(address.get('since')) ?? presets.yesterday;
  const until = dayIn(address.get('until'));
  const end = until === null ? null : beginOfDay(until, 1);
  const [isDate, setDate] = useState(false);
  const fitting = (Object.keys(presets) as (keyof typeof presets)[]).find((span) => presets[span] === since);
  const span: Span = isDate || until !== null ? 'date' : (fitting ?? 'date');
  const answer = useAnswer(
    'GET /changes',
    { site, query: { since: beginOfDay(since) ?? undefined, ...(end === null ? {} : { until: end }) } },
    { everyMs: POLL_MS.calm },
  );
  const choose = (from: string, to: string | null) =>
    setAddress(new URLSearchParams({ since: from, ...(to === null ? {} : { until: to }) }), { replace: true });
  function chooseSpan(next: Span): void {
    setDate(next === 'date');
    if (next !== 'date') choose(presets[next], null);
  }
  return (
    <Page title={texts.title}>
      <search className="flex flex-wrap items-center gap-2 min-w-0 text-sm">
        <span className="text-muted" aria-hidden="true">
          {texts.span}
        </span>
        <Tabs label={texts.span} tabs={texts.spans} value={span} onChange={chooseSpan} />
        {span === 'date' ? (
          <>
            <TextField
              label={texts.since}
              isLabelHidden
              type="date"
              min={daysBefore(today, KEPT_DAYS)}
              max={dayOf(today)}
              value={since}
              onChange={({ target }) => (target.value === '' ? undefined : choose(target.value, until))}
            />
            <span aria-hidden="true">–</span>
            <TextField
              label={texts.until}
              isLabelHidden
              type="date"
              min={since}
              max={dayOf(today)}
              value={until ?? ''}
              onChange={({ target }) => choose(since, target.value === '' ? null : target.value)}
            />
          </>
        ) : null}
      </search>
      <Answered of={answer}>{(changes) => <Days site={site} changes={changes} today={today} />}</Answered>
    </Page>
  );
}

const dayIn = (text: string | null): string | null => (text === null || beginOfDay(text) === null ? null : text);

function Days({ site, changes, today }: { site: string; changes: AnswerOf<'GET /changes'>; today: Date }) {
  const { changes: groups, truncated, unreadable } = changes;
  if (groups.length === 0) {
    return (
      <>
        <UnreadableNote title={texts.unreadable} entries={unreadable} />
        <Empty title={texts.none} icon={NotebookText}>
          <p role="status">{texts.noneWhy}</p>
        </Empty>
      </>
    );
  }
  return (
    <>
      <p className="text-lg" role="status">
        {summarySentence(changes)}
      </p>
      {truncated ? <p className="note">{texts.truncated}</p> : null}
      <UnreadableNote title={texts.unreadable} entries={unreadable} />
      <div className="grid gap-6 min-w-0">
        {byDay(groups).map(({ day, groups: ofDay }) => (
          <DaySection
            key={day}
            label={day}
            name={day === dayOf(today) ? texts.today : day === daysBefore(today, 1) ? texts.yesterday : ''}
            date={dayText(new Date(beginOfDay(day) ?? day))}
          >
            <ul
              className={`card min-w-0 [&>li+li]:border-t [&>li+li]:border-line [&>li]:px-4 max-700:[&>li]:px-3`}
              aria-label={texts.list}
            >
              {ofDay.map(({ group, sentences }) => (
                <ChangeRow key={keyOf(group)} site={site} group={group} sentences={sentences} />
              ))}
            </ul>
          </DaySection>
        ))}
      </div>
      <Link href={`/sites/${site}/events`} className="justify-self-start no-underline text-sm">
        {texts.all}
      </Link>
    </>
  );
}
