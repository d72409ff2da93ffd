/**
 * The OpenID provider as we use it: authorization code with PKCE, and the signature of each ID token checked by the keys
 * that the provider publishes. The library is loaded with the first sign-in, so that no start pays for it.
 */
import type { Configuration, CustomFetchOptions } from 'openid-client';
import { codeOf } from '../../../shared/errno.ts';
import { isLoopback, type ProviderSettings } from './settings.ts';

export interface Provider {
  /** Where a browser is sent, and what has to be kept until it comes back. */
  begin(redirectUri: string): Promise<{ url: string; attempt: Attempt }>;
  /**
   * Who has signed in.
   * @param query what the browser brought back
   * @throws {SignInFailure} for everything that is not as it should be
   */
  finish(query: URLSearchParams, attempt: Attempt): Promise<Identity>;
}

/** One attempt to sign in, as it was begun. All of its texts but the last are secrets of ours, made at random. */
interface Attempt {
  state: string;
  nonce: string;
  /** Of PKCE (RFC 7636). */
  codeVerifier: string;
  redirectUri: string;
}

/** Who somebody is, as the provider says. */
export interface Identity {
  issuer: string;
  /** Never given to anybody else by this issuer. */
  subject: string;
  claims: Readonly<Record<string, unknown>>;
}

type FailureReason =
  /** It was not reached, or did not answer as it should have in time. */
  | 'unreachable'
  /** It has refused the person, or the person has changed their mind. */
  | 'refused'
  /** What came back does not prove who somebody is. */
  | 'invalid';

/** Its message says what was wrong in fixed words, and holds no secret. */
export class SignInFailure extends Error {
  override name = 'SignInFailure';
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

const REQUEST_WITHIN_MS = 5_000;
/** Of one answer, unpacked. Documents of providers have tens of kilobytes. */
const MAX_ANSWER_BYTES = 512 * 1024;
/** How far the clocks of both sides may be apart. */
const CLOCK_TOLERANCE_S = 60;
/** For how long the provider's metadata are used. Keys are looked up again by themselves when an unknown one is met. */
const KEEP_METADATA_MS = 60 * 60_000;

type Library = typeof import('openid-client');

interface Opened {
  library: Library;
  config: Configuration;
}

export function openProvider(settings: ProviderSettings, now: () => Date): Provider {
  let known: { opened: Promise<Opened>; until: number } | null = null;

  function opened(): Promise<Opened> {
    if (known === null || known.until <= now().getTime()) {
      const entry = { opened: open(settings), until: now().getTime() + KEEP_METADATA_MS };
      known = entry;
      entry.opened.catch(() => forget(entry));
    }
    return known.opened;
  }

  function forget(entry: typeof known): void {
    if (known === entry) known = null;
  }

  return {
    async begin(redirectUri) {
      try {
        const { library, config } = await opened();
        const [state, nonce, codeVerifier] = [
          library.randomState(),
          library.randomNonce(),
          library.randomPKCECodeVerifier(),
        ];
        const url = library.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: settings.scopes,
          state,
          nonce,
          code_challenge: await library.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
        });
        return { url: url.href, attempt: { state, nonce, codeVerifier, redirectUri } };
      } catch (error) {
        throw failureOf(error);
      }
    },

    async finish(query, { state, nonce, codeVerifier, redirectUri }) {
      const entry = known;
      try {
        const { library, config } = await opened();
        const returned = new URL(redirectUri);
        returned.search = query.toString();
        const answer = await library.authorizationCodeGrant(config, returned, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
        });
        const proved = answer.claims();
        // The library would accept any tenant of a provider of many, whose metadata name no single issuer.
        if (proved === undefined || !isSameUrl(proved.iss, settings.issuer)) {
          throw new SignInFailure('invalid', 'the ID token is of another issuer');
        }
        const further =
          config.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await library.fetchUserInfo(config, answer.access_token, proved.sub);
        return { issuer: proved.iss, subject: proved.sub, claims: mergedClaims(proved, further) };
      } catch (error) {
        // Its secret or its addresses may have been changed.
        if (errorWord(error) === 'invalid_client') forget(entry);
        throw failureOf(error);
      }
    },
  };
}

async function open({
  issuer,
  clientId,
  clientSecret,
  withinMs = REQUEST_WITHIN_MS,
}: ProviderSettings): Promise<Opened> {
  const [library, secret] = await Promise.all([import('openid-client'), clientSecret()]);
  const server = new URL(issuer);
  const { allowInsecureRequests, enableNonRepudiationChecks, customFetch, clockTolerance } = library;
  const config = await library.discovery(
    server,
    clientId,
    { [clockTolerance]: CLOCK_TOLERANCE_S },
    secret === null ? library.None() : clientAuthentication(library, secret),
    {
      timeout: withinMs / 1000,
      [customFetch]: boundedFetch,
      // Without the second, the library trusts TLS, and does not look at signatures.
      execute: [...(isLoopback(server) ? [allowInsecureRequests] : []), enableNonRepudiationChecks],
    },
  );
  return { library, config };
}

/** In the header, which every provider has to take (RFC 6749 section 2.3.1); in the body for those that say they do not. */
function clientAuthentication(library: Library, secret: string): ReturnType<Library['ClientSecretBasic']> {
  const basic = library.ClientSecretBasic(secret);
  const post = library.ClientSecretPost(secret);
  return (as, client, body, headers) => {
    const methods = as.token_endpoint_auth_methods_supported;
    const isInBody = methods !== undefined && !methods.includes('client_secret_basic');
    return (isInBody ? post : basic)(as, client, body, headers);
  };
}

/** Only over TLS, except to this host, and never more than we have room for. Redirects are not followed. */
async function boundedFetch(url: string, options: CustomFetchOptions): Promise<Response> {
  const target = new URL(url);
  if (target.protocol !== 'https:' && !isLoopback(target)) {
    throw new SignInFailure('invalid', 'the provider names an address without TLS');
  }
  const { body, status, headers } = await fetch(url, options as RequestInit).catch((error: Error) => {
    const isLate = error.name === 'TimeoutError';
    const code = codeOf(error.cause) || 'no connection';
    throw new SignInFailure('unreachable', `the provider cannot be reached: ${isLate ? 'no answer in time' : code}`);
  });
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body ?? []) {
      length += chunk.length;
      // Leaving the loop cancels the rest.
      if (length > MAX_ANSWER_BYTES) throw new SignInFailure('unreachable', 'an answer of the provider is too large');
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof SignInFailure) throw error;
    throw new SignInFailure('unreachable', 'an answer of the provider is incomplete, or too late');
  }
  return new Response(length === 0 ? null : Buffer.concat(chunks), { status, headers });
}

/** What the library reports, without what it has seen: its causes hold tokens and claims. */
function failureOf(error: unknown): SignInFailure {
  const chain = [...causesOf(error)];
  const own = chain.find((one) => one instanceof SignInFailure);
  if (own !== undefined) return own;
  const code = codeOf(chain[0]);
  const word = errorWord(error);
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') {
    return new SignInFailure('refused', `the provider has refused: ${word ?? 'without a reason'}`);
  }
  const message = chain.at(-1)?.message.slice(0, 200) ?? 'unknown error';
  const isAnswer = code !== 'OAUTH_TIMEOUT' && code !== 'OAUTH_ABORT' && code !== 'OAUTH_RESPONSE_IS_NOT_CONFORM';
  return new SignInFailure(isAnswer ? 'invalid' : 'unreachable', word === null ? message : `${message}: ${word}`);
}

/** Whether they differ in nothing but a slash behind the host. */
function isSameUrl(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).href === new URL(other).href;
}

function* causesOf(error: unknown): Generator<Error> {
  let left = 5;
  for (let one = error; one instanceof Error && left > 0; one = one.cause, left--) yield one;
}

/** The error that a provider names, such as `invalid_grant`; null when it names none, or no word. */
function errorWord(error: unknown): string | null {
  for (const one of causesOf(error)) {
    const word = 'error' in one ? one.error : undefined;
    if (typeof word === 'string' && /^[a-z_]{1,40}$/.test(word)) return word;
  }
  return null;
}

/**
 * What the ID token says counts before what the provider's userinfo says. The address and whether it was verified come from the
 * same answer: one may vouch for another address than that of the other.
 */
export function mergedClaims(proved: object, further: Record<string, unknown>): Record<string, unknown> {
  const { email: _, email_verified: __, ...others } = further;
  return { ...('email' in proved || 'email_verified' in proved ? others : further), ...proved };
}
