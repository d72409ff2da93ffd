/** The internet connection of a site: whether it is there, how fast it is, and what became of it. */
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { EventType } from '../../../shared/api/events.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { useSiteName } from '../../api/site-name.ts';
import { CheckChart } from '../../checks/check-chart.tsx';
import { measuredText } from '../../text/format.ts';
import { useActors } from '../../ui/actor.tsx';
import { Chart } from '../../ui/chart/chart.tsx';
import { type Cursor, useCursor } from '../../ui/chart/cursor.ts';
import { type ChartChoice, SpanChoice, useChartChoice } from '../../ui/chart/span-choice.tsx';
import { timeSpan } from '../../ui/chart/time-span.ts';
import type { Track } from '../../ui/chart/track.ts';
import { Card, Page } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { useNow } from '../../ui/time.tsx';
import { EventList } from '../events/event-list.tsx';
import { Measure } from './measure.tsx';
import { Now } from './now.tsx';
import { type SpeedTest, speedTests, usual } from './speeds.ts';
import { texts } from './texts.ts';

const OUTAGES = [
  'outage',
  'outage-over',
  'internet-lost',
  'internet-back',
  'site-dark',
  'site-back',
  'address-changed',
  'speed-low',
  'speed-normal',
] as const satisfies EventType[];
const MAX_EVENTS = 30;

export default function Internet({ site }: { site: string }) {
  const mayRun = useRights().may('nettools:run');
  const choice = useChartChoice('7d');
  const cursor = useCursor();
  const now = useNow();
  const since = new Date(timeSpan('1y', now).from).toISOString();
  const checks = useAnswer('GET /checks', { site });
  const speeds = useAnswer('GET /series', { site, query: { of: 'speed', since } }, { everyMs: POLL_MS.calm });
  const addresses = useAnswer('GET /series', { site, query: { of: 'address', since } }, { everyMs: POLL_MS.calm });
  const schedules = useAnswer('GET /schedules', { site }, { everyMs: POLL_MS.calm });
  const tests = useMemo(() => speedTests(speeds.data?.series ?? []), [speeds.data]);
  const check = checks.data?.checks.find(({ kind }) => kind === 'internet') ?? null;
  const schedule = schedules.data?.schedules.find(({ tool }) => tool === 'speedtest') ?? null;
  const isKnown = checks.data !== undefined && schedules.data !== undefined;
  return (
    <Page title={texts.title(useSiteName(site))}>
      <Card title={texts.now}>
        <Answered of={checks}>
          {() => (
            <Now
              check={check}
              nextTestAt={schedule?.nextAt ?? null}
              last={tests.at(-1) ?? null}
              addresses={addresses.data?.series ?? []}
            />
          )}
        </Answered>
        {mayRun && isKnown ? (
          <Measure site={site} needsCheck={check === null} needsSchedule={schedule === null} />
        ) : null}
      </Card>
      <Card title={texts.overTime}>
        <SpanChoice choice={choice} />
        {check === null ? null : <CheckChart {...{ site, check, choice, cursor }} isNamed={false} />}
        <Answered of={speeds}>{() => <SpeedChart {...{ tests, choice, cursor }} />}</Answered>
      </Card>
      <Outages site={site} />
    </Page>
  );
}

const DAY_MS = 86_400_000;

interface SpeedProps {
  tests: readonly SpeedTest[];
  choice: ChartChoice;
  cursor: Cursor;
}

function SpeedChart({ tests, choice, cursor }: SpeedProps) {
  const span = timeSpan(choice.span, useNow());
  const within = useMemo(() => tests.filter(({ at }) => at >= span.from), [tests, span.from]);
  const tracks = useMemo(() => {
    const track = (name: string, values: Track['values']): Track => {
      return { name, times: within.map(({ at }) => at), values, stepMs: DAY_MS, isMoment: true };
    };
    return [
      track(
        texts.down,
        within.map(({ downMbps }) => downMbps),
      ),
      track(
        texts.up,
        within.map(({ upMbps }) => upMbps),
      ),
    ];
  }, [within]);
  const [down, up] = tracks.map(({ values }) => usual(values));
  const summary =
    down === null || down === undefined
      ? texts.noTests
      : texts.speedSummary(texts.tests(within.length), measuredText(down), measuredText(up ?? 0));
  return (
    <Chart
      title={texts.speedChart}
      summary={summary}
      tracks={tracks}
      unit="Mbit/s"
      isTable={choice.isTable}
      {...{ span, cursor }}
    />
  );
}

function Outages({ site }: { site: string }) {
  const actors = useActors(site);
  const type = OUTAGES.join(',');
  const answer = useAnswer('GET /events', { site, query: { type, limit: MAX_EVENTS } });
  return (
    <Card title={texts.outages}>
      <Answered of={answer}>
        {({ events }) => (
          <>
            {events.length === 0 ? <p className="muted">{texts.noOutages}</p> : null}
            <EventList
              entries={events.map((event) => ({ site, event }))}
              actors={actors}
              siteNames={null}
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
