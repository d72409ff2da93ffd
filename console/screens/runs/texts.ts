/** The texts of the jobs. */
import { plural } from '../../text/format.ts';

export const texts = {
  title: 'Jobs',
  hint: 'Every command that was run on this site in the last 30 days.',
  list: 'Jobs, the newest first',
  filters: 'Filters',
  tool: 'Tool',
  anyTool: 'every tool',
  anyState: 'every state',
  anyActor: 'everybody',
  mine: 'only you',
  empty: 'Nothing has been run here yet',
  emptyHint: 'Choose a tool, and what it prints is kept here.',
  toTools: 'To the tools',
  noneHere: 'No job matches here',
  noneHereHint: 'There may be older ones that do.',
  noMatch: 'No job matches',
  noMatchHint: 'Choose fewer filters.',
  clear: 'Clear the filters',
  unreadable: (count: number) => `${plural(count, 'job')} cannot be read.`,
  one: 'Job',
  id: 'Id',
  share: 'Copy the link to this job',
  toList: 'All jobs',
};
