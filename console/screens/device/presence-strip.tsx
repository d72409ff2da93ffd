/** A time as a strip of states: by height and colour, and in words for the period that is pointed at. */
import { type KeyboardEvent, useId, useState } from 'react';
import { dateTimeText, dayMonthText } from '../../text/format.ts';
import { periodText } from './period-text.ts';
import type { PresenceState, Span } from './presence.ts';
import styles from './presence-strip.module.css';
import { texts } from './texts.ts';

const HEIGHT = 40;
/** Top and height of a period in each state. */
const SHAPES: Record<PresenceState, { y: number; height: number }> = {
  online: { y: 0, height: HEIGHT },
  offline: { y: HEIGHT - 8, height: 8 },
  down: { y: HEIGHT - 22, height: 22 },
  unknown: { y: HEIGHT / 2 - 1, height: 2 },
  unwatched: { y: HEIGHT / 2 - 4, height: 8 },
};
const TICKS = [0, 1 / 5, 2 / 5, 3 / 5, 4 / 5];
/** Shorter periods could not be seen. */
const MIN_WIDTH = 2;

/** @param describedBy the element that says in words what the strip shows */
export function PresenceStrip({ spans, describedBy }: { spans: readonly Span[]; describedBy: string }) {
  const [chosen, choose] = useState<number | null>(null);
  const pattern = useId();
  const [first] = spans;
  const last = spans.at(-1);
  if (first === undefined || last === undefined) return null;
  const total = last.to - first.from;
  const percent = (ms: number) => `${(ms / total) * 100}%`;
  const index = Math.min(chosen ?? spans.length - 1, spans.length - 1);
  const shown = spans[index] ?? last;

  function onKeyDown(event: KeyboardEvent): void {
    const steps: Record<string, number> = {
      ArrowLeft: index - 1,
      ArrowDown: index - 1,
      ArrowRight: index + 1,
      ArrowUp: index + 1,
      Home: 0,
      End: spans.length - 1,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(spans.length - 1, next)));
  }

  return (
    <div className={styles.strip}>
      <div
        className={styles.bar}
        role="slider"
        tabIndex={0}
        aria-label={texts.presenceStrip}
        aria-describedby={describedBy}
        aria-valuemin={1}
        aria-valuemax={spans.length}
        aria-valuenow={index + 1}
        aria-valuetext={spanText(shown, last.to)}
        onKeyDown={onKeyDown}
        onPointerLeave={() => choose(null)}
      >
        <svg width="100%" height={HEIGHT} aria-hidden="true">
          <defs>
            <pattern id={pattern} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="2" height="6" className={styles.unknown} />
            </pattern>
          </defs>
          {spans.map(({ from, to, state }, i) => (
            <g key={from} onPointerEnter={() => choose(i)}>
              {/* All of the height can be pointed at. */}
              <rect
                x={percent(from - first.from)}
                width={percent(to - from)}
                height={HEIGHT}
                className={i === chosen ? styles.chosen : styles.clear}
              />
              <rect
                {...SHAPES[state]}
                x={percent(from - first.from)}
                className={styles[state]}
                style={{ width: `max(${MIN_WIDTH}px, ${percent(to - from)})` }}
                {...(state === 'unwatched' ? { fill: `url(#${pattern})` } : {})}
              />
            </g>
          ))}
        </svg>
      </div>
      <div className={styles.scale} aria-hidden="true">
        {TICKS.map((part) => (
          <span key={part}>{dayMonthText(new Date(first.from + total * part))}</span>
        ))}
        <span className={styles.end}>{texts.now}</span>
      </div>
      <p className={styles.readout}>{spanText(shown, last.to)}</p>
      <ul className={styles.legend} aria-hidden="true">
        {(Object.keys(SHAPES) as PresenceState[])
          .filter((state) => spans.some((span) => span.state === state))
          .map((state) => (
            <li key={state}>
              <svg width="14" height={HEIGHT / 2} viewBox={`0 0 28 ${HEIGHT}`} aria-hidden="true">
                <rect
                  {...SHAPES[state]}
                  width="28"
                  className={styles[state]}
                  {...(state === 'unwatched' ? { fill: `url(#${pattern})` } : {})}
                />
              </svg>
              {texts.states[state]}
            </li>
          ))}
      </ul>
    </div>
  );
}

function spanText({ from, to, state }: Span, end: number): string {
  const until = to === end ? texts.now : dateTimeText(new Date(to));
  return texts.period(texts.states[state], dateTimeText(new Date(from)), until, periodText(to - from));
}
