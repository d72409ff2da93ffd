/** The operator's settings for e-mail, the same on one machine and for a deployment. */
import * as z from 'zod';
import { MAIL_ADDRESS_EXPECTED, parseMailAddress } from '../../shared/mail-address.ts';

const URL_EXPECTED =
  'expected smtps://<host> (TLS from the start, port 465) or smtp://<host> (STARTTLS, port 587), with a port if it is another one; user and password have settings of their own';

interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the start; otherwise by STARTTLS. */
  isSecure: boolean;
}

/** The texts are kept as they are, because they also go into the variables of functions. */
const SmtpUrl = z
  .string()
  .max(300)
  .refine((text) => parseSmtpUrl(text) !== null, { error: URL_EXPECTED });

function parseSmtpUrl(text: string): SmtpServer | null {
  const [, scheme, name = '', port] =
    /^(smtps?):\/\/([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(\d{1,5}))?\/?$/i.exec(text) ?? [];
  if (scheme === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null;
  const isSecure = scheme.toLowerCase() === 'smtps';
  return { host: name.replace(/^\[|\]$/g, ''), port: Number(port ?? (isSecure ? 465 : 587)), isSecure };
}

export const MAIL_SCHEMAS = {
  SMTP_URL: SmtpUrl,
  SMTP_FROM: z.string().refine((text) => parseMailAddress(text) !== null, { error: MAIL_ADDRESS_EXPECTED }),
  SMTP_USER: z.string().regex(/^[\x21-\x7e]{1,200}$/, { error: 'expected the user name at the SMTP server' }),
  SMTP_TLS: z.enum(['required', 'off'], { error: 'expected required or off' }),
};
export type MailValues = { [Name in keyof typeof MAIL_SCHEMAS]?: z.output<(typeof MAIL_SCHEMAS)[Name]> | undefined };

export interface MailSettings extends SmtpServer {
  /** Whether TLS is required, which `off` ends for a relay on this host or the LAN. */
  needsTls: boolean;
  /** The sender of every message, also of the envelope. */
  from: string;
  user: string | null;
  password(): Promise<string | null>;
}

/** What is missing among the settings, by its name; null when nothing is. */
export function faultOfMail(
  { SMTP_URL, SMTP_FROM, SMTP_USER, SMTP_TLS }: MailValues,
  hasPassword: boolean,
): { name: string; message: string } | null {
  const together = (name: string, other: string) => ({ name, message: `required together with ${other}` });
  if (SMTP_URL === undefined && SMTP_FROM !== undefined) return together('SMTP_URL', 'SMTP_FROM');
  if (SMTP_URL !== undefined && SMTP_FROM === undefined) return together('SMTP_FROM', 'SMTP_URL');
  if (SMTP_URL === undefined && (SMTP_USER !== undefined || hasPassword)) return together('SMTP_URL', 'SMTP_USER');
  if (SMTP_USER === undefined && hasPassword) return together('SMTP_USER', 'a password');
  if (SMTP_USER !== undefined && !hasPassword)
    return { name: 'SMTP_PASSWORD', message: 'required together with SMTP_USER' };
  if (SMTP_TLS === 'off' && SMTP_USER !== undefined)
    return { name: 'SMTP_TLS', message: 'expected required: without TLS the password would be sent in clear' };
  return null;
}

/** Null without an SMTP server: then there is no e-mail. */
export function mailSettings(values: MailValues, password: MailSettings['password']): MailSettings | null {
  const { SMTP_URL = '', SMTP_FROM = '', SMTP_USER, SMTP_TLS = 'required' } = values;
  const server = parseSmtpUrl(SMTP_URL);
  const from = parseMailAddress(SMTP_FROM);
  if (server === null || from === null) return null;
  return { ...server, needsTls: SMTP_TLS === 'required', from, user: SMTP_USER ?? null, password };
}
