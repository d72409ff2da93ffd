/** The texts of the search. */
import { numberText, plural } from '../text/format.ts';

export const texts = {
  title: 'Find',
  field: 'Find devices, sites, screens and actions',
  results: 'Results',
  count: (count: number) => plural(count, 'result'),
  searching: 'Searching …',
  nothing: (query: string) => `Nothing is called “${query}”.`,
  ofSites: (searched: number, all: number) =>
    `Devices are searched in the first ${numberText(searched)} of ${plural(all, 'site')}.`,
  groups: { recent: 'Recent', devices: 'Devices', sites: 'Sites', screens: 'Screens', actions: 'Actions' },
  allSites: 'All sites',
  theme: (name: string) => `Colours: ${name}`,
  scan: (site: string) => `Look for devices in ${site} now`,
  schedule: (site: string) => `Schedule a tool in ${site}`,
  check: (site: string) => `Watch something in ${site}`,
  internet: (site: string) => `Internet speed and outages of ${site}`,
  scanStarted: 'The scan has started.',
  show: 'Show',
  keys: { move: 'to move', choose: 'to choose', close: 'to close' },
};
