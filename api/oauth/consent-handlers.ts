/** `/oauth/requests`: a person sees who asks for access, and agrees or refuses. */
import type { oauth as operations } from '../../shared/api/oauth.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { AccessRequest } from '../../store/access/access-request-store.ts';
import { MAX_GIVERS } from '../../store/access/token-store.ts';
import { defaultSiteOf, giversOf, requireCurrentSecret, requireEachGivable } from '../access/new-token.ts';
import type { AccessContext } from '../context/context.ts';
import type { Handlers, TokenCall } from '../http/call.ts';
import { validationError } from '../http/errors.ts';
import { TokenBuckets } from '../http/token-bucket.ts';

export const consentHandlers: Handlers<typeof operations, AccessContext> = {
  async getAccessRequest(context, call, { id }) {
    const { redirect, clientName, purpose, scopes, sourceAddress, expiresAt } = await requireOpen(context, call, id);
    return {
      success: true,
      kind: purpose === 'api' ? 'device' : 'assistant',
      client: { name: clientName, redirectHost: redirect === null ? null : new URL(redirect.uri).hostname },
      scopes,
      sourceAddress,
      expiresAt,
    };
  },

  async approveAccessRequest(context, call, { id, scopes, sites }) {
    requireCurrentSecret(call);
    const asked = await requireOpen(context, call, id);
    const excess = scopes.flatMap((scope, i) =>
      asked.scopes.includes(scope) ? [] : [{ path: `scopes.${i}`, message: 'the client has not asked for this scope' }],
    );
    if (excess.length > 0) throw validationError(excess);
    if (giversOf(call.token).length > MAX_GIVERS) {
      throw new ServiceError(
        'conflict',
        'The token of this request was given by one that was given, and so on: use another',
      );
    }
    const defaultSite = defaultSiteOf(call, { sites, defaultSite: null });
    await requireEachGivable(context, call, { scopes, sites, defaultSite });
    const approved = await context.accessRequests.approve(asked.id, { scopes, sites, defaultSite, by: call.token.id });
    if (approved === false) throw answeredMeanwhile();
    const names = { scopes: scopes.join(' '), sites: sites === '*' ? '*' : sites.join(' ') };
    await call.audit({ ...detailOf(asked), ...names });
    return { success: true, redirectTo: redirectTo(asked, { code: approved.secret ?? '' }) };
  },

  async denyAccessRequest(context, call, { id }) {
    const asked = await requireOpen(context, call, id);
    if (!(await context.accessRequests.deny(asked.id))) throw answeredMeanwhile();
    await call.audit(detailOf(asked));
    return { success: true, redirectTo: redirectTo(asked, { error: 'access_denied' }) };
  },
};

/** Codes that nobody has been given, by tokens. With thirty-four bits, and so many tries, nobody hits one that is open. */
const guesses = new TokenBuckets({ capacity: 10, refillMs: 30_000, maxKeys: 10_000 });

/** @throws {ServiceError} `not_found`, or `too_many_requests` for a token that has named too many that are not there */
async function requireOpen(
  { accessRequests }: AccessContext,
  { token }: TokenCall,
  id: string,
): Promise<AccessRequest> {
  const waitMs = guesses.waitMs(token.id);
  if (waitMs > 0) {
    throw new ServiceError('too_many_requests', 'Too many codes were wrong; try again later', {
      retryAfter: Math.ceil(waitMs / 1_000),
    });
  }
  const asked = await accessRequests.findOpen(storedId(id));
  if (asked !== null) return asked;
  guesses.owe(token.id);
  const message = 'Nobody asks for access with this code: it is mistyped, answered already, or older than ten minutes';
  throw new ServiceError('not_found', message);
}

/** User codes are typed in any case, and with a hyphen or without. */
function storedId(id: string): string {
  return /^[0-9a-f]{32}$/.test(id) ? id : id.replace('-', '').toUpperCase();
}

function answeredMeanwhile(): ServiceError {
  return new ServiceError('conflict', 'Somebody else has answered this request just now');
}

function detailOf({ clientName, redirect }: AccessRequest) {
  return { client: clientName, redirectHost: redirect === null ? null : new URL(redirect.uri).hostname };
}

/** Where the browser takes the answer. What the client has registered stays as it was written. */
function redirectTo({ redirect }: AccessRequest, answer: Record<string, string>): string | null {
  if (redirect === null) return null;
  const { uri, state, issuer } = redirect;
  const added = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }), iss: issuer });
  return `${uri}${uri.includes('?') ? '&' : '?'}${added}`;
}
