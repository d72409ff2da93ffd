/** The settings of `npm start`. The only module of the server that reads the environment. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import * as z from 'zod';
import {
  placeIn,
  SIGN_IN_DEFAULTS,
  SIGN_IN_SCHEMAS,
  type SignInSettings,
  signInSettings,
} from '../functions/access/people/settings.ts';
import { LongestWait, Origins, RequestLimit } from '../functions/config.ts';
import { faultOfMail, MAIL_SCHEMAS, type MailSettings, mailSettings } from '../functions/hooks/mail-settings.ts';
import { tokenId } from '../functions/http/token.ts';
import { LONGEST_WAIT_S } from '../functions/http/wait-slots.ts';
import { WatchedNetwork } from '../shared/agent/discovery.ts';
import { type IpRange, parseRange } from '../shared/network.ts';

const PORT = { error: 'expected a whole number from 0 to 65535' };
const Port = z.coerce.number(PORT).int(PORT).min(0, PORT).max(65_535, PORT);
const HttpUrl = z.url({ protocol: /^https?$/, error: 'expected a URL that starts with http:// or https://' });
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Networks of a site. */
const MAX_NETWORKS = 32;

/** `auto`, `off`, or networks in one text, separated by commas. */
const Discover = z.string().transform((text, context): 'auto' | 'off' | string[] => {
  if (text === 'auto' || text === 'off') return text;
  const networks = text.split(',').map((network) => WatchedNetwork.safeParse(network.trim()));
  const known = networks.flatMap(({ data }) => data ?? []);
  if (known.length === networks.length && known.length <= MAX_NETWORKS) return known;
  const message = `expected auto, off, or 1 to ${MAX_NETWORKS} IPv4 networks such as 192.168.1.0/24 (/20 or longer), separated by commas`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** Addresses and networks in one text, separated by commas. */
const Networks = z.string().transform((text, context): IpRange[] => {
  const networks = text.split(',').map((network) => parseRange(network.trim()));
  const known = networks.filter((network) => network !== null);
  if (known.length === networks.length) return known;
  const message = 'expected addresses or networks such as 10.0.0.2 or 10.0.0.0/24, separated by commas';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

interface Setting<Schema extends z.ZodType> {
  /** Parses the text of the variable. An empty variable counts as unset. */
  schema: Schema;
  /** The default, as text for the help. */
  without: string;
  meaning: string;
}

function setting<Schema extends z.ZodType>(schema: Schema, without: string, meaning: string): Setting<Schema> {
  return { schema, without, meaning };
}

/** Every variable that `npm start` reads. */
export const SETTINGS = {
  PORT: setting(Port.default(8787), '8787', 'TCP port of the API; 0 selects a free one'),
  HOST: setting(
    z
      .string()
      .refine((host) => isIP(host) !== 0 || HOST_NAME.test(host), { error: 'expected an address or a host name' })
      .default('127.0.0.1'),
    '127.0.0.1',
    'Address on which the API and the broker listen; 0.0.0.0 accepts connections of other hosts',
  ),
  MQTT_PORT: setting(Port.optional(), '8883', 'TCP port of the broker; by default another one if 8883 is in use'),
  API_TOKEN: setting(
    z
      .string()
      .refine((token) => tokenId(token) !== null, {
        error:
          'expected 16 to 200 printable ASCII characters without blanks; only tokens that LanReach has made begin with lr_',
      })
      .optional(),
    'created at the first start',
    'API token with all rights, sent as Authorization: Bearer <token>',
  ),
  LANREACH_DATA: setting(z.string().default('./.lanreach'), './.lanreach', 'Folder for all stored data'),
  DYNAMODB_ENDPOINT: setting(HttpUrl.optional(), 'the embedded database', 'URL of another DynamoDB'),
  DISCOVER: setting(
    Discover.optional(),
    'the stored setting; off at first',
    'Networks in which the site home discovers devices: auto (the networks of this host), networks such as 192.168.1.0/24 separated by commas, or off',
  ),
  INTERNET_INFO_URL: setting(
    HttpUrl.optional(),
    'public providers',
    'URL that responds with JSON of ip, city, country and org, for internetinfo',
  ),
  SPEEDTEST_SERVER: setting(
    HttpUrl.optional(),
    'a public provider',
    'Base URL of a LibreSpeed-compatible server, for speedtest',
  ),
  CORS_ORIGINS: setting(Origins.default([]), 'none', 'Web origins whose pages may call the API, separated by commas'),
  TOKEN_REQUESTS_PER_MINUTE: setting(
    RequestLimit.default(6_000),
    '6000',
    'Requests a minute with one token, or off; the excess gets 429',
  ),
  LONGEST_WAIT: setting(
    LongestWait.default(LONGEST_WAIT_S),
    String(LONGEST_WAIT_S),
    'Seconds that a request waits for the end of a command; then it gets 202 and the job',
  ),
  TRUSTED_PROXIES: setting(
    Networks.default([]),
    'none',
    'Addresses or networks of the reverse proxies in front, separated by commas: their X-Forwarded-For counts as the address of the client',
  ),
  HOOKS_ALLOW_PRIVATE: setting(
    z
      .enum(['lan', 'yes', 'true', 'no', 'false'], { error: 'expected lan, yes or no' })
      .default('lan')
      .transform((text) => (text === 'lan' ? text : text === 'yes' || text === 'true')),
    'lan',
    'Which private addresses hooks may reach, also with http://: "lan" those of RFC 1918 and ULA, "yes" also this host and overlay networks, "no" none',
  ),
  SMTP_URL: setting(
    MAIL_SCHEMAS.SMTP_URL.optional(),
    'none: no e-mail',
    'SMTP server for notifications by e-mail: smtps://<host> (TLS, port 465) or smtp://<host> (STARTTLS, port 587)',
  ),
  SMTP_FROM: setting(MAIL_SCHEMAS.SMTP_FROM.optional(), 'none', 'Address of the sender, such as lan@example.org'),
  SMTP_USER: setting(MAIL_SCHEMAS.SMTP_USER.optional(), 'none: without a login', 'User name at that server'),
  SMTP_PASSWORD: setting(z.string().max(1_000).optional(), 'none', 'Password at that server'),
  SMTP_PASSWORD_FILE: setting(z.string().optional(), 'none', 'File with that password, read again every hour'),
  SMTP_TLS: setting(
    MAIL_SCHEMAS.SMTP_TLS.default('required'),
    'required',
    '"off" sends in clear, for a relay on this host or the LAN that has no TLS',
  ),
  ALLOWED_HOSTS: setting(
    z
      .string()
      .transform((text) => text.split(',').map((name) => name.trim()))
      .pipe(z.array(z.string().regex(HOST_NAME, { error: 'expected host names, separated by commas' })))
      .default([]),
    'localhost, addresses, and HOST',
    'Further host names for /mcp, separated by commas, such as that of a reverse proxy',
  ),
  PUBLIC_URL: setting(
    SIGN_IN_SCHEMAS.PUBLIC_URL.optional(),
    'the address of each request',
    'URL of the API as browsers open it, such as https://lan.example.org behind a reverse proxy',
  ),
  OIDC_ISSUER: setting(
    SIGN_IN_SCHEMAS.OIDC_ISSUER.optional(),
    'none: people use tokens',
    'Issuer of the OpenID provider with which people sign in; docs/people.md',
  ),
  OIDC_NAME: setting(SIGN_IN_SCHEMAS.OIDC_NAME.optional(), 'the host of the issuer', 'Name of the provider'),
  OIDC_CLIENT_ID: setting(
    SIGN_IN_SCHEMAS.OIDC_CLIENT_ID.optional(),
    'none',
    'Id of this service at the provider, where <PUBLIC_URL>/sign-in/callback is entered',
  ),
  OIDC_CLIENT_SECRET: setting(
    z.string().max(1_000).optional(),
    'none: a public client',
    'Secret of this service at the provider',
  ),
  OIDC_CLIENT_SECRET_FILE: setting(z.string().optional(), 'none', 'File with that secret, read again every hour'),
  OIDC_SCOPES: setting(
    SIGN_IN_SCHEMAS.OIDC_SCOPES.optional(),
    SIGN_IN_DEFAULTS.scopes,
    'Scopes to request from the provider, separated by blanks',
  ),
  OIDC_ROLES: setting(
    SIGN_IN_SCHEMAS.OIDC_ROLES.optional(),
    'none: an administrator gives roles',
    'Roles by claims: JSON such as [{"claim":"groups","value":"netops","role":"operator","sites":"*"}]',
  ),
  SESSION_HOURS: setting(
    SIGN_IN_SCHEMAS.SESSION_HOURS.optional(),
    String(SIGN_IN_DEFAULTS.sessionHours),
    'Hours after which people must sign in again',
  ),
  LANREACH_RELEASES: setting(
    z.string().optional(),
    'dist/packages beside the program',
    'Folder with the release of the agent that this service offers, made by "npm run package"',
  ),
  LANREACH_INSTALL: setting(
    z.stringbool({ truthy: ['yes'], falsy: ['no'], error: 'expected yes or no' }).default(true),
    'yes',
    'Whether to install missing programs; with "no" the start only lists them',
  ),
  LOG_LEVEL: setting(
    z.enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(', ')}` }).default('warn'),
    'warn',
    'Least severity that is logged to standard error; info shows every request',
  ),
} satisfies Record<string, Setting<z.ZodType>>;

type Values = { [Name in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[Name]['schema']> };

export type LocalConfig = ReturnType<typeof readConfig>;

/** The commands of server and command line: in a clone, whose script `start` npm runs, or in an installed package. */
export function typedNames(environment: NodeJS.ProcessEnv = process.env): { server: string; client: string } {
  return environment.npm_lifecycle_event === 'start'
    ? { server: 'npm start --', client: 'npx lanreach' }
    : { server: 'lanreach-server', client: 'lanreach' };
}

/** An invalid variable. The message names it and what is expected. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** @throws {ConfigError} naming every invalid variable */
export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  const values = readSettings(environment);
  return {
    port: values.PORT,
    host: values.HOST,
    /** Null: 8883, or a free one if it is in use. */
    mqttPort: values.MQTT_PORT ?? null,
    /** Null: the one in the data folder, or a new one. */
    apiToken: values.API_TOKEN ?? null,
    dataFolder: values.LANREACH_DATA,
    /** Null: the embedded database. */
    dynamodbEndpoint: values.DYNAMODB_ENDPOINT ?? null,
    // The AWS SDK finds credentials on its own; here we only need to know whether it will.
    /** For another DynamoDB. */
    awsRegion: environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'local',
    hasAwsCredentials: Boolean(environment.AWS_ACCESS_KEY_ID || environment.AWS_PROFILE),
    internetInfoUrl: values.INTERNET_INFO_URL ?? null,
    /** The networks in which the site of this machine discovers devices; null: the stored setting. */
    discover: values.DISCOVER ?? null,
    speedtestServer: values.SPEEDTEST_SERVER ?? null,
    corsOrigins: values.CORS_ORIGINS,
    /** Null: no limit. */
    tokenRequestsPerMinute: values.TOKEN_REQUESTS_PER_MINUTE,
    longestWaitS: values.LONGEST_WAIT,
    trustedProxies: values.TRUSTED_PROXIES,
    hooksAllowPrivate: values.HOOKS_ALLOW_PRIVATE,
    /** Host names for /mcp, besides localhost and addresses. */
    allowedHosts: [...(isIP(values.HOST) === 0 ? [values.HOST] : []), ...values.ALLOWED_HOSTS],
    /** Null without an SMTP server. */
    mail: mail(values),
    /** The URL of the API for browsers; null: that of each request. */
    publicUrl: values.PUBLIC_URL ?? null,
    /** Null without an identity provider. */
    signIn: signIn(values),
    /** Null: `dist/packages`. */
    releasesFolder: values.LANREACH_RELEASES ?? null,
    installPrograms: values.LANREACH_INSTALL,
    logLevel: values.LOG_LEVEL,
    /** Whether npm started this process, which then ends with npm. */
    isStartedByNpm: Boolean(environment.npm_lifecycle_event),
    /** The environment for child processes, without our secrets. */
    childEnvironment: childEnvironment(environment),
  };
}

/** @throws {ConfigError} if a variable that another one requires is missing */
function signIn(values: Values): SignInSettings | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: secret } = values;
  if ((issuer === undefined) !== (clientId === undefined)) {
    const [missing, given] =
      issuer === undefined ? ['OIDC_ISSUER', 'OIDC_CLIENT_ID'] : ['OIDC_CLIENT_ID', 'OIDC_ISSUER'];
    throw new ConfigError(`${missing}: required together with ${given}`);
  }
  const { OIDC_CLIENT_SECRET_FILE: file } = values;
  if (issuer !== undefined && file !== undefined) requireSecretFile('OIDC_CLIENT_SECRET_FILE', file);
  return signInSettings(values, secretFrom(secret, file));
}

/** @throws {ConfigError} if settings of e-mail do not fit together */
function mail(values: Values): MailSettings | null {
  const { SMTP_PASSWORD: password, SMTP_PASSWORD_FILE: file } = values;
  const fault = faultOfMail(values, (password ?? file) !== undefined);
  if (fault !== null) throw new ConfigError(`${fault.name}: ${fault.message}`);
  if (file !== undefined) requireSecretFile('SMTP_PASSWORD_FILE', file);
  return mailSettings(values, secretFrom(password, file));
}

const secretFrom = (secret: string | undefined, file: string | undefined) => async () =>
  file === undefined ? (secret ?? null) : (await readFile(file, 'utf8')).trim();

/** At the start, and not when the secret is needed for the first time. */
function requireSecretFile(name: string, file: string): void {
  try {
    readFileSync(file);
  } catch (error) {
    throw new ConfigError(`${name}: cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Suppresses a notice of the AWS client on Node.js 20: our version is pinned. Call it before the first client. */
export function muteVersionNotice(environment: NodeJS.ProcessEnv = process.env): void {
  environment.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
}

/** Variables with a secret; a URL may have a password in it by mistake. */
const SECRETS = ['API_TOKEN', 'OIDC_CLIENT_SECRET', 'SMTP_PASSWORD', 'SMTP_URL'];

function readSettings(environment: NodeJS.ProcessEnv): Values {
  const names = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];
  const given = Object.fromEntries(names.map((name) => [name, environment[name] || undefined]));
  const shape = Object.fromEntries(names.map((name) => [name, SETTINGS[name].schema]));
  const parsed = z.object(shape).safeParse(given);
  if (parsed.success) return parsed.data as Values;
  const problems = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    // An invalid value may still be a secret.
    const value = SECRETS.includes(name) ? '' : ` (it is "${environment[name]}")`;
    return `${name}: ${placeIn(issue.path.slice(1))}${issue.message}${value}`;
  });
  throw new ConfigError(problems.join('\n'));
}

/** A child needs neither our token nor the keys of a cloud account. */
const PASSED_ON =
  /^(?:PATH|HOME|USER|LOGNAME|TMPDIR|TZ|LANG|LC_\w+|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|(?:https?|all|no)_proxy)$/i;

export function childEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => PASSED_ON.test(name)));
}
