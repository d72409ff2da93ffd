/** The texts of the first steps. */
import { numberText, plural } from '../../../text/format.ts';
import { inLanguage } from '../../../text/language.ts';
import { german } from './texts.de.ts';

const english = {
  title: 'First steps',
  progress: (done: number, all: number) => `${numberText(done)} of ${numberText(all)} done`,
  hide: 'Hide',
  done: 'done',
  open: 'open',
  steps: {
    agent: 'An agent is online',
    watch: 'Watch this LAN',
    name: 'Name three devices',
    told: 'Get told',
    site: 'Add a second site',
    token: 'Make a token of your own',
  },
  about: {
    agent: 'The agent finds devices and runs your tools.',
    watch: 'Its devices appear here by themselves.',
    name: (named: number) => `Names make changes readable. ${numberText(named)} named so far.`,
    told: 'On your phone or in your chat, when a device is new or down.',
    site: 'Another LAN, seen from here.',
    token: 'The first one may do everything. Use one that may do less.',
  },
  addAgent: 'Add an agent',
  seeAgents: 'See why',
  turnOn: 'Turn on',
  turnOnFor: (networks: readonly string[]) =>
    `Turn on: ${networks.slice(0, 2).join(', ')}${networks.length > 2 ? ' …' : ''}`,
  hindered: 'Discovery is on, but does not work:',
  settings: 'Settings',
  nameThem: 'Name devices',
  notify: 'Set up',
  addSite: 'Add a site',
  makeToken: 'Make a token',
  looking: 'Looking for devices …',
  found: (count: number) => `${plural(count, 'device')} found`,
  all: 'All devices',
};

export const texts = inLanguage(english, german);
