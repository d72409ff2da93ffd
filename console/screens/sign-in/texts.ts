/** The texts of signing in. */
export const texts = {
  title: 'Sign in',
  token: 'Token',
  hint: 'It starts with lr_ and is kept in this tab only.',
  signIn: 'Sign in',
  how: 'Where do I get a token?',
  ways: [
    'On the machine that runs npm start: open the link in its terminal, which signs you in.',
    'On the command line: run lanreach open.',
    'Otherwise, ask the person who runs this service. They can make one under “Tokens” in the console.',
  ],
  refusals: {
    refused: 'You were signed out: the token was revoked, has expired or is no longer known here.',
    unknown: 'This token is not known here. Check that you copied all of it. It may also have expired or been revoked.',
  },
  replaceTitle: 'Sign in with a different token?',
  replaceWhat:
    'The link that you opened signs in with a different token. If it came from someone you do not know, stay signed in: otherwise they could read everything that you enter from then on.',
  replace: 'Sign in with the link',
  stay: 'Stay signed in',
  invalid: 'This is not a token: it contains characters that tokens never have.',
};
