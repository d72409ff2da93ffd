/** The texts of letting an assistant or the command line in. */
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';

export const texts = inLanguage(
  {
    title: 'Connect',
    titleOf: (name: string) => `Connect ${name}`,

    gone: 'There is no such request',
    goneWhy: 'It may be more than ten minutes old, or answered already. Begin again where you came from.',

    kinds: { assistant: 'An assistant asks to be connected', device: 'A command line asks to be signed in' },
    leadsTo: (host: string) => `Its answer goes to ${host}`,
    from: (address: string) => `Asked from ${address}`,
    nameWarning: 'The name is what the program says of itself.',
    warning: {
      assistant: 'Allow this only if you have just begun it yourself.',
      device: 'Allow this only if you have just typed lanreach login on this computer.',
    },
    may: 'What it may do',
    mayNot: (scopes: string) => `It also asked for ${scopes}, which you cannot give.`,
    nothing: 'It asks only for what you cannot give.',
    mayMissing: 'Choose at least one.',
    where: 'Where',
    ends: 'It acts in your name and never can do more than you. It ends after 30 days, or when you revoke it.',
    allow: 'Allow',
    deny: 'Deny',

    leaving: 'Taking you back …',
  },
  german,
);
