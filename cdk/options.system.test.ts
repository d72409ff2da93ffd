/** What can be chosen for a deployment: once with everything, once with the other half of each choice. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnPolicy } from 'aws-cdk-lib/aws-iot';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { beforeAll, describe, expect, test } from 'vitest';
import { CERTIFICATE, DOMAIN, KEY, MAIL, PROD2, SECRET, SIGN_IN, SMTP_SECRET } from '../test/cdk/deployments.ts';
import { gatewayBody } from '../test/cdk/gateway-body.ts';
import { metricsOfAlarm } from '../test/cdk/metrics.ts';
import { ACCOUNT, isAllowed, ofType, REGION, type Resource, type Resources, statementsOf } from '../test/cdk/policy.ts';
import { unknownInPolicies } from '../test/cdk/service-authorization.ts';
import { collisions, lostResources, StatefulStacks } from '../test/cdk/stateful-resources.ts';
import { type Synthesized, synthesize, synthesizeOnce, unchecked } from '../test/cdk/synthesize.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { readSettings } from './settings.ts';
import { prepareApp } from './synthesis.ts';

const ROOT = join(import.meta.dirname, '..');
const ROLES = [{ claim: 'groups', value: 'netops', role: 'operator', sites: ['tag:customers'] }];

const EVERYTHING = {
  ...DOMAIN,
  hostedZoneId: 'Z0123456789ABC',
  alarmEmail: 'ops@example.org',
  monthlyBudget: '20',
  logRetentionDays: '90',
  tableName: 'lanreach-prod-kept',
  corsOrigins: 'https://a.example, https://b.example',
  terminationProtection: 'yes',
  kmsKeyArn: KEY,
  tags: 'team=network,env=prod',
  brokerDomain: 'agents.example.org',
  brokerCertificateArn: CERTIFICATE,
  longestWait: '60',
  waitingCalls: '200',
  reservedConcurrency: '20',
  accountConcurrency: '500',
  ...SIGN_IN,
  ...MAIL,
  oidcRoles: JSON.stringify(ROLES),
  sessionHours: '8',
};

let all: Synthesized;
let other: Synthesized;
beforeAll(async () => {
  all = await synthesizeOnce(EVERYTHING);
  other = await synthesizeOnce(PROD2);
});

function only(resources: Resources, type: string): [string, Resource] {
  const found = ofType(resources, type);
  expect(found.map(([id]) => [type, id])).toHaveLength(1);
  return found[0]!;
}

// Here alone, because a worker takes fifteen seconds of a processor to load the checks.
test.each([
  ['no settings', {}],
  ['all of them', EVERYTHING],
  ['the other half of each choice', PROD2],
])('with %s, the checks find nothing without a reason', (_, settings: Record<string, string>) => {
  expect(() => synthesize(settings)).not.toThrow();
});

test('the checks are in force: a careless queue and impossible ones are refused', async () => {
  using folder = makeTestFolder();
  const { context } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'));
  const withoutBundles = { ...context, 'aws:cdk:bundling-stacks': [] };
  const { app, stack } = prepareApp(ROOT, { context: withoutBundles, outdir: folder.path });
  new Queue(stack, 'Careless');
  new CfnQueue(stack, 'Impossible').addPropertyOverride('VisibilityTimeout', 'soon');
  new CfnQueue(stack, 'Misspelt').addPropertyOverride('VisibilityTimeOut', 30);
  new CfnPolicy(stack, 'Incomplete', { policyDocument: {} }).addPropertyDeletionOverride('PolicyDocument');
  const refusal = await (async () => app.synth())().then(() => 'none', String);
  const findings = [
    'Careless/Resource',
    'AwsSolutions-SQS4',
    'VisibilityTimeout',
    'VisibilityTimeOut',
    'PolicyDocument',
  ];
  for (const finding of findings) expect(refusal).toContain(finding);
});

test('every action of a policy exists, is checked on its resources, and has its condition keys', async () => {
  for (const { resources } of [all, other]) {
    // By the reference, IAM checks these four on the certificate only. What they attach is named as well, so that
    // enrolment works if the reference is incomplete; it adds no right.
    const named =
      /^(?:Access|Ingest|Worker)Role\w+: iot:(AttachPolicy|DetachPolicy|AttachThingPrincipal|DetachThingPrincipal) is not checked on .*:(policy\/AgentPolicy|thing\/\w+:\*)$/;
    const findings = await unknownInPolicies(resources);
    expect(findings.filter((finding) => !named.test(finding))).toEqual([]);
  }
});

test('no setting replaces a resource whose name is fixed, which would fail', () => {
  const changed = {
    ...EVERYTHING,
    domainName: 'other.example.org',
    certificateArn: CERTIFICATE.replace(/f$/, '0'),
    hostedZoneId: 'Z0123456789ABD',
    alarmEmail: 'others@example.org',
    monthlyBudget: '30',
    logRetentionDays: '30',
    tableName: 'lanreach-prod-other',
    corsOrigins: 'https://c.example',
    tags: 'team=other',
    longestWait: '50',
    waitingCalls: '100',
    reservedConcurrency: '10',
    accountConcurrency: '400',
    sessionHours: '9',
  };
  const { resources } = unchecked(() => synthesize(changed));
  expect(collisions(all.resources, resources)).toEqual([]);
  const named = structuredClone({ all: all.resources, resources });
  for (const one of Object.values(named)) {
    Object.assign(only(one, 'AWS::Budgets::Budget')[1].Properties?.Budget as object, { BudgetName: 'x' });
  }
  expect(collisions(named.all, named.resources)).toEqual([
    'AWS::Budgets::Budget "x": NotificationsWithSubscribers changes',
  ]);
});

test('no setting replaces what holds state: the name of the stage is part of some names', () => {
  const released = StatefulStacks.parse(JSON.parse(readFileSync(join(ROOT, 'cdk/stateful-resources.json'), 'utf8')));
  const lost = ({ stateful }: Synthesized) => lostResources(released, stateful);
  expect(lost(all)).toEqual([]);
  expect(
    lost(other).filter((loss) => !/^Broker\w+ .*: replaced, because RuleName changes: "LanReach_prod_/.test(loss)),
  ).toEqual([
    expect.stringMatching(/^ApiExecutionLog\w+ .* LogGroupName changes: .*prod.* → .*prod2/),
    expect.stringMatching(/^ApiRestDeploymentStageprod\w+ .*: deleted/),
  ]);
});

const functionOf = ({ resources }: Synthesized, name: string) =>
  ofType(resources, 'AWS::Lambda::Function').find(([id]) => id.startsWith(`${name}Function`))?.[1].Properties;
/** The functions that can read a secret. */
const readersOf = (resource: string) =>
  ofType(all.resources, 'AWS::IAM::Role')
    .filter(([role]) =>
      isAllowed(statementsOf(all.resources, role), { action: 'secretsmanager:GetSecretValue', resource }),
    )
    .map(([role]) => role.replace(/Role.*$/, ''))
    .sort();

test('people sign in as it is set, and one function alone can read the secret for it', () => {
  expect(functionOf(all, 'Access')?.Environment).toMatchObject({
    Variables: {
      OIDC_ISSUER: 'https://login.example.org',
      OIDC_CLIENT_ID: 'lanreach',
      OIDC_CLIENT_SECRET_ARN: SECRET,
      OIDC_ROLES: JSON.stringify(ROLES),
      SESSION_HOURS: '8',
    },
  });
  expect(readersOf(SECRET)).toEqual(['Access']);
  // What is not set has no variable, lest it would be an empty one.
  expect(Object(functionOf(other, 'Access')?.Environment).Variables).not.toHaveProperty('OIDC_ROLES');
});

test('the two functions that send e-mail have the mail server, and alone can read its password', () => {
  for (const name of ['Access', 'Worker']) {
    expect(functionOf(all, name)?.Environment).toMatchObject({
      Variables: {
        SMTP_URL: MAIL.smtpUrl,
        SMTP_FROM: MAIL.smtpFrom,
        SMTP_USER: MAIL.smtpUser,
        SMTP_PASSWORD_ARN: SMTP_SECRET,
      },
    });
    expect(Object(functionOf(other, name)?.Environment).Variables).not.toHaveProperty('SMTP_URL');
  }
  expect(readersOf(SMTP_SECRET)).toEqual(['Access', 'Worker']);
});

/** Most instances that follow each queue. */
const instancesForQueues = ({ resources }: Synthesized) =>
  ofType(resources, 'AWS::Lambda::EventSourceMapping').flatMap(([, { Properties }]) =>
    Properties.ScalingConfig === undefined ? [] : [Object(Properties.ScalingConfig).MaximumConcurrency],
  );

test('ingest, the administration and commands keep room of their own where the account has it, and hooks follow with more', () => {
  for (const [name, kept] of Object.entries({ Ingest: 20, Access: 20, Commands: 200 })) {
    expect([name, functionOf(all, name)?.ReservedConcurrentExecutions]).toEqual([name, kept]);
  }
  for (const [, { Properties }] of ofType(other.resources, 'AWS::Lambda::Function')) {
    expect(Properties.ReservedConcurrentExecutions).toBeUndefined();
  }
  // The two queues of ingest share its 20.
  expect(instancesForQueues(all).sort((a, b) => a - b)).toEqual([10, 10, 10]);
});

test('no call waits for longer than is set, and each queue has the fewest instances there are', () => {
  for (const name of ['Commands', 'Data']) {
    expect(functionOf(other, name)?.Environment).toMatchObject({ Variables: { LONGEST_WAIT: '25' } });
    expect(functionOf(all, name)?.Environment).toMatchObject({ Variables: { LONGEST_WAIT: '60' } });
  }
  expect(instancesForQueues(other)).toEqual([2, 2, 2]);
});

describe('a name of one’s own', () => {
  test('leads to the stage, over TLS 1.2 at least', () => {
    for (const { resources, outputs } of [all, other]) {
      const [domain, { Properties }] = only(resources, 'AWS::ApiGateway::DomainName');
      expect(Properties).toMatchObject({ DomainName: 'lan.example.org', SecurityPolicy: 'TLS_1_2' });
      const [stage] = only(resources, 'AWS::ApiGateway::Stage');
      const mapping = { DomainName: domain, Stage: stage };
      expect(only(resources, 'AWS::ApiGateway::BasePathMapping')[1].Properties).toMatchObject(mapping);
      expect(outputs.Url).toBe('https://lan.example.org/');
    }
  });

  test('is made known in the zone that is given', () => {
    const records = ofType(all.resources, 'AWS::Route53::RecordSet').map(([, { Properties }]) => Properties);
    expect(records).toMatchObject(['A', 'AAAA'].map((Type) => ({ HostedZoneId: 'Z0123456789ABC', Type })));
    expect(all.outputs).not.toHaveProperty('DnsTarget');
  });

  test('without a zone, outputs say which record to make', () => {
    const [domain] = only(other.resources, 'AWS::ApiGateway::DomainName');
    expect(ofType(other.resources, 'AWS::Route53::RecordSet')).toEqual([]);
    expect(other.outputs).toMatchObject({
      DnsTarget: `${domain}.RegionalDomainName`,
      DnsTargetZone: `${domain}.RegionalHostedZoneId`,
    });
  });
});

describe('a table that was there before', () => {
  const NAME = 'lanreach-prod-kept';

  test('is used, while our own stays as it is, so that nothing that is in use has to be taken away', () => {
    const exports = ({ stacks }: Synthesized) => Object.keys(stacks.data.template.Outputs).sort();
    expect(exports(all)).toEqual(exports(other));
    const [own] = only(all.resources, 'AWS::DynamoDB::GlobalTable');
    const users = Object.values(all.stacks.main.template.Resources).filter((one) => JSON.stringify(one).includes(own));
    expect(users).toEqual([]);
    expect(all.outputs.TableName).toBe(NAME);
    expect(JSON.parse(String(all.outputs.Settings))).toMatchObject({ tableName: NAME });
    const names = ofType(all.resources, 'AWS::Lambda::Function').flatMap(([, { Properties }]) => {
      const { Variables } = (Properties.Environment ?? {}) as { Variables?: Record<string, string> };
      return Variables?.TABLE_NAME ?? [];
    });
    expect(new Set(names)).toEqual(new Set([NAME]));
  });

  test('is open to the functions just as a new one', () => {
    const [table] = only(other.resources, 'AWS::DynamoDB::GlobalTable');
    const policies = ({ resources }: Synthesized) =>
      Object.fromEntries(
        ofType(resources, 'AWS::IAM::Policy').map(([id, { Properties }]) => [id, JSON.stringify(Properties)]),
      );
    const arn = `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${NAME}`;
    const ofNew = Object.entries(policies(other)).map(([id, text]) => [
      id,
      text.replaceAll(`"arn:${table}"`, `"${arn}"`).replaceAll(/\bprod2\b/g, 'prod'),
    ]);
    expect(policies(all)).toEqual(Object.fromEntries(ofNew));
    expect(JSON.stringify(policies(all))).toContain(arn);
  });
});

describe('a key of the customer', () => {
  test('encrypts the table, and every queue, log and topic', () => {
    const encrypted = (type: string) => ofType(other.resources, type).map(([, { Properties }]) => Properties);
    for (const { SSESpecification, Replicas } of encrypted('AWS::DynamoDB::GlobalTable')) {
      expect(SSESpecification).toEqual({ SSEEnabled: true, SSEType: 'KMS' });
      expect(Replicas).toEqual([expect.objectContaining({ SSESpecification: { KMSMasterKeyId: KEY } })]);
    }
    for (const queue of encrypted('AWS::SQS::Queue')) {
      expect(queue).toMatchObject({ KmsMasterKeyId: KEY, SqsManagedSseEnabled: false });
    }
    for (const { KmsKeyId } of encrypted('AWS::Logs::LogGroup')) expect(KmsKeyId).toBe(KEY);
    for (const { KmsMasterKeyId } of encrypted('AWS::SNS::Topic')) expect(KmsMasterKeyId).toBe(KEY);
  });

  test.each(['Data', 'Commands', 'Access', 'Ingest', 'Worker', 'BrokerRule'])(
    '%s may use it, as the table and the queues do, and not by itself',
    (role) => {
      const statements = statementsOf(other.resources, `${role}Role`);
      const may = (action: string, context: Record<string, string>) =>
        isAllowed(statements, { action: `kms:${action}`, resource: KEY, context });
      for (const service of ['dynamodb', 'sqs']) {
        expect(may('Decrypt', { 'kms:ViaService': `${service}.${REGION}.amazonaws.com` })).toBe(true);
        expect(may('GenerateDataKey', { 'kms:ViaService': `${service}.${REGION}.amazonaws.com` })).toBe(true);
      }
      expect(may('Decrypt', {})).toBe(false);
      expect(may('Decrypt', { 'kms:ViaService': `s3.${REGION}.amazonaws.com` })).toBe(false);
    },
  );

  test('is none of the console’s business', () => {
    const actions = statementsOf(other.resources, 'ConsoleRole').flatMap(({ Action }) => Action);
    expect(actions.filter((action) => action.startsWith('kms:'))).toEqual([]);
  });
});

test('agents that enrol get the custom name, and functions use that of the account', () => {
  const [, { Properties }] = only(all.resources, 'AWS::IoT::DomainConfiguration');
  expect(Properties).toEqual({
    DomainName: 'agents.example.org',
    ServerCertificateArns: [CERTIFICATE],
    ServiceType: 'DATA',
  });
  expect(all.outputs.AgentBroker).toBe('mqtts://agents.example.org:8883');
  expect(functionOf(all, 'Access')?.Environment).toMatchObject({
    Variables: { AGENT_BROKER: 'mqtts://agents.example.org:8883', IOT_ENDPOINT: all.outputs.BrokerDnsTarget },
  });
  expect(ofType(other.resources, 'AWS::IoT::DomainConfiguration')).toEqual([]);
  expect(other.outputs).not.toHaveProperty('BrokerDnsTarget');
});

test('both stacks are protected from deletion and tagged as it was said, and otherwise not', () => {
  const said = ({ stacks: { data, main } }: Synthesized) =>
    [data, main].map(({ terminationProtection, tags }) => [terminationProtection, tags]);
  const tags = { team: 'network', env: 'prod' };
  expect(said(all)).toEqual(Array(2).fill([true, tags]));
  expect(said(other)).toEqual(Array(2).fill([false, {}]));
});

test('alarms go to the configured address', () => {
  expect(only(all.resources, 'AWS::SNS::Subscription')[1].Properties).toEqual({
    Protocol: 'email',
    Endpoint: 'ops@example.org',
    TopicArn: only(all.resources, 'AWS::SNS::Topic')[0],
  });
  expect(all.outputs.AlarmTopic).toBe(only(all.resources, 'AWS::SNS::Topic')[0]);
});

test('the alarm about a full account asks AWS for the quota, or takes the number that is given', () => {
  const metricsOf = ({ resources }: Synthesized) => {
    const alarms = ofType(resources, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
    const found = alarms.find(({ AlarmName }) => String(AlarmName).endsWith('-ConcurrentExecutions')) ?? {};
    const { Metrics = [] } = found as { Metrics?: { Expression?: string }[] };
    const expressions = Metrics.flatMap(({ Expression }) => Expression ?? []);
    return [expressions, metricsOfAlarm(found).map(({ namespace, dimensions }) => [namespace, dimensions])];
  };
  expect(metricsOf(other)).toEqual([
    ['used / SERVICE_QUOTA(used)'],
    [['AWS/Usage', expect.objectContaining({ Resource: 'ConcurrentExecutions' })]],
  ]);
  expect(metricsOf(all)).toEqual([['used / 500'], [['AWS/Lambda', {}]]]);
});

test('a budget warns that address, and exists only if configured', () => {
  const [, { Properties }] = only(all.resources, 'AWS::Budgets::Budget');
  expect(Properties).toMatchObject({ Budget: { TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 20, Unit: 'USD' } } });
  expect(JSON.stringify(Properties).match(/"Address":"ops@example.org"/g)).toHaveLength(2);
  expect(ofType(other.resources, 'AWS::Budgets::Budget')).toEqual([]);
});

test('logs are kept for as long as was said', () => {
  const days = ofType(all.resources, 'AWS::Logs::LogGroup')
    .filter(([id]) => !id.startsWith('BrokerEndpointLog'))
    .map(([, { Properties }]) => Properties.RetentionInDays);
  expect(days.length).toBeGreaterThan(6);
  expect(new Set(days)).toEqual(new Set([90])); // All but that of a look-up, which is made once.
});

test('nothing is kept when nothing shall be', () => {
  const kept = Object.entries(other.resources).filter(
    ([, resource]) => 'DeletionPolicy' in resource && /^Retain/.test(String(resource.DeletionPolicy)),
  );
  // The role by which the gateway writes logs is the account's, and may be in use by others.
  expect(kept.map(([, { Type }]) => Type).sort()).toEqual(['AWS::ApiGateway::Account', 'AWS::IAM::Role']);
});

test('pages of other origins can read the gateway’s own refusals', () => {
  const origins = ({ resources }: Synthesized) =>
    new Set(
      Object.values(gatewayBody(resources)['x-amazon-apigateway-gateway-responses']).map(
        ({ responseParameters }) => responseParameters['gatewayresponse.header.Access-Control-Allow-Origin'],
      ),
    );
  expect(origins(all)).toEqual(new Set(["'*'"]));
  expect(origins(other)).toEqual(new Set(["'https://a.example'"]));
});

test('two deployments of an account share no name', () => {
  const names = ({ resources }: Synthesized) =>
    Object.values(resources)
      .flatMap(({ Properties: { AlarmName, LogGroupName, Name, RuleName } = {} }) => [
        AlarmName,
        LogGroupName,
        Name,
        RuleName,
      ])
      // A reference to another resource is no name, and the domain is chosen by whoever deploys.
      .filter((name): name is string => typeof name === 'string' && !(name in resources) && !/example/.test(name));
  expect(names(all).length).toBeGreaterThan(10);
  const shared = new Set(names(all));
  expect(names(other).filter((name) => shared.has(name))).toEqual([]);
});

describe('DEPLOY.md', () => {
  const [guide = '', restore = ''] = ['DEPLOY.md', 'docs/restore-cloud.md'].map((page) =>
    readFileSync(join(ROOT, page), 'utf8'),
  );
  const among = (pattern: RegExp) => [
    ...new Set([...`${guide}${restore}`.matchAll(pattern)].map(([, name = '']) => name)),
  ];

  test('lists the settings that there are, and uses no others', () => {
    const list = guide.slice(guide.indexOf('## Settings'), guide.indexOf('## What it costs'));
    const listed = [...list.matchAll(/^\| (`[^|]+)\|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
    expect(listed.sort()).toEqual(known().sort());
    for (const used of among(/-c (\w+)=/g).filter((name) => name !== 'name')) expect(listed).toContain(used);
  });

  test('names outputs that there are', () => {
    const named = [...among(/output `?([A-Z]\w+)/g), ...among(/`(DnsTarget\w*)`/g)];
    expect(named.length).toBeGreaterThan(4);
    for (const name of named) expect(Object.keys({ ...all.outputs, ...other.outputs })).toContain(name);
  });
});

/** Names of all settings, as in the error for a misspelt one. */
function known(): string[] {
  try {
    readSettings({ misspelt: 'x' });
  } catch (error) {
    return String(error).split('expected one of ')[1]?.split(', ') ?? [];
  }
  return [];
}
