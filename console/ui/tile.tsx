/** A number that a person looks at first, with the list that is behind it. */
import type { ReactNode } from 'react';
import styles from './tile.module.css';

interface Props {
  label: string;
  value: ReactNode;
  /** A few words below the number. */
  about?: ReactNode;
  /** Only where something is wrong or new. */
  tone?: 'bad' | 'warn' | 'new' | undefined;
  /** The address of the list, which may have a query, such as `/sites/home/devices?status=down`. */
  to?: string | undefined;
  /** What it leads to is what is shown. */
  isCurrent?: boolean;
}

export function Tile({ label, value, about, tone, to, isCurrent = false }: Props) {
  const inside = (
    <>
      <span className={styles.label}>{label}</span>
      <span className={styles.value}>{value}</span>
      {about === undefined ? null : <span className={styles.about}>{about}</span>}
    </>
  );
  const className = `${styles.tile} ${tone === undefined ? '' : styles[tone]}`;
  // Not a Link of the router, which would move the query in front of the hash.
  return to === undefined ? (
    <div className={className}>{inside}</div>
  ) : (
    <a href={`#${to}`} className={className} aria-current={isCurrent ? 'true' : undefined}>
      {inside}
    </a>
  );
}

export function Tiles({ children }: { children: ReactNode }) {
  return <div className={styles.tiles}>{children}</div>;
}
