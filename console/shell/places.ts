/** The screens that the side bar and the search lead to. */
import texts from 'messages:shell';
import {
  Activity,
  Bell,
  CalendarClock,
  FileText,
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
  /** Its own name. */
  label: string;
  /** Its name among the tabs, where that is another one. */
  tab?: string;
  icon: LucideIcon;
  scope: Scope;
  keys?: string;
}

/** A line of the side bar: a screen, or several as tabs. */
interface Group {
  label: string;
  icon: LucideIcon;
  tabs: readonly Place[];
  /** The beginning of the addresses that it stands for besides those of its tabs. */
  stem?: string;
  /** Whether a phone has it in the bar at the bottom. */
  isQuick?: boolean;
}

const QUICK = { isQuick: true };

const { tabs } = texts;

const EVENTS: Place = { path: '/events', label: texts.events, icon: Activity, scope: 'devices:read' };
const REPORT: Place = { path: '/report', label: texts.report, icon: FileText, scope: 'devices:read' };
const PEOPLE: Place = { path: '/admin/people', label: texts.people, icon: Users, scope: 'admin' };

const ENTRIES: readonly Group[] = [
  only({ path: '/', label: texts.sites, icon: LayoutDashboard, scope: 'devices:read', keys: 'g a' }, QUICK),
  entry(texts.activity, Activity, [EVENTS, REPORT], QUICK),
  entry(texts.fleet, Layers, [
    { path: '/batches', label: texts.batches, tab: tabs.batches, icon: Layers, scope: 'nettools:run' },
    { path: '/matrix', label: texts.matrix, icon: Grid3x3, scope: 'devices:read' },
  ]),
  entry(texts.admin, ShieldCheck, [PEOPLE], { stem: '/admin' }),
];

/** What the search finds besides; the screens of the administration have tabs of their own. */
const FOUND: readonly Place[] = [
  { path: '/admin/tokens', label: texts.tokens, icon: KeyRound, scope: 'admin' },
  { path: '/admin/templates', label: texts.templates, icon: LayoutTemplate, scope: 'admin' },
  { path: '/admin/audit', label: texts.audit, icon: History, scope: 'admin' },
  { path: '/admin/agents', label: texts.agents, icon: Server, scope: 'admin' },
  { path: '/admin/updates', label: texts.updates, icon: PackageCheck, scope: 'admin' },
];
const NEW_SITE: Place = { path: '/add-site', label: texts.addSite, icon: Plus, scope: 'admin' };

const ENTRIES_OF_SITE: readonly Group[] = [
  only({ path: '', label: texts.overview, icon: Gauge, scope: 'devices:read', keys: 'g o' }, QUICK),
  only({ path: '/devices', label: texts.devices, icon: MonitorSmartphone, scope: 'devices:read', keys: 'g d' }, QUICK),
  only({ path: '/map', label: texts.map, icon: Network, scope: 'devices:read', keys: 'g m' }),
  entry(
    texts.activity,
    Activity,
    [
      { path: '/changes', label: texts.changes, icon: NotebookText, scope: 'devices:read', keys: 'g c' },
      { ...EVENTS, keys: 'g e' },
      REPORT,
    ],
    QUICK,
  ),
  entry(texts.monitoring, HeartPulse, [
    { path: '/internet', label: texts.internet, icon: Globe, scope: 'devices:read', keys: 'g i' },
    { path: '/checks', label: texts.checks, icon: HeartPulse, scope: 'devices:read', keys: 'g h' },
  ]),
  entry(
    texts.tools,
    Wrench,
    [
      { path: '/tools', label: texts.tools, tab: tabs.tools, icon: Wrench, scope: 'nettools:run', keys: 'g t' },
      { path: '/runs', label: texts.runs, tab: tabs.runs, icon: ListChecks, scope: 'nettools:run', keys: 'g r' },
      { path: '/schedules', label: texts.schedules, icon: CalendarClock, scope: 'devices:read', keys: 'g s' },
    ],
    QUICK,
  ),
  entry(texts.settings, Settings, [
    { path: '/settings', label: texts.settings, tab: tabs.settings, icon: Settings, scope: 'admin', keys: 'g ,' },
    { path: '/notifications', label: texts.notifications, icon: Bell, scope: 'admin', keys: 'g n' },
    { path: '/agents', label: texts.agents, icon: Server, scope: 'nettools:run' },
  ]),
];

const PLACES_OF_SITE = ENTRIES_OF_SITE.flatMap((one) => one.tabs);
const PLACES = [...ENTRIES.flatMap((one) => one.tabs), ...FOUND, NEW_SITE];

function only(place: Place, more: Partial<Group> = {}): Group {
  return entry(place.label, place.icon, [place], more);
}

function entry(label: string, icon: LucideIcon, all: readonly Place[], more: Partial<Group> = {}): Group {
  return { label, icon, tabs: all, ...more };
}

export interface Entry extends Omit<Group, 'tabs'> {
  /** Those that these rights are enough for; there is one at least. */
  tabs: readonly [Place, ...Place[]];
  /** Where the paths of its tabs begin. */
  root: string;
}

/** The side bar of a site, or of all of them. */
export function entriesFor(rights: Pick<Rights, 'may'>, site: string | null): readonly Entry[] {
  const root = site === null ? '' : `/sites/${site}`;
  return (site === null ? ENTRIES : ENTRIES_OF_SITE).flatMap((one) => {
    const [first, ...others] = one.tabs.filter(({ scope }) => rights.may(scope));
    return first === undefined ? [] : [{ ...one, tabs: [first, ...others], root }];
  });
}

/** The screens about all sites that the search finds. */
export function placesFor(rights: Pick<Rights, 'may' | 'isForAllSites'>): readonly Place[] {
  return PLACES.filter((place) => rights.may(place.scope) && (place !== NEW_SITE || rights.isForAllSites));
}

/** The screens about one site. */
export function placesOfSiteFor(rights: Pick<Rights, 'may'>): readonly Place[] {
  return PLACES_OF_SITE.filter(({ scope }) => rights.may(scope));
}

/** Whether a screen at this address belongs to the entry. */
export function isCurrent(address: string, { tabs: all, root, stem }: Entry): boolean {
  return all.some((place) => isAt(address, place, root)) || (stem !== undefined && isAt(address, { path: stem }));
}

/** @param root where the place's path begins */
function isAt(address: string, { path }: Pick<Place, 'path'>, root = ''): boolean {
  return address === root + path || (path.length > 1 && address.startsWith(`${root}${path}/`));
}

/** The place of an address; undefined where the address is none of a place. */
export function placeOf(address: string): Place | undefined {
  const site = siteOfAddress(address);
  if (site !== null) return PLACES_OF_SITE.find((place) => isAt(address, place, `/sites/${site}`));
  return PLACES.find((place) => isAt(address, place));
}

/** The same screen of another site: what is about one thing of a site, such as a device, leads to the list of them. */
export function samePlaceOfSite(address: string, site: string): string {
  const from = siteOfAddress(address);
  const place = PLACES_OF_SITE.find((one) => isAt(address, one, from === null ? '' : `/sites/${from}`));
  return `/sites/${site}${place?.path ?? ''}`;
}
