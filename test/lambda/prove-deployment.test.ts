/** `npm run prove-deployment` against the cloud of these tests, with a program `aws` that answers as AWS documents. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ended, runToEnd } from '../../local/child-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { startCloudAgent } from './agents.ts';
import { AwsRefusal, startAwsProgram } from './aws-program.ts';
import { type Cloud, HOME, startCloud } from './cloud.ts';
import { neededRuntime, ROOT, runtime } from './needed-runtime.ts';

const PROGRAM = join(ROOT, 'dist', 'prove-deployment.js');
const ACCOUNT = '123456789012';
const CERTIFICATE = '0f'.repeat(32);
const IOT = `arn:aws:iot:eu-central-1:${ACCOUNT}`;
const QUOTAS = [
  { QuotaName: 'Connect requests per second per account', QuotaCode: 'L-1', Value: 500, Adjustable: true },
  { QuotaName: 'Publish requests per second per connection', QuotaCode: 'L-2', Value: 100, Adjustable: false },
  { QuotaName: 'Throughput per second per connection', QuotaCode: 'L-3', Value: 512, Adjustable: false },
];

type Answers = Record<string, (args: string[]) => unknown>;

interface Run extends Ended {
  report: string;
  calls: string[][];
}

/** Runs the program in a folder of its own, with these answers of `aws` by service and operation. */
async function prove(
  args: string[],
  answers: Answers,
  environment: NodeJS.ProcessEnv = {},
  onProcess: (id: number) => void = () => {},
): Promise<Run> {
  await using folder = makeTestFolder();
  await using aws = await startAwsProgram((given) => {
    const answer = answers[given.slice(0, 2).join(' ')];
    if (answer === undefined) throw new AwsRefusal(`An error occurred (AccessDenied) for user ops@example.org`);
    return answer(given);
  });
  await mkdir(join(folder.path, 'cdk.out'));
  for (const [stack, template] of Object.entries(TEMPLATES)) {
    await writeFile(join(folder.path, 'cdk.out', `${stack}.template.json`), JSON.stringify(template));
  }
  const report = join(folder.path, 'report.md');
  // The program runs in this folder, and finds its packages by its own place.
  const script = `console.log('process', process.pid); process.chdir(${JSON.stringify(folder.path)}); await import(${JSON.stringify(PROGRAM)})`;
  const command = ['--input-type=module', '--eval', script, '--', ...args, '--report', report];
  const ended = await runToEnd([process.execPath, ...command], {
    env: { PATH: aws.folder, AWS_REGION: 'eu-central-1', ...environment },
    timeoutMs: 200_000,
    onLine: (line) => {
      const [, id] = /^process (\d+)$/.exec(line) ?? [];
      if (id !== undefined) onProcess(Number(id));
    },
  });
  return { ...ended, report: await readFile(report, 'utf8').catch(() => ''), calls: aws.calls };
}

/** Outcomes by the titles of the checks. */
function outcomes({ report }: Run): Record<string, string> {
  return Object.fromEntries([...report.matchAll(/^## (\w+): (.*)$/gm)].map(([, outcome, title]) => [title, outcome]));
}

const allow = (Action: string, Resource: object) => ({
  Type: 'AWS::IAM::Policy',
  Properties: { PolicyDocument: { Statement: [{ Effect: 'Allow', Action, Resource }] } },
});
const TEMPLATES = {
  'LanReach-prod-data': {
    Resources: { Table1: { Type: 'AWS::DynamoDB::GlobalTable' } },
    Outputs: { Out1: { Value: { 'Fn::GetAtt': ['Table1', 'Arn'] }, Export: { Name: 'LanReach-prod-data:Out1' } } },
  },
  'LanReach-prod': {
    Resources: {
      Queue1: { Type: 'AWS::SQS::Queue' },
      Policy1: allow('sqs:SendMessage', { 'Fn::GetAtt': ['Queue1', 'Arn'] }),
      Policy2: allow('dynamodb:GetItem', { 'Fn::ImportValue': 'LanReach-prod-data:Out1' }),
    },
  },
};

describe('before a deployment', () => {
  const GOOD: Answers = {
    'sts get-caller-identity': () => ({ Account: ACCOUNT, UserId: 'AIDAEXAMPLE', Arn: 'x' }),
    'ssm get-parameter': () => ({ Parameter: { Value: '21' } }),
    'iot list-topic-rules': () => ({ rules: [{ ruleName: 'Heating' }, { ruleName: 'LanReach_preview_Results' }] }),
    'lambda get-account-settings': () => ({ AccountLimit: { ConcurrentExecutions: 1000 } }),
    'service-quotas list-service-quotas': () => ({ Quotas: QUOTAS }),
    'accessanalyzer validate-policy': () => ({ findings: [] }),
    'iot get-v2-logging-options': () => ({ roleArn: 'x', defaultLogLevel: 'ERROR', disableAllLogs: false }),
  };

  test('an account that is ready passes, and policies are judged with ARNs in the place of references', async () => {
    const run = await prove(['before'], GOOD);
    expect([run.code, new Set(Object.values(outcomes(run)))]).toEqual([0, new Set(['passed'])]);
    const documents = run.calls
      .filter(([service]) => service === 'accessanalyzer')
      .map((call) => JSON.parse(call[call.indexOf('--policy-document') + 1] ?? ''));
    expect(documents.map(({ Statement }) => Statement[0].Resource)).toEqual([
      `arn:aws:sqs:eu-central-1:${ACCOUNT}:Queue1`,
      `arn:aws:dynamodb:eu-central-1:${ACCOUNT}:table/Table1`,
    ]);
    expect(run.report).toContain('LanReach');
    expect(run.report).not.toContain(ACCOUNT);
  });

  test('a new account, a region in use and a policy with an error fail, each with what to do or what was found', async () => {
    const error = { findingType: 'ERROR', issueCode: 'INVALID_ACTION', findingDetails: 'The action does not exist.' };
    const run = await prove(['before'], {
      ...GOOD,
      'lambda get-account-settings': () => ({ AccountLimit: { ConcurrentExecutions: 10 } }),
      'iot list-topic-rules': () => ({ rules: [{ ruleName: 'LanReach_prod_Results' }] }),
      'accessanalyzer validate-policy': () => ({ findings: [error] }),
      'service-quotas list-service-quotas': () => ({ Quotas: [] }),
      'iot get-v2-logging-options': () => {
        throw new AwsRefusal('An error occurred (NotConfiguredException) when calling the operation');
      },
    });
    expect([run.code, Object.values(outcomes(run))]).toEqual([
      1,
      ['passed', 'passed', 'failed', 'failed', 'unclear', 'unclear', 'failed'],
    ]);
    expect(run.report).toContain('Ask for more under Service Quotas');
    expect(run.report).toContain('Rules of another deployment: LanReach_prod_Results');
    expect(run.report).toContain('Policy1: ERROR INVALID_ACTION: The action does not exist.');
  });

  test('without rights at AWS every check says so, in the words of the AWS CLI, and none of an account', async () => {
    const run = await prove(['before'], {});
    expect(new Set(Object.values(outcomes(run)))).toEqual(new Set(['failed']));
    expect(run.report).toContain('aws sts get-caller-identity: An error occurred (AccessDenied) for user <mail>');
  });

  test.each([[[]], [['during']], [['before', '--idle', 'long']], [['after', '--site', 'Cabin.*']]])(
    'wrong usage is refused: %j',
    async (args) => {
      const run = await prove(args, GOOD);
      expect([run.code, run.output]).toEqual([2, expect.stringContaining('Usage:')]);
    },
  );
});

describe.skipIf(runtime === null)('after a deployment', () => {
  let cloud: Cloud;
  let agent: AsyncDisposable;
  beforeAll(async () => {
    cloud = await startCloud(ROOT, neededRuntime());
    agent = await startCloudAgent(cloud, HOME, 'main');
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await cloud?.[Symbol.asyncDispose]();
  });

  const resource = (LogicalResourceId: string, ResourceType: string) => ({
    LogicalResourceId: `${LogicalResourceId}0123ABCD`,
    PhysicalResourceId: `LanReach-prod-${LogicalResourceId}`,
    ResourceType,
  });
  const GROUPS = ['Console', 'Ingest', 'Hooks', 'Devices', 'Nettools', 'Admin'];
  const answers = (): Answers => ({
    'cloudformation list-stack-resources': () => ({
      StackResourceSummaries: GROUPS.flatMap((group) => [
        resource(`${group}Function`, 'AWS::Lambda::Function'),
        resource(`${group}Log`, 'AWS::Logs::LogGroup'),
      ]).concat(resource('MonitoringTopic', 'AWS::SNS::Topic')),
    }),
    'sns list-subscriptions-by-topic': () => ({
      Subscriptions: [{ SubscriptionArn: 'arn:1', Protocol: 'email', Endpoint: 'ops@example.org' }],
    }),
    'sts get-caller-identity': () => ({ Account: ACCOUNT }),
    'sts get-federation-token': () => ({
      Credentials: { AccessKeyId: 'ASIAEXAMPLEEXAMPLE02', SecretAccessKey: 'hidden-key', SessionToken: 'hidden-token' },
    }),
    'iot attach-thing-principal': () => {
      throw new AwsRefusal('An error occurred (ResourceNotFoundException) when calling AttachThingPrincipal');
    },
    'lambda put-function-concurrency': () => {
      cloud.functions.console.concurrency = 0;
      return { ReservedConcurrentExecutions: 0 };
    },
    'lambda delete-function-concurrency': () => {
      cloud.functions.console.concurrency = 10;
    },
    'iot list-thing-principals': () => ({ principals: [`${IOT}:cert/${CERTIFICATE}`] }),
    'iot test-authorization': (args) => ({
      authResults: [
        { authDecision: args.join(' ').includes(`topic/lr/v1/prod/p/prod:${HOME}:main`) ? 'ALLOWED' : 'IMPLICIT_DENY' },
      ],
    }),
    'lambda list-event-source-mappings': (args) => ({
      EventSourceMappings: args.join(' ').includes('Hooks')
        ? [{ State: 'Enabled', LastProcessingResult: 'OK' }, { State: 'Enabled' }]
        : [{ State: 'Enabled' }, { State: 'Enabled' }],
    }),
    'cloudwatch list-metrics': () => ({
      Metrics: [{ MetricName: 'Success', Dimensions: [{ Name: 'ActionType', Value: 'SQS' }] }],
    }),
    'logs filter-log-events': (args) => ({
      events: [
        args.join(' ').includes('Ingest')
          ? { message: '{"msg":"connection"}' }
          : { message: '{"type":"platform.report","record":{"metrics":{"initDurationMs":412.5}}}' },
      ],
    }),
  });
  const environment = () => ({ LANREACH_URL: `${cloud.url}/`, LANREACH_TOKEN: cloud.token });
  const sites = async () => (await cloud.request('GET', '/sites')).json;

  test('every check passes but that of hooks, which needs a receiver; nothing is left behind', async () => {
    const before = await sites();
    const run = await prove(['after', '--site', HOME, '--idle', '1'], answers(), environment());
    const { 'A receiver of hooks is told': hooks, ...others } = outcomes(run);
    expect(
      Object.entries(others).filter(([, outcome]) => outcome !== 'passed'),
      run.report,
    ).toEqual([]);
    expect([run.code, hooks, Object.keys(others).length]).toEqual([0, 'unclear', 17]);
    expect(run.report).toMatch(/\d\.\d MB with 1800 devices/);
    expect(run.report).toContain('unavailable, Retry-After 2');
    expect(run.report).toContain('Devices: 1 starts, 412.5 to 412.5 ms');
    for (const secret of [cloud.token, ACCOUNT, CERTIFICATE, 'hidden-key', 'hidden-token'])
      expect(run.report + run.output).not.toContain(secret);
    expect(run.calls.flat()).not.toContain(cloud.token);
    expect(await sites()).toEqual(before);
    expect(cloud.functions.console.concurrency).toBe(10);
  });

  test('an agent with the rights of others, and a source that fails, are failures; without AWS the rest is still asked', async () => {
    const run = await prove(
      ['after', '--site', HOME, '--idle', '0'],
      {
        'cloudformation list-stack-resources': answers()['cloudformation list-stack-resources']!,
        'iot list-thing-principals': answers()['iot list-thing-principals']!,
        'iot test-authorization': () => ({ authResults: [{ authDecision: 'ALLOWED' }] }),
        'lambda list-event-source-mappings': () => ({
          EventSourceMappings: [{ State: 'Enabled', LastProcessingResult: 'PROBLEM: Function call failed' }],
        }),
      },
      environment(),
    );
    const failed = Object.entries(outcomes(run))
      .filter(([, outcome]) => outcome === 'failed')
      .map(([title]) => title);
    expect([run.code, failed]).toEqual([
      1,
      [
        'A function that Lambda throttles is told as 503, with a time to come back',
        'The certificate of an agent is attached to its thing, and may speak for it alone',
        'Lambda follows the stream of the table and the queues',
        'IoT Core says to which thing a certificate is to be attached (iot:thingArn)',
        'Somebody hears of alarms',
        'AWS counts the concurrent executions of Lambda for the alarm about them',
        'The metrics of the rules have the dimensions that the alarms name',
        'The filter that counts agents which have gone finds the lines of ingest',
        'How long functions take to start is known',
      ],
    ]);
    expect(run.report).toContain("Another one's: allowed");
    expect(run.report).toContain('Ingest: Enabled, last result: PROBLEM: Function call failed');
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s while the console is shut opens it again and removes the site', async (signal, code) => {
    const before = await sites();
    let program: number | undefined;
    const shut = answers()['lambda put-function-concurrency']!;
    const interrupting: Answers = {
      ...answers(),
      'lambda put-function-concurrency': (args) => {
        const answer = shut(args);
        if (program !== undefined) process.kill(program, signal);
        return answer;
      },
    };
    const run = await prove(['after'], interrupting, environment(), (id) => {
      program = id;
    });
    expect([run.code, cloud.functions.console.concurrency], run.output).toEqual([code, 10]);
    expect(await sites()).toEqual(before);
    expect(run.report).toContain(`Interrupted by ${signal}`);
    expect(run.calls.at(-1)?.slice(0, 2)).toEqual(['lambda', 'delete-function-concurrency']);
  });
});
