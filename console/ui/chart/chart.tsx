/** Values over time: as lines with the area from the least to the greatest, as bars, or as a table. */
import texts from 'messages:chart';
import { type ReactNode, useId, useMemo } from 'react';
import { dateTimeText, measuredText, percentText } from '../../text/format.ts';
import { Table } from '../table.tsx';
import styles from './chart.module.css';
import type { Cursor } from './cursor.ts';
import { Hatch, Legend } from './hatch.tsx';
import { Plot, type Scale } from './plot.tsx';
import type { TimeSpan } from './time-span.ts';
import { gapsOf, greatestOf, nearest, runsOf, type Track, timesOf } from './track.ts';

const LINE = 'fill-none stroke-current stroke-[1.75] [stroke-linecap:round] [stroke-linejoin:round]';

interface Props {
  title: string;
  /** A sentence. */
  summary: string;
  tracks: readonly Track[];
  /** Such as `ms`. */
  unit: string;
  span: TimeSpan;
  cursor: Cursor;
  look?: 'line' | 'bars';
  /** The scale reaches at least as far. */
  atLeast?: number;
  height?: number;
  /** Belongs to the chart above: without a legend, and with a summary for screen readers only. */
  isMinor?: boolean;
  isTable: boolean;
  /** Beside the title. */
  side?: ReactNode;
}

/** Rows of the table. */
const MAX_ROWS = 300;
/** With dashes, because colours alone do not distinguish them. Further tracks repeat the looks. */
const SERIES = [
  'text-series-1',
  'text-series-2 [stroke-dasharray:7_4]',
  'text-series-3 [stroke-dasharray:2_4]',
  'text-series-4 [stroke-dasharray:9_3_2_3]',
];
const NARROWEST_BAR = 1.5;
const LOWEST_BAR = 2;
const WIDEST_BAR = 24;

export function Chart(props: Props) {
  const { title, summary, tracks, unit, span, cursor, look = 'line', atLeast = 0, height = 140 } = props;
  const { isMinor = false, isTable } = props;
  const summaryId = useId();
  const times = useMemo(() => timesOf(tracks).filter((time) => time <= span.to), [tracks, span.to]);
  const gaps = gapsOf(tracks, span);
  const textAt = (track: Track, time: number) => pointText(track, time, unit);
  const say = (stop: number) => {
    const time = times[stop] ?? span.from;
    const known = tracks.flatMap((track) => {
      const value = textAt(track, time);
      return value === null ? [] : [track.name === '' ? value : `${track.name} ${value}`];
    });
    return `${dateTimeText(new Date(time))}: ${known.join(', ')}`;
  };
  return (
    <section className="grid gap-0.5 min-w-0" aria-label={title}>
      <div className={`${styles.head} flex flex-wrap items-center justify-between gap-x-4`}>
        <h3>{title}</h3>
        {props.side}
      </div>
      <p id={summaryId} className={isMinor ? 'visually-hidden' : 'text-muted text-sm'}>
        {summary}
      </p>
      {isTable ? (
        <ValueTable {...{ title, tracks, times, textAt }} />
      ) : (
        <>
          <Plot
            label={texts.chart({ title })}
            describedBy={summaryId}
            greatest={Math.max(atLeast, greatestOf(tracks))}
            valueText={(value) => `${measuredText(value)}${unit === '%' ? ' %' : ''}`}
            stops={times}
            stopAt={(time) => nearest(times, time)}
            {...{ span, height, say, cursor }}
          >
            {(scale) => (
              <>
                <Gaps gaps={gaps} scale={scale} />
                {tracks.map((track, i) => (
                  <g key={track.name} className={SERIES[i % SERIES.length]}>
                    {look === 'line' ? <Line track={track} scale={scale} /> : <Bars track={track} scale={scale} />}
                  </g>
                ))}
              </>
            )}
          </Plot>
          {isMinor ? null : <SeriesLegend tracks={tracks} hasGaps={gaps.length > 0} isBars={look === 'bars'} />}
        </>
      )}
    </section>
  );
}

function pointText({ times, values, low, high }: Track, time: number, unit: string): string | null {
  const at = times.indexOf(time);
  if (at === -1) return null;
  const [value = null, least = null, most = null] = [values[at], low?.[at], high?.[at]];
  if (value === null) return texts.noAnswer;
  const say = unit === '%' ? percentText : measuredText;
  const text = `${say(value)} ${unit}`;
  return least === null || most === null || least === most
    ? text
    : `${text} (${texts.range({ low: say(least), high: say(most) })})`;
}

function Gaps({ gaps, scale }: { gaps: readonly TimeSpan[]; scale: Scale }) {
  const { x, top, bottom, hatch } = scale;
  return gaps.map(({ from, to }) => (
    <rect key={from} x={x(from)} width={Math.max(0, x(to) - x(from))} y={top} height={bottom - top} fill={hatch} />
  ));
}

/** In the middle of a bucket. */
const placeOf = ({ times, stepMs, isMoment = false }: Track, at: number) =>
  (times[at] ?? 0) + (isMoment ? 0 : stepMs / 2);

function Line({ track, scale: { x, y } }: { track: Track; scale: Scale }) {
  const runs = runsOf(track);
  const point = (at: number, value: number | null | undefined) =>
    `${x(placeOf(track, at)).toFixed(1)} ${y(value ?? 0).toFixed(1)}`;
  // A line without a length is a dot.
  const line = runs.map(
    (run) => `M${run.map((at) => point(at, track.values[at])).join('L')}${run.length === 1 ? 'h0' : ''}`,
  );
  const { low, high } = track;
  const area = (run: readonly number[]) => {
    const there = run.map((at) => point(at, high?.[at]));
    const back = run.toReversed().map((at) => point(at, low?.[at]));
    return `M${[...there, ...back].join('L')}Z`;
  };
  return (
    <>
      {low === undefined || high === undefined ? null : (
        <path className="fill-current opacity-14" d={runs.map(area).join('')} />
      )}
      <path className={LINE} d={line.join('')} />
    </>
  );
}

function Bars({ track, scale: { x, y, bottom } }: { track: Track; scale: Scale }) {
  const { times, values, stepMs } = track;
  return times.map((time, i) => {
    const value = values[i] ?? null;
    if (value === null || value === 0) return null;
    const width = Math.max(NARROWEST_BAR, Math.min(WIDEST_BAR, (x(time + stepMs) - x(time)) * 0.8));
    const middle = (x(time) + x(time + stepMs)) / 2;
    const height = Math.max(LOWEST_BAR, bottom - y(value));
    return (
      <rect key={time} className="fill-current" x={middle - width / 2} y={bottom - height} {...{ width, height }} />
    );
  });
}

function SeriesLegend({ tracks, hasGaps, isBars }: { tracks: readonly Track[]; hasGaps: boolean; isBars: boolean }) {
  const named = tracks.length > 1 ? tracks : [];
  const pattern = useId();
  if (named.length === 0 && !hasGaps) return null;
  return (
    <Legend>
      {named.map(({ name }, i) => (
        <li key={name}>
          <svg width="22" height="10" className={SERIES[i % SERIES.length]} aria-hidden="true">
            {isBars ? <rect className="fill-current" width="10" height="10" /> : <path className={LINE} d="M2 5H20" />}
          </svg>
          {name}
        </li>
      ))}
      {hasGaps && (
        <li>
          <svg width="22" height="10" aria-hidden="true">
            <Hatch id={pattern} />
            <rect width="22" height="10" fill={`url(#${pattern})`} />
          </svg>
          {texts.notMeasured}
        </li>
      )}
    </Legend>
  );
}

interface TableProps extends Pick<Props, 'title' | 'tracks'> {
  times: readonly number[];
  textAt: (track: Track, time: number) => string | null;
}

function ValueTable({ title, tracks, times, textAt }: TableProps) {
  if (times.length === 0) return <p>{texts.nothing}</p>;
  const shown = times.toReversed().slice(0, MAX_ROWS);
  return (
    <>
      <div className="max-h-90 overflow-y-auto">
        <Table
          label={texts.tableOf({ title })}
          rows={shown}
          keyOf={String}
          columns={[
            {
              heading: texts.when,
              cell: (time) => <span className="whitespace-nowrap">{dateTimeText(new Date(time))}</span>,
            },
            ...tracks.map((track) => ({
              heading: track.name === '' ? title : track.name,
              cell: (time: number) => textAt(track, time) ?? texts.notMeasured,
            })),
          ]}
        />
      </div>
      {times.length > shown.length ? <p>{texts.leftOut({ count: times.length - shown.length })}</p> : null}
    </>
  );
}
