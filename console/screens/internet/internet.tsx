/** The internet connection of a site: state, speed and outages. */
import texts from 'messages:internet';
import { useQueryClient } from '@tanstack/react-query';
import { Gauge, Globe } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { Check } from '../../../shared/api/checks.ts';
import type { EventType } from '../../../shared/api/events.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { useSiteName } from '../../api/site-name.ts';
import { CheckChart } from '../../checks/check-chart.tsx';
import { useCommand } from '../../commands/use-command.ts';
import { measuredText, percentText } from '../../text/format.ts';
import { useActors } from '../../ui/actor.tsx';
import { Button } from '../../ui/button.tsx';
import { useCursor } from '../../ui/chart/cursor.ts';
import { SpanChoice, useChartChoice } from '../../ui/chart/span-choice.tsx';
import { SPAN_MS, timeSpan } from '../../ui/chart/time-span.ts';
import { Chip } from '../../ui/chip.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { EventList } from '../events/event-list.tsx';
import { mbpsText } from '../overview/mbps-text.ts';
import { SpeedChart } from './charts.tsx';
import styles from './internet.module.css';
import { Now } from './now.tsx';
import { outagesOf, stretchesOf } from './outages.ts';
import { Outages } from './outages.tsx';
import { isSlow, type SpeedTest, speedTests, usual } from './speeds.ts';

type Schedule = AnswerOf<'GET /schedules'>['schedules'][number];

const SIX_HOURS_S = 21_600;

const GONE = ['internet-lost', 'internet-back'] as const satisfies EventType[];
const MAX_EVENTS = 200;
/** Shorter data would be a speck in a chart of a month. */
const YOUNG_MS = 3 * SPAN_MS['24h'];

export default function Internet({ site }: { site: string }) {
  const mayRun = useRights().may('nettools:run');
  const cursor = useCursor();
  const now = useNow();
  const since = new Date(timeSpan('1y', now).from).toISOString();
  const checks = useAnswer('GET /checks', { site });
  const speeds = useAnswer('GET /series', { site, query: { of: 'speed', since } }, { everyMs: POLL_MS.calm });
  const addresses = useAnswer('GET /series', { site, query: { of: 'address', since } }, { everyMs: POLL_MS.calm });
  const schedules = useAnswer('GET /schedules', { site }, { everyMs: POLL_MS.calm });
  const outages = useAnswer('GET /events', { site, query: { type: GONE.join(','), limit: MAX_EVENTS } });
  const tests = useMemo(() => speedTests(speeds.data?.series ?? []), [speeds.data]);
  const check = checks.data?.checks.find(({ kind }) => kind === 'internet') ?? null;
  const schedule = schedules.data?.schedules.find(({ tool }) => tool === 'speedtest') ?? null;
  const begin = Math.min(now, check === null ? now : Date.parse(check.createdAt), tests[0]?.at ?? now);
  const choice = useChartChoice(now - begin < YOUNG_MS ? '24h' : '30d');
  const span = timeSpan(choice.span, now);
  const measuring = useMeasuring(site, check, schedule);
  const isKnown = checks.data !== undefined && schedules.data !== undefined && speeds.data !== undefined;
  const isEmpty = isKnown && check === null && schedule === null && tests.length === 0;
  const outagesInSpan = useMemo(
    () =>
      (check === null ? [] : outagesOf(check, outages.data?.events ?? [])).filter(({ to }) => (to ?? now) > span.from),
    [check, outages.data, span.from, now],
  );
  const stretches = useMemo(
    () => (check === null ? [] : stretchesOf(check, outages.data?.events ?? [], span)),
    [check, outages.data, span],
  );
  return (
    <Page
      title={texts.title}
      actions={
        mayRun && isKnown && !isEmpty ? (
          <>
            <CheckField
              label={texts.everySixHours}
              checked={measuring.isOn}
              disabled={measuring.isBusy}
              onChange={({ target }) => void measuring.turn(target.checked)}
            />
            <MeasureNow site={site} />
          </>
        ) : undefined
      }
    >
      <Answered of={checks}>
        {() =>
          isEmpty ? (
            <Empty title={texts.none} icon={Globe}>
              <p>{mayRun ? texts.noneWhy : texts.noneForToken}</p>
              {mayRun ? (
                <div className="flex flex-wrap gap-2 justify-center">
                  <Button
                    look="primary"
                    disabled={measuring.isBusy}
                    onClick={() => void measuring.turn(true)}
                    aria-describedby="every-six-hours"
                  >
                    {texts.everySixHours}
                  </Button>
                  <MeasureNow site={site} />
                </div>
              ) : null}
              <p id="every-six-hours" className="text-muted">
                {texts.everySixHoursWhat}
              </p>
            </Empty>
          ) : (
            <>
              <Now
                check={check}
                tests={tests}
                addresses={addresses.data?.series ?? []}
                nextAt={schedule?.nextAt ?? null}
              />
              <Card>
                <div className="flex flex-wrap items-center justify-between gap-y-2 gap-x-4">
                  <h2>{texts.overTime}</h2>
                  <SpanChoice choice={choice} />
                </div>
                <Answered of={speeds}>
                  {() => <SpeedChart tests={tests} isTable={choice.isTable} {...{ span, cursor }} />}
                </Answered>
                <Outages outages={outagesInSpan} {...{ stretches, span, cursor }} />
                {check === null ? null : <CheckChart {...{ site, check, choice, cursor }} isNamed={false} />}
              </Card>
              <div className="grid grid-cols-[repeat(auto-fit,minmax(min(420px,100%),1fr))] items-start gap-4">
                <History tests={tests} />
                <Happened site={site} />
              </div>
            </>
          )
        }
      </Answered>
    </Page>
  );
}

/** Regular speed tests, off at first. The first "on" also creates the check of the internet, once a minute. */
function useMeasuring(site: string, check: Check | null, schedule: Schedule | null) {
  const [isBusy, setBusy] = useState(false);
  const queries = useQueryClient();

  async function turn(on: boolean): Promise<void> {
    setBusy(true);
    try {
      if (on && check === null) {
        await ask('POST /checks', { site, body: { kind: 'internet', label: texts.checkLabel } });
      }
      if (schedule !== null) {
        await ask('PATCH /schedules/{schedule}', { site, params: { schedule: schedule.id }, body: { enabled: on } });
      } else if (on) {
        const body = { name: texts.scheduleName, tool: 'speedtest' as const, everySeconds: SIX_HOURS_S };
        await ask('POST /schedules', { site, body });
      }
      showToast(on ? texts.measuring : texts.notMeasuring);
    } catch (error) {
      showProblem(error);
    } finally {
      setBusy(false);
      void queries.invalidateQueries();
    }
  }

  return { isOn: schedule?.enabled === true, isBusy, turn };
}

/** Runs one speed test; its result joins the others once it is stored. */
function MeasureNow({ site }: { site: string }) {
  const command = useCommand();
  const queries = useQueryClient();
  const { job, isRunning, percent, problem } = command;
  const state = isRunning || job === null ? null : job.state;
  useEffect(() => {
    if (problem !== null) showProblem(problem);
  }, [problem]);
  useEffect(() => {
    if (state === null) return;
    if (state === 'succeeded') showToast(texts.measured);
    void queries.invalidateQueries();
  }, [state, queries]);
  return (
    <>
      <Button disabled={isRunning} onClick={() => void command.start('speedtest', site, {})}>
        <Gauge aria-hidden="true" />
        {!isRunning
          ? texts.measureNow
          : percent === null
            ? texts.running
            : texts.runningAt({ percent: percentText(percent) })}
      </Button>
      {state === null || state === 'succeeded' || job === null ? null : (
        <span className="self-center text-warn text-sm" role="status">
          {texts.failed} <Link href={`/sites/${site}/runs/${job.id}`}>{texts.why}</Link>
        </span>
      )}
    </>
  );
}

const TYPES = [
  'outage',
  'outage-over',
  'site-dark',
  'site-back',
  'address-changed',
  'speed-low',
  'speed-normal',
] as const satisfies EventType[];
const MOST_EVENTS = 10;

/** Other events of the connection, and of the site as a whole. */
function Happened({ site }: { site: string }) {
  const actors = useActors(site);
  const name = useSiteName(site);
  const siteNames = useMemo(() => new Map([[site, name]]), [site, name]);
  const type = TYPES.join(',');
  const answer = useAnswer('GET /events', { site, query: { type, limit: MOST_EVENTS } });
  return (
    <Card title={texts.outages}>
      <Answered of={answer}>
        {({ events }) => (
          <>
            {events.length === 0 ? <p className="text-muted">{texts.noOutages}</p> : null}
            <EventList
              entries={events.map((event) => ({ site, event }))}
              actors={actors}
              siteNames={siteNames}
              isOfOneSite
              newCount={0}
              isOfOneDevice={false}
            />
            {events.length === 0 ? null : (
              <Link href={`/sites/${site}/events?${new URLSearchParams({ type })}`}>{texts.allOutages}</Link>
            )}
          </>
        )}
      </Answered>
    </Card>
  );
}

const STEP = 8;

/** The last speed tests as a table. */
function History({ tests }: { tests: readonly SpeedTest[] }) {
  const [count, setCount] = useState(STEP);
  if (tests.length === 0) return null;
  const usualDown = usual(tests.map(({ downMbps }) => downMbps));
  const value = (of: number | null) => (of === null ? texts.nothing : mbpsText(of));
  return (
    <Card title={texts.history}>
      <table
        className={`${styles.tests} w-full border-collapse text-sm [&_th]:text-muted [&_th]:text-xs [&_th]:font-normal [&_tr:last-child_td]:border-b-0`}
      >
        <caption className="visually-hidden">{texts.historyOf}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.when}</th>
            <th scope="col">{texts.down}</th>
            <th scope="col">{texts.up}</th>
            <th scope="col">{texts.ping}</th>
          </tr>
        </thead>
        <tbody>
          {tests
            .toReversed()
            .slice(0, count)
            .map((test) => (
              <tr key={test.at}>
                <td>
                  <Time at={new Date(test.at).toISOString()} />
                </td>
                <td>
                  {value(test.downMbps)} {isSlow(test, usualDown) ? <Chip tone="warn">{texts.slow}</Chip> : null}
                </td>
                <td>{value(test.upMbps)}</td>
                <td>{test.pingMs === null ? texts.nothing : texts.ms({ value: measuredText(test.pingMs) })}</td>
              </tr>
            ))}
        </tbody>
      </table>
      {tests.length > count ? (
        <div>
          <Button look="quiet" onClick={() => setCount(count + STEP * 4)}>
            {texts.earlier}
          </Button>
        </div>
      ) : null}
    </Card>
  );
}
