/** `/claim-keys` and `/claims`: what people decide about hosts that ask to become agents. */
import type { ClaimId, claims as operations } from '../../shared/api/claims.ts';
import { ClaimId as ClaimIdSchema, MAX_KEY_DAYS, MAX_KEYS, USUAL_KEY_DAYS } from '../../shared/api/claims.ts';
import { ServiceError } from '../../shared/errors.ts';
import { keyOfClaim, type StoredClaim, type StoredKey } from '../../store/access/claim-store.ts';
import type { Reach } from '../../store/access/reach.ts';
import { siteForbidden } from '../../store/devices/collection-row.ts';
import type { AccessContext } from '../context/context.ts';
import type { Handlers } from '../http/call.ts';
import { validationError } from '../http/errors.ts';
import { appliedBy } from '../templates/apply.ts';
import { approve, whyOver } from './claiming.ts';
import { releaseOffered } from './enrolment.ts';
import { makerOf } from './key-maker.ts';
import { endOf, lifeBeyond, requireCurrentSecret } from './new-token.ts';
import { sortedTags } from './site-handlers.ts';
import { requireKnown } from './sites.ts';

const DAY_MS = 86_400_000;

export const claimHandlers: Handlers<typeof operations, AccessContext> = {
  async createClaimKey(context, call, { name, uses, from, networks, approve, site, siteFrom, tags, ...wanted }) {
    const { claims, now, settings } = context;
    requireCurrentSecret(call);
    const excess = lifeBeyond(call.token, wanted.expiresAt, now());
    if (excess.length > 0) throw validationError(excess);
    const usual = () => {
      const end = endOf(call.token);
      const days = now().getTime() + USUAL_KEY_DAYS * DAY_MS;
      return new Date(end === null ? days : Math.min(days, Date.parse(end))).toISOString();
    };
    const expiresAt = wanted.expiresAt ?? usual();
    const inMs = Date.parse(expiresAt) - now().getTime();
    if (inMs <= 0 || inMs > MAX_KEY_DAYS * DAY_MS) {
      const message = `expected a time in the next ${MAX_KEY_DAYS} days`;
      throw validationError([{ path: 'expiresAt', message }]);
    }
    if (site !== undefined) await requireKnown(context, call.reach, site);
    else if (!call.reach.isAll) throw new ServiceError('site_forbidden', siteForbidden('*'));
    const { keys } = await claims.keys();
    if (keys.filter(({ state }) => state === 'open').length >= MAX_KEYS) {
      throw new ServiceError('conflict', `There are ${MAX_KEYS} claim keys already; revoke one first`);
    }
    const { secret, key } = await claims.createKey({
      ...{ name, uses, expiresAt, from: from ?? [], networks: networks ?? [], approve: approve ?? 'by hand' },
      ...{ site: site ?? null, siteFrom: siteFrom ?? null, tags: sortedTags(tags ?? []) },
      maker: makerOf(call),
    });
    const detail = { id: key.id, name, uses, expiresAt, approve: key.approve, ...(siteFrom ? { siteFrom } : {}) };
    await call.audit(detail, { site: key.site });
    const addresses = settings.addresses?.() ?? [];
    return { success: true, secret, ...shownKey(key), addresses, release: await releaseOffered(context) };
  },

  async listClaimKeys(context, call) {
    const { keys, unreadable } = await visibleKeys(context, call.reach);
    return { success: true, keys: keys.map(shownKey), unreadable: call.reach.isAll ? unreadable : [] };
  },

  async revokeClaimKey(context, call, { id }) {
    const key = await findKey(context, call.reach, id);
    if (key === null || !(await context.claims.revokeKey(id))) {
      throw new ServiceError('not_found', `A claim key with the id ${id} does not exist, or has been revoked`);
    }
    await call.audit({ id, name: key.name }, { site: key.site });
    return { success: true };
  },

  async listClaims(context, call, { state, key, limit, cursor }) {
    if (cursor !== undefined && !ClaimIdSchema.safeParse(cursor).success) {
      throw validationError([{ path: 'query.cursor', message: 'expected the nextCursor of an earlier page' }]);
    }
    const { keys } = await visibleKeys(context, call.reach);
    const visible = new Set(keys.map(({ id }) => id));
    const isWanted = (claim: StoredClaim) => visible.has(claim.key) && (state === undefined || claim.state === state);
    const page = await context.claims.page(key ?? null, isWanted, cursor ?? null, limit);
    const unreadable = page.unreadable.filter(({ id }) => visible.has(keyOfClaim(id)));
    return { success: true, claims: page.claims.map(shown), unreadable, nextCursor: page.next };
  },

  async approveClaims(context, call, { ids, site, name }) {
    if (site !== undefined) await requireKnown(context, call.reach, site);
    return decide(context, call.reach, ids, async (claim, key) => {
      if (claim.state === 'refused') return 'It has been refused';
      if (claim.state !== 'waiting') return shown(claim);
      const over = await whyOver(context, key);
      if (over !== null) return over;
      const approved = await approve(context, key, claim, appliedBy(call), { site, name });
      const detail = { claim: claim.id, key: key.name, host: claim.host.name, ...(name ? { name } : {}) };
      await call.audit(detail, { site: approved.site });
      return shown(approved);
    });
  },

  refuseClaims(context, call, { ids }) {
    return decide(context, call.reach, ids, async (claim, key) => {
      if (claim.state === 'refused') return shown(claim);
      const decidedAt = context.now().toISOString();
      const refused = await context.claims.change(claim.id, ({ state }) =>
        state === 'waiting' || state === 'approved' ? { state: 'refused', decidedAt } : null,
      );
      if (refused?.state !== 'refused') return `It has enrolled, as the agent ${refused?.agent}: revoke that`;
      await call.audit({ claim: claim.id, key: key.name, host: claim.host.name }, { site: claim.site });
      return shown(refused);
    });
  },
};

/** Decides about each claim on its own. @param about returns the claim, or why it is not decided about as asked */
async function decide(
  context: AccessContext,
  reach: Reach,
  ids: readonly ClaimId[],
  about: (claim: StoredClaim, key: StoredKey) => Promise<ReturnType<typeof shown> | string>,
) {
  const claims: ReturnType<typeof shown>[] = [];
  const failed: { id: ClaimId; message: string }[] = [];
  for (const id of new Set(ids)) {
    const key = await findKey(context, reach, keyOfClaim(id));
    const claim = key && (await context.claims.find(id));
    const decided = claim === null || key === null ? 'It does not exist' : await about(claim, key);
    if (typeof decided === 'string') failed.push({ id, message: decided });
    else claims.push(decided);
  }
  return { success: true as const, claims, failed };
}

/** A key of a site that the call may use; null where there is none. */
async function findKey(context: AccessContext, reach: Reach, id: string): Promise<StoredKey | null> {
  const key = await context.claims.findKey(id);
  return key !== null && (await isWithin(context, reach, key)) ? key : null;
}

async function visibleKeys(context: AccessContext, reach: Reach) {
  const { keys, unreadable } = await context.claims.keys();
  const visible: StoredKey[] = [];
  for (const key of keys) if (await isWithin(context, reach, key)) visible.push(key);
  return { keys: visible, unreadable };
}

async function isWithin({ sites }: AccessContext, reach: Reach, { site }: StoredKey): Promise<boolean> {
  if (reach.isAll || site === null) return reach.isAll;
  const known = reach.knows(site);
  if (known !== undefined) return known;
  const found = await sites.find(site);
  return found !== null && reach.has(found);
}

function shown({ name: _, certificate: __, ...claim }: StoredClaim) {
  return claim;
}

function shownKey({ maker: _, ...key }: StoredKey) {
  return key;
}
