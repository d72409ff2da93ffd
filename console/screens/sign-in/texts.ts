/** The texts of signing in. */
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';

const english = {
  title: 'Sign in',
  token: 'Token',
  hint: 'It starts with lr_.',
  keep: 'Keep me signed in on this device',
  tabHint: 'Otherwise you are signed out when this tab is closed.',
  keptHint: 'This browser keeps the token until you sign out. Not for a device that others use.',
  signIn: 'Sign in',
  byProvider: (name: string) => `Sign in with ${name}`,
  byToken: 'Sign in with a token',
  pending: 'Signing you in …',
  how: 'Where do I get a token?',
  ways: {
    link: 'On the machine that runs LanReach: open the link that it printed. It signs you in.',
    commandLine: 'On the command line:',
    person: 'Otherwise ask whoever runs this service. They make one under Admin › Tokens.',
  },
  refusals: {
    refused: 'You were signed out: your session has ended, or the token was revoked or is no longer known here.',
    unknown: 'This token is unknown here. Check that you copied all of it.',
  },
  failures: {
    'no-role':
      'You were recognized, but nobody has given you a role here yet. Ask an administrator to do so under Admin › People, then sign in again.',
    disabled: 'Your access was switched off. Ask an administrator of this service.',
    refused: 'The provider did not let you in, or you turned back.',
    expired: 'That took too long. Sign in again.',
    forbidden: 'The sign-in was completed before, or took too long. Sign in again.',
    elsewhere: 'This was begun in another tab or browser. Sign in again here.',
    unreachable: 'The provider cannot be reached at the moment. Try again in a minute.',
    invalid: 'The provider’s answer proves nothing. Try again; if it fails again, the log of the service says why.',
  } as Readonly<Record<string, string>>,
  replaceTitle: 'Sign in with a different token?',
  replaceWhat:
    'This link signs in with a different token. Did it come from someone you do not know? Then stay signed in: they could read all that you enter.',
  replace: 'Sign in with the link',
  stay: 'Stay signed in',
  invalid: 'This is not a token: it contains characters that tokens never have.',
};

export const texts = inLanguage(english, german);

/** Why signing in with the provider failed. @param failure a word of the API */
export function failureText(failure: string): string {
  const { failures } = texts;
  return (Object.hasOwn(failures, failure) ? failures[failure] : failures.invalid) ?? '';
}
