/** A QR code, drawn here to keep its text secret. Cameras need dark on light, and the margin of the standard. */
import { encode } from 'uqr';

const MARGIN = 4;

export default function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 0, ecc: 'L' });
  const whole = size + 2 * MARGIN;
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      className="size-42 rounded-control [&_rect]:fill-[white] [&_path]:fill-[black]"
      viewBox={`0 0 ${whole} ${whole}`}
      role="img"
      aria-label={label}
    >
      <rect width={whole} height={whole} />
      <path d={path} shapeRendering="crispEdges" />
    </svg>
  );
}
