/** `/oauth/requests`: a person sees a client's request for access, and approves or denies it. */
import type { oauth as operations } from '../../../shared/api/oauth.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Handlers } from '../../http/call.ts';
import { requireCurrentSecret } from '../../http/caller.ts';
import { validationError } from '../../http/errors.ts';
import { defaultSiteOf, requireEachGrantable, requireRoomForParents } from '../new-token.ts';
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
    const request = await requireOpen(context, id);
    const message = 'the client has not requested this scope';
    const excess = scopes.flatMap((scope, i) =>
      request.scopes.includes(scope) ? [] : [{ path: `scopes.${i}`, message }],
    );
    if (excess.length > 0) throw validationError(excess);
    requireRoomForParents(call.token);
    const defaultSite = defaultSiteOf(call, { sites, defaultSite: null });
    await requireEachGrantable(context, call, { scopes, sites, defaultSite });
    const code = await context.accessRequests.approve(id, { scopes, sites, defaultSite, by: call.token.id });
    if (code === null) throw answeredMeanwhile();
    const names = { scopes: scopes.join(' '), sites: sites === '*' ? '*' : sites.join(' ') };
    await call.audit({ ...detailOf(request), ...names });
    return { success: true, redirectTo: redirectTo(request.redirect, { code }) };
  },

  async denyAccessRequest(context, call, { id }) {
    const request = await requireOpen(context, id);
    if (!(await context.accessRequests.deny(id))) throw answeredMeanwhile();
    await call.audit(detailOf(request));
    return { success: true, redirectTo: redirectTo(request.redirect, { error: 'access_denied' }) };
  },
};

/** @throws {ServiceError} `not_found` */
async function requireOpen({ accessRequests }: OAuthContext, id: string): Promise<AccessRequest> {
  const request = await accessRequests.findOpen(id);
  if (request !== null) return request;
  throw new ServiceError('not_found', 'No client waits for this answer: it was given already, or ten minutes are over');
}

function answeredMeanwhile(): ServiceError {
  return new ServiceError('conflict', 'This request has just been answered by another person');
}

function detailOf({ clientName, redirect }: AccessRequest) {
  return { client: clientName, redirectHost: new URL(redirect.uri).hostname };
}
