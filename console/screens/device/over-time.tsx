/** The device over time: when it was there, and how fast it answers. */
import { Activity } from 'lucide-react';
import { useId, useMemo } from 'react';
import { Link } from 'wouter';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { POLL_MS, useAnswer, useChange } from '../../api/queries.ts';
import { CheckChart } from '../../checks/check-chart.tsx';
import { tracksOf } from '../../checks/tracks.ts';
import { numberText, percentText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { Chart } from '../../ui/chart/chart.tsx';
import { type Cursor, useCursor } from '../../ui/chart/cursor.ts';
import { type ChartChoice, SpanChoice, useChartChoice } from '../../ui/chart/span-choice.tsx';
import { SPAN_MS, timeSpan } from '../../ui/chart/time-span.ts';
import { Figures } from '../../ui/figures.tsx';
import { Card } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { useNow } from '../../ui/time.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import styles from './device.module.css';
import { observedSince, timeOf } from './history.ts';
import { onlinePercent, presenceSpans, type Span, spansSince, summaryOf } from './presence.ts';
import { Presence } from './presence-part.tsx';
import { texts } from './texts.ts';
import { HISTORY_MS, type History } from './use-history.ts';

interface Props {
  site: string;
  device: OneDevice;
  history: History;
  mayRun: boolean;
}

/** How much the present may lag behind. */
const TICK_MS = 10_000;
const DAY_MS = 86_400_000;
const TILES = ['24h', '7d', '30d'] as const;

export function OverTime({ site, device, history, mayRun }: Props) {
  // What is shown elsewhere keeps the present up to date, but nothing may have been shown for a while.
  const now = Math.max(useNow(), Date.now() - TICK_MS);
  const firstSeenAt = timeOf(device.devFirstConnection);
  const isYoung = firstSeenAt !== null && now - firstSeenAt < SPAN_MS['1h'];
  const choice = useChartChoice(isYoung ? '1h' : '24h');
  const cursor = useCursor();
  const from = now - HISTORY_MS;
  const known = presenceSpans(history.events, {
    from,
    now,
    status: device.devStatus,
    observedSince: observedSince(device),
    firstSeenAt,
    staleSince: timeOf(device.watch.since ?? ''),
    readSince: history.isComplete ? from : history.readSince,
  });
  return (
    <Card title={texts.overTime}>
      <Tiles known={known} now={now} />
      <SpanChoice choice={choice} />
      {choice.span === '1y' ? (
        <YearOfPresence site={site} device={device} choice={choice} cursor={cursor} />
      ) : (
        <Presence
          spans={spansSince(known, timeSpan(choice.span, now).from)}
          span={timeSpan(choice.span, now)}
          choice={choice}
          cursor={cursor}
        />
      )}
      {device.watch.state !== 'unwatched' ? null : <p className={styles.warning}>{texts.stale}</p>}
      {history.isComplete ? null : <p className={styles.warning}>{texts.unread}</p>}
      <Checks {...{ site, device, choice, cursor, mayRun }} />
    </Card>
  );
}

function Tiles({ known, now }: { known: readonly Span[]; now: number }) {
  const percents = TILES.map((name) => {
    return { name, percent: onlinePercent(summaryOf(spansSince(known, now - SPAN_MS[name]))) };
  });
  if (percents.every(({ percent }) => percent === null)) return null;
  return (
    <Figures
      figures={percents.map(({ name, percent }) => [
        texts.onlineIn(name),
        percent === null ? texts.notKnown : texts.percent(numberText(percent)),
      ])}
    />
  );
}

/** Further back than the events reach: how much of each day it was there. */
function YearOfPresence({ site, device, choice, cursor }: Pick<Props, 'site' | 'device'> & Charted) {
  const span = timeSpan('1y', useNow());
  const query = { device: device.key, since: new Date(span.from).toISOString(), resolution: '1d' };
  const answer = useAnswer('GET /series', { site, query }, { everyMs: POLL_MS.calm });
  const series = answer.data?.series;
  const tracks = useMemo(() => tracksOf(series ?? [], { value: 'onlinePercent', rawStepMs: DAY_MS }), [series]);
  return (
    <Answered of={answer}>
      {({ summary: { uptimePercent = null } }) => (
        <Chart
          title={texts.presenceByDay}
          summary={uptimePercent === null ? texts.presenceUnknown : texts.onlineYear(percentText(uptimePercent))}
          tracks={tracks}
          unit="%"
          look="bars"
          atLeast={100}
          height={72}
          isTable={choice.isTable}
          {...{ span, cursor }}
        />
      )}
    </Answered>
  );
}

interface Charted {
  choice: ChartChoice;
  cursor: Cursor;
}

function Checks({ site, device, choice, cursor, mayRun }: Pick<Props, 'site' | 'device' | 'mayRun'> & Charted) {
  const answer = useAnswer('GET /checks', { site, query: { device: device.key } });
  const hintId = useId();
  return (
    <Answered of={answer}>
      {({ checks }) => (
        <>
          {checks.map((check) => (
            <CheckChart key={check.id} {...{ site, check, choice, cursor }} />
          ))}
          {mayRun && device.devLastIP !== '' && !checks.some(({ kind }) => kind === 'ping') ? (
            <Watch site={site} device={device} hintId={hintId} />
          ) : null}
          {checks.length === 0 ? null : <Link href={`/sites/${site}/checks`}>{texts.allChecks}</Link>}
        </>
      )}
    </Answered>
  );
}

function Watch({ site, device, hintId }: { site: string; device: OneDevice; hintId: string }) {
  const add = useChange('POST /checks');
  const label = device.devName === '' ? device.key : device.devName;
  function watch(): void {
    const body = { kind: 'ping' as const, device: device.key, label: label.slice(0, 100) };
    add.mutate({ site, body }, { onSuccess: () => showToast(texts.watched), onError: showProblem });
  }
  return (
    <div className={styles.empty}>
      <Button onClick={watch} disabled={add.isPending} aria-describedby={hintId}>
        <Activity aria-hidden="true" />
        {texts.watch}
      </Button>
      <span id={hintId}>{texts.watchHint}</span>
    </div>
  );
}
