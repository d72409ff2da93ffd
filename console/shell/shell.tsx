/** The frame around every screen: navigation, choice of the site, what is said when the API cannot be reached. */
import {
  Activity,
  History,
  KeyRound,
  ListChecks,
  LogOut,
  type LucideIcon,
  Menu,
  MonitorSmartphone,
  Moon,
  Network,
  Plus,
  Settings,
  Sun,
  Waypoints,
  Webhook,
  Wrench,
} from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Scope } from '../../shared/identity.ts';
import { useReachable } from '../api/connection.ts';
import { useAnswer } from '../api/queries.ts';
import { useRights } from '../api/rights.ts';
import { signOut } from '../api/session.ts';
import icon from '../icon.svg';
import { texts } from '../texts.ts';
import { IconButton } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { useShortcut } from '../ui/keys.ts';
import { ToastRegion } from '../ui/toast.tsx';
import styles from './shell.module.css';
import { chooseTheme, useTheme } from './theme.ts';

interface Place {
  /** Behind `/sites/<site>`. */
  path: string;
  label: string;
  icon: LucideIcon;
  scope: Scope;
  keys?: string;
  keysLabel?: string;
}

const PLACES: readonly Place[] = [
  {
    path: '/devices',
    label: texts.shell.devices,
    icon: MonitorSmartphone,
    scope: 'devices:read',
    keys: 'g d',
    keysLabel: texts.keys.goDevices,
  },
  {
    path: '/topology',
    label: texts.shell.topology,
    icon: Network,
    scope: 'devices:read',
    keys: 'g t',
    keysLabel: texts.keys.goTopology,
  },
  {
    path: '/events',
    label: texts.shell.events,
    icon: Activity,
    scope: 'devices:read',
    keys: 'g e',
    keysLabel: texts.keys.goEvents,
  },
  {
    path: '/tools',
    label: texts.shell.tools,
    icon: Wrench,
    scope: 'nettools:run',
    keys: 'g o',
    keysLabel: texts.keys.goTools,
  },
  {
    path: '/jobs',
    label: texts.shell.jobs,
    icon: ListChecks,
    scope: 'nettools:run',
    keys: 'g j',
    keysLabel: texts.keys.goJobs,
  },
  { path: '/hooks', label: texts.shell.hooks, icon: Webhook, scope: 'admin' },
  { path: '/audit', label: texts.shell.audit, icon: History, scope: 'admin' },
  {
    path: '/settings',
    label: texts.shell.settings,
    icon: Settings,
    scope: 'admin',
    keys: 'g ,',
    keysLabel: texts.keys.goSettings,
  },
];

/** @param site the site that the screen is about; null for screens about all of them */
export function Shell({ site, children }: { site: string | null; children: ReactNode }) {
  const [location, navigate] = useLocation();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const rights = useRights();
  const isReachable = useReachable();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes whenever another screen is shown
  useEffect(() => setMenuOpen(false), [location]);
  useShortcut('g s', texts.keys.goSites, () => navigate('/'), { isGlobal: true });

  return (
    <div className={styles.shell}>
      <button type="button" className={styles.skip} onClick={() => document.getElementById('content')?.focus()}>
        {texts.shell.skip}
      </button>
      <header className={styles.top}>
        <IconButton
          className={styles.menuButton ?? ''}
          label={texts.shell.menu}
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Menu />
        </IconButton>
        <Link href="/" className={styles.brand} aria-label={texts.common.product}>
          <img src={icon} alt="" />
          <span>{texts.common.product}</span>
        </Link>
        <SiteChoice site={site} />
        <div className={styles.spring} />
        <ThemeButton />
        <IconButton label={texts.shell.signOut} onClick={() => signOut('signed-out')}>
          <LogOut />
        </IconButton>
      </header>
      <aside className={styles.side} aria-label={texts.shell.menu} data-open={isMenuOpen || undefined}>
        <nav aria-label={texts.shell.mainNavigation} className={styles.links}>
          <NavLink to="/" label={texts.shell.sites} icon={Waypoints} />
          <NavLink to="/events" label={texts.shell.allEvents} icon={Activity} />
          {rights.may('admin') ? <NavLink to="/tokens" label={texts.shell.tokens} icon={KeyRound} /> : null}
          {rights.may('admin') ? <NavLink to="/sites/new" label={texts.shell.addSite} icon={Plus} /> : null}
        </nav>
        {site === null ? null : (
          <nav aria-label={texts.shell.siteNavigation} className={styles.links}>
            <div className={styles.group}>{site}</div>
            {PLACES.filter(({ scope }) => rights.may(scope)).map((place) => (
              <SitePlace key={place.path} site={site} place={place} />
            ))}
          </nav>
        )}
        <div className={styles.group} data-foreign>
          {texts.shell.signedInAs(rights.tokenName)}
        </div>
      </aside>
      <main id="content" className={styles.content} tabIndex={-1}>
        {isReachable ? null : (
          <div className={styles.offline} role="status">
            {texts.common.unreachable}
          </div>
        )}
        {children}
      </main>
      <ToastRegion />
    </div>
  );
}

function SitePlace({ site, place }: { site: string; place: Place }) {
  const [, navigate] = useLocation();
  const to = `/sites/${site}${place.path}`;
  const { keys = '', keysLabel = '' } = place;
  useShortcut(keys, keysLabel, () => navigate(to), { isGlobal: true, when: keys !== '' });
  return <NavLink to={to} label={place.label} icon={place.icon} />;
}

function NavLink({ to, label, icon: Icon }: { to: string; label: string; icon: LucideIcon }) {
  const [location] = useLocation();
  const isHere = to === '/' || to === '/sites/new' ? location === to : location === to || location.startsWith(`${to}/`);
  return (
    <Link href={to} className={styles.link} aria-current={isHere ? 'page' : undefined}>
      <Icon aria-hidden="true" />
      {label}
    </Link>
  );
}

function SiteChoice({ site }: { site: string | null }) {
  const [, navigate] = useLocation();
  const { data } = useAnswer('GET /sites', {}, { everyMs: 60_000 });
  return (
    <div className={styles.siteChoice}>
      <SelectField
        label={texts.shell.site}
        isLabelHidden
        value={site ?? ''}
        onChange={({ target }) => navigate(target.value === '' ? '/' : `/sites/${target.value}/devices`)}
      >
        <option value="">{texts.shell.chooseSite}</option>
        {data?.sites.map(({ id, name }) => (
          <option key={id} value={id}>
            {name === id ? id : `${name} (${id})`}
          </option>
        ))}
      </SelectField>
    </div>
  );
}

function ThemeButton() {
  const theme = useTheme();
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <IconButton label={texts.shell[other]} onClick={() => chooseTheme(other)}>
      {theme === 'dark' ? <Sun /> : <Moon />}
    </IconButton>
  );
}
