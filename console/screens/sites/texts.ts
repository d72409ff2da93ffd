/** The texts of the list of sites, and what a site is said to be wherever it is summed up. */
import { numberText, plural } from '../../text/format.ts';
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';

const english = {
  title: 'All sites',
  add: 'Add a site',
  none: 'No site yet',
  noneWhy: 'A site is one LAN. Add one, put an agent on a host there, and its devices appear here.',
  noneForToken: 'A site is one LAN. The person who runs this service can add one.',
  search: 'Search the sites',
  onlyTrouble: 'Only with trouble',
  only: {
    trouble: 'with trouble',
    down: 'with devices that are down',
    new: 'with new devices',
    agents: 'with an agent offline',
    internet: 'with internet trouble',
  },
  showAll: 'Show all sites',
  shown: (shown: number, all: number) =>
    shown === all ? plural(all, 'site') : `${numberText(shown)} of ${plural(all, 'site')}`,
  page: (from: number, to: number, all: number) => `${numberText(from)}–${numberText(to)} of ${plural(all, 'site')}`,
  before: 'Previous page',
  next: 'Next page',
  noMatch: 'No site matches.',
  unreadable: 'These sites are stored but cannot be read:',
  tiles: {
    label: 'All sites in numbers',
    sites: 'Sites',
    online: 'Online',
    down: 'Down',
    new: 'New',
    agents: 'Agents offline',
    internet: 'Internet trouble',
  },
  withTrouble: (count: number) => `${numberText(count)} with trouble`,
  allWell: 'all is well',
  ofDevices: (count: number) => `of ${plural(count, 'device')}`,
  notSeenYet: 'not acknowledged yet',
  columns: { site: 'Site', devices: 'Devices', day: 'Last 24 hours', internet: 'Internet', agents: 'Agents' },
  online: 'online',
  onlineOf: (online: number, all: number, site: string) =>
    `${numberText(online)} of ${plural(all, 'device')} online at ${site}`,
  newOf: (count: number) => `${numberText(count)} new`,
  asImported: 'as imported',
  asImportedWhy: 'No agent has looked here yet.',
  counting: 'The numbers are not available while many devices are changing.',
  noDevices: 'no devices',
  noAgent: 'No agent yet',
  addAgent: 'Add an agent',
  moreAgents: (count: number) => `and ${numberText(count)} more`,
  speed: (down: string, up: string) => `${down} / ${up}`,
  speedUnit: 'Mbit/s',
  ping: (ms: string) => `${ms} ms`,
  speedOf: (site: string) => `Internet of ${site}`,
  notMeasured: 'not measured',
  troubles: {
    unwatched: 'No agent connected',
    dark: 'No agent connected',
    outage: (devices: number) => `Outage: ${plural(devices, 'device')} gone`,
    internet: 'Internet lost',
    checks: (count: number) => (count === 1 ? '1 check fails' : `${numberText(count)} checks fail`),
    down: (count: number) => `${plural(count, 'device')} down`,
    agents: (count: number) => (count === 1 ? '1 agent offline' : `${numberText(count)} agents offline`),
    slow: 'Internet slower than usual',
  },
  since: 'since',
  troublesOf: (name: string) => `What is wrong at ${name}`,
};

export const texts = inLanguage(english, german);
