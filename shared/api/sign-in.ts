/**
 * `/sign-in`: a browser gets a token by an identity provider. It generates and keeps a verifier, opens `/sign-in/start` with its
 * digest, and returns to the console with a code, which it exchanges with the verifier for a token. No URL ever contains a
 * token, and the code is useless to other browsers.
 */
import * as z from 'zod';
import { matching } from '../text-schemas.ts';
import { answer, type Operations, route } from './operation.ts';
import { examplePerson } from './people.ts';
import { Person, Time } from './records.ts';

/** 32 random bytes or a SHA-256, in base64url. */
const Bytes = matching(43, /^[A-Za-z0-9_-]{43}$/, 'expected 43 letters, digits, hyphens and underscores');
/** As in PKCE (RFC 7636): `BASE64URL(SHA256(verifier))`. */
export const Challenge = Bytes;
const SignInCode = Bytes;

export const signIn = {
  getSignIn: {
    ...route('GET', '/sign-in', null),
    summary: 'The identity provider with which people can sign in',
    response: answer({
      provider: z
        .object({ name: z.string().describe('For the button.') })
        .nullable()
        .describe('null: there is none, and people need a token.'),
    }),
    example: { response: { success: true, provider: { name: 'Example Ltd' } } },
  },
  createSession: {
    ...route('POST', '/sign-in/session', null),
    audit: 'person.signIn',
    status: 201,
    summary: 'Exchange the code of a sign-in for a token; works once, and within a minute',
    body: z.strictObject({ code: SignInCode, verifier: Bytes }),
    response: answer({ token: z.string(), expiresAt: Time.describe('The end of the session.'), person: Person }),
    errors: ['forbidden', 'not_found'],
    example: {
      body: {
        code: 'Jx0rGZ7Yb1l3mQ9sV5tA2eC8dF6gH4iK0LmN1oPqRsT',
        verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      },
      response: {
        success: true,
        token: 'lr_0123456789abcdef.…',
        expiresAt: '2026-11-01T20:15:00.000Z',
        person: examplePerson,
      },
    },
  },
} as const satisfies Operations;

/** Pages for browsers. They answer with redirects. */
export const signInPages = {
  /** `?challenge=`, to the provider. */
  startSignIn: { method: 'GET', path: '/sign-in/start' },
  /** The redirect of the provider; it leads to the console, with `#/sign-in?code=` or `?error=`. */
  finishSignIn: { method: 'GET', path: '/sign-in/callback' },
} as const;
