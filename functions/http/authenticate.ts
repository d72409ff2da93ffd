/**
 * Authentication and authorization of requests.
 * @promise A person's token does what both token and person may do now: `functions/http/authenticate.test.ts`,
 *   `test/api/people.test.ts`.
 */
import type { Context as HonoContext } from 'hono';
import type { Operation } from '../../shared/api/operation.ts';
import type { Token } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type Scope, SiteId } from '../../shared/identity.ts';
import { SCOPES_OF_ROLE } from '../../shared/roles.ts';
import { endsSoon } from '../../shared/token-end.ts';
import { type Reach, reachOf } from '../access/reach.ts';
import { type FoundToken, secretOf, type TokenStore } from '../access/token-store.ts';
import { siteForbidden } from '../devices/collection/collection-row.ts';
import type { SiteStore } from '../sites/site-store.ts';
import type { Env } from './call.ts';
import type { Caller } from './caller.ts';
import { NOT_AUTHORIZED, validationError } from './errors.ts';

export type { Caller } from './caller.ts';

/**
 * The token that a request presents, whatever its scopes; null when it is missing, unknown, expired or revoked. Counts the
 * request as one of the token, and says in the log whose it is.
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
  c.get('knownTokens').add(presented);
  c.set('tokenId', found.token.id);
  const headers = c.get('headers');
  c.get('requestLimit').count(found.token.id, headers);
  const { expiresAt } = found.token;
  if (expiresAt !== null && endsSoon(found.token, now)) headers['LanReach-Token-Expires'] = expiresAt;
  return secret === 'former' ? { ...found, isByFormer: true } : found;
}

/**
 * Who makes a request for an operation that demands this scope.
 * @throws {ServiceError} `forbidden` when the token is missing, unknown, expired, revoked, only for assistants, or lacks the
 *   scope
 */
export async function authenticate(
  c: HonoContext<Env>,
  tokens: TokenStore,
  scope: NeededScope,
): Promise<{ found: FoundToken; caller: Caller }> {
  const found = await findToken(c, tokens);
  // An assistant's calls come by way of /mcp, which notes them.
  const isElsewhere = found?.token.purpose === 'mcp' && c.env?.note === undefined;
  if (found === null || isElsewhere) throw new ServiceError('forbidden', NOT_AUTHORIZED);
  const caller = callerOf(found, scope);
  requireScope(caller.token, scope);
  return { found, caller };
}

/**
 * A token of somebody can do what both its own scopes and sites and the grants of that person allow now. Of grants with
 * different roles, those count that have the scope.
 */
export function callerOf(found: Pick<FoundToken, 'token' | 'person' | 'isByFormer'>, needed: NeededScope): Caller {
  const { token, person, isByFormer } = found;
  if (person === null) return { token, person, isByFormer, reach: reachOf([token.sites]) };
  const grants = person.grants
    .map(({ role, sites }) => ({ scopes: SCOPES_OF_ROLE[role], sites }))
    .filter(({ scopes }) => needed === 'any' || scopes.includes(needed));
  const isGranted = (scope: Scope) =>
    needed === 'any'
      ? grants.some(({ scopes }) => scopes.includes(scope))
      : grants.length > 0 && grants.every(({ scopes }) => scopes.includes(scope));
  const granted = grants.some(({ sites }) => sites === '*') ? '*' : grants.flatMap(({ sites }) => sites);
  return {
    token: { ...token, scopes: token.scopes.filter(isGranted), sites: token.sites === '*' ? granted : token.sites },
    person,
    isByFormer,
    reach: reachOf([token.sites, granted]),
  };
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

/**
 * The site of a request: the one it names, or the token's default, or the only one that it may use. Whether it exists is
 * found when it is read.
 */
export async function chooseSite(
  sites: Pick<SiteStore, 'find'>,
  { token, reach }: Caller,
  named: string | undefined,
): Promise<SiteId> {
  const [only, ...others] = reach.only ?? [];
  const site = named ?? token.defaultSite ?? (others.length === 0 ? only : undefined);
  if (site === undefined) {
    throw validationError([
      {
        path: 'query.site',
        message: 'expected a site, as this parameter or the header X-Site, because this token has no default site',
      },
    ]);
  }
  if (!SiteId.safeParse(site).success) throw new ServiceError('site_forbidden', siteForbidden(site.slice(0, 40)));
  await requireReached({ sites }, reach, site);
  return site;
}

/** @throws {ServiceError} `site_forbidden` when the call may not use the site */
export async function requireReached(
  { sites }: { sites: Pick<SiteStore, 'find'> },
  reach: Reach,
  site: SiteId,
): Promise<void> {
  if (!(await isReached({ sites }, reach, site))) throw new ServiceError('site_forbidden', siteForbidden(site));
}

/** Whether a call may use a site. Looks at it only where its tags decide. */
export async function isReached(
  { sites }: { sites: Pick<SiteStore, 'find'> },
  reach: Reach,
  site: SiteId,
): Promise<boolean> {
  const known = reach.knows(site);
  if (known !== undefined) return known;
  const found = await sites.find(site);
  return found !== null && reach.has(found);
}
