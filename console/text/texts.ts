/** The words that every screen has. */
import { numberText, plural } from './format.ts';
import { inLanguage } from './language.ts';
import * as german from './texts.de.ts';

export const common = inLanguage(
  {
    product: 'LanReach',
    cancel: 'Cancel',
    cannotCopy: 'The browser does not let this page copy. Select the text and copy it yourself.',
    close: 'Close',
    copy: 'Copy',
    copied: 'Copied',
    selected: 'Selected: press Ctrl+C',
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
    paused: 'Too many requests were made with this token. It goes on by itself in a moment.',
    unreachable: 'The API cannot be reached. What you see may be old; it is tried again by itself.',
    withKey: (label: string, key: string) => `${label} (${key})`,
    withRequestId: (message: string, id: string) => `${message} (request ${id})`,
    devices: (count: number) => plural(count, 'device'),
    andMore: (count: number) => `and ${numberText(count)} more`,
    addresses: 'Addresses of this service',
    addressesHint: 'Choose one that the other host can reach.',
    toSites: 'To the sites',
    toastAction: (label: string) => `${label}, as the newest message offers`,
  },
  german.common,
);

export const statusTexts = inLanguage(
  {
    online: 'online',
    offline: 'offline',
    down: 'down',
    archived: 'archived',
  },
  german.statusTexts,
);

/** How far a status can be believed. */
export const watchTexts = inLanguage(
  {
    notMonitored: 'not monitored',
    since: 'since',
    lastKnown: (status: string) => `last known: ${status}`,
    now: 'now',
    unknownTab: 'Not monitored',
    unknownHint: 'No agent monitors these: only their last status is known.',
    countsAsOffline:
      'A device that does not answer any more counts as offline after three looks and five minutes; one with a random (private) MAC, such as a phone, after 15 minutes.',
  },
  german.watchTexts,
);

export const actorTexts = inLanguage(
  {
    you: 'you',
    agent: (name: string) => `agent ${name}`,
    agentOf: (name: string, site: string) => `agent ${name} of ${site}`,
    token: (id: string) => `token ${id}`,
    schedule: (name: string) => `schedule ${name}`,
    enrolment: 'an enrolment code',
    deployment: 'the deployment',
    service: 'the service',
  },
  german.actorTexts,
);
