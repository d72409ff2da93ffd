/** A key figure, with a link to its list. */
import type { ReactNode } from 'react';

const COLOURS = { bad: 'text-bad', warn: 'text-warn', new: 'text-new' };
const TILE = 'card grid content-start gap-0.5 min-w-0 px-(--space-4) py-3 no-underline text-text';

interface Props {
  label: string;
  value: ReactNode;
  /** A few words below the number. */
  about?: ReactNode;
  /** Only for problems and news. */
  tone?: keyof typeof COLOURS | undefined;
  /** The address of the list, such as `/sites/home/devices?status=down`. */
  to?: string | undefined;
  /** Beside what matters more on the page. */
  isSmall?: boolean;
  /** The page shows this list. */
  isCurrent?: boolean;
}

export function Tile({ label, value, about, tone, to, isSmall = false, isCurrent = false }: Props) {
  const inside = (
    <>
      <span className="text-muted text-sm">{label}</span>
      <span
        className={`${tone === undefined ? '' : COLOURS[tone]} ${isSmall ? 'text-lg' : 'text-2xl'} font-semibold leading-[1.2] tracking-[-0.01em] [&_small]:text-muted ${isSmall ? '[&_small]:text-sm' : '[&_small]:text-lg'} [&_small]:font-normal`}
      >
        {value}
      </span>
      {about !== undefined && <span className="min-w-0 wrap-anywhere text-muted text-xs">{about}</span>}
    </>
  );
  // Not a Link of wouter, which would move the query in front of the hash.
  return to === undefined ? (
    <div className={TILE}>{inside}</div>
  ) : (
    <a
      href={`#${to}`}
      className={`${TILE} hover:border-edge hover:bg-hover aria-[current=true]:border-accent`}
      aria-current={isCurrent ? 'true' : undefined}
    >
      {inside}
    </a>
  );
}

export function Tiles({ children }: { children: ReactNode }) {
  return <div className="grid grid-cols-[repeat(auto-fit,minmax(min(148px,45%),1fr))] gap-3">{children}</div>;
}
