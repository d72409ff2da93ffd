/** The texts of signing in. */
export const texts = {
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
  refusals: {
    refused: 'You were signed out: the token was revoked, has expired, or is not known here any more.',
    unknown:
      'This token is not known here. Look whether all of it was copied; it may also have expired or been revoked.',
  },
  replaceTitle: 'Sign in with another token?',
  replaceWhat:
    'The link that was opened here signs in with another token than yours. If it was sent to you by somebody you do not know, stay: what you enter from then on would be theirs to read.',
  replace: 'Sign in with the link',
  stay: 'Stay signed in',
  invalid: 'This is not a token: it has characters that no token has.',
};
