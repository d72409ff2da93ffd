/** Small pictures of a stretch of time, as wide as a word: for rows of a list. */

/** As `GET /devices/presence` has them, by slots of the window. */
const HEIGHTS: Readonly<Record<string, readonly [share: number, look: string, lookWhereAwayIsBad: string]>> = {
  '#': [1, 'fill-good forced-colors:fill-[CanvasText]', 'fill-good forced-colors:fill-[CanvasText]'],
  '+': [0.6, 'fill-good opacity-45 forced-colors:fill-[CanvasText]', 'fill-warn'],
  '.': [0.2, 'fill-line', 'fill-bad'],
};

/**
 * When something was there: high while it was, a low line while it was not, dots where nobody knows.
 * @param isAwayBad that it was not there is wrong, as of a check, and not usual, as of a phone
 */
export function DayBand({
  slots,
  label,
  isAwayBad = false,
  width = 72,
  height = 16,
}: {
  slots: string;
  label: string;
  isAwayBad?: boolean;
  width?: number;
  height?: number;
}) {
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
          return (
            <path
              key={index}
              className="fill-none stroke-control-line [stroke-dasharray:1_3]"
              d={`M${x} ${height - 1}h${run.length * step}`}
            />
          );
        }
        const box = { x, width: run.length * step, y: height * (1 - share), height: height * share };
        return <rect key={index} className={isAwayBad ? strict : usual} rx={1} {...box} />;
      })}
    </svg>
  );
}
