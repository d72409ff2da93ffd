/**
 * The authorization endpoint, to which clients send a browser (RFC 6749 section 4.1 with PKCE). It stores a request, which a
 * person approves or denies in the console.
 *
 * A client on the person's host gets errors by redirect, because it waits for the browser (RFC 6749 section 4.1.2.1). Any
 * other client gets a redirect only with a person's decision, and errors are shown here: clients register unattended, so an
 * error redirect would be an open redirect for an attacker.
 */
import { SCOPES, type Scope } from '../../../shared/identity.ts';
import { MINUTE_MS } from '../../../shared/time.ts';
import type { RequestedAccess } from './access-request-store.ts';
import { clientOf, isOnLoopback, mayRedirect, type OAuthClient } from './client-id.ts';
import { type Fields, fieldsOf, OAuthFailure, required } from './form.ts';
import { ASSISTANT_SCOPES, purposeOf } from './metadata.ts';
import type { OAuthCall } from './oauth-call.ts';

const MAX_STATE = 1_000;
/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

export async function authorize(call: OAuthCall): Promise<Response> {
  const fields = fieldsOf(new URL(call.request.url).searchParams);
  const client = clientOf(required(fields, 'client_id'));
  if (client === null) throw new OAuthFailure('invalid_client', 'the client has not registered here');
  const uri = required(fields, 'redirect_uri');
  if (!mayRedirect(client, uri))
    throw new OAuthFailure('invalid_request', 'the redirect URI is none of those that the client has registered');
  try {
    return await storeRequest(call, fields, client, uri);
  } catch (error) {
    if (!(error instanceof OAuthFailure) || !isOnLoopback(uri)) throw error;
    const target = { uri, state: fields.get('state') ?? null, issuer: call.base };
    return found(redirectTo(target, { error: error.code, error_description: error.message }));
  }
}

async function storeRequest(
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
    // The time that a person has to decide.
    expiresAt: new Date(context.now().getTime() + 10 * MINUTE_MS).toISOString(),
    redirect,
  });
  return found(`../console/#/connect/${id}`); // Relative, because a proxy may have removed a prefix.
}

function found(location: string): Response {
  return new Response(null, { status: 302, headers: { Location: location, 'Cache-Control': 'no-store' } });
}

/** The redirect with an answer. The registered URI stays as it was written. */
export function redirectTo(
  { uri, state, issuer }: Pick<RequestedAccess['redirect'], 'uri' | 'state' | 'issuer'>,
  answer: Record<string, string>,
): string {
  const added = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }), iss: issuer });
  return `${uri}${uri.includes('?') ? '&' : '?'}${added}`;
}

/** @throws {OAuthFailure} unless the request is for a code, and has a challenge of PKCE */
function redirectOf(fields: Fields, uri: string, base: string): RequestedAccess['redirect'] {
  if (required(fields, 'response_type') !== 'code')
    throw new OAuthFailure('unsupported_response_type', 'expected the response type code');
  const challenge = required(fields, 'code_challenge');
  if (fields.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge))
    throw new OAuthFailure('invalid_request', 'expected a code challenge of the method S256');
  const state = fields.get('state') ?? null;
  if ((state ?? '').length > MAX_STATE) throw new OAuthFailure('invalid_request', 'the state is too long');
  return { uri, state, challenge, issuer: base };
}

/**
 * A token for the whole API is issued only to a program on the approver's own host: a web site that claims to be a command
 * line gets none.
 */
function purposeFor(
  { uri, issuer }: RequestedAccess['redirect'],
  resource: string | undefined,
): RequestedAccess['purpose'] {
  const purpose = resource === undefined ? 'mcp' : purposeOf(resource, issuer);
  if (purpose === 'mcp' || (purpose === 'api' && isOnLoopback(uri))) return purpose;
  const message =
    'tokens are given for the endpoint /mcp of this service; for the API alone to a redirect URI on the loopback interface';
  throw new OAuthFailure('invalid_target', message);
}

/** The requested scopes, by default all. Unknown ones are ignored, because clients request more than they need. */
function scopesOf(fields: Fields, possible: readonly Scope[]): Scope[] {
  const requested = fields.get('scope')?.split(' ');
  if (requested === undefined) return [...possible];
  const scopes = possible.filter((scope) => requested.includes(scope));
  if (scopes.length > 0) return scopes;
  throw new OAuthFailure('invalid_scope', `expected some of the scopes ${possible.join(' ')}`);
}
