/** What a check has measured over time: how fast, and how much was lost; beside another one, or the time before. */
import chartTexts from 'messages:chart';
import { useMemo } from 'react';
import type { Check } from '../../shared/api/checks.ts';
import type { AnswerOf } from '../api/client.ts';
import { POLL_MS, useAnswer } from '../api/queries.ts';
import { Chart } from '../ui/chart/chart.tsx';
import type { Cursor } from '../ui/chart/cursor.ts';
import type { ChartChoice } from '../ui/chart/span-choice.tsx';
import { SPAN_MS, timeSpan } from '../ui/chart/time-span.ts';
import { later, type Track } from '../ui/chart/track.ts';
import { SelectField } from '../ui/field.tsx';
import { useHashQuery } from '../ui/hash-location.ts';
import { Answered } from '../ui/state.tsx';
import { useNow } from '../ui/time.tsx';
import { checkTexts } from './check-texts.ts';
import { tracksOf } from './tracks.ts';

type Charted = Pick<Check, 'id' | 'label' | 'everySeconds'>;

interface Props {
  site: string;
  check: Charted;
  choice: ChartChoice;
  cursor: Cursor;
  /** Whether the titles say which check it is. */
  isNamed?: boolean;
  /** Checks of the same kind that it can be compared with. */
  others?: readonly Charted[];
}

/** The scale begins with this, so that what is fast anyway does not look as if it went up and down. */
const LEAST_MS = 1;
const LEAST_LOSS = 10;
const HEIGHT = 160;
/** In the address, beside the ids of checks: the same check in the time before. */
const BEFORE = 'before';
const LATENCY = { value: 'rttMs', low: 'rttMinMs', high: 'rttMaxMs' };

export function CheckChart({ site, check, choice, cursor, isNamed = true, others = [] }: Props) {
  const { label, everySeconds } = check;
  const span = timeSpan(choice.span, useNow());
  const answer = useSeries(site, check, choice, span.from, null);
  const compared = useCompared(site, check, others, choice, span.from);
  const series = answer.data?.series;
  const rawStepMs = everySeconds * 1000;
  const [latency, loss] = useMemo(
    () => [
      tracksOf(series ?? [], { ...LATENCY, rawStepMs }),
      tracksOf(series ?? [], { value: 'lossPercent', rawStepMs }),
    ],
    [series, rawStepMs],
  );
  const own =
    compared.tracks.length === 0 ? latency : latency.map((track) => ({ ...track, name: track.name || label }));
  const { span: name, isTable } = choice;
  return (
    <Answered of={answer}>
      {({ summary: { uptimePercent = null, rttMs = null, lossPercent = null } }) => (
        <>
          <Chart
            title={isNamed ? checkTexts.latencyOf({ label }) : checkTexts.latency}
            summary={[
              checkTexts.summary(chartTexts.lastSpans[name], uptimePercent, rttMs, lossPercent),
              ...compared.said,
            ].join(' ')}
            tracks={[...own, ...compared.tracks]}
            unit="ms"
            atLeast={LEAST_MS}
            height={HEIGHT}
            side={<CompareChoice label={label} others={others} value={compared.with} onChange={compared.choose} />}
            {...{ span, cursor, isTable }}
          />
          <Chart
            title={isNamed ? checkTexts.lossOf({ label }) : checkTexts.loss}
            summary={checkTexts.lossSummary({ span: chartTexts.lastSpans[name] })}
            tracks={loss}
            unit="%"
            atLeast={LEAST_LOSS}
            look="bars"
            height={40}
            isMinor
            {...{ span, cursor, isTable }}
          />
        </>
      )}
    </Answered>
  );
}

function useSeries(
  site: string,
  { id }: Charted,
  choice: ChartChoice,
  from: number,
  until: number | null,
  when = true,
) {
  // A day has more runs than a screen has pixels for: what each five minutes had between them says more.
  const query = {
    check: id,
    since: new Date(from).toISOString(),
    ...(until === null ? {} : { until: new Date(until).toISOString() }),
    ...(choice.span === '24h' ? { resolution: '5m' } : {}),
  };
  return useAnswer('GET /series', { site, query }, { everyMs: POLL_MS.calm, when });
}

/** What is drawn beside it: one line, whichever agent has measured it. */
function useCompared(site: string, check: Charted, others: readonly Charted[], choice: ChartChoice, from: number) {
  const [query, setQuery] = useHashQuery();
  const wanted = query.get('with');
  const other = others.find(({ id }) => id === wanted);
  const isBefore = wanted === BEFORE;
  const shiftMs = isBefore ? SPAN_MS[choice.span] : 0;
  const until = isBefore ? from : null;
  const answer = useSeries(site, other ?? check, choice, from - shiftMs, until, isBefore || other !== undefined);
  const name = isBefore ? checkTexts.before : (other?.label ?? '');
  const rawStepMs = (other ?? check).everySeconds * 1000;
  const data = isBefore || other !== undefined ? answer.data : undefined;
  const tracks = useMemo(() => comparedTracks(data, name, rawStepMs, shiftMs), [data, name, rawStepMs, shiftMs]);
  return {
    with: isBefore ? BEFORE : (other?.id ?? ''),
    tracks,
    said: data === undefined ? [] : [checkTexts.compared(name, data.summary.rttMs ?? null)],
    choose(value: string): void {
      const next = new URLSearchParams(query);
      if (value === '') next.delete('with');
      else next.set('with', value);
      setQuery(next, { replace: true });
    },
  };
}

function comparedTracks(
  answer: AnswerOf<'GET /series'> | undefined,
  name: string,
  rawStepMs: number,
  shiftMs: number,
): Track[] {
  return tracksOf(answer?.series ?? [], { value: LATENCY.value, rawStepMs })
    .slice(0, 1)
    .map((track) => ({ ...later(track, shiftMs), name, isBeside: true }));
}

interface CompareProps {
  label: string;
  others: readonly Charted[];
  value: string;
  onChange: (value: string) => void;
}

function CompareChoice({ label, others, value, onChange }: CompareProps) {
  return (
    <SelectField
      label={checkTexts.compareOf({ label })}
      isLabelHidden
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{checkTexts.compare}</option>
      <option value={BEFORE}>{checkTexts.before}</option>
      {others.map((other) => (
        <option key={other.id} value={other.id}>
          {other.label}
        </option>
      ))}
    </SelectField>
  );
}
