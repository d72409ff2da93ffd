/** The settings of a deployment: CDK context values, given as `-c name=value` or in cdk.json. */
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { Origins, RequestLimit } from '../functions/context/config.ts';

const RATE = { error: 'expected a whole number from 1 on' };
const Rate = z.coerce.number(RATE).int(RATE).positive(RATE);
const Choice = z.union([z.boolean(), z.stringbool({ truthy: ['yes', 'true'], falsy: ['no', 'false'] })], {
  error: 'expected yes or no',
});

/** The retentions that CloudWatch supports. Unlimited is excluded, because its cost grows every month. */
const RETENTIONS = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === 'number' && days !== RetentionDays.INFINITE,
);
const DAYS = { error: `expected a number of days that CloudWatch supports: ${RETENTIONS.join(', ')}` };
const Retention = z.coerce.number(DAYS).refine((days): days is RetentionDays => RETENTIONS.includes(days), DAYS);

const HOST = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
const STREAM = /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]{3,255}\/stream\/[\dT:.-]{1,40}$/;
const CERTIFICATE = /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]{36}$/;

const Settings = z
  .object({
    /**
     * Name of the deployment, which is part of the URL and of the stack's name. Each needs a region or an account of
     * its own.
     */
    stage: z
      .string()
      .regex(/^[a-z][a-z0-9]{0,15}$/, { error: 'expected up to 16 lower-case letters and digits' })
      .default('prod'),
    /** Web origins whose pages may call the API, separated by commas; `*` for all. */
    corsOrigins: z
      .literal('')
      .transform((): string[] => [])
      .or(Origins)
      .default([]),
    /** Limit of all requests at the gateway, before tokens are checked. */
    requestsPerSecond: Rate.default(50),
    burst: Rate.default(100),
    /** Limit of the requests of one token in a minute, at each instance of a function; `off` for none. */
    tokenRequestsPerMinute: RequestLimit.default(600),
    /** Whether the table and the identities of the agents are kept when the stack is deleted. */
    keepData: Choice.default(true),
    /** An existing table: kept by `cdk destroy`, or restored from a backup. Otherwise a new one is created. */
    tableName: z
      .string()
      .regex(/^[\w.-]{3,255}$/, { error: 'expected the name of a DynamoDB table of this account and region' })
      .optional(),
    /** The stream of that table, with keys at least. Hooks learn from it what has happened. */
    tableStreamArn: z
      .string()
      .regex(STREAM, { error: 'expected the ARN of the stream of a DynamoDB table' })
      .optional(),
    /** Whether to use AWS WAF; about ten dollars a month. */
    firewall: Choice.default(false),
    /** A custom domain name for the API, and its certificate. */
    domainName: z
      .string()
      .regex(HOST, { error: 'expected a host name in lower case, such as lan.example.org' })
      .optional(),
    certificateArn: z
      .string()
      .regex(CERTIFICATE, { error: 'expected the ARN of a certificate of ACM, in the region of the stack' })
      .optional(),
    /** The Route 53 zone in which a record for `domainName` is created. */
    hostedZoneId: z
      .string()
      .regex(/^Z[A-Z0-9]{1,31}$/, { error: 'expected the id of a hosted zone of Route 53, such as Z0123456789ABC' })
      .optional(),
    /** Where alarms are sent. AWS asks the recipient for confirmation first. */
    alarmEmail: z.email({ error: 'expected an e-mail address' }).optional(),
    logRetentionDays: Retention.default(RetentionDays.ONE_MONTH),
  })
  .superRefine(({ domainName, certificateArn, hostedZoneId, tableName, tableStreamArn }, context) => {
    const needs = (name: string, other: string) =>
      context.addIssue({ code: 'custom', path: [name], message: `required together with ${other}` });
    if (tableName !== undefined && tableStreamArn === undefined) needs('tableStreamArn', 'tableName');
    if (tableName === undefined && tableStreamArn !== undefined) needs('tableName', 'tableStreamArn');
    if (domainName !== undefined && certificateArn === undefined) needs('certificateArn', 'domainName');
    if (domainName === undefined && certificateArn !== undefined) needs('domainName', 'certificateArn');
    if (domainName === undefined && hostedZoneId !== undefined) needs('domainName', 'hostedZoneId');
  });
export type Settings = z.infer<typeof Settings>;

/** Context keys of the CDK itself: `@aws-cdk/core:…`, `aws:cdk:…`, `availability-zones:account=…`. */
const NOT_A_SETTING = /[^A-Za-z0-9]/;

/** Invalid settings. The message names each of them. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/**
 * @param context all context values, including those of the CDK itself
 * @throws {SettingsError} naming every invalid value, and every unknown name
 */
export function readSettings(context: Record<string, unknown>): Settings {
  const given = Object.entries(context).filter(([name, value]) => !NOT_A_SETTING.test(name) && value !== undefined);
  const known = Object.keys(Settings.shape);
  const unknown = given.map(([name]) => name).filter((name) => !known.includes(name));
  const parsed = Settings.safeParse(Object.fromEntries(given));
  if (parsed.success && unknown.length === 0) return parsed.data;
  const wrong = (parsed.error?.issues ?? []).map(({ path, message }) => `-c ${String(path[0])}: ${message}`);
  const misspelt = unknown.map((name) => `-c ${name}: unknown setting; expected one of ${known.join(', ')}`);
  throw new SettingsError([...wrong, ...misspelt].join('\n'));
}
