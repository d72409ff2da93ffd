/** Facts about one thing: each with its name, those that are empty left out. */
import type { ReactNode } from 'react';
import styles from './facts.module.css';

export type Fact = readonly [name: string, value: ReactNode];

/** @param isInLine side by side, each below its name; otherwise one per line */
export function Facts({ facts, isInLine = false }: { facts: readonly Fact[]; isInLine?: boolean }) {
  return (
    <dl className={isInLine ? styles.line : styles.lines}>
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
