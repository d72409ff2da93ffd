/** `/hooks`: who is notified of the events of a site, and how the deliveries went. */
import { randomBytes } from 'node:crypto';
import { hostOfHook, shownUrl } from '../../shared/api/hook-terms.ts';
import { faultOfHook, type Hook, type hooks as operations } from '../../shared/api/hooks.ts';
import { ServiceError } from '../../shared/errors.ts';
import { given } from '../../shared/given.ts';
import type { SiteId } from '../../shared/identity.ts';
import { startOf } from '../../shared/text.ts';
import { changesBetween } from '../http/audit-log.ts';
import type { Handlers, SiteCall } from '../http/call.ts';
import type { RequestContext } from '../http/context.ts';
import { invalid } from '../http/errors.ts';
import { TokenBuckets } from '../http/token-bucket.ts';
import { requireOwn } from '../sites/origin.ts';
import { requireKnown } from '../sites/sites.ts';
import { type Message, progressAfter } from './attempt.ts';
import { deliver, sendWithinMs } from './deliver.ts';
import { type HookSettings, isActive, type StoredHook } from './hook-store.ts';
import type { Mailer } from './mailer.ts';
import { addHookAt, newHook, replacedHook, requireReachable } from './make-hook.ts';
import { type SendOutcome, systemResolver } from './send.ts';
import { makeSigningSecret } from './signature.ts';

type HooksContext = RequestContext<'hooks' | 'devices'> & { mail?: Mailer };

export const hooksHandlers: Handlers<typeof operations, HooksContext> = {
  async listHooks(context, { site, reach }) {
    await requireKnown(context, reach, site);
    const { hooks, unreadable } = await context.hooks.list(site);
    return { success: true, hooks: hooks.map(toApiHook), unreadable };
  },

  async addHook(context, call, { secret = makeSigningSecret(), ...wanted }) {
    const { site, reach, token } = call;
    await requireKnown(context, reach, site);
    requireReachable(context, wanted.url);
    const id = randomBytes(6).toString('hex');
    await addHookAt(context, site, id, newHook({ ...wanted, secret }, token.id, context.now()));
    const added = await context.hooks.find(site, id);
    if (added === null) throw notFound(id);
    await call.audit(auditDetail(added));
    return { success: true, secret, ...toApiHook(added) };
  },

  async getHook(context, call, { hook }) {
    return { success: true, ...toApiHook(await requireHook(context, call, hook)) };
  },

  async changeHook(context, call, { hook, ...wanted }) {
    const { site, reach } = call;
    await requireKnown(context, reach, site);
    if (wanted.url !== undefined) requireReachable(context, wanted.url);
    const replaced = wanted.secret === 'new' ? makeSigningSecret() : (wanted.secret ?? null);
    const version = wanted.enabled === true ? await context.devices.carriedOut(site) : 0;
    let old = {};
    const changed = await context.hooks.change(site, hook, (before) => {
      requireOwn(before);
      old = auditDetail(before);
      const now = context.now();
      // A hook that its receiver has ended (410) stays off until it is enabled explicitly.
      const after = { ...termsOf(before), ...given(wanted), secret: replaced ?? before.secret };
      const fault = faultOfHook(after);
      if (fault !== null) throw invalid(fault.path.join('.'), fault.message);
      const former = { ...before, enabled: isActive(before) };
      return replacedHook(newHook(after, before.createdBy, now), former, version, now);
    });
    if (changed === null) throw notFound(hook);
    const detail = auditDetail(changed);
    await call.audit(detail, { changes: changesBetween(old, detail) });
    return { success: true, secret: replaced, ...toApiHook(changed) };
  },

  async removeHook(context, call, { hook }) {
    const found = await requireHook(context, call, hook);
    requireOwn(found);
    if (!(await context.hooks.remove(call.site, hook))) throw notFound(hook);
    await call.audit(auditDetail(found));
    return { success: true };
  },

  async testHook(context, call, { hook }) {
    const { site, token } = call;
    const found = await requireHook(context, call, hook);
    if (!isActive(found)) throw new ServiceError('conflict', `The hook ${hook} is disabled; enable it first`);
    const message = testMessage(site, token.id, context.now());
    const outcome = await sendNow(context, `${hook}_${message.id}`, message, found, hook);
    await call.audit(auditDetail(found));
    for (let seen: StoredHook | null = found; seen !== null; seen = await context.hooks.find(site, hook)) {
      // Another process may be sending for this hook: its lease stays.
      const progress = { ...progressAfter(seen, message, outcome, context.now()), leasedUntil: seen.leasedUntil };
      const saved = await context.hooks.save(site, seen, progress);
      const [delivery] = progress.deliveries;
      if (saved !== null && delivery !== undefined) return { success: true, ...delivery };
    }
    throw notFound(hook);
  },

  async tryHook(context, call, { url, format, secret = makeSigningSecret() }) {
    const { site, token, reach } = call;
    await requireKnown(context, reach, site);
    requireReachable(context, url);
    if (!tries.take(token.id)) {
      const retryAfter = Math.max(1, Math.ceil(tries.waitMs(token.id) / 1000));
      const message = `That is tried too often; try again in ${retryAfter} s`;
      throw new ServiceError('too_many_requests', message, { retryAfter });
    }
    const message = testMessage(site, token.id, context.now());
    const outcome = await sendNow(context, message.id, message, { url, format, secret });
    await call.audit({ host: hostOfHook(url), format, delivered: outcome.isDelivered });
    const reason = outcome.isDelivered ? null : outcome.reason;
    return { success: true, delivered: outcome.isDelivered, status: outcome.status, reason };
  },

  async listDeliveries(context, call, { hook, state, limit, cursor }) {
    const { deliveries } = await requireHook(context, call, hook);
    const wanted = deliveries.filter((one) => state === undefined || one.state === state);
    const from = cursor === undefined ? 0 : wanted.findIndex(({ id }) => id === cursor) + 1;
    const page = wanted.slice(from, from + limit);
    const isMore = from + limit < wanted.length;
    return { success: true, deliveries: page, unreadable: [], nextCursor: isMore ? (page.at(-1)?.id ?? null) : null };
  },
};

/** Test deliveries to receivers, for each token: some at once, and one more every few seconds. */
const tries = new TokenBuckets({ capacity: 10, refillMs: 6_000, maxKeys: 10_000 });

function testMessage(site: SiteId, actor: string, now: Date): Message {
  const at = now.toISOString();
  const seconds = String(Math.floor(now.getTime() / 1000)).padStart(10, '0');
  const id = `${seconds}_t${randomBytes(4).toString('hex')}`;
  const of = { type: 'test', cause: 'test', device: null, changes: {} } as const;
  return { id, event: { id, at, recordedAt: at, site, actor, ...of } };
}

/** Below the limit of API Gateway. */
const LONGEST_TEST_MS = 25_000;

function sendNow(
  { now, mail, settings: { privateHooks: allowPrivate = false } }: HooksContext,
  webhookId: string,
  { event }: Message,
  receiver: Pick<HookSettings, 'url' | 'format' | 'secret'>,
  hook: string | null = null,
): Promise<SendOutcome> {
  const message = { webhookId, event, hook, console: null, timeZone: 'UTC', threads: {} };
  const timeoutMs = Math.min(sendWithinMs(receiver.format), LONGEST_TEST_MS);
  return deliver(receiver, message, { allowPrivate, mail, resolve: systemResolver, timeoutMs, now });
}

async function requireHook(context: HooksContext, { site, reach }: SiteCall, id: string): Promise<StoredHook> {
  await requireKnown(context, reach, site);
  const found = await context.hooks.find(site, id);
  if (found === null) throw notFound(id);
  return found;
}

const notFound = (id: string) => new ServiceError('not_found', `The site has no hook ${id}`);

/** Characters: a hook may name hundreds of devices. */
const MAX_AUDITED = 200;

/** The audit shows the host of a hook, but not the path, which may be a secret. */
function auditDetail({ id, url, format, events, digest, report, enabled, name, quiet, only }: StoredHook) {
  const excepted = quiet?.exceptEvents ?? [];
  return {
    ...{ hook: id, host: hostOfHook(url), format, events: events.join(' ') },
    ...(digest === undefined ? {} : { digest: Object.values(digest.at).join(' ') }),
    ...(report === undefined ? {} : { report: Object.values(report.at).join(' ') }),
    ...(name === undefined ? {} : { name }),
    ...(quiet === undefined ? {} : { quiet: [quiet.from, quiet.to, ...excepted].join(' ') }),
    ...(only === undefined ? {} : { only: startOf(JSON.stringify(only), MAX_AUDITED) }),
    enabled,
  };
}

/** The settings as the API has them, but with the whole URL. */
function termsOf(hook: StoredHook) {
  const { url, format, events, skipRandomMacs, digest, report, name, quiet, only } = hook;
  return {
    ...{ name: name ?? null, quiet: quiet ?? null, only: only ?? null, url, format, events, skipRandomMacs },
    ...{ digest: digest?.at ?? null, report: report?.at ?? null, enabled: isActive(hook) },
  };
}

function toApiHook(hook: StoredHook): Hook {
  const { id, url, createdAt, createdBy, origin, problem } = hook;
  return {
    ...{ id, ...termsOf(hook), url: shownUrl(url), createdAt, createdBy },
    ...(origin === undefined ? {} : { origin }),
    deliveredAt: timeOf(hook.deliveredAt),
    failingSince: timeOf(hook.failingSince),
    problem,
  };
}

const timeOf = (millis: number | null) => (millis === null ? null : new Date(millis).toISOString());
