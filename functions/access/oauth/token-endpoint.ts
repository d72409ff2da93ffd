/** Clients fetch the token that a person has agreed to, and give it back. */
import { hash } from 'node:crypto';
import type { AuditAction } from '../../../shared/api/operation.ts';
import type { AuditEntry } from '../../../shared/api/records.ts';
import { callerOf, endOf } from '../../http/caller.ts';
import { digestBytesOf, makeToken, tokenId } from '../../http/token.ts';
import { addToken, giversOf, requireEachGivable } from '../new-token.ts';
import { secretOf } from '../token-store.ts';
import type { AccessRequest } from './access-request-store.ts';
import { OAuthFailure } from './failure.ts';
import { formOf, json, required } from './form.ts';
import { GRANT, purposeOf } from './metadata.ts';
import type { OAuthCall } from './oauth-call.ts';

/** How long a token lives that a client gets. There are no others to renew it: a person agrees again. */
const TOKEN_VALID_MS = 30 * 86_400_000;

const GIVER_GONE = 'whoever has agreed to this has no access any more';
const BAD_CODE = 'the code is unknown, used, or older than a minute';

export async function getToken(call: OAuthCall): Promise<Response> {
  const { context, base } = call;
  const fields = await formOf(call.request);
  if (required(fields, 'grant_type') !== GRANT) {
    throw new OAuthFailure('unsupported_grant_type', `expected the grant type ${GRANT}`);
  }
  const code = required(fields, 'code');
  const verifier = required(fields, 'code_verifier');
  const asked = await context.accessRequests.findBySecret(code);
  if (asked === null || asked.clientId !== fields.get('client_id')) return refused(call, BAD_CODE);
  if (asked.state !== 'approved') return replayed(call, asked.id);
  if (asked.isOver) return refused(call, BAD_CODE);
  const { uri, challenge } = asked.redirect;
  if (fields.get('redirect_uri') !== uri) return refused(call, 'the redirect URI is not that of the request');
  const isVerified = /^[\w.~-]{43,128}$/.test(verifier) && hash('sha256', verifier, 'base64url') === challenge;
  if (!isVerified) return refused(call, 'the verifier does not belong to the challenge');
  const resource = fields.get('resource');
  if (resource !== undefined && purposeOf(resource, base) !== asked.purpose) {
    throw new OAuthFailure('invalid_target', 'the resource is not that of the request');
  }
  return given(call, asked);
}

/** Somebody else has the code as well, and nobody knows which of the two is the client (RFC 6749, section 4.1.2). */
async function replayed(call: OAuthCall, id: string): Promise<never> {
  const { accessRequests, tokens, log } = call.context;
  await accessRequests.noteReplay(id);
  const token = (await accessRequests.find(id))?.token ?? null;
  if (token !== null && (await tokens.revoke(token, true))) {
    log.warn({ tokenId: token }, 'a code came twice, so that the token it gave is revoked');
  }
  return refused(call, BAD_CODE);
}

function refused(call: OAuthCall, message: string): never {
  call.countGuess();
  throw new OAuthFailure('invalid_grant', message);
}

/** Makes the token, by the rights that whoever has agreed has now. */
async function given(call: OAuthCall, asked: AccessRequest): Promise<Response> {
  const { context } = call;
  const { tokens, accessRequests } = context;
  const { id, clientName, purpose, grant } = asked;
  const giver = grant === null ? null : await tokens.find(grant.by, { consistent: true });
  if (grant === null || giver === null) throw new OAuthFailure('invalid_grant', GIVER_GONE);
  const now = context.now().getTime();
  const expiresAt = new Date(
    Math.min(now + TOKEN_VALID_MS, Date.parse(endOf(giver.token) ?? '9999-12-31')),
  ).toISOString();
  const { scopes, sites, defaultSite } = grant;
  const wanted = { name: clientName, scopes, sites, defaultSite, expiresAt, purpose, givers: giversOf(giver.token) };
  const caller = callerOf(giver, 'any');
  await requireEachGivable(context, caller, wanted);
  const token = makeToken();
  // First, so that no token is there that its request does not name.
  if (!(await accessRequests.use(id, tokenId(token)!))) return replayed(call, id);
  const made = await addToken(context, caller, wanted, token);
  // Meanwhile the code may have come again.
  if ((await accessRequests.find(id))?.state !== 'used') {
    await tokens.revoke(made.id, made.person !== null);
    throw new OAuthFailure('invalid_grant', BAD_CODE);
  }
  await record(call, 'token.create', grant.by, {
    id: made.id,
    name: clientName,
    scopes: scopes.join(' '),
    sites: sites === '*' ? '*' : sites.join(' '),
  });
  return json({
    access_token: token,
    token_type: 'Bearer',
    expires_in: Math.floor((Date.parse(expiresAt) - now) / 1000),
    scope: scopes.join(' '),
  });
}

async function record(
  { context, requestId, clientAddress }: OAuthCall,
  action: AuditAction,
  actor: string,
  detail: AuditEntry['detail'],
): Promise<void> {
  await context.audit.record({ site: null, actor, action, detail, requestId, sourceAddress: clientAddress ?? null });
}

/** RFC 7009: who has a token may give it back. One that is not valid is given back already. */
export async function revokeToken(call: OAuthCall): Promise<Response> {
  const { tokens, now } = call.context;
  const token = required(await formOf(call.request), 'token');
  const id = tokenId(token);
  const found = id === null ? null : await tokens.find(id, { consistent: true });
  if (id === null || found === null || secretOf(found, digestBytesOf(token), now()) === null) {
    call.countGuess();
    return json({});
  }
  if (found.token.createdBy === null) throw new OAuthFailure('invalid_request', 'what nobody has given stays');
  if (await tokens.revoke(id, found.person !== null))
    await record(call, 'token.revoke', id, { id, name: found.token.name });
  return json({});
}
