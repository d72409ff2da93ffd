/** The frame around every screen: the side bar, the header, and notices. */
import texts from 'messages:shell';
import { ChevronRight, Lock, Menu, PanelLeft, PlugZap, Search } from 'lucide-react';
import { type ReactNode, type Ref, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link, useLocation } from 'wouter';
import { problemOf } from '../api/problem.ts';
import { useAnswer } from '../api/queries.ts';
import { useRights } from '../api/rights.ts';
import { useSiteName } from '../api/site-name.ts';
import { Bell } from '../screens/notifications/bell.tsx';
import { Button, IconButton, LinkButton } from '../ui/button.tsx';
import { KeyCaps } from '../ui/key-caps.tsx';
import { useShortcut } from '../ui/keys.ts';
import { Page } from '../ui/page.tsx';
import { pageTitle } from '../ui/page-title.ts';
import { ProblemBox } from '../ui/state.tsx';
import { makeKeptStore } from '../ui/store.ts';
import { ToastRegion } from '../ui/toast.tsx';
import { AccountMenu } from './account-menu.tsx';
import { DeadEnd } from './dead-end.tsx';
import { lazyPart } from './lazy-screen.ts';
import { EntryLink, Navigation } from './navigation.tsx';
import { Notices, SiteNotices } from './notices.tsx';
import { entriesFor, placeOf } from './places.ts';
import styles from './shell.module.css';
import { SiteSwitcher } from './site-switcher.tsx';

const Palette = lazyPart(() => import('./palette.tsx'));
const ShortcutsDialog = lazyPart(() => import('./shortcuts-dialog.tsx'));

/** Whether the side bar shows icons alone; null when it shows words. */
const keptNarrow = makeKeptStore('lanreach.side-narrow');

/** @param site null for screens about all sites */
export function Shell({ site, children }: { site: string | null; children: ReactNode }) {
  const [location] = useLocation();
  const main = useRef<HTMLElement>(null);
  const menu = useSideMenu(location);
  const find = useFind();
  const [hasKeys, showKeys] = useState(false);
  useShortcut('?', texts.keys.help, () => showKeys(true), { isGlobal: true });
  const isNarrow = keptNarrow.use() !== null;
  const open = useRefused(site) ? null : site;

  return (
    <div className={styles.shell} data-narrow={isNarrow || undefined}>
      <button
        type="button"
        className="absolute top-2 left-2 z-30 px-3 py-2 border-0 rounded-control bg-accent text-on-accent translate-y-[-200%] focus:translate-none"
        onClick={() => main.current?.focus()}
      >
        {texts.skip}
      </button>
      {menu.isOpen ? (
        <div className="hidden max-800:fixed max-800:block max-800:inset-0 max-800:z-11 max-800:bg-[rgb(10_15_25/45%)]" />
      ) : null}
      <aside
        ref={menu.element}
        id="menu"
        aria-label={texts.sideBar}
        className={styles.side}
        data-open={menu.isOpen || undefined}
      >
        <SiteSwitcher site={site} />
        <div className="-mx-2 px-2 py-2 overflow-y-auto [scrollbar-width:thin]">
          <Navigation site={open} />
        </div>
        <AccountMenu onKeys={() => showKeys(true)} />
      </aside>
      <header className="sticky flex top-0 z-10 items-center gap-2 min-w-0 min-h-13 pr-6 pl-3 py-2 border-b border-line bg-background max-800:px-3 max-800:pt-[calc(4px_+_env(safe-area-inset-top))] max-800:pb-1">
        <IconButton
          className="text-muted max-800:hidden"
          label={isNarrow ? texts.sideWide : texts.sideNarrow}
          icon={<PanelLeft />}
          onClick={() => keptNarrow.set(isNarrow ? null : 'yes')}
        />
        <Crumbs site={site} />
        <div className="flex-1" />
        <Button
          className={`${styles.find} gap-2 justify-start w-[min(280px,30vw)] border-line bg-surface font-normal text-muted max-800:hidden`}
          aria-keyshortcuts="Control+K Meta+K"
          onClick={find.open}
        >
          <Search />
          <span>{texts.find}</span>
          <KeyCaps keys="mod+k" />
        </Button>
        <Bell />
      </header>
      <main
        ref={main}
        id="content"
        className="min-w-0 max-w-420 px-6 pt-5 pb-16 max-800:px-3 max-800:pt-4 max-800:pb-[calc(24px_+_var(--bottom-bar))]"
        tabIndex={-1}
      >
        <div className={`${styles.notices} grid gap-1`}>
          <Notices />
          {site === null ? null : <SiteNotices site={site} />}
        </div>
        <WithRights site={site}>{children}</WithRights>
      </main>
      <BottomBar
        site={open}
        isMenuOpen={menu.isOpen}
        menuButton={menu.button}
        onMenu={menu.toggle}
        onSearch={find.open}
      />
      <ToastRegion />
      {find.isOpen ? <Palette site={site} onClose={find.close} /> : null}
      {hasKeys ? <ShortcutsDialog onClose={() => showKeys(false)} /> : null}
    </div>
  );
}

/** Whether the token may not use the site. */
function useRefused(site: string | null): boolean {
  const when = useRights().may('devices:read') && site !== null;
  const { error } = useAnswer('GET /sites/{site}', { params: { site: site ?? '' } }, { when });
  return error !== null && problemOf(error).code === 'site_forbidden';
}

/** While the permissions of the token are unknown, a screen would look as if it allowed nothing. */
function WithRights({ site, children }: { site: string | null; children: ReactNode }) {
  const { problem, retry } = useRights();
  const isRefused = useRefused(site);
  if (problem !== null && problemOf(problem).code === 'unreachable') {
    return (
      <DeadEnd icon={PlugZap} title={texts.offline} ways={<Button onClick={retry}>{texts.reload}</Button>}>
        <p>{texts.offlineHint}</p>
      </DeadEnd>
    );
  }
  if (problem !== null) {
    return (
      <Page title={texts.rightsUnknown}>
        <ProblemBox error={problem} onRetry={retry} />
      </Page>
    );
  }
  if (site !== null && isRefused) {
    const ways = (
      <LinkButton to="/" look="primary">
        {texts.allSites}
      </LinkButton>
    );
    return (
      <DeadEnd icon={Lock} title={texts.forbidden} ways={ways}>
        <p>{texts.forbiddenHint({ site })}</p>
      </DeadEnd>
    );
  }
  return children;
}

/** On a phone the side bar is a sheet that a button opens. */
function useSideMenu(location: string) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const element = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes whenever another screen is shown
  useEffect(() => setOpen(false), [location]);
  useEffect(() => {
    if (!isOpen) return undefined;
    element.current?.querySelector('button')?.focus();
    const left = new AbortController();
    const byKey = (event: KeyboardEvent) => {
      // A list or dialog above it closes first.
      if (event.key !== 'Escape' || document.querySelector(':popover-open, dialog[open]') !== null) return;
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
  return { isOpen, button, element, toggle: () => setOpen(!isOpen) };
}

function useFind() {
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    // Not over a dialog, whose input would be lost. Synchronously: the next letter is for the field.
    if (document.querySelector('dialog[open]') === null) flushSync(() => setOpen(true));
  };
  useShortcut('mod+k', texts.keys.find, open, { isGlobal: true });
  return { isOpen, open, close: () => setOpen(false) };
}

/** The path to the present screen: the site, the screen, and its subject. */
function Crumbs({ site }: { site: string | null }) {
  const crumbs = useCrumbs(site);
  return (
    // The last one is the most telling. A phone shows the last two; the site is in the side bar.
    <nav
      aria-label={texts.path}
      className={`[&_li>:last-child]:px-0.5 [&_li>:last-child]:py-1 [&_li>:last-child]:truncate [&_li:not(:last-child)]:shrink-4 max-700:[&_li:first-child:nth-last-child(3)]:hidden max-700:[&_li:nth-child(2):nth-last-child(2)>svg]:hidden [&_li]:flex [&_li]:flex-initial [&_li]:items-center [&_li]:min-w-0 [&_svg]:flex-none [&_svg]:size-3.5 [&_svg]:mx-0.5 [&_svg]:text-muted [&_[aria-current="page"]]:outline-none [&_[aria-current="page"]]:font-medium flex-initial min-w-0 text-sm [&_ol]:flex [&_ol]:min-w-0 [&_a]:rounded-control [&_a]:no-underline [&_a]:text-muted [&_a:hover]:text-text`}
    >
      <ol>
        {crumbs.map(({ label, to }, i) => (
          <li key={`${to} ${label}`}>
            {i === 0 ? null : <ChevronRight aria-hidden="true" />}
            {i === crumbs.length - 1 ? (
              <span aria-current="page" data-foreign>
                {label}
              </span>
            ) : (
              <Link href={to} data-foreign>
                {label}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function useCrumbs(site: string | null): readonly { label: string; to: string }[] {
  const [location] = useLocation();
  const name = useSiteName(site ?? '');
  const title = pageTitle.use();
  const root = site === null ? '' : `/sites/${site}`;
  const first = { label: site === null ? texts.allSites : name, to: root === '' ? '/' : root };
  if (location === '/') return [first];
  const place = placeOf(location);
  if (place === undefined) return [first, { label: title, to: location }];
  const second = { label: place.label, to: root + place.path };
  // A screen about one thing, such as a device, has its name as the title.
  return location === second.to || title === place.label
    ? [first, second]
    : [first, second, { label: title, to: location }];
}

const BAR_ITEM =
  'grid justify-items-center content-center gap-0.75 h-14 px-0.5 py-0 border-0 bg-transparent overflow-hidden text-[0.6875rem] no-underline text-ellipsis whitespace-nowrap text-muted cursor-pointer [&_svg]:size-5.5 [&_svg]:stroke-[1.75] aria-[current=page]:font-semibold aria-[current=page]:text-accent aria-expanded:font-semibold aria-expanded:text-accent focus-visible:-outline-offset-2';

interface BarProps {
  site: string | null;
  isMenuOpen: boolean;
  menuButton: Ref<HTMLButtonElement>;
  onMenu: () => void;
  onSearch: () => void;
}

/** The bar at the bottom of a phone: the screens that are opened most, the search, and the side bar. */
function BottomBar({ site, isMenuOpen, menuButton, onMenu, onSearch }: BarProps) {
  const links = entriesFor(useRights(), site)
    .filter(({ isQuick }) => isQuick)
    .map((entry) => <EntryLink key={entry.label} entry={entry} className={BAR_ITEM} />);
  return (
    <nav
      aria-label={texts.quickNavigation}
      className="hidden max-800:fixed max-800:inset-[auto_0_0] max-800:z-9 max-800:grid max-800:auto-cols-[minmax(0,1fr)] max-800:grid-flow-col max-800:[padding:0_env(safe-area-inset-right)_env(safe-area-inset-bottom)_env(safe-area-inset-left)] max-800:border-t max-800:border-line max-800:bg-surface"
    >
      {links.slice(0, 3)}
      <button type="button" className={BAR_ITEM} onClick={onSearch}>
        <Search aria-hidden="true" />
        {texts.search}
      </button>
      {links.slice(3)}
      <button
        ref={menuButton}
        type="button"
        className={BAR_ITEM}
        aria-expanded={isMenuOpen}
        aria-controls="menu"
        onClick={onMenu}
      >
        <Menu aria-hidden="true" />
        {texts.more}
      </button>
    </nav>
  );
}
