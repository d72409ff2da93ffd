/**
 * The OpenID provider: authorization code with PKCE, and the signature of each ID token verified with the keys that the
 * provider publishes. The library is loaded at the first sign-in, so that no start pays for it.
 */
import type { Configuration, CustomFetchOptions } from 'openid-client';
import { codeOf } from '../../../shared/errno.ts';
import { HOUR_MS } from '../../../shared/time.ts';
import { isLoopback, type ProviderSettings } from './settings.ts';

export interface Provider {
  /** The URL for the browser, and the attempt to store until the browser returns. */
  begin(redirectUri: string): Promise<{ url: string; attempt: Attempt }>;
  /** @param query of the browser's return. @throws {SignInFailure} for any irregularity */
  finish(query: URLSearchParams, attempt: Attempt): Promise<Identity>;
}

/** One attempt to sign in. All of its texts but the last are random secrets of ours. */
interface Attempt {
  state: string;
  nonce: string;
  /** Of PKCE (RFC 7636). */
  codeVerifier: string;
  redirectUri: string;
}

export interface Identity {
  issuer: string;
  /** Unique, and never reused by this issuer. */
  subject: string;
  claims: Readonly<Record<string, unknown>>;
}

type FailureReason =
  /** No conforming response in time. */
  | 'unreachable'
  /** The provider has denied the person, or the person has cancelled. */
  | 'refused'
  /** The response proves no identity. */
  | 'invalid';

/** Its message describes the problem in fixed words, and holds no secret. */
export class SignInFailure extends Error {
  override name = 'SignInFailure';
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Of one response, uncompressed. Documents of providers have tens of kilobytes. */
const MAX_ANSWER_BYTES = 512 * 1024;
/** The tolerated clock skew. */
const CLOCK_TOLERANCE_S = 60;

type Library = typeof import('openid-client');

interface Opened {
  library: Library;
  config: Configuration;
}

export function openProvider(settings: ProviderSettings, now: () => Date): Provider {
  let known: { opened: Promise<Opened>; until: number } | null = null;

  function opened(): Promise<Opened> {
    if (known === null || known.until <= now().getTime()) {
      // Metadata are used for an hour; the library fetches keys again when it meets an unknown one.
      const entry = { opened: open(settings), until: now().getTime() + HOUR_MS };
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
        const [state, nonce] = [library.randomState(), library.randomNonce()];
        const codeVerifier = library.randomPKCECodeVerifier();
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
        // The library would accept any tenant of a multi-tenant provider, whose metadata name no single issuer.
        if (proved === undefined || !isSameUrl(proved.iss, settings.issuer))
          throw new SignInFailure('invalid', 'the ID token is of another issuer');
        const further =
          config.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await library.fetchUserInfo(config, answer.access_token, proved.sub);
        return { issuer: proved.iss, subject: proved.sub, claims: mergedClaims(proved, further) };
      } catch (error) {
        // The provider's secret or addresses may have changed.
        if (errorWord(error) === 'invalid_client') forget(entry);
        throw failureOf(error);
      }
    },
  };
}

async function open({ issuer, clientId, clientSecret, timeoutMs }: ProviderSettings): Promise<Opened> {
  const [library, secret] = await Promise.all([import('openid-client'), clientSecret()]);
  const server = new URL(issuer);
  const { allowInsecureRequests, enableNonRepudiationChecks, customFetch, clockTolerance } = library;
  const config = await library.discovery(
    server,
    clientId,
    { [clockTolerance]: CLOCK_TOLERANCE_S },
    secret === null ? library.None() : clientAuthentication(library, secret),
    {
      timeout: (timeoutMs ?? 5_000) / 1000,
      [customFetch]: boundedFetch,
      // Without the second, the library trusts TLS, and does not verify signatures.
      execute: [...(isLoopback(server) ? [allowInsecureRequests] : []), enableNonRepudiationChecks],
    },
  );
  return { library, config };
}

/** In the header, which every provider must support (RFC 6749 section 2.3.1); in the body for those that state otherwise. */
function clientAuthentication(library: Library, secret: string): ReturnType<Library['ClientSecretBasic']> {
  const basic = library.ClientSecretBasic(secret);
  const post = library.ClientSecretPost(secret);
  return (as, client, body, headers) => {
    const methods = as.token_endpoint_auth_methods_supported;
    const isInBody = methods !== undefined && !methods.includes('client_secret_basic');
    return (isInBody ? post : basic)(as, client, body, headers);
  };
}

/** Only over TLS, except to this host, and with a limit of bytes. Redirects are not followed. */
async function boundedFetch(url: string, options: CustomFetchOptions): Promise<Response> {
  const target = new URL(url);
  if (target.protocol !== 'https:' && !isLoopback(target))
    throw new SignInFailure('invalid', 'the provider names an address without TLS');
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

/** The library's error without its causes, which hold tokens and claims. */
function failureOf(error: unknown): SignInFailure {
  const chain = [...causesOf(error)];
  const own = chain.find((one) => one instanceof SignInFailure);
  if (own !== undefined) return own;
  const code = codeOf(chain[0]);
  const word = errorWord(error);
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR')
    return new SignInFailure('refused', `the provider has refused: ${word ?? 'without a reason'}`);
  const message = chain.at(-1)?.message.slice(0, 200) ?? 'unknown error';
  const isAnswer = code !== 'OAUTH_TIMEOUT' && code !== 'OAUTH_ABORT' && code !== 'OAUTH_RESPONSE_IS_NOT_CONFORM';
  return new SignInFailure(isAnswer ? 'invalid' : 'unreachable', word === null ? message : `${message}: ${word}`);
}

/** Also with and without a slash after the host. */
function isSameUrl(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).href === new URL(other).href;
}

function* causesOf(error: unknown): Generator<Error> {
  let left = 5;
  for (let one = error; one instanceof Error && left > 0; one = one.cause, left--) yield one;
}

/** The error code of the provider, such as `invalid_grant`; null without a well-formed one. */
function errorWord(error: unknown): string | null {
  for (const one of causesOf(error)) {
    const word = 'error' in one ? one.error : undefined;
    if (typeof word === 'string' && /^[a-z_]{1,40}$/.test(word)) return word;
  }
  return null;
}

/**
 * The claims of the ID token take precedence over the userinfo. The address and whether it was verified must come from the
 * same one: they may be about different addresses.
 */
export function mergedClaims(proved: object, further: Record<string, unknown>): Record<string, unknown> {
  const { email: _, email_verified: __, ...others } = further;
  return { ...('email' in proved || 'email_verified' in proved ? others : further), ...proved };
}
