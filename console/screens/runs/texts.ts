/** The texts of the runs. */
import { plural } from '../../text/format.ts';
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';

const english = {
  title: 'Runs',
  hint: 'Kept for 30 days.',
  list: 'Runs, the newest first',
  filters: 'Filters',
  tool: 'Tool',
  anyTool: 'All tools',
  anyState: 'All states',
  anyActor: 'Everybody',
  mine: 'Only you',
  device: 'Device',
  deviceHint: 'Name, IP or MAC',
  empty: 'Nothing has been run here yet',
  emptyHint: 'Scan ports, wake a device or measure the internet: it is kept here.',
  toBatches: 'At many sites',
  toTools: 'To the tools',
  noneHere: 'Nothing matches here',
  noneHereHint: 'There may be older ones that do.',
  noMatch: 'Nothing matches',
  noMatchHint: 'Choose fewer filters.',
  clear: 'Clear the filters',
  unreadable: (count: number) => `${plural(count, 'run')} cannot be read.`,
  one: 'Run',
  actions: 'Actions',
  share: 'Copy the link',
  copied: 'The link was copied.',
  toList: 'All runs',
  again: 'Run again',
  starting: 'Starting …',
  every: 'Run every …',
  edit: 'Change and run',
  onAgent: (name: string) => `agent ${name}`,
  copyId: 'Copy the id',
};

export const texts = inLanguage(english, german);
