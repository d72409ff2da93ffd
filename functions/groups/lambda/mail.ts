/** E-mail in Lambda, with the password in Secrets Manager. */
import { storedSecret } from '../../access/people/stored-secret.ts';
import { type Config, readMailConfig } from '../../config.ts';
import { mailSettings } from '../../hooks/mail-settings.ts';
import { type Mailer, openMailer } from '../../hooks/mailer.ts';

/** Nothing in it without an SMTP server. */
export function mailInLambda({ region }: Pick<Config, 'region'>): { mail?: Mailer } {
  const { passwordArn, ...values } = readMailConfig();
  const settings = mailSettings(values, passwordArn === null ? async () => null : storedSecret(passwordArn, region));
  return settings === null ? {} : { mail: openMailer(settings) };
}
