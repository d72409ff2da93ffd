/** A small picture of a day, as wide as a word, for rows of a list. */

const GOOD = 'fill-good forced-colors:fill-[CanvasText]';
/** By the slots of `GET /devices/presence`. */
const HEIGHTS: Readonly<Record<string, readonly [share: number, look: string, lookWhereAwayIsBad: string]>> = {
  '#': [1, GOOD, GOOD],
  '+': [0.6, 'fill-good opacity-45 forced-colors:fill-[CanvasText]', 'fill-warn'],
  '.': [0.2, 'fill-line', 'fill-bad'],
};

interface Props {
  slots: string;
  label: string;
  /** Absence is a failure, as of a check, and not usual, as of a phone. */
  isAwayBad?: boolean;
  width?: number;
  height?: number;
}

/** High while present, a low line while away, dots while unknown. */
export function DayBand({ slots, label, isAwayBad = false, width = 72, height = 16 }: Props) {
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
      {[...slots.matchAll(/(.)\1*/gs)].map(({ 0: run, 1: kind = '?', index }) => {
        const x = index * step;
        const [share, usual, strict] = HEIGHTS[kind] ?? [0, '', ''];
        if (share === 0) {
          const line = `M${x} ${height - 1}h${run.length * step}`;
          return <path key={index} className="fill-none stroke-control-line [stroke-dasharray:1_3]" d={line} />;
        }
        const box = { x, width: run.length * step, y: height * (1 - share), height: height * share };
        return <rect key={index} className={isAwayBad ? strict : usual} rx={1} {...box} />;
      })}
    </svg>
  );
}
