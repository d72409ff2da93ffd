/**
 * `POST /shares`. A share is a token of its own purpose: what ends tokens ends it, and nothing but `GET /shared` takes it.
 * @promise A share ends with its maker, and shows no more than its maker may read: `test/api/shares.test.ts`.
 */
import { MAX_SHARE_DAYS, type shares as operations, SHARE_DAYS } from '../../shared/api/shares.ts';
import { DAY_MS } from '../../shared/time.ts';
import type { Handlers } from '../http/call.ts';
import { endOf, lifeBeyond, requireCurrentSecret } from '../http/caller.ts';
import type { RequestContext } from '../http/context.ts';
import { validationError } from '../http/errors.ts';
import { sitesNamed } from '../sites/sites.ts';
import { addToken, requireRoomForParents } from './new-token.ts';

export const sharesHandlers: Handlers<typeof operations, RequestContext> = {
  async createShare(context, call, { name, of, view = 'status', devices = 'favorites', addresses = false, expiresAt }) {
    requireCurrentSecret(call);
    const now = context.now();
    const inDays = (days: number) => new Date(now.getTime() + days * DAY_MS).toISOString();
    const usual = [inDays(SHARE_DAYS), endOf(call.token)].filter((end) => end !== null).sort()[0]!;
    const end = expiresAt ?? usual;
    const excess = lifeBeyond(call.token, end, now);
    if (Date.parse(end) > Date.parse(inDays(MAX_SHARE_DAYS)))
      excess.push({ path: 'expiresAt', message: `expected a time within ${MAX_SHARE_DAYS} days` });
    if (excess.length > 0) throw validationError(excess);
    await sitesNamed(context, call.reach, [of]); // A tag that no site has is a mistake.
    const made = await addToken(context, call, {
      ...{ name, scopes: ['devices:read'], sites: [of], defaultSite: null, expiresAt: end, purpose: 'share' },
      givers: requireRoomForParents(call.token),
      share: { view, devices, addresses },
    });
    await call.audit({ id: made.id, name, of, view, only: devices, addresses });
    const { id, token, createdAt } = made;
    const share = { view, devices, addresses };
    return {
      ...{ success: true, token, id, name, createdAt, expiresAt: end, of, share },
      addresses: context.settings.addresses?.() ?? [],
    };
  },
};
