/** Clients fetch the token that a person has approved, and revoke it. */
import { hash } from 'node:crypto';
import type { AuditAction } from '../../../shared/api/operation.ts';
import type { AuditEntry } from '../../../shared/api/records.ts';
import { DAY_MS } from '../../../shared/time.ts';
import { callerOf, endOf } from '../../http/caller.ts';
import { digestBytesOf, makeToken, tokenId } from '../../http/token.ts';
import { addToken, parentsBelow, requireEachGrantable } from '../new-token.ts';
import { type FoundToken, secretOf } from '../token-store.ts';
import type { AccessRequest } from './access-request-store.ts';
import { formOf, json, OAuthFailure, required } from './form.ts';
import { GRANT, purposeOf } from './metadata.ts';
import type { OAuthCall } from './oauth-call.ts';

const APPROVER_GONE = 'the approver of this request has no access any more';
const BAD_CODE = 'the code is unknown, used, or older than a minute';

export async function getToken(call: OAuthCall): Promise<Response> {
  const { context, base } = call;
  const fields = await formOf(call.request);
  if (required(fields, 'grant_type') !== GRANT)
    throw new OAuthFailure('unsupported_grant_type', `expected the grant type ${GRANT}`);
  const code = required(fields, 'code');
  const verifier = required(fields, 'code_verifier');
  const request = await context.accessRequests.findBySecret(code);
  if (request === null || request.clientId !== fields.get('client_id')) return reject(call, BAD_CODE);
  if (request.state !== 'approved') return rejectReplay(call, request.id);
  if (request.isOver) return reject(call, BAD_CODE);
  const { uri, challenge } = request.redirect;
  if (fields.get('redirect_uri') !== uri) return reject(call, 'the redirect URI is not that of the request');
  const isVerified = /^[\w.~-]{43,128}$/.test(verifier) && hash('sha256', verifier, 'base64url') === challenge;
  if (!isVerified) return reject(call, 'the verifier does not belong to the challenge');
  const resource = fields.get('resource');
  if (resource !== undefined && purposeOf(resource, base) !== request.purpose)
    throw new OAuthFailure('invalid_target', 'the resource is not that of the request');
  return issueToken(call, request);
}

/** Two parties have the code, and which of them is the client is unknown (RFC 6749, section 4.1.2). */
async function rejectReplay(call: OAuthCall, id: string): Promise<never> {
  const { accessRequests, tokens, log } = call.context;
  await accessRequests.noteReplay(id);
  const token = (await accessRequests.find(id))?.token ?? null;
  if (token !== null && (await tokens.revoke(token)))
    log.warn({ tokenId: token }, 'an authorization code was replayed: its token is revoked');
  return reject(call, BAD_CODE);
}

function reject(call: OAuthCall, message: string): never {
  call.countGuess();
  throw new OAuthFailure('invalid_grant', message);
}

/** Creates the token with rights that the approver still has. */
async function issueToken(call: OAuthCall, request: AccessRequest): Promise<Response> {
  const { context } = call;
  const { tokens, accessRequests } = context;
  const { id, clientName: name, purpose, grant } = request;
  const approver = grant === null ? null : await tokens.find(grant.by, { consistent: true });
  if (grant === null || approver === null) throw new OAuthFailure('invalid_grant', APPROVER_GONE);
  const now = context.now().getTime();
  // There are no refresh tokens: after 30 days a person approves again.
  const end = Math.min(now + 30 * DAY_MS, Date.parse(endOf(approver.token) ?? '9999-12-31'));
  const expiresAt = new Date(end).toISOString();
  const { scopes, sites, defaultSite } = grant;
  const wanted = { name, scopes, sites, defaultSite, expiresAt, purpose, givers: parentsBelow(approver.token) };
  const caller = callerOf(approver, 'any');
  await requireEachGrantable(context, caller, wanted);
  const token = makeToken();
  // First, so that no token exists that its request does not name.
  if (!(await accessRequests.use(id, tokenId(token)!))) return rejectReplay(call, id);
  const made = await addToken(context, caller, wanted, token);
  // The code may have been replayed meanwhile.
  if ((await accessRequests.find(id))?.state !== 'used') {
    await tokens.revoke(made.id);
    throw new OAuthFailure('invalid_grant', BAD_CODE);
  }
  const scope = scopes.join(' ');
  const detail = { id: made.id, name, scopes: scope, sites: sites === '*' ? '*' : sites.join(' ') };
  await record(call, 'token.create', approver, detail);
  return json({ access_token: token, token_type: 'Bearer', expires_in: Math.floor((end - now) / 1000), scope });
}

async function record(
  { context, requestId, clientAddress }: OAuthCall,
  action: AuditAction,
  { token, person }: Pick<FoundToken, 'token' | 'person'>,
  detail: AuditEntry['detail'],
): Promise<void> {
  const by = { actor: token.id, person, requestId, sourceAddress: clientAddress ?? null };
  await context.audit.record({ site: null, action, detail, ...by });
}

/** RFC 7009: a token may revoke itself. For an invalid one there is nothing to do. */
export async function revokeToken(call: OAuthCall): Promise<Response> {
  const { tokens, now } = call.context;
  const token = required(await formOf(call.request), 'token');
  const id = tokenId(token);
  const found = id === null ? null : await tokens.find(id, { consistent: true });
  if (id === null || found === null || secretOf(found, digestBytesOf(token), now()) === null) {
    call.countGuess();
    return json({});
  }
  const { createdBy, name, purpose } = found.token;
  // Anyone may have the token of a share, and only its owner ends it.
  if (createdBy === null || purpose === 'share')
    throw new OAuthFailure('invalid_request', 'a token that no other has made, or a share, cannot be revoked here');
  if (await tokens.revoke(id)) await record(call, 'token.revoke', found, { id, name });
  return json({});
}
