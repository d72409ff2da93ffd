/** A time span as a band of states: by height and colour, and in words for the stretch under the cursor. */
import { useId } from 'react';
import type { Cursor } from './cursor.ts';
import { Hatch, Legend } from './hatch.tsx';
import { Plot } from './plot.tsx';
import type { TimeSpan } from './time-span.ts';

export interface Stretch<State extends string> extends TimeSpan {
  state: State;
}

export interface StateLook {
  label: string;
  tone: 'good' | 'calm' | 'bad' | 'unknown';
  /** Top and height, as parts of the height of the band. */
  y: number;
  height: number;
  /** For an unknown state. */
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
  good: 'fill-edge',
  calm: 'fill-warn opacity-80',
  bad: 'fill-bad',
  unknown: 'fill-control-line',
};
const HEIGHT = 24;
/** So that short stretches stay visible. */
const NARROWEST = 2;

const paintOf = ({ tone, isHatched = false }: StateLook, hatch: string) =>
  isHatched ? { fill: hatch } : { className: COLOURS[tone] };

export function Band<State extends string>(props: Props<State>) {
  const { label, describedBy, stretches, looks, span, say, cursor } = props;
  const pattern = useId();
  if (stretches.length === 0) return null;
  const states = (Object.keys(looks) as State[]).filter((state) => stretches.some((one) => one.state === state));
  return (
    <div className="grid gap-0.5 min-w-0">
      <Plot
        {...{ label, describedBy, span, cursor }}
        height={HEIGHT}
        greatest={null}
        stops={stretches.map(({ from }) => from)}
        stopAt={(time) => stretches.findLastIndex(({ from }) => from <= time)}
        say={(stop) =>
          stretches
            .slice(stop, stop + 1)
            .map(say)
            .join('')
        }
      >
        {({ x, left, right, top, hatch }) => (
          <>
            <rect className="fill-sunken" rx={2} x={left} width={right - left} y={top} height={HEIGHT} />
            {stretches.map(({ from, to, state }) => (
              <rect
                key={from}
                {...paintOf(looks[state], hatch)}
                rx={2}
                x={x(from)}
                width={Math.max(NARROWEST, x(to) - x(from))}
                y={top + looks[state].y * HEIGHT}
                height={looks[state].height * HEIGHT}
              />
            ))}
          </>
        )}
      </Plot>
      <Legend>
        {states.map((state) => {
          const look = looks[state];
          return (
            <li key={state}>
              <svg width="14" height="18" aria-hidden="true">
                <Hatch id={pattern} />
                <rect {...paintOf(look, `url(#${pattern})`)} width="14" y={look.y * 18} height={look.height * 18} />
              </svg>
              {look.label}
            </li>
          );
        })}
      </Legend>
    </div>
  );
}
