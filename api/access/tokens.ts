/** `/tokens`. A token can create only tokens with the same or fewer scopes and sites, and with no later expiry. */
import type { Token } from '../../shared/api/records.ts';
import type { tokens as operations } from '../../shared/api/tokens.ts';
import { type FieldError, ServiceError } from '../../shared/errors.ts';
import { type JobId, type Scope, type SiteId, tagOfRef } from '../../shared/identity.ts';
import { digestOf, makeToken, tokenId } from '../../store/access/token.ts';
import { siteForbidden } from '../../store/devices/collection-row.ts';
import type { AccessContext } from '../context/context.ts';
import type { Handlers } from '../http/call.ts';
import { validationError } from '../http/errors.ts';
import { coversAll, requireKnown } from './sites.ts';

export const tokenHandlers: Handlers<typeof operations, AccessContext> = {
  async listTokens(context, { reach }) {
    const all = await context.tokens.list();
    const isShown = await Promise.all(all.map((token) => coversAll(context, reach, token.sites)));
    return { success: true, tokens: all.filter((_, i) => isShown[i]) };
  },

  async getOwnToken(_context, { token: { ancestor: _, ...shown } }) {
    return { success: true, ...shown };
  },

  async createToken({ tokens, sites, now, settings }, call, { name, scopes, sites: allowed, defaultSite, expiresAt }) {
    const { token: maker, reach, person } = call;
    const excess = [...scopesBeyond(maker, scopes), ...lifeBeyond(maker, expiresAt, now())];
    if (excess.length > 0) throw validationError(excess);
    const wanted = allowed === '*' ? [] : allowed;
    const firstSite = wanted.find((ref) => tagOfRef(ref) === null) ?? null;
    const home = defaultSite ?? (allowed === '*' ? maker.defaultSite : firstSite);
    if (allowed === '*' && !reach.isAll) throw new ServiceError('site_forbidden', siteForbidden('*'));
    for (const ref of wanted) {
      if (tagOfRef(ref) !== null && reach.covers(ref) !== true)
        throw new ServiceError('site_forbidden', siteForbidden(ref));
    }
    const named = wanted.filter((ref) => tagOfRef(ref) === null);
    for (const site of new Set([...named, ...(home === null ? [] : [home])]))
      await requireKnown({ sites }, reach, site);
    if (home !== null && allowed !== '*' && !allowed.includes(home)) {
      throw validationError([{ path: 'defaultSite', message: 'expected one of the sites of the token' }]);
    }
    const token = makeToken();
    const id = tokenId(token)!;
    const row = {
      name,
      scopes,
      sites: allowed,
      defaultSite: home,
      createdAt: now().toISOString(),
      createdBy: maker.id,
      expiresAt: expiresAt ?? maker.expiresAt,
      person: maker.person,
      purpose: 'api' as const,
    };
    const ancestor = reach.isAll ? null : (maker.ancestor ?? maker.id);
    await tokens.add(id, { ...row, ancestor, digest: digestOf(token) }, person);
    // A removal of one of the sites that began meanwhile may have looked for its tokens before this one was there.
    for (const site of named) {
      if ((await sites.find(site)) !== null) continue;
      await tokens.revoke(id);
      throw new ServiceError('site_forbidden', siteForbidden(site));
    }
    await call.audit({ id, name, scopes: scopes.join(' '), sites: allowed === '*' ? '*' : allowed.join(' ') });
    return { success: true, token, id, ...row, lastUsedAt: null, addresses: settings.addresses?.() ?? [] };
  },

  async revokeToken(context, call, { id }) {
    const { tokens } = context;
    const found = await tokens.describe(id);
    if (
      found === null ||
      !(await coversAll(context, call.reach, found.sites)) ||
      !(await tokens.revoke(id, found.person !== null))
    ) {
      throw new ServiceError('not_found', `A token with the id ${id} does not exist`);
    }
    // Searched after the revocation, or commands that the token starts meanwhile would be missed.
    const { running, truncated } = await runningJobs(context, found);
    await call.audit({ id, name: found.name, running: running.length });
    return { success: true, running, truncated };
  },
};

function scopesBeyond(maker: Token, scopes: readonly Scope[]): FieldError[] {
  return scopes.flatMap((scope, i) =>
    maker.scopes.includes(scope)
      ? []
      : [{ path: `scopes.${i}`, message: `the token of this request lacks the scope ${scope}, so it cannot grant it` }],
  );
}

function lifeBeyond(maker: Token, expiresAt: string | undefined, now: Date): FieldError[] {
  if (expiresAt === undefined) return [];
  const refuse = (message: string) => [{ path: 'expiresAt', message }];
  if (Date.parse(expiresAt) <= now.getTime()) return refuse('expected a time in the future');
  const isBeyond = maker.expiresAt !== null && Date.parse(expiresAt) > Date.parse(maker.expiresAt);
  return isBeyond
    ? refuse(`expected ${maker.expiresAt} or earlier, because the token of this request expires then`)
    : [];
}

/** Bounds the time of a revocation, however many sites and jobs there are. */
const SEARCH_WITHIN_MS = 5_000;
const SITES_AT_ONCE = 10;
const MOST_NAMED = 100;

/**
 * The unfinished jobs of a token on each of its sites. `truncated` when there may be more. Never throws, because the
 * token has been revoked, whether or not its jobs can be found.
 */
async function runningJobs(
  { jobs, sites, log }: AccessContext,
  { id: token, sites: allowed }: Token,
): Promise<{ running: JobId[]; truncated: boolean }> {
  const giveUpAt = Date.now() + SEARCH_WITHIN_MS;
  const running: JobId[] = [];
  let truncated = false;

  async function lookAt(site: SiteId): Promise<void> {
    for await (const found of jobs.underWay(site, token)) {
      running.push(...found);
      if (running.length <= MOST_NAMED && Date.now() < giveUpAt) continue;
      truncated = true;
      return;
    }
  }

  try {
    const left = allowed === '*' ? (await sites.list()).map(({ id }) => id) : [...allowed];
    const worker = async () => {
      for (let site = left.pop(); site !== undefined && !truncated; site = left.pop()) await lookAt(site);
    };
    await Promise.all(Array.from({ length: SITES_AT_ONCE }, worker));
  } catch (error) {
    log.warn({ err: error, revokedTokenId: token }, 'cannot search for the jobs of a revoked token');
    truncated = true;
  }
  return { running: running.slice(0, MOST_NAMED), truncated };
}
