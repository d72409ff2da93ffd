/** Authentication and authorization of requests. */
import type { Operation } from '../../shared/api/operation.ts';
import type { Token } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import { SiteId } from '../../shared/identity.ts';
import { digestBytesOf, digestMatches, tokenId } from '../../store/access/token.ts';
import type { FoundToken, TokenStore } from '../../store/access/token-store.ts';
import { siteForbidden } from '../../store/devices/collection-row.ts';
import { NOT_AUTHORIZED, validationError } from './errors.ts';

/** What a request presents as its token. Made once for each request, because it takes two hashes. */
export interface PresentedToken {
  id: string;
  digest: Buffer;
}

/** The token in an Authorization header; null when there is none, or nothing that could be one. */
export function presentedToken(header: string | undefined): PresentedToken | null {
  const secret = bearerOf(header);
  const id = secret === null ? null : tokenId(secret);
  return secret === null || id === null ? null : { id, digest: digestBytesOf(secret) };
}

/**
 * The token that a request presents.
 * @throws {ServiceError} `forbidden` when it is missing, unknown, expired or revoked
 */
export async function authenticate(tokens: TokenStore, presented: PresentedToken | null): Promise<FoundToken> {
  const found = await findValidToken(tokens, presented);
  if (found === null) throw new ServiceError('forbidden', NOT_AUTHORIZED);
  return found;
}

/** The token that a request presents, whatever its scopes; null when it is missing, unknown, expired or revoked. */
export async function findValidToken(tokens: TokenStore, presented: PresentedToken | null): Promise<FoundToken | null> {
  if (presented === null) return null;
  const found = await tokens.find(presented.id);
  return digestMatches(presented.digest, found?.digest ?? null) ? found : null;
}

/** What an operation that needs a token demands of its scopes. */
export type NeededScope = NonNullable<Operation['scope']>;

export function hasScope({ scopes }: Pick<Token, 'scopes'>, needed: NeededScope): boolean {
  return needed === 'any' || scopes.includes(needed);
}

/** @throws {ServiceError} `forbidden`, as without a token; only the holder of a valid one learns which scope it lacks */
export function requireScope(token: Token, scope: NeededScope): void {
  if (hasScope(token, scope)) return;
  const fields = [{ path: 'header.authorization', message: `the token lacks the scope ${scope}` }];
  throw new ServiceError('forbidden', NOT_AUTHORIZED, { fields });
}

/** The secret in an Authorization header; null when there is none. */
export function bearerOf(header: string | undefined): string | null {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? '')?.[1] ?? null;
}

/**
 * The site that a request is probably about, before its token has been read: the one it names, or the default site that
 * the token had last time. Null for a token that this process has not found valid before. Not an authorization.
 */
export function likelySite(
  tokens: TokenStore,
  presented: PresentedToken | null,
  named: string | undefined,
): SiteId | null {
  const known = knownToken(tokens, presented);
  if (known === null) return null;
  return SiteId.safeParse(named ?? known.token.defaultSite).data ?? null;
}

/** The id of the token that a request presents, if it was valid when this process last read it. Not an authorization. */
export function knownTokenId(tokens: KnownTokens, presented: PresentedToken | null): string | null {
  return knownToken(tokens, presented)?.token.id ?? null;
}

/** Tokens that this process has read before. */
type KnownTokens = Pick<TokenStore, 'lastFound'>;

function knownToken(tokens: KnownTokens, presented: PresentedToken | null): FoundToken | null {
  const known = presented === null ? null : tokens.lastFound(presented.id);
  return presented !== null && known !== null && digestMatches(presented.digest, known.digest) ? known : null;
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
