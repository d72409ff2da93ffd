/** In place of a screen: where there is none, where the token may not go, and where something has broken. */
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Page } from '../ui/page.tsx';
import styles from './dead-end.module.css';

interface Props {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
  /** The ways out of it. */
  ways: ReactNode;
}

export function DeadEnd({ icon: Icon, title, children, ways }: Props) {
  return (
    <div className={styles.end}>
      <span className={styles.icon}>
        <Icon aria-hidden="true" />
      </span>
      <Page title={title}>
        <div className={styles.text}>{children}</div>
        <div className="actions">{ways}</div>
      </Page>
    </div>
  );
}
