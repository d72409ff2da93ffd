/** Parts of a screen of settings: what each is about, beside what can be set of it. */
import type { ReactNode } from 'react';
import styles from './section.module.css';

export function Sections({ children }: { children: ReactNode }) {
  return <div className={styles.sections}>{children}</div>;
}

interface SectionProps {
  title: string;
  hint: ReactNode;
  action?: ReactNode;
  isDanger?: boolean;
  children: ReactNode;
}

export function Section({ title, hint, action, isDanger = false, children }: SectionProps) {
  return (
    <section className={styles.section} aria-label={title} data-danger={isDanger || undefined}>
      <div className={styles.about}>
        <h2>{title}</h2>
        <p className="muted">{hint}</p>
        {action}
      </div>
      <div className={styles.inside}>{children}</div>
    </section>
  );
}
