/** The entries of one day, below its date. */
import type { ReactNode } from 'react';

interface Props {
  label: string;
  /** Such as "today"; empty for an earlier day. */
  name: string;
  date: string;
  children: ReactNode;
}

export function DaySection({ label, name, date, children }: Props) {
  return (
    <section
      className="grid gap-2 min-w-0 [&_h2_span]:ms-1 [&_h2_span]:text-muted [&_h2_span]:text-sm [&_h2_span]:font-normal"
      aria-label={label}
    >
      {name === '' ? (
        <h2>{date}</h2>
      ) : (
        <h2>
          {name} <span>{date}</span>
        </h2>
      )}
      {children}
    </section>
  );
}
