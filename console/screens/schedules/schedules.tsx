/** The schedules of a site: what is run again and again, when next, and how it went last. */
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Schedule } from '../../../shared/api/schedules.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { useSiteName } from '../../api/site-name.ts';
import { reasonText, titleOfJob, toneOfState } from '../../commands/job-texts.ts';
import { commandTexts } from '../../commands/texts.ts';
import { everyText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { useShortcut } from '../../ui/keys.ts';
import { List } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Moment, Time } from '../../ui/time.tsx';
import { presetOf } from './presets.ts';
import { ScheduleActions } from './schedule-actions.tsx';
import { AddSchedule } from './schedule-form.tsx';
import { texts } from './texts.ts';

export default function Schedules({ site }: { site: string }) {
  const answer = useAnswer('GET /schedules', { site });
  const siteName = useSiteName(site);
  const mayRun = useRights().may('nettools:run');
  const [isAdding, setAdding] = useState(false);
  useShortcut('n', texts.add, () => setAdding(true), { when: mayRun });
  const addButton = mayRun ? (
    <Button look="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden="true" />
      {texts.add}
    </Button>
  ) : undefined;
  return (
    <Page title={texts.titleOfSite(siteName)} actions={addButton}>
      <p className="muted">{texts.intro}</p>
      <List
        of={answer}
        pages={answer.data && [answer.data]}
        rows={({ schedules }) => schedules}
        keyOf={({ id }) => id}
        label={texts.list}
        columns={mayRun ? [...COLUMNS, ...WITH_RIGHTS] : COLUMNS}
        empty={{ title: texts.none, hint: texts.noneWhy }}
        unreadable={texts.unreadable}
      />
      {isAdding ? <AddSchedule site={site} siteName={siteName} onClose={() => setAdding(false)} /> : null}
    </Page>
  );
}

const COLUMNS: readonly Column<Schedule>[] = [
  {
    heading: texts.what,
    cell: (schedule) => (
      <>
        <div data-foreign>{schedule.name}</div>
        <div className="muted" data-foreign>
          {titleOfJob(schedule)}
        </div>
      </>
    ),
  },
  { heading: texts.when, cell: (schedule) => whenText(schedule) },
  { heading: texts.next, cell: (schedule) => <Next schedule={schedule} /> },
  { heading: texts.last, cell: (schedule) => <Last schedule={schedule} /> },
];
const WITH_RIGHTS: readonly Column<Schedule>[] = [
  {
    heading: texts.runs,
    cell: ({ id, site, name }) => (
      <Link href={`/sites/${site}/runs?actor=schedule:${id}`} aria-label={texts.runsOf(name)}>
        {texts.runs}
      </Link>
    ),
  },
  { heading: texts.actions, cell: (schedule) => <ScheduleActions schedule={schedule} /> },
];

function whenText(schedule: Schedule): string {
  const preset = presetOf(schedule);
  if (preset !== null) return texts.presets[preset];
  const { cron, everySeconds, timeZone } = schedule;
  return cron === null ? everyText(everySeconds ?? 0) : texts.byCron(cron, timeZone);
}

function Next({ schedule: { enabled, nextAt } }: { schedule: Schedule }) {
  if (!enabled) return <Status tone="calm">{texts.paused}</Status>;
  if (nextAt === null) return texts.noNext;
  return (
    <>
      <div className="nowrap">
        <Time at={nextAt} />
      </div>
      <div className="muted nowrap">
        <Moment at={nextAt} />
      </div>
    </>
  );
}

function Last({ schedule: { site, last, missed } }: { schedule: Schedule }) {
  const reason = last === null ? null : reasonText(last);
  return (
    <>
      {last === null ? (
        <span className="muted">{texts.never}</span>
      ) : (
        <Link href={`/sites/${site}/runs/${last.job}`}>
          <Status tone={toneOfState(last.state)}>
            {commandTexts.states[last.state]} <Time at={last.endedAt} />
          </Status>
        </Link>
      )}
      {reason === null ? null : <div className="muted">{reason}</div>}
      {missed === null ? null : (
        <div>
          <Status tone="warn">
            {texts.missed(missed.count)} <Time at={missed.lastAt} />
          </Status>
        </div>
      )}
    </>
  );
}
