/** The texts of the search, which is loaded when it is first opened. */
import { numberText, plural } from '../text/format.ts';

export const texts = {
  title: 'Find',
  field: 'Find devices, sites, screens and actions',
  results: 'Results',
  count: (count: number) => plural(count, 'result'),
  searching: 'Searching …',
  nothing: (query: string) => `Nothing is called “${query}”.`,
  ofSites: (searched: number, all: number) =>
    `Devices are searched for in the first ${numberText(searched)} of ${plural(all, 'site')}.`,
  groups: { recent: 'Recent', devices: 'Devices', sites: 'Sites', screens: 'Screens', actions: 'Actions' },
  allSites: 'All sites',
  theme: (name: string) => `Colours: ${name}`,
  scan: (site: string) => `Look for devices of ${site} now`,
  scanStarted: 'The scan has started.',
  show: 'Show',
  keys: { move: 'to move', choose: 'to choose', close: 'to close' },
};
