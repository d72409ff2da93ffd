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

  topology: {
    title: 'Topology',
    titleOf: (site: string) => `Topology of ${site}`,
    tree: 'Devices by what they are connected to',
    search: 'Search',
    searchHint: 'Name, IP or MAC address',
    found: (count: number) => `${numberText(count)} found`,
    nextFound: 'Go to the next one that was found',
    downOnly: 'Down only',
    enlarge: 'Zoom in',
    reduce: 'Zoom out',
    fit: 'Show all of it',
    move: 'Move …',
    moveKey: 'Connect the device to another one',
    moveDevice: (name: string) => `Move ${name}`,
    whichDevice: 'Which device?',
    newParent: 'New parent',
    parentHint: 'The device that it is connected to. What is connected to it comes with it.',
    noneFits: 'No device fits.',
    firstOf: (shown: number, all: number) =>
      `The first ${numberText(shown)} of ${numberText(all)}. Type to see others.`,
    noParent: 'No parent',
    moved: (name: string, parent: string) => `${name} is now connected to ${parent}.`,
    movedAway: (name: string) => `${name} has no parent now.`,
    circle: (name: string, parent: string) =>
      `${name} stays where it is: ${parent} is connected to it, so they would form a circle.`,
    onItself: (name: string) => `${name} stays where it is: it cannot be connected to itself.`,
    save: 'Save as SVG',
    internet: 'Internet',
    withoutParent: 'Without a known parent',
    counts: (count: number, down: number) =>
      down === 0 ? plural(count, 'device') : `${plural(count, 'device')} · ${numberText(down)} down`,
    inStatus: (count: number, status: string) => `${numberText(count)} ${status}`,
    onPort: (port: string) => `port ${port}`,
    hint: 'Point at a device to read what it is; click to open it.',
    empty: 'There are no devices yet.',
    emptyHint: 'They appear here when an agent has discovered them, or when you import a list.',
    toDevices: 'To the devices',
    noParents:
      'No device has a parent yet, so there is nothing to draw. Give them one with “Move …”, or many at once in the list of devices.',
    countsOnly: 'There are too many devices to draw them all. Search, or choose “Down only”, to see single ones.',
    treesLeftOut: (count: number) =>
      `${plural(count, 'tree')} of devices are not drawn, because there are too many. Search to find them.`,
    nothingDown: 'Nothing is down.',
  },

  events: {},

  tools: {},

  jobs: {},

  tokens: {},

  hooks: {},

  audit: {},
};
