/** The texts of devices that seem to be one. */
import { numberText, plural } from '../../text/format.ts';
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';

const english = {
  title: 'Same device?',
  what: 'Phones choose a new MAC address now and then, and a computer has one for each network card. Join what belongs together to keep one history.',
  candidates: 'Devices that seem to be one',
  none: 'No duplicates found',
  noneHint: 'Devices that seem to be one appear here: same name, and never there at the same time.',
  toDevices: 'All devices',
  line: (count: number) =>
    count === 1 ? '1 device may be a duplicate.' : `${numberText(count)} devices may be duplicates.`,
  look: 'Review',
  group: (name: string, others: number) => `${name} and ${plural(others, 'other')}`,
  stays: 'stays',
  joinsIt: 'becomes part of it',
  join: 'Join them',
  joinOf: (name: string, others: number) => `Join them: ${plural(others, 'device')} with ${name}`,
  notTheSame: 'They are different',
  notTheSameOf: (name: string) => `They are different: ${name} and the others`,
  joined: (name: string, others: number) => `${plural(others, 'device')} joined with ${name}.`,
  apart: (name: string) => `${name} is not proposed any more.`,
  takenApart: (count: number) => `${plural(count, 'device')} brought back.`,
  otherMacs: 'Other MAC addresses',
  now: 'now',
  split: 'Split',
  splitOf: (mac: string) => `Split ${mac} from this device`,
  splitAll: 'Split all of them',
  wasSplit: (count: number) => `${plural(count, 'MAC address', 'MAC addresses')} split: each is a device again.`,
};

export const sameTexts = inLanguage(english, german);
