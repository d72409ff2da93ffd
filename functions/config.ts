/** The configuration of the functions. No other module here reads the environment. */
import * as z from 'zod';
import { Stage } from '../shared/identity.ts';
import { SIGN_IN_SCHEMAS, type SignInValues } from './access/people/settings.ts';
import { faultOfMail, MAIL_SCHEMAS, type MailValues } from './hooks/mail-settings.ts';
import { LONGEST_WAIT_S } from './http/wait-slots.ts';

const Text = z.string();
const HttpUrl = z.url({ protocol: /^https?$/, error: 'expected a URL that starts with http:// or https://' });
const HOST = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::\d{1,5})?$/i;
const BROKER = /^mqtts:\/\/[a-z0-9][a-z0-9.-]*:\d{1,5}$/i;

/** Scheme, host and port, as a browser writes them into the Origin header; or `*`. */
const Origin = z.string().refine((text) => text === '*' || (URL.canParse(text) && new URL(text).origin === text), {
  error: 'expected origins such as https://dash.example.org, separated by commas, or *',
});
/** Origins separated by commas. */
export const Origins = z
  .string()
  .transform((text) => text.split(',').map((origin) => origin.trim()))
  .pipe(z.array(Origin));

const LIMIT = { error: 'expected a whole number from 1 to 1000000, or off' };
/** Requests per minute; null for no limit. */
export const RequestLimit = z.union(
  [z.literal('off').transform(() => null), z.coerce.number(LIMIT).int(LIMIT).min(1, LIMIT).max(1_000_000, LIMIT)],
  LIMIT,
);

const WAIT = { error: `expected a whole number of seconds from 1 to ${LONGEST_WAIT_S}` };
/** How long a call may wait for the end of a command, in seconds. */
export const LongestWait = z.coerce.number(WAIT).int(WAIT).min(1, WAIT).max(LONGEST_WAIT_S, WAIT);

/** A waiting call occupies a paid instance of a function, and new AWS accounts may have ten. */
export const CLOUD_LONGEST_WAIT_S = 25;

export const SECRET_ARN = /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]{1,519}$/;

const MEMORY = { error: 'expected a whole number of MB, 128 or more' };

/** The variables of the functions. Lambda itself sets those that begin with AWS_. */
const Environment = z.object({
  TABLE_NAME: Text.regex(/^[\w.-]{3,255}$/, { error: 'expected the name of a DynamoDB table' }),
  /** Another DynamoDB than that of the region, such as a local one. */
  DYNAMODB_ENDPOINT: HttpUrl.optional(),
  /** The deployment: part of topics, client ids and names of things. */
  STAGE: Stage,
  /** Host of the IoT data endpoint, with a TCP port unless it is 443. */
  IOT_ENDPOINT: Text.regex(HOST, { error: 'expected the host name of the IoT data endpoint' }),
  /** Where agents connect. */
  AGENT_BROKER: Text.regex(BROKER, { error: 'expected mqtts://<host>:<port>' }),
  /** The IoT policy attached to every agent. */
  AGENT_POLICY: Text.regex(/^[\w+=,.@-]{1,128}$/, { error: 'expected the name of an IoT policy' }),
  CORS_ORIGINS: Origins.default([]),
  /** Per token and instance of a function. */
  TOKEN_REQUESTS_PER_MINUTE: RequestLimit.default(600),
  LONGEST_WAIT: LongestWait.default(CLOUD_LONGEST_WAIT_S),
  /** The queue of the worker. */
  TASK_QUEUE_URL: HttpUrl,
  /** The API, from which the address of the web console follows. Only the worker has it. */
  API_URL: HttpUrl.optional(),
  /** The bucket with the agent release that is handed out. */
  RELEASES_BUCKET: Text.regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, {
    error: 'expected the name of a bucket',
  }).optional(),
  VERSION: Text.default('development'),
  AWS_REGION: Text.regex(/^[a-z]{2,4}(?:-[a-z]+)+-\d$/, { error: 'expected an AWS region' }),
  /** MB. */
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: z.coerce.number(MEMORY).int(MEMORY).min(128, MEMORY).default(512),
});

/** Additional variables of `functions/groups/lambda/access.ts`. */
const { PUBLIC_URL: _, ...SIGN_IN } = SIGN_IN_SCHEMAS;
const SignInEnvironment = z
  .object(SIGN_IN)
  .partial()
  .extend({
    OIDC_CLIENT_SECRET_ARN: Text.regex(SECRET_ARN, { error: 'expected the ARN of a secret' }).optional(),
  });

/** Additional variables of the functions that send e-mail: `access` the tests, and `worker`. */
const MailEnvironment = z
  .object(MAIL_SCHEMAS)
  .omit({ SMTP_TLS: true })
  .partial()
  .extend({
    SMTP_PASSWORD_ARN: Text.regex(SECRET_ARN, { error: 'expected the ARN of a secret' }).optional(),
  });

/** The variables of `functions/groups/lambda/console.ts`. */
const ConsoleEnvironment = Environment.pick({ CORS_ORIGINS: true });

const Keys = z.object({
  AWS_ACCESS_KEY_ID: Text,
  AWS_SECRET_ACCESS_KEY: Text,
  AWS_SESSION_TOKEN: Text.optional(),
});

type Variables = Readonly<Record<string, string | undefined>>;

/** A variable is missing or invalid. The message names it, and contains no secret. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** @throws {ConfigError} naming every variable that is missing or invalid */
export function readConfig(environment: Variables = process.env) {
  const values = read(Environment, environment);
  return {
    tableName: values.TABLE_NAME,
    dynamodbEndpoint: values.DYNAMODB_ENDPOINT ?? null,
    stage: values.STAGE,
    iotEndpoint: values.IOT_ENDPOINT,
    agentBroker: values.AGENT_BROKER,
    agentPolicy: values.AGENT_POLICY,
    corsOrigins: values.CORS_ORIGINS,
    tokenRequestsPerMinute: values.TOKEN_REQUESTS_PER_MINUTE,
    longestWaitS: values.LONGEST_WAIT,
    taskQueueUrl: values.TASK_QUEUE_URL,
    apiUrl: values.API_URL?.replace(/\/$/, '') ?? null,
    releasesBucket: values.RELEASES_BUCKET ?? null,
    version: values.VERSION,
    region: values.AWS_REGION,
    memoryMb: values.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  };
}
/** Optional settings are null where they are not set; `apiUrl` has no trailing slash. */
export type Config = ReturnType<typeof readConfig>;

/** @throws {ConfigError} naming every variable that is invalid */
export function readSignInConfig(environment: Variables = process.env): SignInValues & { secretArn: string | null } {
  const { OIDC_CLIENT_SECRET_ARN, ...values } = read(SignInEnvironment, environment);
  return { ...values, secretArn: OIDC_CLIENT_SECRET_ARN ?? null };
}

/** @throws {ConfigError} naming every variable that is invalid, or missing beside another one */
export function readMailConfig(environment: Variables = process.env): MailValues & { passwordArn: string | null } {
  const { SMTP_PASSWORD_ARN: passwordArn, ...values } = read(MailEnvironment, environment);
  const fault = faultOfMail(values, passwordArn !== undefined);
  if (fault !== null) throw new ConfigError(`${fault.name}: ${fault.message}`);
  return { ...values, passwordArn: passwordArn ?? null };
}

/** @throws {ConfigError} naming every variable that is invalid */
export function readConsoleConfig(environment: Variables = process.env): Pick<Config, 'corsOrigins'> {
  return { corsOrigins: read(ConsoleEnvironment, environment).CORS_ORIGINS };
}

/**
 * The credentials of the function's role. Read for each signature and never kept, because Lambda replaces them while the
 * function lives.
 * @throws {ConfigError} when there are none
 */
export function readCredentials(environment: Variables = process.env) {
  const values = read(Keys, environment);
  return {
    accessKeyId: values.AWS_ACCESS_KEY_ID,
    secretAccessKey: values.AWS_SECRET_ACCESS_KEY,
    sessionToken: values.AWS_SESSION_TOKEN ?? null,
  };
}
/** `sessionToken` is null for the keys of a user. */
export type Credentials = ReturnType<typeof readCredentials>;

/** An empty variable counts as not set. */
function read<Schema extends z.ZodObject>(schema: Schema, environment: Variables): z.output<Schema> {
  const given = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, environment[name] || undefined]));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path: [name], message }) => {
    return given[String(name)] === undefined ? `${String(name)} is not set` : `${String(name)}: ${message}`;
  });
  throw new ConfigError(problems.join('\n'));
}
