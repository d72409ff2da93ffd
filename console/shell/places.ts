/** The screens that the navigation and the search lead to. */
import {
  Activity,
  CalendarClock,
  Globe,
  Grid3x3,
  HeartPulse,
  History,
  KeyRound,
  ListChecks,
  type LucideIcon,
  MonitorSmartphone,
  Network,
  NotebookText,
  Plus,
  Settings,
  Waypoints,
  Webhook,
  Wrench,
} from 'lucide-react';
import type { Scope } from '../../shared/identity.ts';
import type { Rights } from '../api/rights.ts';
import { texts } from './texts.ts';

export interface Place {
  /** Of a site: what follows `/sites/<site>`. */
  path: string;
  label: string;
  icon: LucideIcon;
  scope: Scope;
  keys?: string;
  keysLabel?: string;
}

const PLACES: readonly Place[] = [
  { path: '/', label: texts.sites, icon: Waypoints, scope: 'devices:read' },
  { path: '/events', label: texts.allEvents, icon: Activity, scope: 'devices:read' },
  { path: '/matrix', label: texts.matrix, icon: Grid3x3, scope: 'devices:read' },
  { path: '/admin/tokens', label: texts.tokens, icon: KeyRound, scope: 'admin' },
];

const NEW_SITE: Place = { path: '/add-site', label: texts.addSite, icon: Plus, scope: 'admin' };

const PLACES_OF_SITE: readonly Place[] = [
  {
    path: '/devices',
    label: texts.devices,
    icon: MonitorSmartphone,
    scope: 'devices:read',
    keys: 'g d',
    keysLabel: texts.keys.goDevices,
  },
  {
    path: '/map',
    label: texts.topology,
    icon: Network,
    scope: 'devices:read',
    keys: 'g t',
    keysLabel: texts.keys.goTopology,
  },
  {
    path: '/changes',
    label: texts.changes,
    icon: NotebookText,
    scope: 'devices:read',
    keys: 'g c',
    keysLabel: texts.keys.goChanges,
  },
  {
    path: '/events',
    label: texts.events,
    icon: Activity,
    scope: 'devices:read',
    keys: 'g e',
    keysLabel: texts.keys.goEvents,
  },
  {
    path: '/checks',
    label: texts.checks,
    icon: HeartPulse,
    scope: 'devices:read',
    keys: 'g h',
    keysLabel: texts.keys.goChecks,
  },
  {
    path: '/internet',
    label: texts.internet,
    icon: Globe,
    scope: 'devices:read',
    keys: 'g i',
    keysLabel: texts.keys.goInternet,
  },
  {
    path: '/tools',
    label: texts.tools,
    icon: Wrench,
    scope: 'nettools:run',
    keys: 'g o',
    keysLabel: texts.keys.goTools,
  },
  {
    path: '/runs',
    label: texts.jobs,
    icon: ListChecks,
    scope: 'nettools:run',
    keys: 'g j',
    keysLabel: texts.keys.goJobs,
  },
  {
    path: '/schedules',
    label: texts.schedules,
    icon: CalendarClock,
    scope: 'devices:read',
    keys: 'g r',
    keysLabel: texts.keys.goSchedules,
  },
  { path: '/notifications', label: texts.hooks, icon: Webhook, scope: 'admin' },
  { path: '/audit', label: texts.audit, icon: History, scope: 'admin' },
  {
    path: '/settings',
    label: texts.settings,
    icon: Settings,
    scope: 'admin',
    keys: 'g ,',
    keysLabel: texts.keys.goSettings,
  },
];

/** The screens about all sites that these rights are enough for. */
export function slotsFor(rights: Pick<Rights, 'may' | 'isForAllSites'>): readonly Place[] {
  const mayAddSite = rights.may('admin') && rights.isForAllSites;
  return [...PLACES.filter(({ scope }) => rights.may(scope)), ...(mayAddSite ? [NEW_SITE] : [])];
}

/** The screens about one site. */
export function placesOfSiteFor(rights: Pick<Rights, 'may'>): readonly Place[] {
  return PLACES_OF_SITE.filter(({ scope }) => rights.may(scope));
}

/** The site of an address such as `/sites/home/devices`; null when it is about none or about all. */
export function siteOfAddress(address: string): string | null {
  return /^\/sites\/([^/?]+)/.exec(address)?.[1] ?? null;
}

/** The same screen of another site: what is about one thing of a site, such as a device, leads to the list of them. */
export function samePlaceOfSite(address: string, site: string): string {
  const place = PLACES_OF_SITE.find(({ path }) => `${address.replace(/^\/sites\/[^/]+/, '')}/`.startsWith(`${path}/`));
  return `/sites/${site}${place?.path ?? '/devices'}`;
}
