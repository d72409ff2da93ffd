/** The operator's settings for sign-in, the same on one machine and for a deployment. */
import * as z from 'zod';
import { Grant } from '../../../shared/api/records.ts';
import { orNull } from '../../../shared/problem.ts';

/** Whether traffic stays on this host, and so needs no TLS. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Grants a role to the people with this claim. */
export const RoleRule = z.strictObject({
  /** The name of a claim, such as `groups`. */
  claim: z.string().min(1).max(200),
  /** Its value, or one of its values; `*` for any. */
  value: z.string().min(1).max(500),
  ...Grant.shape,
});
export type RoleRule = z.infer<typeof RoleRule>;

const RULES_EXPECTED =
  'expected JSON such as [{"claim":"groups","value":"netops","role":"operator","sites":["home","tag:customers"]}]';

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback({ hostname } as URL));
  return isSafe && search === '' && hash === '' && username === '';
}

export const SIGN_IN_SCHEMAS = {
  OIDC_ISSUER: z
    .string()
    .max(500)
    // The library also accepts an address of metadata, and then checks no issuer.
    .refine((text) => isPlainUrl(text) && !text.includes('/.well-known/'), {
      error:
        'expected the issuer as the provider names it, such as https://login.example.org/realms/office; http:// is only for a provider on this host',
    }),
  OIDC_NAME: z.string().min(1).max(60),
  OIDC_CLIENT_ID: z.string().regex(/^[\x21-\x7e]{1,300}$/, { error: 'expected the id of a client at the provider' }),
  OIDC_SCOPES: z
    .string()
    .max(500)
    .refine((text) => text.split(' ').includes('openid') && /^[\x21\x23-\x5b\x5d-\x7e ]+$/.test(text), {
      error: 'expected scopes with blanks between them, of which one is openid',
    }),
  OIDC_ROLES: z.preprocess(parsedJson, z.array(RoleRule, { error: RULES_EXPECTED }).max(50)),
  SESSION_HOURS: z.coerce
    .number({ error: 'expected hours from 1 to 168' })
    .min(1, { error: 'expected hours from 1 to 168' })
    .max(168, { error: 'expected hours from 1 to 168' }),
  PUBLIC_URL: z
    .string()
    .refine((text) => isPlainUrl(text), {
      error: 'expected the URL of the API as browsers open it, such as https://lan.example.org',
    })
    .transform((text) => text.replace(/\/+$/, '')),
};

export const SIGN_IN_DEFAULTS = { scopes: 'openid email profile', sessionHours: 12 };

/** The place of a fault in a value, as the prefix of a message: `[0].role: `; empty for the whole value. */
export function placeIn(path: readonly PropertyKey[]): string {
  const steps = path.map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${String(key)}`));
  return steps.length === 0 ? '' : `${steps.join('')}: `;
}

function parsedJson(given: unknown): unknown {
  return typeof given === 'string' ? (orNull(() => JSON.parse(given)) ?? given) : given;
}

/** By the names of the variables. */
export type SignInValues = {
  [Name in Exclude<keyof typeof SIGN_IN_SCHEMAS, 'PUBLIC_URL'>]?: z.output<(typeof SIGN_IN_SCHEMAS)[Name]> | undefined;
};

export interface ProviderSettings {
  /** As in the ID tokens. */
  issuer: string;
  clientId: string;
  /** Read with the metadata, so that it can change; null for a public client, which uses PKCE alone. */
  clientSecret(): Promise<string | null>;
  scopes: string;
  /** For each request to the provider. Default: five seconds. */
  timeoutMs?: number;
}

export interface SignInSettings extends ProviderSettings {
  /** Of the provider, for a button. */
  name: string;
  rules: readonly RoleRule[];
  sessionHours: number;
}

/** @returns null without an issuer */
export function signInSettings(
  values: SignInValues,
  clientSecret: SignInSettings['clientSecret'],
): SignInSettings | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = values;
  if (issuer === undefined || clientId === undefined) return null;
  return {
    issuer,
    name: values.OIDC_NAME ?? new URL(issuer).host,
    clientId,
    clientSecret,
    scopes: values.OIDC_SCOPES ?? SIGN_IN_DEFAULTS.scopes,
    rules: values.OIDC_ROLES ?? [],
    sessionHours: values.SESSION_HOURS ?? SIGN_IN_DEFAULTS.sessionHours,
  };
}
