/** The texts of the matrix of sites. */
import { plural } from '../../text/format.ts';
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';

const english = {
  title: 'Site to site',
  intro: 'Each row is where it is measured, each column what is reached.',
  table: 'Which site reaches which: from the rows to the columns',
  from: 'From',
  fromSite: (name: string) => `From ${name}`,
  add: 'Check sites',
  addTitle: 'Let sites check each other',
  addWhat: 'The agents of each site then ask the others every minute, at the address that their settings say.',
  sites: 'Sites',
  sitesMissing: 'Choose two sites or more.',
  added: (count: number) => `${plural(count, 'check')} added.`,
  unreachable: (names: string) => `Nobody can check ${names}: set “Reachable at” in the settings first.`,
  none: 'No site checks another one yet',
  noneWhy: 'Their agents can measure the way between them.',
  oneSite: 'With two sites or more, their agents can measure the way between them.',
  unreadable: 'These checks are stored but cannot be read:',
  self: 'the same site',
  notChecked: 'not checked',
  down: 'down',
  unknown: 'not known',
  cell: (from: string, to: string, state: string) => `From ${from} to ${to}: ${state}`,
  way: (from: string, to: string) => `From ${from} to ${to}`,
  state: 'State',
  since: 'Since',
  latency: 'Latency',
  loss: 'Loss',
  path: 'Path',
  toCheck: 'Over time',
  lossText: (percent: string) => `${percent} lost`,
};

export const texts = inLanguage(english, german);
