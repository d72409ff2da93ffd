/** One attempt to deliver a message to a hook: a request, or an e-mail. */
import type { HookFormat } from '../../shared/api/hook-events.ts';
import { addressOf } from '../../shared/mail-address.ts';
import type { HookSettings } from './hook-store.ts';
import { mailFor } from './mail.ts';
import type { Mailer } from './mailer.ts';
import { requestFor } from './message.ts';
import { type SendOutcome, type SendSettings, send } from './send.ts';

export type DeliverySettings = Omit<SendSettings, 'timeoutMs'> & {
  /** Default: as long as the receivers of the format may take. */
  timeoutMs?: number | undefined;
  /** Absent where the operator has set no SMTP server. */
  mail?: Mailer | undefined;
};

const WITHIN_MS = 10_000;
/** A mail server may keep a stranger waiting on purpose, and Apprise answers when all of its services have. */
const SLOW: Partial<Record<HookFormat, number>> = { email: 20_000, apprise: 30_000 };

/** For a whole attempt. */
export const sendWithinMs = (format: HookFormat): number => SLOW[format] ?? WITHIN_MS;

type Sent = Omit<Parameters<typeof mailFor>[2], 'url' | 'secret' | 'at'>;

/** Rejects only when `settings.signal` is aborted: then the result is unknown. */
export function deliver(
  { url, format, secret }: Pick<HookSettings, 'url' | 'format' | 'secret'>,
  message: Sent,
  { mail, timeoutMs = sendWithinMs(format), ...settings }: DeliverySettings,
): Promise<SendOutcome> {
  const notification = { ...message, url, secret, at: settings.now() };
  if (format !== 'email') return send(url, requestFor(format, notification), { ...settings, timeoutMs });
  const to = addressOf(url);
  if (to === null || mail === undefined) {
    const reason = 'this service sends no e-mail: its operator has to set SMTP_URL and SMTP_FROM';
    return Promise.resolve({ isDelivered: false, status: null, reason, retryAfterMs: null });
  }
  return mail.send(mailFor(to, mail.from, notification), { ...settings, timeoutMs });
}
