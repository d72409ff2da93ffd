/** A few numbers that matter, each below its name. */
import type { ReactNode } from 'react';
import styles from './figures.module.css';

export function Figures({ figures }: { figures: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
