/** Authentication and authorization of requests. */
import type { Context as HonoContext } from 'hono';
import type { Operation } from '../../shared/api/operation.ts';
import type { Token } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import { SiteId } from '../../shared/identity.ts';
import { digestMatches } from '../../store/access/token.ts';
import type { FoundToken, TokenStore } from '../../store/access/token-store.ts';
import { siteForbidden } from '../../store/devices/collection-row.ts';
import type { Env } from './call.ts';
import { NOT_AUTHORIZED, validationError } from './errors.ts';

/**
 * The token that a request presents, whatever its scopes; null when it is missing, unknown, expired or revoked. Counts the
 * request as one of the token, and says in the log whose it is.
 * @throws {ServiceError} `too_many_requests` when the token has no request left
 */
export async function findToken(c: HonoContext<Env>, tokens: TokenStore): Promise<FoundToken | null> {
  const presented = c.get('presented');
  if (presented === null) return null;
  const found = await tokens.find(presented.id);
  if (found === null || !digestMatches(presented.digest, found.digest)) {
    c.get('knownTokens').delete(presented);
    return null;
  }
  c.get('knownTokens').add(presented);
  c.set('tokenId', found.token.id);
  c.get('requestLimit').count(found.token.id, c.get('headers'));
  return found;
}

/**
 * The token of a request for an operation that demands this scope.
 * @throws {ServiceError} `forbidden` when it is missing, unknown, expired or revoked, or lacks the scope
 */
export async function authenticate(c: HonoContext<Env>, tokens: TokenStore, scope: NeededScope): Promise<FoundToken> {
  const found = await findToken(c, tokens);
  if (found === null) throw new ServiceError('forbidden', NOT_AUTHORIZED);
  requireScope(found.token, scope);
  return found;
}

/** What an operation that needs a token demands of its scopes. */
export type NeededScope = NonNullable<Operation['scope']>;

export function hasScope({ scopes }: Pick<Token, 'scopes'>, needed: NeededScope): boolean {
  return needed === 'any' || scopes.includes(needed);
}

/** @throws {ServiceError} `forbidden`, as without a token; only the holder of a valid one learns which scope it lacks */
function requireScope(token: Token, scope: NeededScope): void {
  if (hasScope(token, scope)) return;
  const fields = [{ path: 'header.authorization', message: `the token lacks the scope ${scope}` }];
  throw new ServiceError('forbidden', NOT_AUTHORIZED, { fields });
}

/** The site of a request: the one it names, or the token's default. Whether it exists is found when it is read. */
export function chooseSite(token: Token, named: string | undefined): SiteId {
  const site = named ?? token.defaultSite;
  if (site === null) {
    throw validationError([
      {
        path: 'query.site',
        message: 'expected a site, as this parameter or the header X-Site, because this token has no default site',
      },
    ]);
  }
  if (!SiteId.safeParse(site).success) throw new ServiceError('site_forbidden', siteForbidden(site.slice(0, 40)));
  requireSite(token, site);
  return site;
}

/** @throws {ServiceError} `site_forbidden` when the token may not use the site */
export function requireSite(token: Token, site: SiteId): void {
  if (token.sites !== '*' && !token.sites.includes(site)) {
    throw new ServiceError('site_forbidden', siteForbidden(site));
  }
}
