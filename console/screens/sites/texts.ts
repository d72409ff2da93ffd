/** The texts of the list of sites. */
import { numberText, plural } from '../../text/format.ts';

export const texts = {
  title: 'Sites',
  add: 'Add a site',
  none: 'No site yet',
  noneWhy: 'A site is one LAN. Add one, put an agent on a host of that LAN, and its devices appear here.',
  noneForToken: 'A site is one LAN. Whoever runs this service can add one.',
  search: 'Search the sites',
  needsAttention: 'Only those that need attention',
  shown: (shown: number, all: number) =>
    shown === all ? plural(all, 'site') : `${numberText(shown)} of ${plural(all, 'site')}`,
  noMatch: 'No site matches.',
  unwatched: (count: number) => `${plural(count, 'site')} that nobody watches`,
  down: (count: number) => `${numberText(count)} down`,
  unreadable: 'What is stored of these cannot be read:',
  unknown: (count: number) => `${plural(count, 'device')} unknown: nobody watches their network`,
  asImported: 'as imported: nobody has looked yet',
  notWatched: 'as last known: nobody looks',
  counts: { my: 'devices', online: 'online', offline: 'offline', down: 'down', new: 'new' },
  counting: 'The numbers are not known while many devices change.',
  noAgent: 'No agent yet',
  addAgent: 'Add an agent',
  moreAgents: (count: number) => `and ${plural(count, 'other')}`,
  discoveryOff: 'discovery is off',
  lastChange: 'Last change',
  noChange: 'none yet',
  stale: 'No agent connected since',
};
