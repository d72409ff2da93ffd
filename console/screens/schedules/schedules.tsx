/** The schedules of a site, with their next and last runs. */
import commandTexts from 'messages:commands';
import texts from 'messages:schedules';
import { CalendarClock, ListChecks, Plus, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import type { Schedule } from '../../../shared/api/schedules.ts';
import { ask } from '../../api/client.ts';
import { useAnswer, useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { reasonText, titleOfJob, toneOfState } from '../../commands/job-texts.ts';
import { resultText } from '../../commands/result-text.ts';
import { iconOf } from '../../commands/tool-icons.ts';
import { everyText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CheckField } from '../../ui/field.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { KEYS, useShortcut } from '../../ui/keys.ts';
import { List } from '../../ui/list.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time, ZonedTime } from '../../ui/time.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { useNarrow } from '../../ui/use-narrow.ts';
import { presetOf } from './presets.ts';
import { AddSchedule } from './schedule-form.tsx';

export default function Schedules({ site }: { site: string }) {
  const answer = useAnswer('GET /schedules', { site });
  const mayRun = useRights().may('nettools:run');
  const lastJobs = useJobsOfSchedules(site, mayRun);
  const isNarrow = useNarrow();
  const [query, setQuery] = useHashQuery();
  const [isAdding, setAdding] = useState(false);
  const isLinked = mayRun && query.has('add');
  useShortcut(KEYS.add, texts.add, () => setAdding(true), { when: mayRun });
  const isEmpty = answer.data?.schedules.length === 0;
  const addButton = mayRun ? (
    <Button look="primary" onClick={() => setAdding(true)} icon={<Plus />}>
      {texts.add}
    </Button>
  ) : undefined;
  return (
    <Page title={texts.title} actions={isEmpty ? undefined : addButton}>
      {isEmpty || answer.data === undefined ? null : (
        <p className="text-muted">
          {texts.intro} {texts.clock({ zone: answer.data.schedules[0]?.timeZone ?? 'UTC' })}
        </p>
      )}
      <List
        of={answer}
        pages={answer.data && [answer.data]}
        rows={({ schedules }) => schedules}
        keyOf={({ id }) => id}
        label={texts.list}
        {...(isNarrow
          ? {
              item: (schedule: Schedule) => (
                <ScheduleCard schedule={schedule} mayRun={mayRun} jobs={lastJobs.get(schedule.id) ?? []} />
              ),
            }
          : { columns: columnsFor(mayRun, lastJobs) })}
        empty={{ title: texts.none, hint: texts.noneWhy, icon: CalendarClock, action: addButton }}
        unreadable={texts.unreadable}
      />
      {isAdding || isLinked ? (
        <AddSchedule
          site={site}
          filled={query}
          onClose={() => {
            setAdding(false);
            if (isLinked) setQuery(new URLSearchParams(), { replace: true });
          }}
        />
      ) : null}
    </Page>
  );
}

const ACTOR = 'schedule:';
/** Jobs of the site among which the marks are found. */
const MAX_JOBS = 200;
/** Marks of a schedule. */
const MAX_MARKS = 8;

/** The newest runs of each schedule, by its id. */
function useJobsOfSchedules(site: string, when: boolean): ReadonlyMap<string, readonly Job[]> {
  const { data } = useAnswer('GET /jobs', { site, query: { limit: MAX_JOBS } }, { when });
  return useMemo(() => {
    const bySchedule = new Map<string, Job[]>();
    for (const job of data?.jobs ?? []) {
      if (!job.actor.startsWith(ACTOR)) continue;
      const id = job.actor.slice(ACTOR.length);
      bySchedule.set(id, [...(bySchedule.get(id) ?? []), job]);
    }
    return bySchedule;
  }, [data]);
}

function columnsFor(mayRun: boolean, lastJobs: ReadonlyMap<string, readonly Job[]>): readonly Column<Schedule>[] {
  return [
    { heading: texts.active, cell: (schedule) => <OnSwitch schedule={schedule} mayChange={mayRun} /> },
    { heading: texts.what, cell: (schedule) => <What schedule={schedule} /> },
    { heading: texts.when, cell: (schedule) => whenText(schedule) },
    { heading: texts.next, cell: (schedule) => <Next schedule={schedule} /> },
    { heading: texts.last, cell: (schedule) => <Last schedule={schedule} jobs={lastJobs.get(schedule.id) ?? []} /> },
    ...(mayRun ? [{ heading: texts.actions, cell: (schedule: Schedule) => <ScheduleMenu schedule={schedule} /> }] : []),
  ];
}

/** In a narrow window. */
function ScheduleCard({ schedule, mayRun, jobs }: { schedule: Schedule; mayRun: boolean; jobs: readonly Job[] }) {
  return (
    <div className="card flex items-start gap-2 pr-2 pl-3 py-3 text-sm">
      <OnSwitch schedule={schedule} mayChange={mayRun} />
      <div className="grid flex-1 gap-1.5 min-w-0 wrap-anywhere">
        <What schedule={schedule} />
        <div className="text-muted">
          {whenText(schedule)}
          {schedule.enabled ? null : ` · ${texts.paused}`}
        </div>
        <Last schedule={schedule} jobs={jobs} />
      </div>
      {mayRun ? <ScheduleMenu schedule={schedule} /> : null}
    </div>
  );
}

function What({ schedule }: { schedule: Schedule }) {
  const Icon = iconOf(schedule.tool);
  return (
    <div className="flex items-center gap-2.5 [&_svg]:flex-none [&_svg]:size-4 [&_svg]:text-muted">
      <Icon aria-hidden="true" />
      <div>
        <div data-foreign>{schedule.name}</div>
        <div className="text-muted" data-foreign>
          {titleOfJob(schedule)}
        </div>
      </div>
    </div>
  );
}

function whenText(schedule: Schedule): string {
  const { cron, everySeconds } = schedule;
  const preset = presetOf(schedule);
  return preset === null ? (cron ?? everyText(everySeconds ?? 0)) : texts.presets[preset];
}

function Next({ schedule: { enabled, nextAt, timeZone } }: { schedule: Schedule }) {
  if (!enabled) return <span className="text-muted">{texts.paused}</span>;
  if (nextAt === null) return <span className="text-muted">{texts.noNext}</span>;
  return (
    <>
      <div className="whitespace-nowrap">
        <Time at={nextAt} />
      </div>
      <div className="text-muted whitespace-nowrap">
        <ZonedTime at={nextAt} zone={timeZone} />
      </div>
    </>
  );
}

function Last({ schedule: { site, last, missed }, jobs }: { schedule: Schedule; jobs: readonly Job[] }) {
  const isFine = last !== null && toneOfState(last.state) === 'good';
  return (
    <div className="grid gap-0.5 justify-items-start">
      <Marks jobs={jobs} />
      {last === null ? (
        <span className="text-muted">{texts.never}</span>
      ) : (
        <Link href={`/sites/${site}/runs/${last.job}`}>
          {isFine ? (
            <Time at={last.endedAt} />
          ) : (
            <Status tone={toneOfState(last.state)}>
              {reasonText(last) ?? commandTexts.states[last.state]}, <Time at={last.endedAt} />
            </Status>
          )}
        </Link>
      )}
      {missed === null ? null : (
        <Status tone="warn">
          {texts.missed({ count: missed.count })} <Time at={missed.lastAt} />
        </Status>
      )}
    </div>
  );
}

/** The last runs, the newest at the right. @param jobs the newest first */
function Marks({ jobs }: { jobs: readonly Job[] }) {
  const last = jobs.slice(0, MAX_MARKS).toReversed();
  if (last.length === 0) return null;
  const failed = last.filter(({ state }) => toneOfState(state) !== 'good').length;
  return (
    <span
      // What failed is lower as well, so that more than the colour says it.
      className="inline-flex items-end gap-0.75 h-4 [&_i]:w-1.25 [&_i]:h-3.5 [&_i]:rounded-[1.5px] [&_i]:bg-good [&_i]:opacity-75 [&_i:is([data-tone=bad],[data-tone=warn])]:h-2 [&_i:is([data-tone=bad],[data-tone=warn])]:opacity-100 [&_i[data-tone=bad]]:bg-bad [&_i[data-tone=warn]]:bg-warn [&_i[data-tone=calm]]:h-1 [&_i[data-tone=calm]]:bg-control-line"
      role="img"
      aria-label={texts.marks({ all: last.length, failed })}
    >
      {last.map((job) => (
        <i key={job.id} data-tone={toneOfState(job.state)} title={resultText(job)} />
      ))}
    </span>
  );
}

/** The switch and the menu of a schedule. */
function OnSwitch({ schedule, mayChange }: { schedule: Schedule; mayChange: boolean }) {
  const changing = useChange('PATCH /schedules/{schedule}');
  const { id, site, name, enabled } = schedule;
  const toggle = () =>
    changing.mutate(
      { site, params: { schedule: id }, body: { enabled: !enabled } },
      { onSuccess: () => showToast(enabled ? texts.nowPaused : texts.nowOn), onError: showProblem },
    );
  return (
    <span className="inline-flex w-fit">
      <CheckField
        role="switch"
        label={<span className="visually-hidden">{texts.onOff({ name })}</span>}
        checked={changing.isPending ? !enabled : enabled}
        disabled={!mayChange || changing.isPending}
        onChange={toggle}
      />
    </span>
  );
}

function ScheduleMenu({ schedule: { id, site, name } }: { schedule: Schedule }) {
  const runs = `/sites/${site}/runs?actor=schedule:${id}`;
  const removal = (close: () => void) => (
    <ConfirmDialog
      title={texts.removeTitle({ name })}
      submit={texts.removeNow}
      send={() => ask('DELETE /schedules/{schedule}', { site, params: { schedule: id } })}
      toast={texts.removed}
      onClose={close}
    >
      <p>{texts.removeWhat}</p>
    </ConfirmDialog>
  );
  return (
    <Menu
      label={texts.more({ name })}
      items={[
        { label: texts.runs, icon: <ListChecks aria-hidden="true" />, to: runs },
        { label: texts.remove, icon: <Trash2 aria-hidden="true" />, isDanger: true, dialog: removal },
      ]}
    />
  );
}
