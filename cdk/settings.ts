/** The settings of a deployment: CDK context values, from lanreach.settings.json or from `-c name=value`, which wins. */
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { placeIn, SIGN_IN_SCHEMAS } from '../functions/access/people/settings.ts';
import { CLOUD_LONGEST_WAIT_S, LongestWait, Origins, RequestLimit, SECRET_ARN } from '../functions/config.ts';
import { MAIL_SCHEMAS } from '../functions/hooks/mail-settings.ts';
import { Stage } from '../shared/identity.ts';
import { givenSettings, SettingsError } from './settings-file.ts';

const RATE = { error: 'expected a whole number from 1 on' };
const Rate = z.coerce.number(RATE).int(RATE).positive(RATE);
const RESERVED = { error: 'expected a whole number from 4 to 1000' };
/** Ingest has two queues, and Lambda polls each with at least two instances. */
const Reserved = z.coerce.number(RESERVED).int(RESERVED).min(4, RESERVED).max(1_000, RESERVED);
const Choice = z.union([z.boolean(), z.stringbool({ truthy: ['yes', 'true'], falsy: ['no', 'false'] })], {
  error: 'expected yes or no',
});

/** The retentions that CloudWatch supports; not the unlimited one, whose cost grows every month. */
const RETENTIONS = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === 'number' && days !== RetentionDays.INFINITE,
);
const DAYS = { error: `expected a number of days that CloudWatch supports: ${RETENTIONS.join(', ')}` };
const Retention = z.coerce.number(DAYS).refine((days): days is RetentionDays => RETENTIONS.includes(days), DAYS);

const text = (pattern: RegExp, expected: string) => z.string().regex(pattern, { error: `expected ${expected}` });
const HOST = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
const CERTIFICATE = /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]{36}$/;
const KEY = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[0-9a-z-]{36}$/;

const TAGS = {
  error: 'expected name=value, separated by commas: letters, digits, spaces and _.:/+@-; no name twice or with aws:',
};
/** Without the two separators. AWS allows 50 tags, names of 128 characters and values of 256. */
const TAG = /^(?!aws:)([\p{L}\p{N}\p{Z}_.:/+@-]{1,128})=([\p{L}\p{N}\p{Z}_.:/+@-]{0,256})$/iu;
const Tags = z.string(TAGS).transform((text, context): Record<string, string> => {
  const tags = text.split(',').map((tag) => TAG.exec(tag.trim()));
  const names = new Set(tags.map((tag) => tag?.[1]));
  if (tags.includes(null) || names.size < tags.length || tags.length > 50) {
    context.addIssue({ code: 'custom', message: TAGS.error });
    return z.NEVER;
  }
  return Object.fromEntries(tags.map((tag) => [tag?.[1] ?? '', tag?.[2] ?? '']));
});

/** Settings that others require. */
const NEEDED_BY = {
  certificateArn: ['domainName'],
  domainName: ['certificateArn', 'hostedZoneId'],
  alarmEmail: ['monthlyBudget'],
  brokerCertificateArn: ['brokerDomain'],
  brokerDomain: ['brokerCertificateArn'],
  oidcIssuer: ['oidcClientId', 'oidcClientSecretArn', 'oidcRoles'],
  oidcClientId: ['oidcIssuer'],
  smtpUrl: ['smtpFrom', 'smtpUser', 'smtpPasswordSecretArn'],
  smtpFrom: ['smtpUrl'],
  smtpUser: ['smtpPasswordSecretArn'],
  smtpPasswordSecretArn: ['smtpUser'],
} satisfies Record<string, string[]>;

/** Settings in the variables of one function, which have at most 4 KB in all; a quarter of them is for its own. */
const VARIABLES = [
  ...(['oidcRoles', 'corsOrigins', 'oidcIssuer', 'oidcClientId', 'oidcClientSecretArn', 'oidcScopes'] as const),
  ...(['smtpUrl', 'smtpFrom', 'smtpUser', 'smtpPasswordSecretArn'] as const),
] as const;
const VARIABLES_BYTES = 3_000;

const Settings = z
  .object({
    /** Name of the deployment, unique in the region of the account. */
    stage: Stage.default('prod'),
    /** For `npm run cloud`; the CDK itself uses AWS_REGION. */
    region: text(/^[a-z]{2,4}(?:-[a-z]+)+-\d$/, 'a region of AWS, such as eu-central-1').optional(),
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
    /** Seconds that a request waits for a command; then it gets 202 and the job. */
    longestWait: LongestWait.default(CLOUD_LONGEST_WAIT_S),
    /** Reserved executions, and the limit, of the function in which requests wait for commands. */
    waitingCalls: Reserved.optional(),
    /** The quota of concurrent executions of the account in this region, for its alarm. Default: the alarm queries AWS. */
    accountConcurrency: Rate.optional(),
    /**
     * Reserved concurrent executions of ingest, and as many for the administration. A new account has too few: Lambda
     * rejects it unless 100 remain for all others.
     */
    reservedConcurrency: Reserved.optional(),
    /** Instances that deliver hooks, each five at a time; default: 2, and 10 with `reservedConcurrency`. */
    hookConcurrency: Reserved.optional(),
    /** Whether table and agent policy survive the deletion of their stack. */
    keepData: Choice.default(true),
    /**
     * An existing table, kept by `cdk destroy` or restored from a backup, instead of that of the deployment. Its name must
     * contain the stage, because the file applies to every stage, and two of them on one table would share tokens and agents.
     */
    tableName: text(/^[\w.-]{3,255}$/, 'the name of a DynamoDB table of this account and region').optional(),
    /** A custom domain name for the API, and its certificate. */
    domainName: text(HOST, 'a host name in lower case, such as lan.example.org').optional(),
    certificateArn: text(CERTIFICATE, 'the ARN of a certificate of ACM, in the region of the stack').optional(),
    /** The Route 53 zone for a record of `domainName`. */
    hostedZoneId: text(/^Z[A-Z0-9]{1,31}$/, 'the id of a hosted zone of Route 53, such as Z0123456789ABC').optional(),
    /** The recipient of alarms, which must confirm to AWS first. */
    alarmEmail: z.email({ error: 'expected an e-mail address' }).optional(),
    /** The number of agents that must disconnect within five minutes to raise an alarm. */
    agentsGone: Rate.default(1),
    /** Costs of the account in US dollars a month, before which AWS warns `alarmEmail`. */
    monthlyBudget: Rate.optional(),
    /** Whether CloudFormation rejects the deletion of the stacks. */
    terminationProtection: Choice.default(false),
    /** Tags of the stacks, which CloudFormation passes on to their resources. */
    tags: Tags.optional(),
    /** A key of AWS KMS for the table, the queues, the logs and the alarms' topic. */
    kmsKeyArn: text(KEY, 'the ARN of a key of KMS in the region of the stack; not of an alias').optional(),
    /** A custom domain name for agents to connect to, and its certificate. */
    brokerDomain: text(HOST, 'a host name in lower case, such as agents.lan.example.org').optional(),
    brokerCertificateArn: text(CERTIFICATE, 'the ARN of a certificate of ACM, in the region of the stack').optional(),
    /** The OpenID provider with which people sign in. Without it they use tokens. */
    oidcIssuer: SIGN_IN_SCHEMAS.OIDC_ISSUER.optional(),
    /** Its name; default: the host of the issuer. */
    oidcName: SIGN_IN_SCHEMAS.OIDC_NAME.optional(),
    /** The id of this deployment at the provider. */
    oidcClientId: SIGN_IN_SCHEMAS.OIDC_CLIENT_ID.optional(),
    /** Its secret there, as the text of a secret of Secrets Manager; none for a public client. */
    oidcClientSecretArn: text(SECRET_ARN, 'the ARN of a secret of Secrets Manager').optional(),
    /** The scopes to request from the provider. */
    oidcScopes: SIGN_IN_SCHEMAS.OIDC_SCOPES.optional(),
    /** Roles by claims of the provider: JSON. */
    oidcRoles: SIGN_IN_SCHEMAS.OIDC_ROLES.optional(),
    /** Hours after which people must sign in again; default: 12. */
    sessionHours: SIGN_IN_SCHEMAS.SESSION_HOURS.optional(),
    /** The SMTP server for notifications by e-mail, such as smtps://email-smtp.eu-central-1.amazonaws.com of SES. */
    smtpUrl: MAIL_SCHEMAS.SMTP_URL.optional(),
    /** The address of the sender. */
    smtpFrom: MAIL_SCHEMAS.SMTP_FROM.optional(),
    /** The user name at that server, and the password as the text of a secret of Secrets Manager. */
    smtpUser: MAIL_SCHEMAS.SMTP_USER.optional(),
    smtpPasswordSecretArn: text(SECRET_ARN, 'the ARN of a secret of Secrets Manager').optional(),
    logRetentionDays: Retention.default(RetentionDays.ONE_MONTH),
  })
  .superRefine((settings, context) => {
    const { stage, tableName, domainName, brokerDomain } = settings;
    const given = (name: keyof typeof settings) => settings[name] !== undefined;
    for (const [name, others] of Object.entries(NEEDED_BY) as [keyof typeof settings, (keyof typeof settings)[]][]) {
      const other = others.find(given);
      if (other === undefined || given(name)) continue;
      context.addIssue({ code: 'custom', path: [name], message: `required together with ${other}` });
    }
    const sizes = VARIABLES.map((name) => [name, Buffer.byteLength(JSON.stringify(settings[name] ?? ''))] as const);
    const bytes = sizes.reduce((sum, [, size]) => sum + size, 0);
    const [longest] = sizes.reduce((a, b) => (b[1] > a[1] ? b : a));
    if (bytes > VARIABLES_BYTES) {
      const message = `expected less: with ${VARIABLES.filter((name) => name !== longest).join(', ')} it has ${bytes} bytes, and Lambda takes ${VARIABLES_BYTES}`;
      context.addIssue({ code: 'custom', path: [longest], message });
    }
    if (tableName !== undefined && !tableName.split(/[_.-]/).includes(stage)) {
      const message = `expected a name with "${stage}" between hyphens, so that no other stage takes this table`;
      context.addIssue({ code: 'custom', path: ['tableName'], message });
    }
    if (brokerDomain !== undefined && brokerDomain === domainName) {
      context.addIssue({ code: 'custom', path: ['brokerDomain'], message: 'expected another name than domainName' });
    }
  });
export type Settings = z.infer<typeof Settings>;

/** @param context all, also of the CDK itself @throws {SettingsError} naming all invalid values and unknown names */
export function readSettings(context: Record<string, unknown>): Settings {
  const given = givenSettings(context);
  const known = Object.keys(Settings.shape);
  const unknown = given.map(([name]) => name).filter((name) => !known.includes(name));
  const parsed = Settings.safeParse(Object.fromEntries(given));
  if (parsed.success && unknown.length === 0) return parsed.data;
  const wrong = (parsed.error?.issues ?? []).map(
    ({ path, message }) => `-c ${String(path[0])}: ${placeIn(path.slice(1))}${message}`,
  );
  const misspelt = unknown.map((name) => `-c ${name}: unknown setting; expected one of ${known.join(', ')}`);
  throw new SettingsError([...wrong, ...misspelt].join('\n'));
}
