/** The texts of the search. */
import { numberText, plural } from '../text/format.ts';
import { inLanguage } from '../text/language.ts';
import { german } from './palette-texts.de.ts';

const english = {
  title: 'Search',
  field: 'Search devices, sites and commands',
  ofDevice: (name: string) => `What to do with ${name}`,
  back: (name: string) => `Back from ${name}`,
  results: 'Results',
  count: (count: number) => plural(count, 'result'),
  searching: 'Searching …',
  nothing: (query: string) => `Nothing is called “${query}”.`,
  ofSites: (searched: number, all: number) => `${numberText(searched)} of ${plural(all, 'site')} searched`,
  groups: {
    recent: 'Recent',
    devices: 'Devices',
    sites: 'Sites',
    screens: 'Go to',
    actions: 'Do',
    verbs: 'Do with a device',
  },
  allSites: 'All sites',
  port: (port: string) => `port ${port} open`,
  theme: (name: string) => `Colours: ${name}`,
  density: (name: string) => `Rows: ${name}`,
  language: (name: string) => `Language: ${name}`,
  newToken: 'Make a token',
  addAgent: (site: string) => `Add an agent in ${site}`,
  scan: (site: string) => `Look for devices in ${site} now`,
  /** In front of a place, it changes nothing: `go checks`. */
  goWords: /^(?:go|go to|open)\s+/i,
  /** By these an action is found as well. */
  words: {
    themes: { system: 'theme mode', light: 'theme mode', dark: 'theme mode' },
    density: 'density rows',
    language: 'language english deutsch german',
    newToken: 'new token invite',
    addAgent: 'new agent enrol',
    scan: 'scan discover',
    signOut: 'log out',
    addSite: 'new site',
  },
  verbs: {
    open: (name: string) => `Open ${name}`,
    wake: (name: string) => `Wake ${name}`,
    scan: (name: string) => `Scan ports of ${name}`,
    trace: (name: string) => `Trace the route to ${name}`,
    copyIp: (name: string) => `Copy IP of ${name}`,
    copyMac: (name: string) => `Copy MAC of ${name}`,
  },
  /** What a person types in front of the name of a device; the first one is shown. */
  verbWords: {
    open: ['open'],
    wake: ['wake', 'wol'],
    scan: ['scan', 'ports'],
    trace: ['trace', 'traceroute'],
    copyIp: ['copy ip', 'ip'],
    copyMac: ['copy mac', 'mac'],
  },
  started: {
    wake: (name: string) => `Waking ${name} …`,
    scan: (name: string) => `Scanning ${name} …`,
    trace: (name: string) => `Tracing the route to ${name} …`,
  },
  copied: (text: string) => `Copied: ${text}`,
  scanStarted: 'The scan has started.',
  show: 'Show',
  keys: { move: 'to move', choose: 'to choose', verbs: 'to do more', close: 'to close' },
};

export const texts = inLanguage(english, german);
