/** A time as a band of states: by height and colour, and in words for the stretch that is pointed at. */
import { useId } from 'react';
import type { Cursor } from './cursor.ts';
import { Hatch } from './hatch.tsx';
import { Plot } from './plot.tsx';
import type { TimeSpan } from './time-span.ts';

export interface Stretch<State extends string> extends TimeSpan {
  state: State;
}

export interface StateLook {
  label: string;
  tone: 'good' | 'calm' | 'bad' | 'unknown';
  /** Parts of the height of the band: where it begins, and how much it takes. */
  y: number;
  height: number;
  /** Nobody knows. */
  isHatched?: boolean;
}

interface Props<State extends string> {
  label: string;
  describedBy: string;
  /** One after the other without a gap. */
  stretches: readonly Stretch<State>[];
  looks: Readonly<Record<State, StateLook>>;
  span: TimeSpan;
  say: (stretch: Stretch<State>) => string;
  cursor: Cursor;
}

const COLOURS: Record<StateLook['tone'], string> = {
  good: 'fill-good opacity-85',
  calm: 'fill-control-line',
  bad: 'fill-bad',
  unknown: 'fill-control-line',
};
const HEIGHT = 24;
/** Shorter stretches could not be seen. */
const NARROWEST = 2;

export function Band<State extends string>(props: Props<State>) {
  const { label, describedBy, stretches, looks, span, say, cursor } = props;
  const pattern = useId();
  if (stretches.length === 0) return null;
  const states = (Object.keys(looks) as State[]).filter((state) => stretches.some((one) => one.state === state));
  return (
    <div className="grid gap-0.5 min-w-0">
      <Plot
        label={label}
        describedBy={describedBy}
        span={span}
        height={HEIGHT}
        greatest={null}
        stops={stretches.map(({ from }) => from)}
        stopAt={(time) => stretches.findLastIndex(({ from }) => from <= time)}
        say={(stop) => {
          const stretch = stretches[stop];
          return stretch === undefined ? '' : say(stretch);
        }}
        cursor={cursor}
      >
        {({ x, left, right, top, hatch }) => (
          <>
            <rect className="fill-sunken" rx={2} x={left} width={right - left} y={top} height={HEIGHT} />
            {stretches.map(({ from, to, state }) => {
              const { tone, y, height, isHatched = false } = looks[state];
              return (
                <rect
                  key={from}
                  className={isHatched ? undefined : COLOURS[tone]}
                  {...(isHatched ? { fill: hatch } : {})}
                  rx={2}
                  x={x(from)}
                  width={Math.max(NARROWEST, x(to) - x(from))}
                  y={top + y * HEIGHT}
                  height={height * HEIGHT}
                />
              );
            })}
          </>
        )}
      </Plot>
      <ul
        className="flex flex-wrap gap-y-0.5 gap-x-4 ps-11.5 text-muted text-xs max-700:ps-0 [&_li]:inline-flex [&_li]:items-center [&_li]:gap-1.5"
        aria-hidden="true"
      >
        {states.map((state) => {
          const { label: name, tone, y, height, isHatched = false } = looks[state];
          return (
            <li key={state}>
              <svg width="14" height="18" aria-hidden="true">
                <Hatch id={pattern} />
                <rect
                  className={isHatched ? undefined : COLOURS[tone]}
                  {...(isHatched ? { fill: `url(#${pattern})` } : {})}
                  width="14"
                  y={y * 18}
                  height={height * 18}
                />
              </svg>
              {name}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
