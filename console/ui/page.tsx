/** The frame of a screen: its heading, which is also the title of the tab, and its actions. */
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { common } from '../text/texts.ts';
import { arrive } from './arrival.ts';
import styles from './page.module.css';
import { pageTitle } from './page-title.ts';

interface PageProps {
  title: string;
  /** In place of the title as a heading, such as one that can be edited. It has the `h1`. */
  heading?: ReactNode;
  actions?: ReactNode;
  /** As high as the window, for a screen of which a part scrolls by itself. */
  isFull?: boolean;
  children: ReactNode;
}

export function Page({ title, heading, actions, isFull = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · ${common.product}`;
    pageTitle.set(title);
  }, [title]);
  const head = useRef<HTMLElement>(null);
  useLayoutEffect(() => arrive(head.current?.querySelector('h1') ?? null), []);
  return (
    <div className={`${styles.page} ${isFull ? styles.full : ''}`}>
      <header ref={head} className={styles.head}>
        {heading ?? <h1 data-foreign>{title}</h1>}
        {actions === undefined ? null : <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a screen in a box of its own. */
export function Card({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className={styles.card} aria-label={title}>
      {title === undefined ? null : <h2>{title}</h2>}
      {children}
    </section>
  );
}
