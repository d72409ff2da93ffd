/** `npm run prove-deployment` against the cloud of these tests, with a program `aws` that answers as AWS documents. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ended, runToEnd } from '../../../local/child-process.ts';
import { startCloudAgent } from '../../lambda/agents.ts';
import { AwsRefusal, startAwsProgram } from '../../lambda/aws-program.ts';
import { type Cloud, HOME, startCloud } from '../../lambda/cloud.ts';
import { ROOT, runtime } from '../../lambda/needed-runtime.ts';

const PROGRAM = join(ROOT, 'dist', 'prove-deployment.js');
const CERTIFICATE = `arn:aws:iot:eu-central-1:123456789012:cert/${'0f'.repeat(32)}`;
type Answers = Record<string, (args: string[]) => unknown>;

interface Run extends Ended {
  calls: string[][];
  /** Outcomes by the titles of the checks. */
  outcomes: Record<string, string>;
}

/** Runs the program with these answers of `aws` by service and operation. */
async function prove(args: string[], answers: Answers, environment: NodeJS.ProcessEnv = {}): Promise<Run> {
  await using aws = await startAwsProgram((given) => {
    const answer = answers[given.slice(0, 2).join(' ')];
    if (answer === undefined) throw new AwsRefusal('An error occurred (AccessDenied)');
    return answer(given);
  });
  const lines: string[] = [];
  const ended = await runToEnd([process.execPath, PROGRAM, ...args], {
    env: { PATH: aws.folder, AWS_REGION: 'eu-central-1', ...environment },
    cwd: ROOT,
    timeoutMs: 200_000,
    onLine: (line) => lines.push(line),
  });
  const outcomes = lines.flatMap((line) => {
    const [, outcome = '', title] = /^(passed|failed|skipped) +(.*)$/.exec(line) ?? [];
    return title === undefined ? [] : [[title, outcome]];
  });
  return { ...ended, output: lines.join('\n'), calls: aws.calls, outcomes: Object.fromEntries(outcomes) };
}

const GROUPS = ['Console', 'Ingest', 'Worker'];

describe('before a deployment', () => {
  const GOOD: Answers = {
    'sts get-caller-identity': () => ({ Account: '123456789012' }),
    'ssm get-parameter': () => ({ Parameter: { Value: '21' } }),
    'cloudformation describe-stacks': () => {
      throw new AwsRefusal('An error occurred (ValidationError): Stack with id LanReach-prod does not exist');
    },
    'iot list-topic-rules': () => ({ rules: [{ ruleName: 'Heating' }, { ruleName: 'LanReach_preview_Results' }] }),
    'lambda get-account-settings': () => ({ AccountLimit: { ConcurrentExecutions: 1000 } }),
  };

  test('an account that is ready passes', async () => {
    const { code, outcomes, output } = await prove(['before'], GOOD);
    expect([code, Object.values(outcomes)], output).toEqual([0, Array(5).fill('passed')]);
  });

  test('a new account and a region in use fail, each with what to do or the words of AWS', async () => {
    const { code, outcomes, output } = await prove(['before'], {
      ...GOOD,
      'lambda get-account-settings': () => ({ AccountLimit: { ConcurrentExecutions: 10 } }),
      'iot list-topic-rules': () => ({ rules: [{ ruleName: 'LanReach_prod_Results' }] }),
    });
    expect([code, Object.values(outcomes)]).toEqual([1, ['passed', 'passed', 'failed', 'failed', 'passed']]);
    expect(output).toContain('ask for 1,000 under Service Quotas');
    expect(output).toContain('does not exist');
  });

  test.each([[[]], [['during']], [['before', '--idle', 'long']], [['after']]])(
    'wrong usage is refused: %j',
    async (args) => {
      const { code, output } = await prove(args, GOOD);
      expect([code, output]).toEqual([2, expect.stringContaining('Usage:')]);
    },
  );
});

describe.skipIf(runtime === null)('after a deployment', () => {
  let cloud: Cloud;
  let agent: AsyncDisposable;
  beforeAll(async () => {
    cloud = await startCloud();
    agent = await startCloudAgent(cloud, HOME, 'main');
  });
  afterAll(async () => {
    for (const one of [agent, cloud]) await one?.[Symbol.asyncDispose]();
  });

  const resource = (LogicalResourceId: string, ResourceType: string) => ({
    LogicalResourceId: `${LogicalResourceId}0123ABCD`,
    PhysicalResourceId: `LanReach-prod-${LogicalResourceId}`,
    ResourceType,
  });
  const GOOD: Answers = {
    'cloudformation list-stack-resources': () => ({
      StackResourceSummaries: GROUPS.map((group) => resource(`${group}Function`, 'AWS::Lambda::Function')).concat(
        resource('MonitoringTopic', 'AWS::SNS::Topic'),
      ),
    }),
    'sns list-subscriptions-by-topic': () => ({ Subscriptions: [{ SubscriptionArn: 'arn:1' }] }),
    'iot list-thing-principals': () => ({ principals: [CERTIFICATE] }),
    'iot test-authorization': (args) => {
      const isOwn = args.join(' ').includes(`topic/lr/v1/prod/p/prod:${HOME}:main`);
      return { authResults: [{ authDecision: isOwn ? 'ALLOWED' : 'IMPLICIT_DENY' }] };
    },
    'lambda list-event-source-mappings': () => ({
      EventSourceMappings: [{ State: 'Enabled', LastProcessingResult: 'OK' }, { State: 'Enabled' }],
    }),
    'cloudwatch list-metrics': () => ({ Metrics: [{}] }),
  };
  const run = (args: string[], answers: Answers) =>
    prove(['after', ...args], answers, { LANREACH_URL: `${cloud.url}/`, LANREACH_TOKEN: cloud.token });
  const sites = async () => (await cloud.request('GET', '/sites')).json;

  test('everything holds, nothing is left behind, and no secret is told', async () => {
    const before = await sites();
    const { code, outcomes, output, calls } = await run(['--site', HOME, '--idle', '1'], GOOD);
    expect([code, Object.values(outcomes)], output).toEqual([0, Array(11).fill('passed')]);
    expect(output + calls.flat().join()).not.toContain(cloud.token);
    expect(await sites()).toEqual(before);
  });

  test('an agent with the rights of others, a source that fails and alarms that nobody hears are told', async () => {
    const { code, outcomes, output } = await run(['--site', HOME, '--idle', '0'], {
      ...GOOD,
      'iot test-authorization': () => ({ authResults: [{ authDecision: 'ALLOWED' }] }),
      'lambda list-event-source-mappings': () => ({
        EventSourceMappings: [{ State: 'Enabled', LastProcessingResult: 'PROBLEM: Function call failed' }],
      }),
      'sns list-subscriptions-by-topic': () => ({ Subscriptions: [{ SubscriptionArn: 'PendingConfirmation' }] }),
      'cloudwatch list-metrics': () => ({ Metrics: [] }),
    });
    expect([code, Object.keys(outcomes).filter((title) => outcomes[title] === 'failed')], output).toEqual([
      1,
      [
        'Lambda follows the queues',
        'The alarms have a recipient',
        'AWS counts the concurrent executions of Lambda for the alarm about them',
        'The certificate of an agent may speak for that agent alone',
      ],
    ]);
    expect(output).toContain('It is allowed to speak for prod:nowhere:none');
  });

  test('without an agent and without rights at AWS the rest is still asked', async () => {
    const { code, outcomes } = await run([], {});
    const count = (of: string) => Object.values(outcomes).filter((outcome) => outcome === of).length;
    expect([code, count('passed'), count('failed'), count('skipped')]).toEqual([1, 5, 3, 1]);
  });
});
