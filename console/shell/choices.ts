/** The results of the search: devices and their verbs, sites, screens, and actions. */
import texts from 'messages:palette';
import shellTexts from 'messages:shell';
import {
  KeyRound,
  Languages,
  LogOut,
  type LucideIcon,
  Moon,
  Network,
  Radar,
  Rows3,
  Rows4,
  Server,
  Sun,
  SunMoon,
} from 'lucide-react';
import { ask } from '../api/client.ts';
import type { Rights } from '../api/rights.ts';
import { signOut } from '../api/session.ts';
import { chooseLanguage, LANGUAGES, type Language, spoken } from '../text/language.ts';
import { showProblem, showToast } from '../ui/toast.tsx';
import type { FoundDevice } from './found.ts';
import { placesFor, placesOfSiteFor } from './places.ts';
import { density, theme } from './theme.ts';
import { nameOf, type verbsFor, wordsFor } from './verbs.ts';

type Group = 'devices' | 'sites' | 'screens' | 'actions' | 'verbs';

export interface Choice {
  id: string;
  label: string;
  /** Distinguishes it from others of the same name; is searched too. */
  hint: string;
  group: Group;
  icon?: LucideIcon | undefined;
  /** Of a device, for the icon of its kind. */
  type?: string | undefined;
  keys?: string | undefined;
  /** Further words that find it. */
  words?: string;
  /** The device that further verbs apply to. */
  device?: FoundDevice;
  /** The address that it leads to. */
  to?: string;
  /** The text that it puts into the field, for a device to follow. */
  fill?: string;
  run?: () => void;
}

type Navigate = (to: string) => void;
type Verb = ReturnType<typeof verbsFor>[number];

export function deviceChoices(devices: readonly FoundDevice[], query: string): Choice[] {
  return devices.map((device) => ({
    id: `device ${device.site} ${device.key}`,
    label: nameOf(device),
    hint: [device.siteName, device.devLastIP, whyFound(device, query)].filter(Boolean).join(' · '),
    group: 'devices',
    type: device.devType,
    device,
    to: addressOf(device),
  }));
}

/** The field that matches, where the name and the address do not show it. */
function whyFound({ match, devMac, devVendor, devModel, devType, devOwner, devGroup }: FoundDevice, query: string) {
  const values = { mac: devMac, vendor: devVendor, model: devModel, type: devType, owner: devOwner, group: devGroup };
  if (match === 'port') return texts.port({ port: /:(\S+)/.exec(query)?.[1] ?? '' });
  return match in values ? values[match as keyof typeof values] : '';
}

const addressOf = ({ site, key }: FoundDevice) => `/sites/${site}/devices/${encodeURIComponent(key)}`;

/** One verb with each of the devices that it fits. */
export function verbChoices(verb: Verb, devices: readonly FoundDevice[], navigate: Navigate): Choice[] {
  return devices.filter(verb.fits).map((device) => ({
    id: `verb ${verb.name} ${device.site} ${device.key}`,
    label: texts.verbs[verb.name]({ name: nameOf(device) }),
    hint: [device.siteName, verb.name === 'copyMac' ? device.devMac : device.devLastIP].filter(Boolean).join(' · '),
    group: 'verbs',
    icon: verb.icon,
    device,
    ...(verb.run === undefined ? { to: addressOf(device) } : { run: () => void verb.run?.(device, navigate) }),
  }));
}

/** The verbs alone, so that people discover them. */
export function verbBeginnings(verbs: readonly Verb[]): Choice[] {
  return verbs
    .filter(({ name }) => name !== 'open' && name !== 'copyMac')
    .map(({ name, icon }) => ({
      id: `verb ${name}`,
      label: texts.verbs[name]({ name: '…' }),
      hint: wordsFor(name)[0] ?? '',
      group: 'verbs',
      icon,
      fill: `${wordsFor(name)[0]} `,
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

export function screenChoices(
  site: string | null,
  siteName: string,
  rights: Pick<Rights, 'may' | 'isForAllSites'>,
): Choice[] {
  const ofSite = site === null ? [] : placesOfSiteFor(rights).map((place) => ({ place, prefix: `/sites/${site}` }));
  const ofAll = placesFor(rights).map((place) => ({ place, prefix: '' }));
  return [...ofSite, ...ofAll].map(({ place: { path, label, icon, keys }, prefix }) => ({
    id: `screen ${prefix}${path} ${label}`,
    label,
    hint: prefix === '' ? texts.allSites : siteName,
    group: 'screens',
    icon,
    keys,
    words: path === '/add-site' ? texts.words.addSite : '',
    to: `${prefix}${path}`,
  }));
}

export function actionChoices(
  site: string | null,
  siteName: string,
  rights: Pick<Rights, 'may'>,
  navigate: Navigate,
): Choice[] {
  const act = (id: string, label: string, icon: LucideIcon, words: string, run: () => void): Choice => {
    return { id, label, hint: '', group: 'actions', icon, words, run };
  };
  const { words } = texts;
  const all: Choice[] = [];
  if (site !== null && rights.may('nettools:run')) {
    all.push(act('scan', texts.scan({ site: siteName }), Radar, words.scan, () => void startScan(site, navigate)));
  }
  if (site !== null && rights.may('admin')) {
    const enrol = () => navigate(`/sites/${site}/agents/new`);
    all.push(act('agent', texts.addAgent({ site: siteName }), Server, words.addAgent, enrol));
  }
  if (rights.may('admin')) {
    all.push(act('token', texts.newToken, KeyRound, words.newToken, () => navigate('/admin/tokens')));
  }
  for (const [name, icon] of THEMES) {
    const label = texts.theme({ name: shellTexts.themes[name] });
    all.push(act(`theme ${name}`, label, icon, words.themes[name], () => theme.choose(name)));
  }
  for (const [name, icon] of DENSITIES) {
    const label = texts.density({ name: shellTexts.densities[name] });
    all.push(act(name, label, icon, words.density, () => density.choose(name)));
  }
  for (const language of Object.keys(LANGUAGES) as Language[]) {
    if (language === spoken) continue;
    const label = texts.language({ name: LANGUAGES[language] });
    all.push(act(`language ${language}`, label, Languages, words.language, () => chooseLanguage(language)));
  }
  all.push(act('sign out', shellTexts.signOut, LogOut, words.signOut, () => signOut('signed-out')));
  return all;
}

const THEMES = [
  ['system', SunMoon],
  ['light', Sun],
  ['dark', Moon],
] as const;
const DENSITIES = [
  ['compact', Rows4],
  ['comfortable', Rows3],
] as const;

async function startScan(site: string, navigate: Navigate): Promise<void> {
  try {
    const { scan_id } = await ask('POST /nettools/trigger-scan', { site, body: { type: 'ARPSCAN' } });
    const run = () => navigate(`/sites/${site}/runs/${encodeURIComponent(scan_id)}`);
    showToast(texts.scanStarted, { label: texts.show, run });
  } catch (error) {
    showProblem(error);
  }
}
