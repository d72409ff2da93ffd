/** The presence and the latency of the device over time. */
import texts from 'messages:device';
import { Activity } from 'lucide-react';
import { useId, useMemo } from 'react';
import { Link } from 'wouter';
import { POLL_MS, useAnswer, useChange } from '../../api/queries.ts';
import { CheckChart } from '../../checks/check-chart.tsx';
import { tracksOf } from '../../checks/tracks.ts';
import { numberText, percentText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { Chart } from '../../ui/chart/chart.tsx';
import { type Cursor, useCursor } from '../../ui/chart/cursor.ts';
import { type ChartChoice, SpanChoice, useChartChoice } from '../../ui/chart/span-choice.tsx';
import { SPAN_MS, type SpanName, timeSpan } from '../../ui/chart/time-span.ts';
import { Answered } from '../../ui/state.tsx';
import { Tile } from '../../ui/tile.tsx';
import { useNow } from '../../ui/time.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import styles from './device.module.css';
import { timeOf } from './history.ts';
import { onlinePercent, type Span, spansSince, stretchesOf, summaryOf } from './presence.ts';
import { Presence, periodText } from './presence-part.tsx';
import { nameOf } from './profile.tsx';
import { useDeviceScreen } from './screen.ts';

const NOTHING =
  'flex flex-wrap items-center justify-between gap-y-2 gap-x-4 px-4 py-3 rounded-control bg-sunken text-muted text-sm';

/** How much the present may lag behind. */
const TICK_MS = 10_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TILES = ['24h', '7d', '30d'] as const;
/** For a device younger than this, a day would show next to nothing. */
const YOUNG_MS = 3 * HOUR_MS;

export default function OverTime() {
  const { site, device } = useDeviceScreen();
  // Browsers throttle the timers of hidden tabs, and the shared clock lags behind.
  const now = Math.max(useNow(), Date.now() - TICK_MS);
  const firstSeenAt = timeOf(device.devFirstConnection);
  const first: SpanName = firstSeenAt !== null && now - firstSeenAt < YOUNG_MS ? '1h' : '24h';
  const choice = useChartChoice(first);
  const cursor = useCursor();
  const span = timeSpan(choice.span, now);
  const query = { devices: device.key, hours: 720, spans: true };
  const answer = useAnswer('GET /devices/presence', { site, query });
  const spans = stretchesOf(answer.data?.spans?.[device.key] ?? [], now);
  return (
    <>
      <Uptime spans={spans} now={now} />
      <section className="card grid gap-4 min-w-0 p-4" aria-label={texts.overTime}>
        <h2 className="visually-hidden">{texts.overTime}</h2>
        <SpanChoice choice={choice} />
        {choice.span === '1y' ? (
          <PresenceByDay choice={choice} cursor={cursor} />
        ) : (
          <Answered of={answer}>
            {() =>
              summaryOf(spans).knownMs === 0 ? (
                <p className={NOTHING}>{texts.presenceUnknown}</p>
              ) : (
                <Presence spans={spansSince(spans, span.from)} {...{ span, choice, cursor }} />
              )
            }
          </Answered>
        )}
        <Checks choice={choice} cursor={cursor} />
      </section>
    </>
  );
}

/** The share of time online, in the windows that are not longer than what is known. */
function Uptime({ spans, now }: { spans: readonly Span[]; now: number }) {
  const knownSince = spans.find(({ state }) => state !== 'unknown' && state !== 'unwatched')?.from ?? now;
  const names = TILES.filter((name) => now - knownSince > SPAN_MS[name] * 0.99);
  if (names.length === 0) return null;
  return (
    <div className={styles.tiles}>
      {names.map((name) => {
        const summary = summaryOf(spansSince(spans, now - SPAN_MS[name]));
        const percent = onlinePercent(summary);
        const isPart = percent !== null && summary.knownMs < summary.totalMs * 0.99;
        return (
          <Tile
            key={name}
            label={texts.onlineIn[name]}
            value={percent === null ? texts.notKnownShort : texts.percent({ percent: numberText(percent) })}
            about={isPart ? texts.partKnown({ length: periodText(summary.knownMs) }) : undefined}
          />
        );
      })}
    </div>
  );
}

interface Charted {
  choice: ChartChoice;
  cursor: Cursor;
}

/** Further back than the events reach: the share of each of the last 90 days. */
function PresenceByDay({ choice, cursor }: Charted) {
  const { site, device } = useDeviceScreen();
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
          summary={
            uptimePercent === null ? texts.presenceUnknown : texts.onlineLately({ percent: percentText(uptimePercent) })
          }
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

function Checks({ choice, cursor }: Charted) {
  const { site, device, tools } = useDeviceScreen();
  const answer = useAnswer('GET /checks', { site });
  return (
    <Answered of={answer}>
      {({ checks }) => {
        const own = checks.filter((check) => check.device === device.key);
        const isPinged = own.some(({ kind }) => kind === 'ping');
        return (
          <>
            {own.map((check) => (
              <CheckChart
                key={check.id}
                {...{ site, check, choice, cursor }}
                isNamed={own.length > 1}
                others={checks.filter(({ id, kind }) => id !== check.id && kind === check.kind)}
              />
            ))}
            {tools?.hasAddress && !isPinged ? <Watch /> : null}
            {own.length === 0 ? null : <Link href={`/sites/${site}/checks`}>{texts.allChecks}</Link>}
          </>
        );
      }}
    </Answered>
  );
}

function Watch() {
  const { site, device } = useDeviceScreen();
  const add = useChange('POST /checks');
  const hintId = useId();
  function watch(): void {
    const label = device.devName === '' ? device.key : nameOf(device);
    const body = { kind: 'ping' as const, device: device.key, label: label.slice(0, 100) };
    add.mutate({ site, body }, { onSuccess: () => showToast(texts.watched), onError: showProblem });
  }
  return (
    <div className={NOTHING}>
      <p id={hintId}>{texts.watchHint}</p>
      <Button onClick={watch} disabled={add.isPending} aria-describedby={hintId} icon={<Activity />}>
        {texts.watch}
      </Button>
    </div>
  );
}
