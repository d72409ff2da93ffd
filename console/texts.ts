/**
 * Every text that people read in the console, by screen: this file is what a translation would replace. What the API
 * says, such as the message of an error, is shown as it is.
 */
import { numberText } from './format.ts';

const plural = (count: number, one: string, many = `${one}s`) => `${numberText(count)} ${count === 1 ? one : many}`;

export const texts = {
  common: {
    product: 'LanReach',
    cancel: 'Cancel',
    close: 'Close',
    copy: 'Copy',
    copied: 'Copied',
    delete: 'Delete',
    edit: 'Edit',
    loading: 'Loading …',
    messages: 'Messages',
    more: 'Show more',
    never: 'never',
    none: 'none',
    requestId: 'Request',
    save: 'Save',
    tryAgain: 'Try again',
    undo: 'Undo',
    unreachable: 'The API cannot be reached. What you see may be old; it is tried again by itself.',
    withRequestId: (message: string, id: string) => `${message} (request ${id})`,
    devices: (count: number) => plural(count, 'device'),
  },

  status: {
    online: 'online',
    offline: 'offline',
    down: 'down',
    archived: 'archived',
  },

  signIn: {
    title: 'Sign in',
    token: 'Token',
    hint: 'It begins with lr_ and is kept in this tab only.',
    signIn: 'Sign in',
    how: 'Where do I get a token?',
    ways: [
      'On the machine that runs npm start, the link in its terminal signs in by itself.',
      'With the command line: lanreach open.',
      'Otherwise ask for one whoever runs this service; in the console, tokens are made under “Tokens”.',
    ],
    ended: 'You were signed out: the token was revoked, has expired, or is not known here.',
    invalid: 'This is not a token: it has characters that no token has.',
  },

  shell: {
    skip: 'Skip to the content',
    menu: 'Menu',
    mainNavigation: 'Main',
    siteNavigation: 'Site',
    site: 'Site',
    chooseSite: 'Choose a site',
    sites: 'Sites',
    addSite: 'Add a site',
    tokens: 'Tokens',
    devices: 'Devices',
    topology: 'Topology',
    events: 'What happened',
    allEvents: 'What happened',
    tools: 'Tools',
    jobs: 'Jobs',
    hooks: 'Hooks',
    audit: 'Audit',
    settings: 'Settings',
    signOut: 'Sign out',
    signedInAs: (name: string) => `Token: ${name}`,
    dark: 'Dark colours',
    light: 'Light colours',
    find: 'Find …',
    shortcuts: 'Keyboard shortcuts',
    notFound: 'There is nothing at this address.',
    toSites: 'To the sites',
  },

  keys: {
    title: 'Keyboard shortcuts',
    everywhere: 'Everywhere',
    here: 'On this screen',
    help: 'Show the keys',
    find: 'Find devices, sites and actions',
    goSites: 'Go to the sites',
    goDevices: 'Go to the devices of the site',
    goTopology: 'Go to the topology',
    goEvents: 'Go to what happened',
    goTools: 'Go to the tools',
    goJobs: 'Go to the jobs',
    goSettings: 'Go to the settings of the site',
  },

  palette: {},

  sites: {
    title: 'Sites',
  },

  addSite: {},

  siteSettings: {},

  devices: {
    title: 'Devices',
  },

  importing: {},

  device: {},

  command: {
    start: 'Start',
    output: 'Output',
    noOutput: 'Nothing was printed.',
    cancel: 'Stop it',
    cancelling: 'Stopping …',
    states: {
      queued: 'waiting for the agent',
      accepted: 'accepted',
      running: 'running',
      succeeded: 'succeeded',
      failed: 'failed',
      cancelled: 'stopped',
      expired: 'not started in time',
      interrupted: 'interrupted',
      lost: 'lost',
    },
    progress: 'Progress',
    job: 'Job',
    truncated: 'The end is missing: there was too much of it.',
    took: (duration: string) => `took ${duration}`,
  },

  topology: {},

  events: {},

  tools: {},

  jobs: {},

  tokens: {},

  hooks: {},

  audit: {},
};
