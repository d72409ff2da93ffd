/** The screens that the side bar and the search lead to. */
import texts from 'messages:shell';
import {
  Activity,
  Bell,
  CalendarClock,
  Gauge,
  Globe,
  Grid3x3,
  HeartPulse,
  History,
  KeyRound,
  Layers,
  LayoutDashboard,
  LayoutTemplate,
  ListChecks,
  type LucideIcon,
  MonitorSmartphone,
  Network,
  NotebookText,
  PackageCheck,
  Plus,
  Server,
  Settings,
  ShieldCheck,
  Users,
  Wrench,
} from 'lucide-react';
import type { Scope } from '../../shared/identity.ts';
import type { Rights } from '../api/rights.ts';
import { siteOfAddress } from '../ui/site-of-address.ts';

export interface Place {
  /** Of a site: what follows `/sites/<site>`. */
  path: string;
  label: string;
  icon: LucideIcon;
  scope: Scope;
  /** Which of the groups of the side bar it is in; those without one are found by the search. */
  group?: number;
  keys?: string;
  /** The beginning of the addresses that it stands for, where that is not its own path. */
  stem?: string;
}

/** Where the addresses of the administration begin. */
export const ADMIN = '/admin';

const { keys } = texts;

const PLACES: readonly Place[] = [
  { path: '/', label: texts.overview, icon: LayoutDashboard, scope: 'devices:read', group: 0, keys: 'g a' },
  { path: '/events', label: texts.events, icon: Activity, scope: 'devices:read', group: 0 },
  { path: '/matrix', label: texts.matrix, icon: Grid3x3, scope: 'devices:read', group: 0 },
  { path: '/batches', label: texts.batches, icon: Layers, scope: 'nettools:run', group: 0 },
  { path: '/admin/tokens', label: texts.admin, icon: ShieldCheck, scope: 'admin', group: 0, stem: ADMIN },
];

/** What the search finds besides. */
const FOUND: readonly Place[] = [
  { path: '/admin/people', label: texts.people, icon: Users, scope: 'admin' },
  { path: '/admin/tokens', label: texts.tokens, icon: KeyRound, scope: 'admin' },
  { path: '/admin/templates', label: texts.templates, icon: LayoutTemplate, scope: 'admin' },
  { path: '/admin/audit', label: texts.audit, icon: History, scope: 'admin' },
  { path: '/admin/agents', label: texts.agents, icon: Server, scope: 'admin' },
  { path: '/admin/updates', label: texts.updates, icon: PackageCheck, scope: 'admin' },
];
const NEW_SITE: Place = { path: '/add-site', label: texts.addSite, icon: Plus, scope: 'admin' };

const PLACES_OF_SITE: readonly Place[] = [
  { path: '', label: texts.overview, icon: Gauge, scope: 'devices:read', group: 0, keys: 'g o' },
  { path: '/devices', label: texts.devices, icon: MonitorSmartphone, scope: 'devices:read', group: 0, keys: 'g d' },
  { path: '/map', label: texts.map, icon: Network, scope: 'devices:read', group: 0, keys: 'g m' },
  { path: '/changes', label: texts.changes, icon: NotebookText, scope: 'devices:read', group: 0, keys: 'g c' },
  { path: '/internet', label: texts.internet, icon: Globe, scope: 'devices:read', group: 1, keys: 'g i' },
  { path: '/checks', label: texts.checks, icon: HeartPulse, scope: 'devices:read', group: 1, keys: 'g h' },
  { path: '/tools', label: texts.tools, icon: Wrench, scope: 'nettools:run', group: 1, keys: 'g t' },
  { path: '/runs', label: texts.runs, icon: ListChecks, scope: 'nettools:run', group: 1, keys: 'g r' },
  { path: '/schedules', label: texts.schedules, icon: CalendarClock, scope: 'devices:read', group: 1, keys: 'g s' },
  { path: '/events', label: texts.events, icon: Activity, scope: 'devices:read', group: 2, keys: 'g e' },
  { path: '/notifications', label: texts.notifications, icon: Bell, scope: 'admin', group: 2, keys: 'g n' },
  { path: '/settings', label: texts.settings, icon: Settings, scope: 'admin', group: 2, keys: 'g ,' },
];

/** What its key does, in the list of shortcuts. */
export const keysLabelOf = ({ label }: Place): string => keys.goTo({ place: label });

/** The screens about all sites that these rights are enough for. */
export function slotsFor(rights: Pick<Rights, 'may'>): readonly Place[] {
  return PLACES.filter(({ scope }) => rights.may(scope));
}

/** The same for the search. */
export function foundPlacesFor(rights: Pick<Rights, 'may' | 'isForAllSites'>): readonly Place[] {
  const more = rights.isForAllSites ? [...FOUND, NEW_SITE] : FOUND;
  return [...PLACES, ...more].filter(({ scope }) => rights.may(scope));
}

/** The screens about one site. */
export function placesOfSiteFor(rights: Pick<Rights, 'may'>): readonly Place[] {
  return PLACES_OF_SITE.filter(({ scope }) => rights.may(scope));
}

/** As they stand in the side bar. */
export function groupsOf(places: readonly Place[]): readonly (readonly Place[])[] {
  return [0, 1, 2].map((group) => places.filter((place) => place.group === group)).filter(({ length }) => length > 0);
}

/** Whether a screen at this address belongs to the place. @param root where the place's path begins */
export function isAt(address: string, { path, stem = path }: Place, root = ''): boolean {
  const to = root + stem;
  return address === to || address === root + path || (stem.length > 1 && address.startsWith(`${to}/`));
}

/** The place of an address; undefined where the address is none of a place. */
export function placeOf(address: string): Place | undefined {
  const site = siteOfAddress(address);
  if (site === null) return [...FOUND, NEW_SITE, ...PLACES].find((place) => isAt(address, place));
  return PLACES_OF_SITE.find((place) => isAt(address, place, `/sites/${site}`));
}

/** The same screen of another site: what is about one thing of a site, such as a device, leads to the list of them. */
export function samePlaceOfSite(address: string, site: string): string {
  const from = siteOfAddress(address);
  const place = PLACES_OF_SITE.find((one) => isAt(address, one, from === null ? '' : `/sites/${from}`));
  return `/sites/${site}${place?.path ?? ''}`;
}
