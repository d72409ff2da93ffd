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
  how: 'Where do I get a token?',
  ways: {
    link: 'On the machine that runs LanReach: open the link that it printed. It signs you in.',
    commandLine: 'On the command line:',
    person: 'Otherwise ask whoever runs this service. They make one under Admin › Tokens.',
  },
  refusals: {
    refused: 'You were signed out: the token was revoked, has expired or is no longer known here.',
    unknown: 'This token is unknown here. Check that you copied all of it.',
  },
  replaceTitle: 'Sign in with a different token?',
  replaceWhat:
    'This link signs in with a different token. Did it come from someone you do not know? Then stay signed in: they could read all that you enter.',
  replace: 'Sign in with the link',
  stay: 'Stay signed in',
  invalid: 'This is not a token: it contains characters that tokens never have.',
};

export const texts = inLanguage(english, german);
