/** The texts of what concerns all sites: the frame of its screens, the agents and their updates. */
import { plural } from '../../text/format.ts';
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';

export const adminTexts = inLanguage(
  {
    title: 'Admin',
    titleOf: (tab: string) => `${tab} · Admin`,
    tabs: {
      people: 'People',
      tokens: 'Tokens',
      templates: 'Templates',
      agents: 'Agents',
      updates: 'Updates',
      audit: 'Audit log',
    },
    navigation: 'Parts of the administration',
    agents: {
      list: 'Agents of all sites',
      all: (count: number) => (count === 1 ? 'The one agent is online.' : `All ${count} agents are online.`),
      some: (online: number, count: number) => `${online} of ${plural(count, 'agent')} online.`,
      agent: 'Agent',
      site: 'Site',
      state: 'State',
      version: 'Version',
      ring: 'Update group',
      seen: 'Last seen',
      never: 'never',
      none: 'No agent yet',
      noneWhy: 'An agent is a small program on a host of a LAN. It sees the devices there.',
      add: 'Add a site',
      needs: 'This token may not see agents: that needs the scope nettools:run.',
      needsSites: 'This token may not see the sites: that needs the scope devices:read.',
    },
    updates: {
      noRelease: 'This service hands out no release of the agent',
      noReleaseWhy: 'Agents are then installed and upgraded by hand.',
      release: 'Release',
      handedOut: 'Handed out to agents',
      sites: 'How sites get it',
      site: 'Site',
      mode: 'New releases',
      modes: { auto: 'installed by the agents', notify: 'shown, installed by people', off: 'not looked for' },
      window: (from: string, to: string) => `between ${from} and ${to}`,
      behind: 'Could be newer',
      current: 'all up to date',
      change: 'Change',
      noRollOut: 'No site lets its agents install it by themselves.',
    },
  },
  german,
);
