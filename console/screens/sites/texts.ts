/** The texts of the list of sites. */
import { numberText, plural } from '../../text/format.ts';

export const texts = {
  title: 'Sites',
  add: 'Add a site',
  none: 'No site yet',
  noneWhy: 'A site is one LAN. Add one, put an agent on a host of that LAN, and its devices appear here.',
  noneForToken: 'A site is one LAN. The person who runs this service can add one.',
  search: 'Search the sites',
  needsAttention: 'Only sites that need attention',
  shown: (shown: number, all: number) =>
    shown === all ? plural(all, 'site') : `${numberText(shown)} of ${plural(all, 'site')}`,
  noMatch: 'No site matches.',
  unwatched: (count: number) => `${plural(count, 'site')} without a connected agent`,
  down: (count: number) => `${numberText(count)} down`,
  unreadable: 'These sites are stored but cannot be read:',
  unknown: (count: number) => `${plural(count, 'device')} unknown: no agent watches their network`,
  asImported: 'as imported: no agent has looked yet',
  notWatched: 'as last known: no agent is looking',
  counts: { my: 'devices', online: 'online', offline: 'offline', down: 'down', new: 'new' },
  counting: 'The numbers are not available while many devices are changing.',
  noAgent: 'No agent yet',
  addAgent: 'Add an agent',
  moreAgents: (count: number) => `and ${plural(count, 'more', 'more')}`,
  discoveryOff: 'discovery is off',
  lastChange: 'Last change',
  noChange: 'none yet',
  stale: 'No agent connected since',
};
