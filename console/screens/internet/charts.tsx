/** The speed tests over time. */
import texts from 'messages:internet';
import { useMemo } from 'react';
import { measuredText } from '../../text/format.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import type { Cursor } from '../../ui/chart/cursor.ts';
import type { TimeSpan } from '../../ui/chart/time-span.ts';
import type { Track } from '../../ui/chart/track.ts';
import { type SpeedTest, usual } from './speeds.ts';

const DAY_MS = 86_400_000;

export interface ChartProps {
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
