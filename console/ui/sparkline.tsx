/** A small picture of a day, as wide as a word, for rows of a list. */
import { useId } from 'react';
import { Hatch } from './chart/hatch.tsx';

/** By the slots of `GET /devices/presence`. Presence is quiet: only what interrupts it has a colour. */
const LOOKS: Readonly<Record<string, readonly [share: number, look: string, lookWhereAwayIsBad: string]>> = {
  '#': [1, 'fill-edge', 'fill-edge'],
  '+': [0.65, 'fill-warn opacity-50', 'fill-warn'],
  '.': [0.3, 'fill-warn opacity-80', 'fill-bad'],
};

interface Props {
  slots: string;
  label: string;
  /** Absence is a failure, as of a check, and not usual, as of a phone. */
  isAwayBad?: boolean;
  width?: number;
  height?: number;
}

/** High while present, low while away, hatched while unknown. */
export function DayBand({ slots, label, isAwayBad = false, width = 72, height = 16 }: Props) {
  const hatch = useId();
  const step = width / Math.max(1, slots.length);
  return (
    <svg
      className="block flex-none overflow-visible"
      viewBox={`0 0 ${width} ${height}`}
      {...{ width, height }}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {slots.includes('?') ? <Hatch id={hatch} /> : null}
      {[...slots.matchAll(/(.)\1*/gs)].map(({ 0: run, 1: kind = '?', index }) => {
        const [share, usual, strict] = LOOKS[kind] ?? [1, '', ''];
        const box = { x: index * step, width: run.length * step, y: height * (1 - share), height: height * share };
        const paint =
          kind in LOOKS
            ? { className: `${isAwayBad ? strict : usual} forced-colors:fill-[CanvasText]` }
            : { fill: `url(#${hatch})` };
        return <rect key={index} rx={1} {...paint} {...box} />;
      })}
    </svg>
  );
}
