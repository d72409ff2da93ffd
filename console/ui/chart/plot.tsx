/** The base of every chart: scales, and a cursor with a readout, which the pointer and the arrow keys move from stop to stop. */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import styles from './chart.module.css';
import type { Cursor } from './cursor.ts';
import { Hatch } from './hatch.tsx';
import { timeTicks, valueTicks } from './ticks.ts';
import type { TimeSpan } from './time-span.ts';

/** For the labels of the values; the same in all charts, so that their times align. */
const GUTTER = 46;
const RIGHT = 10;
const TOP = 6;
const AXIS = 22;
const TICK_WIDTH = 92;

export interface Scale {
  x: (time: number) => number;
  y: (value: number) => number;
  /** The `fill` for unknown times. */
  hatch: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Props {
  label: string;
  /** The id of the element that describes the chart. */
  describedBy: string;
  span: TimeSpan;
  /** Without the axis. */
  height: number;
  /** The greatest value; null for a chart without values. */
  greatest: number | null;
  valueText?: (value: number) => string;
  /** Times, in their order; they may begin before the span. */
  stops: readonly number[];
  /** The index of the stop for a time; -1 for none. */
  stopAt: (time: number) => number;
  /** The readout at a stop. */
  say: (stop: number) => string;
  cursor: Cursor;
  children: (scale: Scale) => ReactNode;
}

export function Plot(props: Props) {
  const { label, describedBy, span, height, greatest, stops, stopAt, say, cursor } = props;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const hatch = useId();
  const last = stops.length - 1;
  const pointed = cursor.time === null ? last : stopAt(cursor.time);
  const stop = Math.max(0, Math.min(last, pointed));
  const { from, to } = span;
  const inner = Math.max(1, width - GUTTER - RIGHT);
  const ticks = greatest === null ? [] : valueTicks(greatest);
  const top = ticks.at(-1) ?? 1;
  const x = (time: number) => GUTTER + (Math.max(0, Math.min(to - from, time - from)) / (to - from)) * inner;
  const y = (value: number) => TOP + height - (Math.min(value, top) / top) * height;
  const bottom = TOP + height;
  const named = { 'aria-label': label, 'aria-describedby': describedBy };

  function onPointerMove({ clientX, currentTarget }: PointerEvent): void {
    const at = (clientX - currentTarget.getBoundingClientRect().left - GUTTER) / inner;
    cursor.point(from + Math.max(0, Math.min(1, at)) * (to - from));
  }

  function onKeyDown(event: KeyboardEvent): void {
    const next = nextStop(event.key, stop, last);
    if (next === null) return;
    event.preventDefault();
    cursor.point(Math.max(from, stops[next] ?? from));
  }

  return (
    <div className="relative min-w-0">
      <div
        ref={box}
        className="min-w-0 rounded-[4px] overflow-hidden cursor-crosshair touch-pan-y [&_svg]:block"
        onPointerMove={onPointerMove}
        onPointerLeave={() => cursor.point(null)}
        {...(last < 0
          ? { role: 'img', ...named }
          : {
              role: 'slider',
              ...named,
              tabIndex: 0,
              'aria-valuemin': 1,
              'aria-valuemax': stops.length,
              'aria-valuenow': stop + 1,
              'aria-valuetext': say(stop),
              onKeyDown,
            })}
      >
        <svg width={width} height={bottom + AXIS} aria-hidden="true">
          <Hatch id={hatch} />
          {ticks.map((value) => (
            <g key={value}>
              <line className="stroke-line" x1={GUTTER} x2={GUTTER + inner} y1={y(value)} y2={y(value)} />
              <text className="fill-muted text-xs" x={GUTTER - 6} y={y(value)} dy="0.32em" textAnchor="end">
                {props.valueText?.(value)}
              </text>
            </g>
          ))}
          {width === 0
            ? null
            : props.children({ x, y, hatch: `url(#${hatch})`, left: GUTTER, right: GUTTER + inner, top: TOP, bottom })}
          {timeTicks(span, Math.max(2, Math.floor(inner / TICK_WIDTH))).map((tick) => (
            <g key={tick.at}>
              <line className="stroke-line" x1={x(tick.at)} x2={x(tick.at)} y1={bottom} y2={bottom + 4} />
              <text className="fill-muted text-xs" y={bottom + 17} {...inside(x(tick.at), width)}>
                {tick.label}
              </text>
            </g>
          ))}
          {cursor.time !== null && (
            <line
              className="stroke-muted [stroke-dasharray:2_2]"
              x1={x(cursor.time)}
              x2={x(cursor.time)}
              y1={TOP}
              y2={bottom}
            />
          )}
        </svg>
      </div>
      {last < 0 || cursor.time === null ? null : (
        <p
          // Above the cursor, over the content there.
          className={`${styles.readout} absolute bottom-[calc(100%_-_4px)] z-1 max-w-full px-2 py-0.5 border border-line rounded-control bg-raised shadow-raised text-xs pointer-events-none`}
          style={placeOf(x(cursor.time), width)}
        >
          {say(stop)}
        </p>
      )}
    </div>
  );
}

function nextStop(key: string, stop: number, last: number): number | null {
  const PAGE = Math.max(1, Math.round(last / 10));
  const next = {
    ArrowLeft: stop - 1,
    ArrowDown: stop - 1,
    ArrowRight: stop + 1,
    ArrowUp: stop + 1,
    PageDown: stop - PAGE,
    PageUp: stop + PAGE,
    Home: 0,
    End: last,
  }[key];
  return next === undefined ? null : Math.max(0, Math.min(last, next));
}

/** The readout stays inside of the chart. */
function placeOf(x: number, width: number) {
  return x < width / 2 ? { left: Math.max(0, x - GUTTER) } : { right: Math.max(0, width - x - GUTTER) };
}

/** Centres a label below its tick, except at the right edge. */
function inside(x: number, width: number) {
  return x > width - 30 ? ({ x: width, textAnchor: 'end' } as const) : ({ x, textAnchor: 'middle' } as const);
}

/** 0 before the layout. */
function useWidth(box: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
