/** Sign-in with an identity provider: the only function that asks a host of somebody else in the name of a caller. */
import { signIn } from '../../shared/api/sign-in.ts';
import { signInHandlers } from '../access/people/sign-in-handlers.ts';
import { signInPageRoutes } from '../access/people/sign-in-pages.ts';
import { routesOf } from '../http/routes.ts';
import type { Group } from './group.ts';
import { KEYS } from './rights.ts';

export const signInGroup = {
  name: 'signin',
  description: 'Sign-in with an identity provider',
  memoryMb: 512, // The first one of an instance loads the library, and checks a signature.
  // Four requests to the provider, and two for the secret, of five seconds each at most; and the rest of a first sign-in.
  timeLimitS: 45,
  rights: {
    table: [
      { actions: ['GetItem', 'PutItem', 'DeleteItem'], keys: [KEYS.signIns] },
      { actions: ['GetItem', 'Query', 'PutItem'], keys: [KEYS.people] },
      // The token of a session; it changes none, and looks none up.
      { actions: ['PutItem'], keys: [KEYS.tokens, KEYS.tokenList] },
      { actions: ['PutItem'], keys: [KEYS.audit] },
    ],
    signInSecret: true,
  },
  routes: { signIn: routesOf(signIn, signInHandlers), signInPages: signInPageRoutes },
} as const satisfies Group;
