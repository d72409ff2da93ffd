/** The speed tests over time, and the outages as a band below. */
import texts from 'messages:internet';
import { useId, useMemo } from 'react';
import { dateTimeText, measuredText } from '../../text/format.ts';
import { Band, type StateLook, type Stretch } from '../../ui/chart/band.tsx';
import { Chart } from '../../ui/chart/chart.tsx';
import type { Cursor } from '../../ui/chart/cursor.ts';
import type { TimeSpan } from '../../ui/chart/time-span.ts';
import type { Track } from '../../ui/chart/track.ts';
import type { InternetState } from './outages.ts';
import { type SpeedTest, usual } from './speeds.ts';

const DAY_MS = 86_400_000;

interface ChartProps {
  span: TimeSpan;
  cursor: Cursor;
}

export function SpeedChart({
  tests,
  span,
  cursor,
  isTable,
}: ChartProps & { tests: readonly SpeedTest[]; isTable: boolean }) {
  const within = useMemo(() => tests.filter(({ at }) => at >= span.from), [tests, span.from]);
  const tracks = useMemo(() => {
    const times = within.map(({ at }) => at);
    const track = (name: string, of: (test: SpeedTest) => number | null): Track => {
      return { name, times, values: within.map(of), stepMs: DAY_MS, isMoment: true };
    };
    return [track(texts.down, ({ downMbps }) => downMbps), track(texts.up, ({ upMbps }) => upMbps)];
  }, [within]);
  const [down, up] = tracks.map(({ values }) => usual(values));
  const summary =
    down === null || down === undefined
      ? texts.noTests
      : texts.speedSummary({
          tests: texts.tests({ count: within.length }),
          down: measuredText(down),
          up: measuredText(up ?? 0),
        });
  return <Chart title={texts.speedChart} unit="Mbit/s" {...{ summary, tracks, span, cursor, isTable }} />;
}

const LOOKS: Record<InternetState, StateLook> = {
  there: { label: texts.states.up, tone: 'good', y: 0, height: 1 },
  lost: { label: texts.states.down, tone: 'bad', y: 0.7, height: 0.3 },
  unknown: { label: texts.states.unknown, tone: 'unknown', y: 0, height: 1, isHatched: true },
};

export function OutageBand({ stretches, span, cursor }: ChartProps & { stretches: readonly Stretch<InternetState>[] }) {
  const summary = useId();
  if (stretches.length === 0) return null;
  const count = stretches.filter(({ state }) => state === 'lost').length;
  return (
    <section aria-label={texts.band}>
      <h3>{texts.band}</h3>
      <p id={summary} className="text-muted">
        {texts.outageCount({ count })}
      </p>
      <Band
        label={texts.band}
        describedBy={summary}
        looks={LOOKS}
        say={({ state, from, to }) =>
          texts.stretch({
            state: LOOKS[state].label,
            from: dateTimeText(new Date(from)),
            to: dateTimeText(new Date(to)),
          })
        }
        {...{ stretches, span, cursor }}
      />
    </section>
  );
}
