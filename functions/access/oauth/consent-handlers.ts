/** `/oauth/requests`: a person sees who asks for access, and agrees or refuses. */
import type { oauth as operations } from '../../../shared/api/oauth.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Handlers } from '../../http/call.ts';
import { requireCurrentSecret } from '../../http/caller.ts';
import { validationError } from '../../http/errors.ts';
import { defaultSiteOf, giversOf, requireEachGivable } from '../new-token.ts';
import { MAX_GIVERS } from '../token-row.ts';
import type { AccessRequest } from './access-request-store.ts';
import { redirectTo } from './authorize.ts';
import type { OAuthContext } from './oauth-call.ts';

export const consentHandlers: Handlers<typeof operations, OAuthContext> = {
  async getAccessRequest(context, _call, { id }) {
    const { redirect, clientName, purpose, scopes, sourceAddress, expiresAt } = await requireOpen(context, id);
    return {
      success: true,
      kind: purpose === 'api' ? 'device' : 'assistant',
      client: { name: clientName, redirectHost: new URL(redirect.uri).hostname },
      scopes,
      sourceAddress,
      expiresAt,
    };
  },

  async approveAccessRequest(context, call, { id, scopes, sites }) {
    requireCurrentSecret(call);
    const asked = await requireOpen(context, id);
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
    const code = await context.accessRequests.approve(asked.id, { scopes, sites, defaultSite, by: call.token.id });
    if (code === null) throw answeredMeanwhile();
    const names = { scopes: scopes.join(' '), sites: sites === '*' ? '*' : sites.join(' ') };
    await call.audit({ ...detailOf(asked), ...names });
    return { success: true, redirectTo: redirectTo(asked.redirect, { code }) };
  },

  async denyAccessRequest(context, call, { id }) {
    const asked = await requireOpen(context, id);
    if (!(await context.accessRequests.deny(asked.id))) throw answeredMeanwhile();
    await call.audit(detailOf(asked));
    return { success: true, redirectTo: redirectTo(asked.redirect, { error: 'access_denied' }) };
  },
};

/** @throws {ServiceError} `not_found` */
async function requireOpen({ accessRequests }: OAuthContext, id: string): Promise<AccessRequest> {
  const asked = await accessRequests.findOpen(id);
  if (asked !== null) return asked;
  throw new ServiceError('not_found', 'No client waits for this answer: it was given already, or ten minutes are over');
}

function answeredMeanwhile(): ServiceError {
  return new ServiceError('conflict', 'Somebody else has answered this request just now');
}

function detailOf({ clientName, redirect }: AccessRequest) {
  return { client: clientName, redirectHost: new URL(redirect.uri).hostname };
}
