/** Authentication and authorization of requests. */
import type { Operation } from '../../shared/api/operation.ts';
import type { Token } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import { SiteId } from '../../shared/identity.ts';
import { digestMatches, tokenId } from '../auth/token.ts';
import { siteForbidden } from '../dynamodb/collection-row.ts';
import type { FoundToken, TokenStore } from '../dynamodb/token-store.ts';
import { NOT_AUTHORIZED, validationError } from './errors.ts';

/** A valid token, as handlers receive it. */
export type ValidToken = Omit<FoundToken, 'digest'>;

/**
 * The token of an Authorization header.
 * @throws {ServiceError} `forbidden` when it is missing, unknown, expired or revoked
 */
export async function authenticate(tokens: TokenStore, header: string | undefined): Promise<ValidToken> {
  const token = await findValidToken(tokens, header);
  if (token === null) throw new ServiceError('forbidden', NOT_AUTHORIZED);
  return token;
}

/** The token of an Authorization header, whatever its scopes; null when it is missing, unknown, expired or revoked. */
export async function findValidToken(tokens: TokenStore, header: string | undefined): Promise<ValidToken | null> {
  const secret = bearerOf(header);
  const id = secret === null ? null : tokenId(secret);
  if (secret === null || id === null) return null;
  const found = await tokens.find(id);
  if (!digestMatches(secret, found?.digest ?? null) || found === null) return null;
  const { digest: _, ...token } = found;
  return token;
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
export function likelySite(tokens: TokenStore, header: string | undefined, named: string | undefined): SiteId | null {
  const known = knownToken(tokens, header);
  if (known === null) return null;
  return SiteId.safeParse(named ?? known.defaultSite).data ?? null;
}

/** The id of the token of an Authorization header, if it was valid when this process last read it. Not an authorization. */
export function knownTokenId(tokens: KnownTokens, header: string | undefined): string | null {
  return knownToken(tokens, header)?.id ?? null;
}

/** Tokens that this process has read before. */
type KnownTokens = Pick<TokenStore, 'lastFound'>;

function knownToken(tokens: KnownTokens, header: string | undefined): FoundToken | null {
  const secret = bearerOf(header);
  const id = secret === null ? null : tokenId(secret);
  const known = id === null ? null : tokens.lastFound(id);
  return secret !== null && known !== null && digestMatches(secret, known.digest) ? known : null;
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
