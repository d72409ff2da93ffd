/** The title of a card, and the way to all of what it shows some of. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';

export function CardHead({
  title,
  to,
  label,
  children,
}: {
  title: string;
  to?: string;
  label?: string;
  children?: ReactNode;
}) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-2 [&>a]:text-sm [&>a]:no-underline [&>a:hover]:underline">
      <h2>{title}</h2>
      {to === undefined ? children : <Link href={to}>{label}</Link>}
    </div>
  );
}
