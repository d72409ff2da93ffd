/** The texts of the frame around every screen. */
import { numberText, plural } from '../text/format.ts';

export const texts = {
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
  allEvents: 'All events',
  tools: 'Tools',
  jobs: 'Jobs',
  hooks: 'Hooks',
  audit: 'Audit log',
  settings: 'Settings',
  signOut: 'Sign out',
  signedInAs: (name: string) => `Token: ${name}`,
  theme: (name: string) => `Colours: ${name}`,
  themes: { system: 'as the system', light: 'light', dark: 'dark' },
  tokenEnds: (minutes: number) =>
    minutes >= 120
      ? `Your token expires in ${plural(Math.floor(minutes / 60), 'hour')}. Sign in with a new one before then.`
      : `Your token expires in ${plural(minutes, 'minute')}. Sign in with a new one before then.`,
  broken: 'This screen does not work',
  brokenHint: 'Something went wrong in the console itself. Everything else still works.',
  rightsUnknown: 'The permissions of this token are not known yet',
  reload: 'Reload the page',
  find: 'Find …',
  shortcuts: 'Keyboard shortcuts',
  notFound: 'There is nothing at this address.',
  waitsForApi: 'This screen has not been loaded yet. It appears as soon as the API can be reached again.',
  staleNotice: ['No agent connected since', '; statuses may be outdated.'],
  staleAgents: 'See its agents',
  strange: (
    agent: string,
    { network, gateway, answered, known }: { network: string; gateway: string | null; answered: number; known: number },
  ) =>
    gateway === null
      ? `Agent ${agent} sees no router in ${network}, and ${numberText(answered)} of ${plural(known, 'known device')}. Nothing is changed until it is back on a network that it knows.`
      : `Agent ${agent} sees a different router (${gateway}) in ${network}, and ${numberText(answered)} of ${plural(known, 'known device')}. Nothing is changed until you confirm that this is the right network.`,
  strangeConfirm: 'This is the right network',
  strangeConfirmed: (text: string) => `${text} It was confirmed, and the agent is being told.`,
  keys: {
    title: 'Keyboard shortcuts',
    everywhere: 'Everywhere',
    here: 'On this screen',
    help: 'Show keyboard shortcuts',
    find: 'Find devices, sites and actions',
    goSites: 'Go to the sites',
    goDevices: 'Go to the devices',
    goTopology: 'Go to the topology',
    goEvents: 'Go to what happened',
    goTools: 'Go to the tools',
    goJobs: 'Go to the jobs',
    goSettings: 'Go to the site settings',
    singleKeys: 'Shortcuts without Ctrl or ⌘',
    singleKeysHint: 'Turn these off if you use speech input, or if they get in your way.',
  },
};
