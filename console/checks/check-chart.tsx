/** What a check has measured over time: how fast, and how much was lost. */
import { useMemo } from 'react';
import type { Check } from '../../shared/api/checks.ts';
import { POLL_MS, useAnswer } from '../api/queries.ts';
import { Chart } from '../ui/chart/chart.tsx';
import type { Cursor } from '../ui/chart/cursor.ts';
import type { ChartChoice } from '../ui/chart/span-choice.tsx';
import { texts as chartTexts } from '../ui/chart/texts.ts';
import { timeSpan } from '../ui/chart/time-span.ts';
import { Answered } from '../ui/state.tsx';
import { useNow } from '../ui/time.tsx';
import { checkTexts } from './check-texts.ts';
import { tracksOf } from './tracks.ts';

interface Props {
  site: string;
  check: Pick<Check, 'id' | 'label' | 'everySeconds'>;
  choice: ChartChoice;
  cursor: Cursor;
  /** Whether the titles say which check it is. */
  isNamed?: boolean;
}

/** The scale begins with this, so that what is fast anyway does not look as if it went up and down. */
const LEAST_MS = 1;
const LEAST_LOSS = 10;

export function CheckChart({ site, check: { id, label, everySeconds }, choice, cursor, isNamed = true }: Props) {
  const span = timeSpan(choice.span, useNow());
  // A day has more runs than a screen has pixels for: what each five minutes had between them says more.
  const resolution = choice.span === '24h' ? { resolution: '5m' } : {};
  const query = { check: id, since: new Date(span.from).toISOString(), ...resolution };
  const answer = useAnswer('GET /series', { site, query }, { everyMs: POLL_MS.calm });
  const series = answer.data?.series;
  const rawStepMs = everySeconds * 1000;
  const [latency, loss] = useMemo(
    () => [
      tracksOf(series ?? [], { value: 'rttMs', low: 'rttMinMs', high: 'rttMaxMs', rawStepMs }),
      tracksOf(series ?? [], { value: 'lossPercent', rawStepMs }),
    ],
    [series, rawStepMs],
  );
  const { span: name, isTable } = choice;
  return (
    <Answered of={answer}>
      {({ summary: { uptimePercent = null, rttMs = null, lossPercent = null } }) => (
        <>
          <Chart
            title={isNamed ? checkTexts.latencyOf(label) : checkTexts.latency}
            summary={checkTexts.summary(chartTexts.lastSpans[name], uptimePercent, rttMs, lossPercent)}
            tracks={latency}
            unit="ms"
            atLeast={LEAST_MS}
            {...{ span, cursor, isTable }}
          />
          <Chart
            title={isNamed ? checkTexts.lossOf(label) : checkTexts.loss}
            summary={checkTexts.lossSummary(chartTexts.lastSpans[name])}
            tracks={loss}
            unit="%"
            atLeast={LEAST_LOSS}
            look="bars"
            height={48}
            isMinor
            {...{ span, cursor, isTable }}
          />
        </>
      )}
    </Answered>
  );
}
