/** How a token is made by somebody who has one: it may do no more than theirs, and lives no longer. */
import type { Sites, Token } from '../../shared/api/records.ts';
import { type FieldError, ServiceError } from '../../shared/errors.ts';
import { type Scope, type SiteId, tagOfRef } from '../../shared/identity.ts';
import { siteForbidden } from '../devices/collection/collection-row.ts';
import { type Caller, callerOf, endOf, type ValidToken } from '../http/caller.ts';
import type { RequestContext } from '../http/context.ts';
import { validationError } from '../http/errors.ts';
import { digestOf, makeToken, tokenId } from '../http/token.ts';
import { outlivingTags, requireKnown } from '../sites/sites.ts';
import type { Stores } from '../stores.ts';

interface WantedRights {
  scopes: readonly Scope[];
  sites: Sites;
  /** Null: as `defaultSiteOf` has it. */
  defaultSite: SiteId | null;
}

interface WantedToken extends WantedRights, Pick<Token, 'name' | 'purpose' | 'expiresAt'> {
  /** Tokens with which it ends. */
  givers?: readonly string[];
}

interface MadeToken extends Token {
  /** The only time that it is seen. */
  token: string;
}

const USUAL_LIFE_MS = 90 * 86_400_000;

/** The end of a token for which nobody has said one. */
export function usualEnd(maker: Token, now: Date): string | null {
  return maker.purpose === 'session' ? new Date(now.getTime() + USUAL_LIFE_MS).toISOString() : endOf(maker);
}

/** The tokens with which one ends that somebody gives by this one: it itself, unless it is a session, whose person stays. */
export function giversOf({ id, purpose, givers = [] }: ValidToken): string[] {
  return purpose === 'session' ? givers : [...givers, id];
}

/** The site of requests that name none. */
export function defaultSiteOf({ token }: Caller, { sites, defaultSite }: Omit<WantedRights, 'scopes'>): SiteId | null {
  if (defaultSite !== null) return defaultSite;
  return sites === '*' ? token.defaultSite : (namedIn(sites)[0] ?? null);
}

/** @throws {ServiceError} `validation_failed` or `site_forbidden` for what the caller may not do, and so not give */
async function requireGivable(context: Pick<Stores, 'sites'>, caller: Caller, wanted: WantedRights): Promise<void> {
  const { reach } = caller;
  const { scopes, sites } = wanted;
  const excess = scopesBeyond(caller.token, scopes);
  if (excess.length > 0) throw validationError(excess);
  if (sites === '*' && !reach.isAll) throw new ServiceError('site_forbidden', siteForbidden('*'));
  for (const ref of sites === '*' ? [] : sites) {
    if (tagOfRef(ref) !== null && reach.covers(ref) !== true) {
      throw new ServiceError('site_forbidden', siteForbidden(ref));
    }
  }
  const home = defaultSiteOf(caller, wanted);
  for (const site of new Set([...namedIn(sites), ...(home === null ? [] : [home])])) {
    await requireKnown(context, reach, site);
  }
  // What a person may do ends with the tag, whatever their tokens name.
  const outliving = caller.person === null ? await outlivingTags(context, reach, sites, 'sites') : [];
  if (outliving.length > 0) throw validationError(outliving);
  if (home !== null && sites !== '*' && !sites.includes(home)) {
    throw validationError([{ path: 'defaultSite', message: 'expected one of the sites of the token' }]);
  }
}

/**
 * The same for a call whose operation demands no scope, so that the roles of somebody who has several are mixed in it: each
 * scope is looked at by the roles that have it.
 */
export async function requireEachGivable(
  context: Pick<Stores, 'sites'>,
  caller: Caller,
  wanted: WantedRights,
): Promise<void> {
  await requireGivable(context, caller, wanted);
  for (const scope of wanted.scopes) {
    await requireGivable(context, callerOf(caller, scope), { ...wanted, scopes: [scope] });
  }
}

/**
 * @param token what `makeToken` has made
 * @throws {ServiceError} what `requireGivable` throws, and `conflict` when the caller has made too many
 */
export async function addToken(
  context: Pick<RequestContext, 'sites' | 'tokens' | 'now'>,
  caller: Caller,
  wanted: WantedToken,
  token = makeToken(),
): Promise<MadeToken> {
  await requireGivable(context, caller, wanted);
  const { token: maker, person, reach } = caller;
  const { name, scopes, sites, expiresAt, purpose, givers = [] } = wanted;
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
  };
  const ancestor = reach.isAll ? null : (maker.ancestor ?? maker.id);
  await context.tokens.add(id, { ...row, ancestor, givers: [...givers], digest: digestOf(token) }, person);
  // One of the sites may have been deleted meanwhile.
  for (const site of namedIn(sites)) {
    if ((await context.sites.find(site)) !== null) continue;
    await context.tokens.revoke(id, person !== null);
    throw new ServiceError('site_forbidden', siteForbidden(site));
  }
  return { token, id, ...row, lastUsedAt: null };
}

function namedIn(sites: Sites): SiteId[] {
  return sites === '*' ? [] : sites.filter((ref) => tagOfRef(ref) === null);
}

function scopesBeyond({ scopes: own }: Token, scopes: readonly Scope[]): FieldError[] {
  return scopes.flatMap((scope, i) =>
    own.includes(scope)
      ? []
      : [{ path: `scopes.${i}`, message: `the token of this request lacks the scope ${scope}, so it cannot grant it` }],
  );
}
