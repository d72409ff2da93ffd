/**
 * Sends one e-mail to one recipient, over a connection of its own.
 * @promise An e-mail reaches only the address of its hook, over TLS unless the operator has switched it off:
 *   `test/hooks/mail.test.ts`.
 */

import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { codeOf } from '../../shared/errno.ts';
import { legibleData, oneLine, startOf } from '../../shared/text.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { Mail } from './mail.ts';
import type { MailSettings } from './mail-settings.ts';
import type { SendOutcome, SendSettings } from './send.ts';

export interface Mailer {
  /** The sender, whose domain is that of the ids of messages. */
  from: string;
  /** No reason contains the password. It rejects only when the signal is aborted, because the result is then unknown. */
  send(mail: Mail, settings: Pick<SendSettings, 'now' | 'timeoutMs' | 'signal'>): Promise<SendOutcome>;
}

/** After a rejected password, no process tries it again so soon: many servers lock an account after some attempts. */
const LOCKED_MS = 15 * MINUTE_MS;
/** The secret may be replaced while the process runs. */
const PASSWORD_KEPT_MS = 60 * MINUTE_MS;
const MAX_ANSWER_CHARACTERS = 200;
const QUIT_MS = 2_000;

/** What nodemailer adds to errors. */
interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
  response?: string;
}

/** With QUIT, whose answer no caller waits for. */
function endPolitely(connection: SMTPConnection): void {
  const timer = setTimeout(() => connection.close(), QUIT_MS);
  connection.once('end', () => clearTimeout(timer));
  connection.quit();
}

/** @param tls for tests: a certificate authority of their own */
export function openMailer(settings: MailSettings, tls: { ca?: string } = {}): Mailer {
  let lockedUntil = 0;
  let password: { value: string; until: number } | null = null;

  async function credentials(now: number): Promise<{ user: string; pass: string } | null> {
    const { user } = settings;
    if (user === null) return null;
    if (password === null || password.until < now)
      password = { value: (await settings.password()) ?? '', until: now + PASSWORD_KEPT_MS };
    return { user, pass: password.value };
  }

  function outcomeOf(error: SmtpError, now: number): SendOutcome {
    const { code = '', command = '', responseCode: status = null } = error;
    const failed = (reason: string, more: object = {}): SendOutcome => ({
      ...{ isDelivered: false, status, reason, retryAfterMs: null },
      ...more,
    });
    if (code === 'EAUTH' || code === 'ENOAUTH') {
      lockedUntil = now + LOCKED_MS;
      password = null;
      // Without its words, which could repeat what was sent.
      return failed('the mail server has rejected the user name or the password', { retryAfterMs: LOCKED_MS });
    }
    if (code === 'ETLS' && command === 'STARTTLS') return failed('the mail server offers no TLS');
    if (status === null) {
      const certificate = /certificate|altnames/i.test(error.message) ? ': its certificate is not trusted' : '';
      return failed(`no connection to the mail server: ${code || codeOf(error) || 'unknown error'}${certificate}`);
    }
    const said = startOf(oneLine(String(legibleData(error.response ?? ''))), MAX_ANSWER_CHARACTERS);
    // What concerns this message or recipient will not change; a refused connection may.
    const isFinal = status >= 500 && /^(?:MAIL FROM|RCPT TO|DATA)/.test(command);
    return failed(`the mail server answered ${said || status}`, { isFinal });
  }

  async function transmit(mail: Mail, signal: AbortSignal, now: number): Promise<SendOutcome> {
    const auth = await credentials(now);
    const [{ default: MailComposer }, { default: Connection }] = await Promise.all([
      import('nodemailer/lib/mail-composer'),
      import('nodemailer/lib/smtp-connection'),
    ]);
    const { to, subject, text, html, messageId, inReplyTo, headers } = mail;
    const message = await new MailComposer({
      from: { name: 'LanReach', address: settings.from },
      to: { name: '', address: to },
      ...{ subject, text, html, messageId, headers },
      ...(inReplyTo === null ? {} : { inReplyTo, references: inReplyTo }),
      ...{ disableFileAccess: true, disableUrlAccess: true, newline: '\r\n' },
    })
      .compile()
      .build();
    const { host, port, isSecure, needsTls } = settings;
    const wait = 10_000;
    const connection = new Connection({
      ...{ host, port, secure: isSecure, requireTLS: needsTls, ignoreTLS: !needsTls, logger: false },
      ...{ connectionTimeout: wait, greetingTimeout: 2 * wait, socketTimeout: 2 * wait, dnsTimeout: wait },
      tls: { minVersion: 'TLSv1.2', ...tls },
    });
    let isSent = false;
    try {
      signal.throwIfAborted();
      return await new Promise<SendOutcome>((resolve, reject) => {
        connection.on('error', reject);
        connection.once('end', () => reject(new Error('closed')));
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        const transfer = () =>
          connection.send({ from: settings.from, to: [to] }, message, (error, info) => {
            if (error) return reject(error);
            isSent = true;
            resolve({ isDelivered: true, status: Number(/^\d{3}/.exec(info?.response ?? '')?.[0] ?? 250) });
          });
        connection.connect((error) => {
          if (error) return reject(error);
          if (auth === null) return transfer();
          connection.login({ credentials: auth }, (refused) => (refused ? reject(refused) : transfer()));
        });
      });
    } finally {
      if (isSent) endPolitely(connection);
      else connection.close();
    }
  }

  return {
    from: settings.from,
    async send(mail, { now, timeoutMs, signal }) {
      const at = now().getTime();
      if (at < lockedUntil) {
        const reason = 'the mail server has rejected the user name or the password; it is not tried again so soon';
        return { isDelivered: false, status: null, reason, retryAfterMs: lockedUntil - at };
      }
      const late = AbortSignal.timeout(timeoutMs);
      try {
        return await transmit(mail, signal ? AbortSignal.any([late, signal]) : late, at);
      } catch (error) {
        if (signal?.aborted) throw error;
        if (late.aborted) {
          const reason = `no answer of the mail server within ${timeoutMs / 1000} s`;
          return { isDelivered: false, status: null, reason, retryAfterMs: null };
        }
        return outcomeOf(error as SmtpError, at);
      }
    },
  };
}
