/** Hooks as they are stored, from the settings of a caller or a template; and how one is added to a site. */
import { type Hook, MAX_HOOKS } from '../../shared/api/hooks.ts';
import type { DeclaredHook } from '../../shared/api/parts.ts';
import { parseDeviceKey } from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { addressOf } from '../../shared/mail-address.ts';
import type { RequestContext } from '../http/context.ts';
import { invalid } from '../http/errors.ts';
import type { Stores } from '../stores.ts';
import type { HookSettings } from './hook-store.ts';
import type { Mailer } from './mailer.ts';
import { mayGoInClear, refusalOf } from './target-address.ts';

type Wanted = Omit<DeclaredHook, 'name' | 'secret'> & Pick<Hook, 'name'> & { secret: string };

/** A hook for what happens after it is added. Of a changed one, `replacedHook` keeps when it was added and since when it waits. */
export function newHook(
  { url, format, events, skipRandomMacs, name, quiet, only, secret, enabled, digest, report }: Wanted,
  createdBy: string,
  now: Date,
): HookSettings {
  const createdAt = now.toISOString();
  return {
    ...{ url, format, events: [...new Set(events)], skipRandomMacs },
    ...chosen({ name, quiet, only }),
    ...{ secret, enabled },
    digest: digest === null ? undefined : { at: digest, from: createdAt },
    report: report === null ? undefined : { at: report, from: createdAt },
    ...{ createdAt, createdBy, from: 0 },
  };
}

/** @throws {ServiceError} `conflict` when the site cannot have it */
export async function addHookAt(
  context: Pick<Stores, 'hooks' | 'devices'>,
  site: SiteId,
  id: string,
  settings: HookSettings,
): Promise<void> {
  await requireAtMost(context, site, MAX_HOOKS - 1);
  await context.hooks.add(site, id, { ...settings, from: await context.devices.carriedOut(site) });
  // A second check, because others may be added at the same time: the last of them sees all that stay.
  await requireAtMost(context, site, MAX_HOOKS).catch(async (error: unknown) => {
    await context.hooks.remove(site, id);
    throw error;
  });
}

async function requireAtMost({ hooks }: Pick<Stores, 'hooks'>, site: SiteId, most: number): Promise<void> {
  const { hooks: found, unreadable } = await hooks.list(site);
  if (found.length + unreadable.length <= most) return;
  const message = `A site may have ${MAX_HOOKS} hooks: remove one first, or try again if others are being added`;
  throw new ServiceError('conflict', message);
}

/** Rejects what could never be delivered. Host names are resolved, and their addresses checked, at each delivery. */
export function requireReachable(
  { settings, mail }: Pick<RequestContext, 'settings'> & { mail?: Mailer },
  text: string,
): void {
  const { privateHooks: allowPrivate = false } = settings;
  const refuse = (message: string) => invalid('url', message);
  if (addressOf(text) !== null) {
    if (mail !== undefined) return;
    throw refuse('this service sends no e-mail: its operator has to set SMTP_URL and SMTP_FROM');
  }
  const { protocol, hostname } = new URL(text);
  const address = hostname.replace(/^\[|\]$/g, '');
  const refusal = refusalOf(address, { allowPrivate });
  const isAddress = /^[\d.]+$|:/.test(address);
  if (isAddress && refusal !== null) throw refuse(`hooks do not reach ${address}, which is ${refusal}`);
  // The addresses of a name are checked at each delivery.
  const isClear = isAddress ? mayGoInClear(address, { allowPrivate }) : allowPrivate !== false;
  if (protocol !== 'https:' && !isClear) throw refuse('expected a URL that begins with https://');
}

type Chosen = Pick<Hook, 'name' | 'quiet' | 'only'>;

/** The stored form: without what is null, and with the keys of devices. */
function chosen({ name, quiet, only }: Chosen): Pick<HookSettings, 'name' | 'quiet' | 'only'> {
  const keys = only?.devices?.flatMap((device) => parseDeviceKey(device) ?? []);
  return {
    ...(name === null ? {} : { name }),
    ...(quiet === null ? {} : { quiet }),
    ...(only === null ? {} : { only: { ...only, ...(keys === undefined ? {} : { devices: keys }) } }),
  };
}

/**
 * The settings of a changed hook. Events during which it was disabled, or had no digest, are not sent.
 * @param version of the collection
 */
export function replacedHook(wanted: HookSettings, before: HookSettings, version: number, now: Date): HookSettings {
  const [at, reportAt] = [wanted.digest?.at, wanted.report?.at];
  const isEnabled = wanted.enabled && !before.enabled;
  const since = (known: { from: string } | undefined) => (isEnabled ? undefined : known?.from) ?? now.toISOString();
  return {
    ...wanted,
    ...{ createdAt: before.createdAt, createdBy: before.createdBy },
    digest: at === undefined ? undefined : { at, from: since(before.digest) },
    report: reportAt === undefined ? undefined : { at: reportAt, from: since(before.report) },
    from: isEnabled ? Math.max(before.from, version) : before.from,
  };
}
