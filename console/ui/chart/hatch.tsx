/** The pattern for unknown times, and the legend, of charts. */
import type { ReactNode } from 'react';

export function Hatch({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="1.5" height="6" className="fill-control-line opacity-40" />
      </pattern>
    </defs>
  );
}

export function Legend({ children }: { children: ReactNode }) {
  return (
    <ul
      className="flex flex-wrap gap-y-0.5 gap-x-4 ps-11.5 text-muted text-xs max-700:ps-0 [&_li]:inline-flex [&_li]:items-center [&_li]:gap-1.5"
      aria-hidden="true"
    >
      {children}
    </ul>
  );
}
