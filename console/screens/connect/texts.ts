/** The texts of letting an assistant or the command line in. */
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';

export const texts = inLanguage(
  {
    title: 'Connect',
    titleOf: (name: string) => `Connect ${name}`,
    intro: 'The command line shows a code. Enter it here to sign it in as you.',
    code: 'Code',
    codeHint: 'Eight letters, such as BCDF-GHJK.',
    codeError: 'The code has eight letters.',
    next: 'Continue',

    gone: 'There is no such request',
    goneWhy:
      'It may be more than ten minutes old, answered already, or the code has a typing error. Begin again there.',
    enter: 'Enter a code',

    kinds: { assistant: 'An assistant asks to be connected', device: 'A command line asks to be signed in' },
    leadsTo: (host: string) => `Its answer goes to ${host}`,
    from: (address: string) => `Asked from ${address}`,
    nameWarning: 'The name is what the program says of itself.',
    warning: {
      assistant: 'Allow this only if you have just begun it yourself.',
      device: 'Allow this only if you have just typed lanreach login, and that command line shows the same code.',
    },
    may: 'What it may do',
    mayNot: (scopes: string) => `It also asked for ${scopes}, which you cannot give.`,
    nothing: 'It asks only for what you cannot give.',
    mayMissing: 'Choose at least one.',
    where: 'Where',
    ends: 'It acts in your name and never can do more than you. It ends after 30 days, or when you revoke it.',
    allow: 'Allow',
    deny: 'Deny',

    allowed: (name: string) => `${name} is connected`,
    allowedDevice: 'Go back to the command line: it goes on by itself. You can close this page.',
    denied: (name: string) => `${name} was refused`,
    deniedWhat: 'It gets nothing. You can close this page.',
    leaving: 'Taking you back …',
  },
  german,
);
