/** A list of named facts, without the empty ones. */
import type { ReactNode } from 'react';

export type Fact = readonly [name: string, value: ReactNode];

/** @param isInLine side by side, with the names above; otherwise one per line */
export function Facts({ facts, isInLine = false }: { facts: readonly Fact[]; isInLine?: boolean }) {
  return (
    <dl
      className={
        isInLine
          ? 'flex flex-wrap gap-y-2 gap-x-7 [&>div]:min-w-0 [&_dt]:text-muted [&_dd]:wrap-anywhere'
          : 'grid gap-1 [&>div]:grid [&>div]:grid-cols-[130px_minmax(0,1fr)] [&>div]:gap-y-0 [&>div]:gap-x-4 [&_dt]:text-muted [&_dd]:wrap-anywhere'
      }
    >
      {facts
        .filter(([, value]) => value !== '' && value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
