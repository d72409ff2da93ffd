/** The texts of adding a site. */
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';

export const texts = inLanguage(
  {
    title: 'Add a site',
    intro: 'A site is one LAN with its own devices. An agent on one of its hosts watches it.',
    name: 'Name',
    nameHint: 'As people know it, such as “Cabin by the lake”.',
    id: 'ID',
    idHint: 'Lower-case letters, digits and hyphens. It is part of addresses and cannot be changed.',
    watch: 'Watch this LAN as soon as its agent is online',
    watchHint: 'The agent scans once a minute. The policy file on its host limits what it may do.',
    submit: 'Add it and show the command',
    needsAllSites: 'Only a token for all sites can add a site.',
  },
  german,
);
