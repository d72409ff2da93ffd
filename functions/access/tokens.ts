/** `/tokens`. What a token may give stands in `new-token.ts`. */
import type { Token } from '../../shared/api/records.ts';
import type { tokens as operations } from '../../shared/api/tokens.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { JobId, SiteId } from '../../shared/identity.ts';
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
    if (found.purpose !== 'api')
      throw new ServiceError('conflict', 'Who holds this token gets another one by signing in');
    // Whoever has the secret of another token lives as long as that.
    const end = expiresAt ?? (id === call.token.id ? undefined : found.expiresAt);
    const excess = lifeBeyond(call.token, end, now());
    if (excess.length > 0) throw validationError(excess);
    const token = newSecretOf(id);
    const formerUntil = overlapHours === 0 ? null : new Date(now().getTime() + overlapHours * 3_600_000);
    const after = await tokens.rotate(id, { digest: digestOf(token), formerUntil, expiresAt });
    if (after === null) throw noSuchToken(id);
    await call.audit({ id, name: found.name, overlapHours });
    const formerValidUntil = formerUntil?.toISOString() ?? null;
    return { success: true, ...shown(after, now()), token, formerValidUntil, addresses: settings.addresses?.() ?? [] };
  },

  async revokeOwnToken({ tokens }, call) {
    const { id, name, person } = call.token;
    await tokens.revoke(id, person !== null);
    await call.audit({ id, name });
    return { success: true };
  },

  async revokeToken(context, call, { id }) {
    const { tokens } = context;
    const found = await tokens.describe(id);
    if (
      found === null ||
      !(await coversAll(context, call.reach, found.sites)) ||
      !(await tokens.revoke(id, found.person !== null))
    ) {
      throw noSuchToken(id);
    }
    // Searched after the revocation, or commands that the token starts meanwhile would be missed.
    const { running, truncated } = await runningJobs(context, found);
    await call.audit({ id, name: found.name, running: running.length });
    return { success: true, running, truncated };
  },
};

function noSuchToken(id: string): ServiceError {
  return new ServiceError('not_found', `A token with the id ${id} does not exist`);
}

/** What is shown of a token: nothing that only the service needs. */
function shown({ id, name, scopes, sites, defaultSite, createdAt, createdBy, expiresAt, ...others }: Token, now: Date) {
  const { lastUsedAt, person, purpose } = others;
  const rights = { id, name, scopes, sites, defaultSite, createdAt, createdBy, expiresAt, lastUsedAt, person, purpose };
  return { ...rights, expiresSoon: endsSoon({ purpose, expiresAt }, now) };
}

/**
 * Whoever has the new secret can do what the token can, and is taken for whose it is: so it is one's own token, or one that one
 * could have made.
 */
async function mayRotate(context: TokensContext, call: TokenCall, token: Token): Promise<boolean> {
  if (token.id === call.token.id) return true;
  // What it makes ends with those who gave it, and another token does not.
  if ((call.token.givers ?? []).length > 0) return false;
  // The operation demands no scope, so that the roles of somebody who has several are mixed in the call.
  const { token: own, reach } = callerOf(call, 'admin');
  if (!own.scopes.includes('admin') || !token.scopes.every((scope) => own.scopes.includes(scope))) return false;
  return token.person === own.person && coversAll(context, reach, token.sites);
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
  { jobs, sites, log }: TokensContext,
  { id: token, sites: allowed }: Token,
): Promise<{ running: JobId[]; truncated: boolean }> {
  const giveUpAt = performance.now() + SEARCH_WITHIN_MS;
  const running: JobId[] = [];
  let truncated = false;

  async function lookAt(site: SiteId): Promise<void> {
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
      for (let site = left.pop(); site !== undefined && !truncated; site = left.pop()) await lookAt(site);
    };
    await Promise.all(Array.from({ length: SITES_AT_ONCE }, worker));
  } catch (error) {
    log.warn({ err: error, revokedTokenId: token }, 'cannot search for the jobs of a revoked token');
    truncated = true;
  }
  return { running: running.slice(0, MOST_NAMED), truncated };
}
