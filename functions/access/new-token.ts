/** Creating a token with another one: it has no more rights, and expires no later. */
import type { Sites, Token } from '../../shared/api/records.ts';
import { type FieldError, ServiceError } from '../../shared/errors.ts';
import { type Scope, type SiteId, tagOfRef } from '../../shared/identity.ts';
import { DAY_MS } from '../../shared/time.ts';
import { siteForbidden } from '../devices/collection/collection-row.ts';
import { type Caller, callerOf, endOf, type ValidToken } from '../http/caller.ts';
import type { RequestContext } from '../http/context.ts';
import { invalid, validationError } from '../http/errors.ts';
import { digestOf, makeToken, tokenId } from '../http/token.ts';
import { outlivingTags, requireKnown } from '../sites/sites.ts';
import type { Stores } from '../stores.ts';
import { MAX_PARENTS } from './token-row.ts';

interface WantedRights {
  scopes: readonly Scope[];
  sites: Sites;
  /** Null: see `defaultSiteOf`. */
  defaultSite: SiteId | null;
}

interface WantedToken extends WantedRights, Pick<Token, 'name' | 'purpose' | 'expiresAt' | 'share'> {
  /** Its parent tokens. */
  givers?: readonly string[];
}

/** The default expiry of a new token: 90 days for one made in a session, otherwise that of its maker. */
export function usualEnd(maker: Token, now: Date): string | null {
  return maker.purpose === 'session' ? new Date(now.getTime() + 90 * DAY_MS).toISOString() : endOf(maker);
}

/** The parents of a token that is approved with this one: itself too, unless it is a session, whose person stays. */
export function parentsBelow({ id, purpose, givers = [] }: ValidToken): string[] {
  return purpose === 'session' ? givers : [...givers, id];
}

/**
 * The same, as parents of a new token.
 * @throws {ServiceError} `conflict` when there are too many
 */
export function requireRoomForParents(token: ValidToken): string[] {
  const parents = parentsBelow(token);
  if (parents.length <= MAX_PARENTS) return parents;
  const message = 'The token of this request was given by one that was given, and so on: use another';
  throw new ServiceError('conflict', message);
}

/** The default site of a new token. */
export function defaultSiteOf({ token }: Caller, { sites, defaultSite }: Omit<WantedRights, 'scopes'>): SiteId | null {
  if (defaultSite !== null) return defaultSite;
  return sites === '*' ? token.defaultSite : (namedIn(sites)[0] ?? null);
}

/** @throws {ServiceError} `validation_failed` or `site_forbidden` for rights that the caller lacks, and so may not grant */
async function requireGrantable(context: Pick<Stores, 'sites'>, caller: Caller, wanted: WantedRights): Promise<void> {
  const { reach } = caller;
  const { scopes, sites } = wanted;
  const excess = scopesBeyond(caller.token, scopes);
  if (excess.length > 0) throw validationError(excess);
  if (sites === '*' && !reach.isAll) throw new ServiceError('site_forbidden', siteForbidden('*'));
  for (const ref of sites === '*' ? [] : sites) {
    if (tagOfRef(ref) !== null && reach.covers(ref) !== true)
      throw new ServiceError('site_forbidden', siteForbidden(ref));
  }
  const home = defaultSiteOf(caller, wanted);
  for (const site of new Set([...namedIn(sites), ...(home === null ? [] : [home])]))
    await requireKnown(context, reach, site);
  // A person's rights end with the tag, whatever their tokens name.
  const outliving = caller.person === null ? await outlivingTags(context, reach, sites, 'sites') : [];
  if (outliving.length > 0) throw validationError(outliving);
  if (home !== null && sites !== '*' && !sites.includes(home))
    throw invalid('defaultSite', 'expected one of the sites of the token');
}

/**
 * The same for a call whose operation requires no scope, so that its reach mixes all roles of a person: each scope is
 * checked against the roles that have it.
 */
export async function requireEachGrantable(
  context: Pick<Stores, 'sites'>,
  caller: Caller,
  wanted: WantedRights,
): Promise<void> {
  await requireGrantable(context, caller, wanted);
  for (const scope of wanted.scopes)
    await requireGrantable(context, callerOf(caller, scope), { ...wanted, scopes: [scope] });
}

/**
 * @param token a result of `makeToken`
 * @returns `token` holds the secret, which is never shown again
 * @throws {ServiceError} as `requireGrantable`, and `conflict` when the caller has made too many
 */
export async function addToken(
  context: Pick<RequestContext, 'sites' | 'tokens' | 'now'>,
  caller: Caller,
  wanted: WantedToken,
  token = makeToken(),
): Promise<Token & { token: string }> {
  await requireGrantable(context, caller, wanted);
  const { token: maker, reach } = caller;
  const { name, scopes, sites, expiresAt, purpose, share, givers = [] } = wanted;
  const id = tokenId(token)!;
  const row = {
    name,
    scopes: [...scopes],
    sites,
    defaultSite: defaultSiteOf(caller, wanted),
    createdAt: context.now().toISOString(),
    createdBy: maker.id,
    expiresAt,
    person: maker.person,
    purpose,
    ...(share && { share }),
  };
  const ancestor = reach.isAll ? null : (maker.ancestor ?? maker.id);
  await context.tokens.add(id, { ...row, ancestor, givers: [...givers], digest: digestOf(token) });
  // One of the sites may have been deleted meanwhile.
  for (const site of namedIn(sites)) {
    if ((await context.sites.find(site)) !== null) continue;
    await context.tokens.revoke(id);
    throw new ServiceError('site_forbidden', siteForbidden(site));
  }
  return { token, id, ...row, lastUsedAt: null };
}

const namedIn = (sites: Sites): SiteId[] => (sites === '*' ? [] : sites.filter((ref) => tagOfRef(ref) === null));

function scopesBeyond({ scopes: own }: Token, scopes: readonly Scope[]): FieldError[] {
  return scopes.flatMap((scope, i) =>
    own.includes(scope)
      ? []
      : [{ path: `scopes.${i}`, message: `the token of this request lacks the scope ${scope}, so it cannot grant it` }],
  );
}
