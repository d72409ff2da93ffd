/** A screen with its heading, which is also the title of the tab, and its actions. */
import common from 'messages:common';
import { createContext, type ReactNode, use, useEffect, useLayoutEffect, useRef } from 'react';
import { arrive } from './arrival.ts';
import { pageTitle } from './page-title.ts';

/** The tabs that the frame puts below the heading of the screen. */
export const PageTabs = createContext<ReactNode>(null);

interface PageProps {
  title: string;
  /** Replaces the heading, such as with an editable one. It has the `h1`. */
  heading?: ReactNode;
  actions?: ReactNode;
  /** As high as the window, for a screen with a scrolling part. */
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
    <div
      // The bar at the top has 52 px, the content 20 px above and 64 px below, of which a full page takes 44 px back;
      // in a narrow window 16 px above and 24 px below, of which 12 px are left.
      className={`grid gap-4 content-start min-w-0 ${isFull ? 'grid-rows-[auto_minmax(0,1fr)] h-[calc(100dvh_-_92px)] min-h-120 -mb-11 max-800:h-[calc(100dvh_-_80px_-_var(--bottom-bar))] max-800:-mb-3' : ''}`}
    >
      <header
        ref={head}
        className="flex flex-wrap items-center justify-between gap-y-2 gap-x-4 min-w-0 min-h-control [&_h1]:wrap-anywhere"
      >
        {heading ?? <h1 data-foreign>{title}</h1>}
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {use(PageTabs)}
      {children}
    </div>
  );
}

export function Card({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className="card grid gap-3 content-start min-w-0 p-4" aria-label={title}>
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </section>
  );
}
