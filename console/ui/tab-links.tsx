/** The way from a screen to those beside it, as tabs below its heading. */
import { Link } from 'wouter';
import styles from './tab-links.module.css';

interface Props {
  /** For screen readers. */
  label: string;
  tabs: readonly { to: string; label: string }[];
  /** The address of the tab that is shown. */
  current: string;
}

export function TabLinks({ label, tabs, current }: Props) {
  return (
    <nav aria-label={label} className="flex gap-4 border-b border-line overflow-x-auto [scrollbar-width:none]">
      {tabs.map(({ to, label: text }) => (
        <Link key={to} href={to} aria-current={to === current ? 'page' : undefined} className={styles.tab}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
