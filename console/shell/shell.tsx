/** The frame around every screen: navigation, choice of the site, what has to be known of the connection. */
import { CircleQuestionMark, LogOut, Menu, Search } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useRights } from '../api/rights.ts';
import { signOut } from '../api/session.ts';
import { common } from '../text/texts.ts';
import { Button, IconButton } from '../ui/button.tsx';
import icon from '../ui/icon.svg';
import { KeyCaps } from '../ui/key-caps.tsx';
import { useShortcut } from '../ui/keys.ts';
import { Page } from '../ui/page.tsx';
import { ProblemBox } from '../ui/state.tsx';
import { ToastRegion } from '../ui/toast.tsx';
import { Navigation } from './navigation.tsx';
import { Notices } from './notices.tsx';
import { Palette } from './palette.tsx';
import styles from './shell.module.css';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { SiteChoice } from './site-choice.tsx';
import { StaleNotice } from './stale-notice.tsx';
import { StrangeNotice } from './strange-notice.tsx';
import { texts } from './texts.ts';
import { ThemeButton } from './theme.tsx';

/** @param site the site that the screen is about; null for screens about all of them */
export function Shell({ site, children }: { site: string | null; children: ReactNode }) {
  const [location] = useLocation();
  const main = useRef<HTMLElement>(null);
  const menu = useSideMenu(location);

  return (
    <div className={styles.shell}>
      <button type="button" className={styles.skip} onClick={() => main.current?.focus()}>
        {texts.skip}
      </button>
      <header className={styles.top}>
        <IconButton
          ref={menu.button}
          className={styles.menuButton ?? ''}
          label={texts.menu}
          aria-expanded={menu.isOpen}
          aria-controls="menu"
          onClick={menu.toggle}
        >
          <Menu />
        </IconButton>
        <Link href="/" className={styles.brand} aria-label={common.product}>
          <img src={icon} alt="" />
          <span>{common.product}</span>
        </Link>
        <div className={styles.siteChoice}>
          <SiteChoice site={site} />
        </div>
        <div className={styles.spring} />
        <Find site={site} />
        <Keys />
        <ThemeButton />
        <IconButton label={texts.signOut} onClick={() => signOut('signed-out')}>
          <LogOut />
        </IconButton>
      </header>
      <aside id="menu" aria-label={texts.menu} className={styles.side} data-open={menu.isOpen || undefined}>
        <Navigation site={site} />
      </aside>
      <main ref={main} id="content" className={styles.content} tabIndex={-1}>
        <Notices />
        {site === null ? null : <StaleNotice site={site} />}
        {site === null ? null : <StrangeNotice site={site} />}
        <WithRights>{children}</WithRights>
      </main>
      <ToastRegion />
    </div>
  );
}

/** Without knowing what the token may do, a screen would look as if it might do nothing. */
function WithRights({ children }: { children: ReactNode }) {
  const { problem, retry } = useRights();
  if (problem === null) return children;
  return (
    <Page title={texts.rightsUnknown}>
      <ProblemBox error={problem} onRetry={retry} />
    </Page>
  );
}

/** The navigation stands beside the content; in a narrow window it opens by a button. */
function useSideMenu(location: string) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes whenever another screen is shown
  useEffect(() => setOpen(false), [location]);
  useEffect(() => {
    if (!isOpen) return undefined;
    const left = new AbortController();
    const byKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      setOpen(false);
      button.current?.focus();
    };
    const byPointer = ({ target }: Event) => {
      const isInside = target instanceof Element && target.closest('#menu, [aria-controls="menu"]') !== null;
      if (!isInside) setOpen(false);
    };
    window.addEventListener('keydown', byKey, left);
    window.addEventListener('pointerdown', byPointer, left);
    return () => left.abort();
  }, [isOpen]);
  return { isOpen, button, toggle: () => setOpen(!isOpen) };
}

function Find({ site }: { site: string | null }) {
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    // Over another dialog it would lead away from what has been filled in there.
    if (document.querySelector('dialog[open]') === null) setOpen(true);
  };
  useShortcut('mod+k', texts.keys.find, open, { isGlobal: true });
  return (
    <>
      <Button className={styles.find ?? ''} aria-keyshortcuts="Control+K Meta+K" onClick={open}>
        <Search />
        <span>{texts.find}</span>
        <KeyCaps keys="mod+k" />
      </Button>
      {isOpen ? <Palette site={site} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function Keys() {
  const [isOpen, setOpen] = useState(false);
  useShortcut('?', texts.keys.help, () => setOpen(true), { isGlobal: true });
  return (
    <>
      <IconButton className={styles.forKeyboards ?? ''} label={texts.shortcuts} onClick={() => setOpen(true)}>
        <CircleQuestionMark />
      </IconButton>
      {isOpen ? <ShortcutsDialog onClose={() => setOpen(false)} /> : null}
    </>
  );
}
