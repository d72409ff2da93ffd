/** Settings of the deployments that more than one file of tests looks at. */
import { ACCOUNT, REGION } from './policy.ts';

export const CERTIFICATE = `arn:aws:acm:${REGION}:${ACCOUNT}:certificate/01234567-89ab-cdef-0123-456789abcdef`;
export const KEY = `arn:aws:kms:${REGION}:${ACCOUNT}:key/01234567-89ab-cdef-0123-456789abcdef`;
export const SECRET = `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:lanreach-oidc-AbCdEf`;
export const SMTP_SECRET = SECRET.replace('oidc', 'smtp');
export const MAIL = {
  smtpUrl: `smtps://email-smtp.${REGION}.amazonaws.com`,
  smtpFrom: 'lan@example.org',
  smtpUser: 'AKIDEXAMPLE',
  smtpPasswordSecretArn: SMTP_SECRET,
};
export const SIGN_IN = {
  oidcIssuer: 'https://login.example.org',
  oidcClientId: 'lanreach',
  oidcClientSecretArn: SECRET,
};
export const DOMAIN = { domainName: 'lan.example.org', certificateArn: CERTIFICATE };

/** In the same region as `prod`, whose name begins like this one: a pattern without an end would match both. */
export const PROD2 = {
  ...DOMAIN,
  ...SIGN_IN,
  stage: 'prod2',
  keepData: 'no',
  corsOrigins: 'https://a.example',
  kmsKeyArn: KEY,
};
