/** `/hooks`: who is told of the events of a site, and what became of telling them. */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { shownUrl } from '../../shared/api/hook-terms.ts';
import { type Delivery, type Hook, NOTHING_TOLD, type hooks as operations } from '../../shared/api/hooks.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { startOf } from '../../shared/text.ts';
import type { Handlers } from '../http/call.ts';
import type { RequestContext } from '../http/context.ts';
import { validationError } from '../http/errors.ts';
import { TokenBuckets } from '../http/token-bucket.ts';
import { atSites } from '../sites/many-sites.ts';
import { requireKnown } from '../sites/sites.ts';
import { requireOwn } from '../sites/templates/origin.ts';
import type { NewDelivery, StoredDelivery } from './delivery-store.ts';
import type { HookSettings, StoredHook } from './hook-store.ts';
import { addHookAt, chosen, newHook, requireReachable } from './make-hook.ts';
import { requestFor } from './message.ts';
import { SEND_WITHIN_MS, send, systemResolver } from './send.ts';
import { makeSigningSecret } from './signature.ts';

type HooksContext = RequestContext<'hooks' | 'deliveries' | 'devices'>;

export const hooksHandlers: Handlers<typeof operations, HooksContext> = {
  async listHooks(context, { site, reach }) {
    await requireKnown(context, reach, site);
    const { hooks, unreadable } = await context.hooks.list(site);
    return { success: true, hooks: hooks.map(toApiHook), unreadable };
  },

  async addHook(context, call, { sites, secret = makeSigningSecret(), ...wanted }) {
    requireReachable(context, wanted.url);
    const id = randomBytes(6).toString('hex');
    const settings = newHook({ ...wanted, secret }, call.token.id, context.now());
    const { done, failed } = await atSites(context, call, sites, async ({ id: site }) => {
      await addHookAt(context, site, id, settings);
      const added = await requireHook(context, site, id);
      await call.audit(auditDetail(added), { site });
      return { site, added };
    });
    const [first] = done;
    if (first === undefined) throw notFound(id); // A reach without a site.
    const where = sites === undefined ? {} : { madeAt: done.map(({ site }) => site), failed };
    return { success: true, secret, ...toApiHook(first.added), ...where };
  },

  async getHook(context, { site, reach }, { hook }) {
    await requireKnown(context, reach, site);
    return { success: true, ...toApiHook(await requireHook(context, site, hook)) };
  },

  async changeHook(context, call, { hook, ...wanted }) {
    const { url, format, events, skipRandomMacs, digest, enabled, secret } = wanted;
    const { site, reach } = call;
    await requireKnown(context, reach, site);
    if (url !== undefined) requireReachable(context, url);
    const replaced = secret === 'new' ? makeSigningSecret() : (secret ?? null);
    const version = enabled === true ? await context.devices.carriedOut(site) : 0;
    const changed = await context.hooks.change(site, hook, (before) => {
      requireOwn(before);
      const isEnabled = enabled === true && !isActive(before);
      const at = digest === undefined ? (before.digest?.at ?? null) : digest;
      // What happened while it was disabled, or had no digest, is not told.
      const now = context.now().toISOString();
      const digestFrom = isEnabled ? now : (before.digest?.from ?? now);
      const isQuietKept = wanted.quiet === undefined || isDeepStrictEqual(wanted.quiet, before.quiet ?? null);
      const quietSince = isQuietKept ? before.quietSince : now;
      const after: HookSettings = {
        ...settingsOf(before),
        url: url ?? before.url,
        format: format ?? before.format,
        events: events === undefined ? before.events : [...new Set(events)],
        skipRandomMacs: skipRandomMacs ?? before.skipRandomMacs,
        ...chosen({
          name: wanted.name === undefined ? (before.name ?? null) : wanted.name,
          quiet: wanted.quiet === undefined ? (before.quiet ?? null) : wanted.quiet,
          only: wanted.only === undefined ? (before.only ?? null) : wanted.only,
        }),
        ...(quietSince === undefined ? {} : { quietSince }),
        digest: at === null ? undefined : { at, from: digestFrom },
        // One that its receiver has ended (410) stays off until somebody says otherwise.
        enabled: enabled ?? isActive(before),
        secret: replaced ?? before.secret,
        from: isEnabled ? Math.max(before.from, version) : before.from,
      };
      if (after.events.length === 0 && at === null) throw validationError([{ path: 'events', message: NOTHING_TOLD }]);
      return after;
    });
    if (changed === null) throw notFound(hook);
    await call.audit(auditDetail(changed));
    return { success: true, secret: replaced, ...toApiHook(changed) };
  },

  async removeHook(context, call, { hook }) {
    const { site, reach } = call;
    await requireKnown(context, reach, site);
    const found = await requireHook(context, site, hook);
    requireOwn(found);
    if (!(await context.hooks.remove(site, hook))) throw notFound(hook);
    await call.audit(auditDetail(found));
    return { success: true };
  },

  async testHook(context, call, { hook }) {
    const { site, token, reach } = call;
    await requireKnown(context, reach, site);
    const found = await requireActive(context, site, hook);
    const { id, event } = testEvent(site, token.id, context.now());
    const delivery = await begin(context, site, { hook, id, webhookId: `${hook}_${id}`, event });
    await call.audit(auditDetail(found));
    return { success: true, ...toApiDelivery(delivery) };
  },

  async tryHook(context, call, { url, format, secret = makeSigningSecret() }) {
    const { site, token, reach } = call;
    await requireKnown(context, reach, site);
    requireReachable(context, url);
    if (!tries.take(token.id)) {
      const retryAfter = Math.max(1, Math.ceil(tries.waitMs(token.id) / 1000));
      throw new ServiceError('too_many_requests', `That is tried too often; try again in ${retryAfter} s`, {
        retryAfter,
      });
    }
    const at = context.now();
    const { id, event } = testEvent(site, token.id, at);
    const { privateHooks: allowPrivate = false } = context.settings;
    const message = requestFor(format, { webhookId: id, event, url, secret, at, console: null });
    const settings = { allowPrivate, resolve: systemResolver, timeoutMs: SEND_WITHIN_MS, now: context.now };
    const outcome = await send(url, message, settings);
    await call.audit({ host: new URL(url).host, format, delivered: outcome.isDelivered });
    const reason = outcome.isDelivered ? null : outcome.reason;
    return { success: true, delivered: outcome.isDelivered, status: outcome.status, reason };
  },

  async listDeliveries(context, { site, reach }, { hook, state, limit, cursor }) {
    await requireKnown(context, reach, site);
    await requireHook(context, site, hook);
    const page = await context.deliveries.list(site, hook, { state, before: cursor, limit });
    return {
      success: true,
      deliveries: page.deliveries.map(toApiDelivery),
      unreadable: page.unreadable,
      nextCursor: page.next,
    };
  },

  async repeatDelivery(context, call, { hook, delivery: id }) {
    const { site, reach } = call;
    await requireKnown(context, reach, site);
    const found = await requireActive(context, site, hook);
    const original = await context.deliveries.find(site, hook, id);
    if (original === null) throw new ServiceError('not_found', `The hook ${hook} has no delivery ${id}`);
    if (original.state === 'pending') {
      throw new ServiceError('conflict', `The delivery ${id} is still being attempted; repeat it when it has ended`);
    }
    const { webhookId, event, held } = original;
    const repeated = `${secondsOf(context.now())}_r${randomBytes(4).toString('hex')}`;
    const delivery = await begin(context, site, {
      ...{ hook, id: repeated, webhookId, event, repeats: id },
      ...(held === undefined ? {} : { held }),
    });
    await call.audit(auditDetail(found));
    return { success: true, ...toApiDelivery(delivery) };
  },
};

/** Tries of receivers that each token has: some at once, and one more every few seconds. */
const tries = new TokenBuckets({ capacity: 10, refillMs: 6_000, maxKeys: 10_000 });

function testEvent(site: SiteId, actor: string, now: Date): Pick<NewDelivery, 'id' | 'event'> {
  const at = now.toISOString();
  const id = `${secondsOf(now)}_t${randomBytes(4).toString('hex')}`;
  const of = { type: 'test', cause: 'test', device: null, changes: {} } as const;
  return { id, event: { id, at, recordedAt: at, site, actor, ...of } };
}

/** Writing a delivery is enough for it to be attempted: the hooks function is told of new rows. */
async function begin({ deliveries }: HooksContext, site: SiteId, delivery: NewDelivery): Promise<StoredDelivery> {
  await deliveries.add(site, delivery);
  const written = await deliveries.find(site, delivery.hook, delivery.id);
  if (written === null) throw new ServiceError('unavailable', 'The delivery could not be written; try again');
  return written;
}

async function requireHook({ hooks }: HooksContext, site: SiteId, id: string): Promise<StoredHook> {
  const found = await hooks.find(site, id);
  if (found === null) throw notFound(id);
  return found;
}

async function requireActive(context: HooksContext, site: SiteId, id: string): Promise<StoredHook> {
  const found = await requireHook(context, site, id);
  if (!isActive(found)) throw new ServiceError('conflict', `The hook ${id} is disabled; enable it first`);
  return found;
}

const notFound = (id: string) => new ServiceError('not_found', `The site has no hook ${id}`);
const isActive = ({ enabled, problem }: StoredHook) => enabled && problem === null;
const secondsOf = (at: Date) => String(Math.floor(at.getTime() / 1000)).padStart(10, '0');

/** Of which devices a hook tells may be hundreds of them. */
const MAX_AUDITED = 200;

/** In the audit stands where a hook leads, but not the path, which may be a secret. */
function auditDetail({ id, url, format, events, digest, enabled, name, quiet, only }: StoredHook) {
  const excepted = quiet?.exceptEvents ?? [];
  return {
    ...{ hook: id, host: new URL(url).host, format, events: events.join(' ') },
    ...(digest === undefined ? {} : { digest: Object.values(digest.at).join(' ') }),
    ...(name === undefined ? {} : { name }),
    ...(quiet === undefined ? {} : { quiet: [quiet.from, quiet.to, ...excepted].join(' ') }),
    ...(only === undefined ? {} : { only: startOf(JSON.stringify(only), MAX_AUDITED) }),
    enabled,
  };
}

function settingsOf(hook: StoredHook): HookSettings {
  const { url, format, events, skipRandomMacs, digest, secret, enabled, createdAt, createdBy, from } = hook;
  return { url, format, events, skipRandomMacs, digest, secret, enabled, createdAt, createdBy, from };
}

function toApiHook(hook: StoredHook): Hook {
  const { id, url, format, events, skipRandomMacs, digest, enabled, createdAt, createdBy, origin } = hook;
  const { deliveredAt, failingSince, problem } = hook;
  return {
    id,
    name: hook.name ?? null,
    quiet: hook.quiet ?? null,
    only: hook.only ?? null,
    url: shownUrl(url),
    format,
    events,
    skipRandomMacs,
    digest: digest?.at ?? null,
    enabled: enabled && problem === null,
    createdAt,
    createdBy,
    ...(origin === undefined ? {} : { origin }),
    deliveredAt: deliveredAt?.toISOString() ?? null,
    failingSince: failingSince?.toISOString() ?? null,
    problem,
  };
}

function toApiDelivery(delivery: StoredDelivery): Delivery {
  const { id, webhookId, event, state, attempts, due, endedAt, status, reason, repeats } = delivery;
  return {
    id,
    webhookId,
    event: event.type,
    device: event.device?.name ?? null,
    at: event.at,
    state,
    attempts,
    nextAttemptAt: due?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
    status,
    reason,
    repeats: repeats ?? null,
  };
}
