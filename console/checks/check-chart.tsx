/** Latency and loss of a check over time, beside another check or the time before. */
import chartTexts from 'messages:chart';
import { useMemo } from 'react';
import type { Check } from '../../shared/api/checks.ts';
import { POLL_MS, useAnswer } from '../api/queries.ts';
import { Chart } from '../ui/chart/chart.tsx';
import type { Cursor } from '../ui/chart/cursor.ts';
import type { ChartChoice } from '../ui/chart/span-choice.tsx';
import { SPAN_MS, timeSpan } from '../ui/chart/time-span.ts';
import { later } from '../ui/chart/track.ts';
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
  /** Whether the titles name the check. */
  isNamed?: boolean;
  /** Checks of the same kind, for comparison. */
  others?: readonly Charted[];
}

/** The least range of the scale, so that small changes of a low latency look small. */
const LEAST_MS = 1;
const LEAST_LOSS = 10;
const HEIGHT = 160;
/** In the query, in place of a check's id: the same check in the time before. */
const BEFORE = 'before';
const LATENCY = { value: 'rttMs', low: 'rttMinMs', high: 'rttMaxMs' };

export function CheckChart({ site, check, choice, cursor, isNamed = true, others = [] }: Props) {
  const { label, everySeconds } = check;
  const span = timeSpan(choice.span, useNow());
  const answer = useSeries(site, check, choice, span.from, null);
  const compared = useCompared(site, check, others, choice, span.from);
  const series = answer.data?.series;
  const rawStepMs = everySeconds * 1000;
  const [latency, loss] = useMemo(() => {
    const [times, losses] = [LATENCY, { value: 'lossPercent' }];
    return [tracksOf(series ?? [], { ...times, rawStepMs }), tracksOf(series ?? [], { ...losses, rawStepMs })];
  }, [series, rawStepMs]);
  const own =
    compared.tracks.length === 0 ? latency : latency.map((track) => ({ ...track, name: track.name || label }));
  const around = { span, cursor, isTable: choice.isTable };
  const lastSpan = chartTexts.lastSpans[choice.span];
  return (
    <Answered of={answer}>
      {({ summary: { uptimePercent = null, rttMs = null, lossPercent = null } }) => (
        <>
          <Chart
            title={isNamed ? checkTexts.latencyOf({ label }) : checkTexts.latency}
            summary={[checkTexts.summary(lastSpan, uptimePercent, rttMs, lossPercent), ...compared.summary].join(' ')}
            tracks={[...own, ...compared.tracks]}
            unit="ms"
            atLeast={LEAST_MS}
            height={HEIGHT}
            side={<CompareChoice label={label} others={others} value={compared.with} onChange={compared.choose} />}
            {...around}
          />
          <Chart
            title={isNamed ? checkTexts.lossOf({ label }) : checkTexts.loss}
            summary={checkTexts.lossSummary({ span: lastSpan })}
            tracks={loss}
            unit="%"
            atLeast={LEAST_LOSS}
            look="bars"
            height={40}
            isMinor
            {...around}
          />
        </>
      )}
    </Answered>
  );
}

function useSeries(site: string, { id }: Charted, choice: ChartChoice, from: number, to: number | null, when = true) {
  const until = to === null ? {} : { until: new Date(to).toISOString() };
  // A day has more runs than the chart has pixels.
  const resolution = choice.span === '24h' ? { resolution: '5m' } : {};
  const query = { check: id, since: new Date(from).toISOString(), ...until, ...resolution };
  return useAnswer('GET /series', { site, query }, { everyMs: POLL_MS.calm, when });
}

/** The comparison: one track, even if several agents measured it. */
function useCompared(site: string, check: Charted, others: readonly Charted[], choice: ChartChoice, from: number) {
  const [query, setQuery] = useHashQuery();
  const wanted = query.get('with');
  const other = others.find(({ id }) => id === wanted);
  const isBefore = wanted === BEFORE;
  const isOn = isBefore || other !== undefined;
  const shiftMs = isBefore ? SPAN_MS[choice.span] : 0;
  const answer = useSeries(site, other ?? check, choice, from - shiftMs, isBefore ? from : null, isOn);
  const name = isBefore ? checkTexts.before : (other?.label ?? '');
  const rawStepMs = (other ?? check).everySeconds * 1000;
  const data = isOn ? answer.data : undefined;
  const tracks = useMemo(() => {
    const [first] = tracksOf(data?.series ?? [], { value: LATENCY.value, rawStepMs });
    return first === undefined ? [] : [{ ...later(first, shiftMs), name, isBeside: true }];
  }, [data, name, rawStepMs, shiftMs]);
  return {
    with: isBefore ? BEFORE : (other?.id ?? ''),
    tracks,
    summary: data === undefined ? [] : [checkTexts.compared(name, data.summary.rttMs ?? null)],
    choose(value: string): void {
      const next = new URLSearchParams(query);
      if (value === '') next.delete('with');
      else next.set('with', value);
      setQuery(next, { replace: true });
    },
  };
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
