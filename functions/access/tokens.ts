/** `/tokens`. `new-token.ts` limits the rights that a token may grant. */
import type { Token } from '../../shared/api/records.ts';
import type { tokens as operations } from '../../shared/api/tokens.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { JobId, SiteId } from '../../shared/identity.ts';
import { HOUR_MS } from '../../shared/time.ts';
import { endsSoon } from '../../shared/token-end.ts';
import type { Handlers, TokenCall } from '../http/call.ts';
import { callerOf, lifeBeyond, requireCurrentSecret } from '../http/caller.ts';
import type { RequestContext } from '../http/context.ts';
import { validationError } from '../http/errors.ts';
import { reachOf } from '../http/reach.ts';
import { digestOf, newSecretOf } from '../http/token.ts';
import { coversAll, reachedSites } from '../sites/sites.ts';
import { addToken, usualEnd } from './new-token.ts';

export type TokensContext = RequestContext<'jobs'>;

export const tokenHandlers: Handlers<typeof operations, TokensContext> = {
  async listTokens(context, { reach }) {
    const all = await context.tokens.list();
    const isShown = await Promise.all(all.map((token) => coversAll(context, reach, token.sites)));
    const now = context.now();
    return { success: true, tokens: all.filter((_, i) => isShown[i]).map((token) => shown(token, now)) };
  },

  async getOwnToken({ now }, { token }) {
    return { success: true, ...shown(token, now()) };
  },

  async createToken(context, call, { name, scopes, sites, defaultSite = null, expiresAt }) {
    requireCurrentSecret(call);
    const excess = lifeBeyond(call.token, expiresAt, context.now());
    if (excess.length > 0) throw validationError(excess);
    const wanted = {
      name,
      scopes,
      sites,
      defaultSite,
      expiresAt: expiresAt ?? usualEnd(call.token, context.now()),
      purpose: 'api',
      givers: call.token.givers ?? [],
    } as const;
    const made = await addToken(context, call, wanted);
    await call.audit({ id: made.id, name, scopes: scopes.join(' '), sites: sites === '*' ? '*' : sites.join(' ') });
    return {
      success: true,
      ...shown(made, context.now()),
      token: made.token,
      addresses: context.settings.addresses?.() ?? [],
    };
  },

  async rotateToken(context, call, { id, overlapHours = 0, expiresAt }) {
    const { tokens, now, settings } = context;
    requireCurrentSecret(call);
    const found = await tokens.describe(id);
    if (found === null || !(await mayRotate(context, call, found))) throw noSuchToken(id);
    if (found.createdBy === null) {
      const message =
        'This is the token of npm start (API_TOKEN, or the file api-token) or the first one of a deployment: replace it there';
      throw new ServiceError('conflict', message);
    }
    if (found.purpose === 'share') throw new ServiceError('conflict', 'A share keeps its link: create another share');
    if (found.purpose !== 'api')
      throw new ServiceError('conflict', 'Who holds this token gets another one by signing in');
    // The new secret of another token must not outlive the caller's token.
    const end = expiresAt ?? (id === call.token.id ? undefined : found.expiresAt);
    const excess = lifeBeyond(call.token, end, now());
    if (excess.length > 0) throw validationError(excess);
    const token = newSecretOf(id);
    const formerUntil = overlapHours === 0 ? null : new Date(now().getTime() + overlapHours * HOUR_MS);
    const after = await tokens.rotate(id, { digest: digestOf(token), formerUntil, expiresAt });
    if (after === null) throw noSuchToken(id);
    await call.audit({ id, name: found.name, overlapHours });
    const formerValidUntil = formerUntil?.toISOString() ?? null;
    return { success: true, ...shown(after, now()), token, formerValidUntil, addresses: settings.addresses?.() ?? [] };
  },

  async revokeOwnToken({ tokens }, call) {
    const { id, name } = call.token;
    await tokens.revoke(id);
    await call.audit({ id, name });
    return { success: true };
  },

  async revokeToken(context, call, { id }) {
    const { tokens } = context;
    const found = await tokens.describe(id);
    if (found === null || !(await coversAll(context, call.reach, found.sites)) || !(await tokens.revoke(id))) {
      throw noSuchToken(id);
    }
    // After the revocation, or commands that the token starts meanwhile would be missed.
    const { running, truncated } = await runningJobs(context, found);
    await call.audit({ id, name: found.name, running: running.length });
    return { success: true, running, truncated };
  },
};

function noSuchToken(id: string): ServiceError {
  return new ServiceError('not_found', `A token with the id ${id} does not exist`);
}

/** The public fields of a token. */
function shown({ id, name, scopes, sites, defaultSite, createdAt, createdBy, expiresAt, ...others }: Token, now: Date) {
  const { lastUsedAt, person, purpose, share } = others;
  const rights = { id, name, scopes, sites, defaultSite, createdAt, createdBy, expiresAt, lastUsedAt, person, purpose };
  return { ...rights, ...(share && { share }), expiresSoon: endsSoon({ purpose, expiresAt }, now) };
}

/**
 * With the new secret, the caller has the rights and the identity of the token: so it must be the caller's own, or one that
 * the caller could have made.
 */
async function mayRotate(context: TokensContext, call: TokenCall, token: Token): Promise<boolean> {
  if (token.id === call.token.id) return true;
  // The tokens of a caller with parents end with those parents, and another token does not.
  if ((call.token.givers ?? []).length > 0) return false;
  // The operation requires no scope, so that the reach of the call mixes all roles of a person.
  const { token: own, reach } = callerOf(call, 'admin');
  if (!own.scopes.includes('admin') || !token.scopes.every((scope) => own.scopes.includes(scope))) return false;
  return token.person === own.person && coversAll(context, reach, token.sites);
}

const SITES_AT_ONCE = 10;
const MOST_NAMED = 100;

/**
 * The unfinished jobs of a token at each of its sites. `truncated` when there may be more. Never rejects, because the token
 * is already revoked.
 */
async function runningJobs(
  { jobs, sites, log }: TokensContext,
  { id: token, sites: allowed }: Token,
): Promise<{ running: JobId[]; truncated: boolean }> {
  const giveUpAt = performance.now() + 5_000; // Bounds a revocation, however many sites and jobs there are.
  const running: JobId[] = [];
  let truncated = false;

  async function search(site: SiteId): Promise<void> {
    for await (const found of jobs.underWay(site, token)) {
      running.push(...found);
      if (running.length <= MOST_NAMED && performance.now() < giveUpAt) continue;
      truncated = true;
      return;
    }
  }

  try {
    const left = [...(await reachedSites({ sites }, reachOf([allowed])))];
    const worker = async () => {
      for (let site = left.pop(); site !== undefined && !truncated; site = left.pop()) await search(site);
    };
    await Promise.all(Array.from({ length: SITES_AT_ONCE }, worker));
  } catch (error) {
    log.warn({ err: error, revokedTokenId: token }, 'cannot search for the jobs of a revoked token');
    truncated = true;
  }
  return { running: running.slice(0, MOST_NAMED), truncated };
}
