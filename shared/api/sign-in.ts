/**
 * `/sign-in`: how a browser gets a token by an identity provider. It makes a verifier and keeps it, opens `/sign-in/start` with
 * the verifier's digest, and comes back to the console with a code, for which the verifier gets a token. No address ever holds
 * a token, and a code is of use to no other browser.
 */
import * as z from 'zod';
import type { Operations } from './operation.ts';
import { examplePerson } from './people.ts';
import { Person, Time } from './records.ts';

const succeeded = z.literal(true);

/** 32 random bytes or a SHA-256, in base64url. */
const Bytes = z
  .string()
  .max(43, { abort: true })
  .regex(/^[A-Za-z0-9_-]{43}$/, {
    error: 'expected 43 letters, digits, hyphens and underscores',
  });
/** As PKCE has it (RFC 7636): `BASE64URL(SHA256(verifier))`. */
export const Challenge = Bytes;
const SignInCode = Bytes;

export const signIn = {
  getSignIn: {
    method: 'GET',
    path: '/sign-in',
    scope: null,
    summary: 'Whether people can sign in with an identity provider, and with which',
    response: z.object({
      success: succeeded,
      provider: z
        .object({ name: z.string().meta({ description: 'For the button.' }) })
        .nullable()
        .meta({ description: 'null: there is none, and who comes needs a token.' }),
    }),
    example: { response: { success: true, provider: { name: 'Example Ltd' } } },
  },
  createSession: {
    method: 'POST',
    path: '/sign-in/session',
    scope: null,
    audit: 'person.signIn',
    status: 201,
    summary: 'Exchange the code of a sign-in for a token; works once, and within a minute',
    body: z.strictObject({ code: SignInCode, verifier: Bytes }),
    response: z.object({
      success: succeeded,
      token: z.string(),
      expiresAt: Time.meta({ description: 'The end of the session.' }),
      person: Person,
    }),
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

/** Pages to which a browser goes. They answer with redirects. */
export const signInPages = {
  /** `?challenge=`, to the provider. */
  startSignIn: { method: 'GET', path: '/sign-in/start' },
  /** Where the provider sends back to; from there to the console, with `#/sign-in?code=` or `?error=`. */
  finishSignIn: { method: 'GET', path: '/sign-in/callback' },
} as const;
