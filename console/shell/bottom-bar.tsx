/** What a thumb reaches on a phone: the screens that are opened most, the search, and the side bar. */
import texts from 'messages:shell';
import { Activity, LayoutDashboard, Menu, MonitorSmartphone, Search, Wrench } from 'lucide-react';
import type { Ref } from 'react';
import { Link, useLocation } from 'wouter';
import { useRights } from '../api/rights.ts';
import styles from './bottom-bar.module.css';

interface Props {
  site: string | null;
  isMenuOpen: boolean;
  menuButton: Ref<HTMLButtonElement>;
  onMenu: () => void;
  onSearch: () => void;
}

export function BottomBar({ site, isMenuOpen, menuButton, onMenu, onSearch }: Props) {
  const rights = useRights();
  const [location] = useLocation();
  const root = site === null ? '' : `/sites/${site}`;
  const mayRead = rights.may('devices:read');
  const mayRun = site !== null && rights.may('nettools:run');
  const first =
    site === null
      ? { to: '/', label: texts.overview, icon: LayoutDashboard }
      : { to: `${root}/devices`, label: texts.devices, icon: MonitorSmartphone };
  const links = mayRead ? [first, { to: `${root}/events`, label: texts.events, icon: Activity }] : [];
  const isHere = (to: string) => location === to || (to !== '/' && location.startsWith(`${to}/`));
  return (
    <nav aria-label={texts.quickNavigation} className={styles.bar}>
      {links.map(({ to, label, icon: Icon }) => (
        <Link key={to} href={to} className={styles.item} aria-current={isHere(to) ? 'page' : undefined}>
          <Icon aria-hidden="true" />
          {label}
        </Link>
      ))}
      <button type="button" className={styles.item} onClick={onSearch}>
        <Search aria-hidden="true" />
        {texts.search}
      </button>
      {mayRun ? (
        <Link
          href={`${root}/tools`}
          className={styles.item}
          aria-current={isHere(`${root}/tools`) ? 'page' : undefined}
        >
          <Wrench aria-hidden="true" />
          {texts.tools}
        </Link>
      ) : null}
      <button
        ref={menuButton}
        type="button"
        className={styles.item}
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
