/** What can be found: devices and screens of the site, the other sites, and what can be done. */
import {
  CalendarClock,
  Gauge,
  HeartPulse,
  LogOut,
  type LucideIcon,
  Moon,
  Network,
  Radar,
  Sun,
  SunMoon,
} from 'lucide-react';
import { ask } from '../api/client.ts';
import type { Rights } from '../api/rights.ts';
import { signOut } from '../api/session.ts';
import { showProblem, showToast } from '../ui/toast.tsx';
import { texts } from './palette-texts.ts';
import { placesOfSiteFor, slotsFor } from './places.ts';
import { texts as shellTexts } from './texts.ts';
import { chooseTheme } from './theme.tsx';

export type Group = 'devices' | 'sites' | 'screens' | 'actions';

export interface Choice {
  id: string;
  label: string;
  /** Tells it from others of the same name; is searched too. */
  hint: string;
  group: Group;
  icon?: LucideIcon | undefined;
  /** Of a device: shown by the icon of its kind. */
  type?: string | undefined;
  keys?: string | undefined;
  /** The address that it leads to; otherwise it does something. */
  to?: string;
  run?: () => void;
}

interface FoundDevice {
  site: string;
  devName: string;
  devMac: string;
  devLastIP: string;
  devType: string;
}

/** @param nameOf what the site of a device is called; empty where that goes without saying */
export function deviceChoices(devices: readonly FoundDevice[], nameOf: (site: string) => string): Choice[] {
  return devices
    .filter(({ devMac }) => devMac !== '')
    .map(({ site, devName, devMac, devLastIP, devType }) => ({
      id: `device ${site} ${devMac}`,
      label: devName === '' ? devMac : devName,
      hint: [nameOf(site), devLastIP, devMac].filter((part) => part !== '').join(' · '),
      group: 'devices',
      type: devType,
      to: `/sites/${site}/devices/${encodeURIComponent(devMac)}`,
    }));
}

export function siteChoices(
  sites: readonly { id: string; name: string }[],
  placeOf: (site: string) => string,
): Choice[] {
  return sites.map(({ id, name }) => ({
    id: `site ${id}`,
    label: name,
    hint: name === id ? '' : id,
    group: 'sites',
    icon: Network,
    to: placeOf(id),
  }));
}

export function screenChoices(site: string | null, rights: Pick<Rights, 'may' | 'isForAllSites'>): Choice[] {
  const ofSite = site === null ? [] : placesOfSiteFor(rights).map((place) => ({ place, prefix: `/sites/${site}` }));
  const ofAll = slotsFor(rights).map((place) => ({ place, prefix: '' }));
  return [...ofSite, ...ofAll].map(({ place: { path, label, icon, keys }, prefix }) => ({
    id: `screen ${prefix}${path}`,
    label,
    hint: prefix === '' ? texts.allSites : (site ?? ''),
    group: 'screens',
    icon,
    keys,
    to: `${prefix}${path}`,
  }));
}

export function actionChoices(
  site: string | null,
  rights: Pick<Rights, 'may'>,
  navigate: (to: string) => void,
): Choice[] {
  const act = (id: string, label: string, icon: LucideIcon, run: () => void): Choice => {
    return { id, label, hint: '', group: 'actions', icon, run };
  };
  const { themes } = shellTexts;
  return [
    ...(site !== null && rights.may('nettools:run')
      ? [
          act('scan', texts.scan(site), Radar, () => void startScan(site, navigate)),
          act('schedule', texts.schedule(site), CalendarClock, () => navigate(`/sites/${site}/schedules`)),
          act('check', texts.check(site), HeartPulse, () => navigate(`/sites/${site}/checks`)),
          act('internet', texts.internet(site), Gauge, () => navigate(`/sites/${site}/internet`)),
        ]
      : []),
    act('theme system', texts.theme(themes.system), SunMoon, () => chooseTheme('system')),
    act('theme light', texts.theme(themes.light), Sun, () => chooseTheme('light')),
    act('theme dark', texts.theme(themes.dark), Moon, () => chooseTheme('dark')),
    act('sign out', shellTexts.signOut, LogOut, () => signOut('signed-out')),
  ];
}

async function startScan(site: string, navigate: (to: string) => void): Promise<void> {
  try {
    const { scan_id } = await ask('POST /nettools/trigger-scan', { site, body: { type: 'ARPSCAN' } });
    const run = () => navigate(`/sites/${site}/runs/${encodeURIComponent(scan_id)}`);
    showToast(texts.scanStarted, { label: texts.show, run });
  } catch (error) {
    showProblem(error);
  }
}
