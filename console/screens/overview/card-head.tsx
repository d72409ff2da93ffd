/** The title of a card, and the way to all of what it shows some of. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './overview.module.css';

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
    <div className={styles.head}>
      <h2>{title}</h2>
      {to === undefined ? children : <Link href={to}>{label}</Link>}
    </div>
  );
}
