/** Authentication of requests, and the choice of their site. */
import type { Context as HonoContext } from 'hono';
import { shared } from '../../shared/api/shares.ts';
import { ServiceError } from '../../shared/errors.ts';
import { SiteId } from '../../shared/identity.ts';
import { endsSoon } from '../../shared/token-end.ts';
import { siteForbidden } from '../devices/collection/collection-row.ts';
import type { Env } from '../http/call.ts';
import { type Caller, callerOf, type NeededScope, NOT_AUTHORIZED, requireScope } from '../http/caller.ts';
import { invalid } from '../http/errors.ts';
import type { SiteStore } from '../sites/site-store.ts';
import { requireReached } from '../sites/sites.ts';
import { type FoundToken, secretOf, type TokenStore } from './token-store.ts';

/**
 * The token that a request presents, whatever its scopes; null when it is missing, unknown, expired or revoked. Counts the
 * request against the token's limit, and logs the token's id.
 * @throws {ServiceError} `too_many_requests` when the token has no request left
 */
export async function findToken(c: HonoContext<Env>, tokens: TokenStore): Promise<FoundToken | null> {
  const presented = c.get('presented');
  if (presented === null) return null;
  const found = await tokens.find(presented.id);
  const now = new Date();
  const secret = found === null ? null : secretOf(found, presented.digest, now);
  if (found === null || secret === null) {
    c.get('knownTokens').delete(presented);
    return null;
  }
  // Nothing else takes the token of a share, which anyone may have.
  if ((found.token.purpose === 'share') !== (c.get('route') === shared.readShare.path)) return null;
  c.get('knownTokens').add(presented);
  c.set('tokenId', found.token.id);
  const headers = c.get('headers');
  c.get('requestLimit').count(found.token.id, headers);
  const { expiresAt } = found.token;
  if (expiresAt !== null && endsSoon(found.token, now)) headers['LanReach-Token-Expires'] = expiresAt;
  return secret === 'former' ? { ...found, isByFormer: true } : found;
}

/**
 * The caller of an operation that requires this scope.
 * @throws {ServiceError} `forbidden` when the token is missing, unknown, expired, revoked, only for assistants, or lacks the
 *   scope
 */
export async function authenticate(
  c: HonoContext<Env>,
  tokens: TokenStore,
  scope: NeededScope,
): Promise<{ found: FoundToken; caller: Caller }> {
  const found = await findToken(c, tokens);
  // An assistant's token is valid only through /mcp, which passes `note`.
  const isOutsideMcp = found?.token.purpose === 'mcp' && c.env?.note === undefined;
  if (found === null || isOutsideMcp) throw new ServiceError('forbidden', NOT_AUTHORIZED);
  const caller = callerOf(found, scope);
  requireScope(caller.token, scope);
  return { found, caller };
}

/**
 * The site of a request: the named one, otherwise the token's default, otherwise the only one in reach. Whether it exists
 * shows when it is read.
 */
export async function chooseSite(
  sites: Pick<SiteStore, 'find'>,
  { token, reach }: Caller,
  named: string | undefined,
): Promise<SiteId> {
  const [only, ...others] = reach.only ?? [];
  const site = named ?? token.defaultSite ?? (others.length === 0 ? only : undefined);
  if (site === undefined) {
    const message = 'expected a site, as this parameter or the header X-Site, because this token has no default site';
    throw invalid('query.site', message);
  }
  if (!SiteId.safeParse(site).success) throw new ServiceError('site_forbidden', siteForbidden(site.slice(0, 40)));
  await requireReached({ sites }, reach, site);
  return site;
}
