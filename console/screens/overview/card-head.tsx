/** The frame of the cards: a title with a link to the whole list, and rows. */
import texts from 'messages:overview';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Moment } from '../../ui/time.tsx';
import styles from './overview.module.css';

export const SMALL = `${styles.small} text-muted text-sm`;

interface HeadProps {
  title: string;
  to?: string;
  label?: string;
  children?: ReactNode;
}

export function CardHead({ title, to, label, children }: HeadProps) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-2 [&>a]:text-sm [&>a]:no-underline [&>a:hover]:underline">
      <h2>{title}</h2>
      {to === undefined ? children : <Link href={to}>{label}</Link>}
    </div>
  );
}

export function Rows({ label, children }: { label?: string; children: ReactNode }) {
  return (
    <ul
      className={`${styles.rows} grid -my-1 [&_a]:text-text [&_a]:no-underline [&_a:hover]:text-accent [&_a:hover]:underline`}
      aria-label={label}
    >
      {children}
    </ul>
  );
}

export function Since({ at }: { at: string | null }) {
  if (at === null) return null;
  return (
    <>
      {texts.since} <Moment at={at} />
    </>
  );
}
