/**
 * Clients ask for access: they send a browser here (RFC 6749 section 4.1 with PKCE). That leaves a request, which a person answers
 * in the console.
 *
 * A client on the host of the person hears of a mistake in its request, because it waits for the browser (RFC 6749 section 4.1.2.1).
 * To any other client a browser is sent only with the answer of a person, and mistakes are refused on the spot: clients register
 * without a person who looks, so that a redirect with an error would lead from here to wherever an attacker wants.
 */
import { SCOPES, type Scope } from '../../../shared/identity.ts';
import type { Asked } from './access-request-store.ts';
import { clientOf, isOnLoopback, mayRedirect, type OAuthClient } from './client-id.ts';
import { OAuthFailure } from './failure.ts';
import { type Fields, fieldsOf, required } from './form.ts';
import { ASSISTANT_SCOPES, purposeOf } from './metadata.ts';
import type { OAuthCall } from './oauth-call.ts';

/** How long a request waits for a person. */
const REQUEST_VALID_MS = 10 * 60_000;
const MAX_STATE = 1_000;
/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

export async function authorize(call: OAuthCall): Promise<Response> {
  const fields = fieldsOf(new URL(call.request.url).searchParams);
  const client = clientOf(required(fields, 'client_id'));
  if (client === null) throw new OAuthFailure('invalid_client', 'the client has not registered here');
  const uri = required(fields, 'redirect_uri');
  if (!mayRedirect(client, uri)) {
    throw new OAuthFailure('invalid_request', 'the redirect URI is none of those that the client has registered');
  }
  try {
    return await askPerson(call, fields, client, uri);
  } catch (error) {
    if (!(error instanceof OAuthFailure) || !isOnLoopback(uri)) throw error;
    const state = fields.get('state') ?? null;
    return found(
      redirectTo({ uri, state, issuer: call.base }, { error: error.code, error_description: error.message }),
    );
  }
}

async function askPerson(
  { context, base, clientAddress, countRequest }: OAuthCall,
  fields: Fields,
  client: OAuthClient,
  uri: string,
): Promise<Response> {
  const redirect = redirectOf(fields, uri, base);
  const purpose = purposeFor(redirect, fields.get('resource'));
  const scopes = scopesOf(fields, purpose === 'api' ? SCOPES : ASSISTANT_SCOPES);
  countRequest();
  const id = await context.accessRequests.add({
    clientId: client.id,
    clientName: client.name,
    purpose,
    scopes,
    sourceAddress: clientAddress ?? null,
    expiresAt: new Date(context.now().getTime() + REQUEST_VALID_MS).toISOString(),
    redirect,
  });
  return found(`../console/#/connect/${id}`); // Relative, because a proxy may have removed a prefix.
}

function found(location: string): Response {
  return new Response(null, { status: 302, headers: { Location: location, 'Cache-Control': 'no-store' } });
}

/** Where the browser takes an answer. What the client has registered stays as it was written. */
export function redirectTo(
  { uri, state, issuer }: Pick<Asked['redirect'], 'uri' | 'state' | 'issuer'>,
  answer: Record<string, string>,
): string {
  const added = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }), iss: issuer });
  return `${uri}${uri.includes('?') ? '&' : '?'}${added}`;
}

/** @throws {OAuthFailure} unless the request is for a code, and names what only the client knows */
function redirectOf(fields: Fields, uri: string, base: string): Asked['redirect'] {
  if (required(fields, 'response_type') !== 'code') {
    throw new OAuthFailure('unsupported_response_type', 'expected the response type code');
  }
  const challenge = required(fields, 'code_challenge');
  if (fields.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge)) {
    throw new OAuthFailure('invalid_request', 'expected a code challenge of the method S256');
  }
  const state = fields.get('state') ?? null;
  if ((state ?? '').length > MAX_STATE) throw new OAuthFailure('invalid_request', 'the state is too long');
  return { uri, state, challenge, issuer: base };
}

/**
 * What the token is for. One for the whole API is given only to a program on the host of the person who agrees: a site that
 * calls itself a command line gets none.
 */
function purposeFor({ uri, issuer }: Asked['redirect'], resource: string | undefined): Asked['purpose'] {
  const purpose = resource === undefined ? 'mcp' : purposeOf(resource, issuer);
  if (purpose === 'mcp' || (purpose === 'api' && isOnLoopback(uri))) return purpose;
  const message =
    'tokens are given for the endpoint /mcp of this service; for the API alone to a redirect URI on the loopback interface';
  throw new OAuthFailure('invalid_target', message);
}

/**
 * The scopes that are asked for. Those that are not ours are passed over, because clients ask for more than they need.
 * @param possible also what counts as asked for, when nothing is
 */
function scopesOf(fields: Fields, possible: readonly Scope[]): Scope[] {
  const asked = fields.get('scope')?.split(' ');
  if (asked === undefined) return [...possible];
  const scopes = possible.filter((scope) => asked.includes(scope));
  if (scopes.length > 0) return scopes;
  throw new OAuthFailure('invalid_scope', `expected some of the scopes ${possible.join(' ')}`);
}
