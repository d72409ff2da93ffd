/** Alarms use metrics of the stack, and have a recipient. */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { consoleLog } from '../functions/http/log.ts';
import { openStores } from '../functions/stores.ts';
import type { ConnectionEvent } from '../shared/agent/messages.ts';
import { metricsOfAlarm, problemOf } from '../test/cdk/metrics.ts';
import { ACCOUNT, isAllowed, ofType, REGION, type Resources, type Statement } from '../test/cdk/policy.ts';
import { synthesizeOnce } from '../test/cdk/synthesize.ts';
import { openIngest } from '../test/support/background-work.ts';
import { memoryTable } from '../test/test-table.ts';

const AGENT = 'home:attic';
let resources: Resources;
beforeAll(async () => {
  ({ resources } = await synthesizeOnce());
});

const alarms = () => ofType(resources, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
const alarm = (name: string) => alarms().find(({ AlarmName }) => AlarmName === `LanReach-prod-${name}`)!;

describe('alarms', () => {
  test('are few, and one of them tells of errors of all functions', () => {
    const names = alarms().map(({ AlarmName }) => String(AlarmName).replace('LanReach-prod-', ''));
    expect(names.sort().join(' ')).toBe(
      'AgentsGone BrokerThrottled ConcurrentExecutions DeadLetters FunctionErrors HookDeadLetters QueueAge',
    );
    // Without a dimension: of every function, for the price of one metric.
    expect(metricsOfAlarm(alarm('FunctionErrors'))).toMatchObject([
      { namespace: 'AWS/Lambda', name: 'Errors', dimensions: {} },
    ]);
  });

  test('watch the dead letters of every queue', () => {
    const queues = ofType(resources, 'AWS::SQS::Queue');
    const deadLetters = queues.flatMap(([, { Properties }]) => {
      const { deadLetterTargetArn } = Object(Properties.RedrivePolicy);
      return deadLetterTargetArn === undefined ? [] : [String(deadLetterTargetArn).replace('arn:', '')];
    });
    expect(deadLetters.length + new Set(deadLetters).size).toBe(queues.length);
    for (const id of deadLetters) {
      const watching = alarms().filter((properties) => JSON.stringify(properties).includes(`"${id}.QueueName"`));
      expect(watching, id).toHaveLength(1);
    }
  });

  test('look at metrics that parts of the stack fill', () => {
    const problems = alarms()
      .flatMap(metricsOfAlarm)
      .map((use) => problemOf(use, resources));
    expect(problems.filter((problem) => problem !== null)).toEqual([]);
    expect(problems.length).toBeGreaterThan(alarms().length);
  });

  test('say what they mean and what to do first, are silent where nothing happens, and tell when they begin and end', () => {
    const [[topic]] = ofType(resources, 'AWS::SNS::Topic') as [[string, object]];
    for (const properties of alarms()) {
      expect(properties).toMatchObject({
        AlarmActions: [topic],
        OKActions: [topic],
        TreatMissingData: 'notBreaching',
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        AlarmDescription: expect.stringMatching(/^.{30,}First: .{20,}\.$/),
      });
      expect(String(properties.AlarmDescription).length).toBeLessThan(900); // Of 1024; names grow when they are deployed.
      expect(metricsOfAlarm(properties).length).toBeLessThanOrEqual(10); // CloudWatch adds up no more in an expression.
    }
  });
});

describe('the topic', () => {
  const statements = () => {
    const [[, { Properties }]] = ofType(resources, 'AWS::SNS::TopicPolicy') as [[string, Resources[string]]];
    return (Properties.PolicyDocument as { Statement: (Statement & { Principal: unknown })[] }).Statement;
  };
  const publish = (alarmName: string, account = ACCOUNT, secure = 'true') =>
    isAllowed(statements(), {
      action: 'sns:Publish',
      resource: ofType(resources, 'AWS::SNS::Topic')[0]![0],
      context: {
        'aws:SecureTransport': secure,
        'aws:SourceAccount': account,
        'aws:SourceArn': `arn:aws:cloudwatch:${REGION}:${account}:alarm:${alarmName}`,
      },
    });

  test('takes the alarms of this stack, and nothing else', () => {
    const allowing = statements().filter(({ Effect }) => Effect === 'Allow');
    expect(allowing.map(({ Principal }) => Principal)).toEqual([{ Service: 'cloudwatch.amazonaws.com' }]);
    for (const { AlarmName } of alarms()) expect(publish(String(AlarmName))).toBe(true);
    expect(publish('Billing')).toBe(false);
    expect(publish('LanReach-prod-DeadLetters', '210987654321')).toBe(false);
    expect(publish('LanReach-prod-DeadLetters', ACCOUNT, 'false')).toBe(false);
  });

  test('has no key that CloudWatch may not use, and no recipient besides the configured one', () => {
    const [[, { Properties }]] = ofType(resources, 'AWS::SNS::Topic') as [[string, Resources[string]]];
    expect(Properties).toEqual({ DisplayName: 'LanReach prod' });
    expect(ofType(resources, 'AWS::SNS::Subscription')).toEqual([]);
  });
});

/** The count of log lines. There is one. */
function countOfLines() {
  const [[, { Properties }]] = ofType(resources, 'AWS::Logs::MetricFilter') as [[string, Resources[string]]];
  return Properties as { FilterPattern: string; LogGroupName: string };
}

/** Whether the filter pattern matches a line. Of the forms of patterns, those that are used here. */
function isCounted(line: string): boolean {
  const { FilterPattern } = countOfLines();
  expect(FilterPattern).toMatch(/^\{ (?:\$\.\w+ !?= "\w+"|&&|[() ])+ \}$/);
  const condition = FilterPattern.slice(1, -1).replace(
    /\$\.(\w+) (!?)=/g,
    (_, name, not) => `line.${name} ${not || '='}==`,
  );
  return new Function('line', `return ${condition}`)(JSON.parse(line));
}

describe('agents that go away', () => {
  test('are counted in the log of ingest, which lets the lines through', () => {
    const ingest = ofType(resources, 'AWS::Lambda::Function').find(([id]) => id.startsWith('IngestFunction'))?.[1];
    expect(ingest?.Properties.LoggingConfig).toMatchObject({
      LogGroup: countOfLines().LogGroupName,
      LogFormat: 'JSON',
      ApplicationLogLevel: 'INFO',
    });
  });

  test.each([
    ['connected', undefined, true, false],
    ['disconnected', 'CONNECTION_LOST', true, true],
    ['disconnected', 'CLIENT_INITIATED_DISCONNECT', true, true],
    ['disconnected', 'DUPLICATE_CLIENTID', true, false],
    ['disconnected', 'CONNECTION_LOST', false, false],
  ] as const)('%s (%s), news: %s, counts: %s', async (eventType, disconnectReason, isNews, expected) => {
    const lines: string[] = [];
    const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    const now = () => new Date();
    const stores = openStores(memoryTable().open(), now);
    const sites = { ...stores.sites, recordConnectionEvent: async () => isNews, updateStaleness: async () => {} };
    const ingest = openIngest({ ...{ ...stores, sites, now }, agents: {} as never, registry: {} as never }, consoleLog);
    try {
      const event: ConnectionEvent = {
        ...{ clientId: `prod:${AGENT}`, eventType, timestamp: 1, versionNumber: 0, principalIdentifier: '' },
        disconnectReason,
      };
      await ingest.connection(AGENT, Buffer.from(JSON.stringify(event)));
    } finally {
      stdout.mockRestore();
    }
    expect(lines).toHaveLength(isNews ? 1 : 0);
    expect(lines.some(isCounted)).toBe(expected);
  });
});

describe('expressions over metrics', () => {
  /** The value of an alarm's expression, with these values of its metrics; the others have no data. */
  function evaluated(name: string, values: Record<string, number>): number {
    type Stat = { Metric: { MetricName: string } };
    const metrics = alarm(name).Metrics as { Id: string; Expression?: string; MetricStat?: Stat }[];
    const known: Record<string, unknown> = {
      FILL: (value: number, filler: number) => (Number.isNaN(value) ? filler : value),
      SERVICE_QUOTA: () => 10,
    };
    for (const { Id, MetricStat } of metrics) {
      if (MetricStat !== undefined) known[Id] = values[MetricStat.Metric.MetricName] ?? Number.NaN;
    }
    const { Expression = '' } = metrics.find((metric) => metric.Expression !== undefined) ?? {};
    // Metric maths has the operators of JavaScript, as far as it is used here.
    return new Function(...Object.keys(known), `return ${Expression}`)(...Object.values(known));
  }

  test.each<[name: string, values: Record<string, number>, value: number]>([
    ['ConcurrentExecutions', { ResourceCount: 9 }, 0.9],
    ['BrokerThrottled', { 'PublishIn.Throttle': 5 }, 5],
  ])('%s of %j is %d', (name, values, value) => {
    expect(evaluated(name, values)).toBeCloseTo(value);
    expect(evaluated(name, {}), 'without data').toSatisfy((none) => none === 0 || Number.isNaN(none));
  });

  test('a moment in which many agents come back, or a page makes many requests, raises no alarm about a rate', () => {
    for (const name of ['BrokerThrottled', 'ConcurrentExecutions']) {
      expect([name, Number(alarm(name).DatapointsToAlarm)]).not.toEqual([name, 1]);
    }
  });
});

describe('logs', () => {
  test('every function writes to a group of the stack; every group forgets, and ends with the stack', () => {
    const groups = ofType(resources, 'AWS::Logs::LogGroup');
    for (const [id, { Properties }] of ofType(resources, 'AWS::Lambda::Function')) {
      const { LogGroup } = (Properties.LoggingConfig ?? {}) as { LogGroup?: string };
      expect([id, groups.some(([group]) => group === LogGroup)]).toEqual([id, true]);
    }
    for (const [id, group] of groups) {
      expect([id, group]).toMatchObject([
        id,
        { DeletionPolicy: 'Delete', Properties: { RetentionInDays: expect.any(Number) } },
      ]);
    }
  });

  test('what the gateway writes about its own errors goes to a group that is there before it', () => {
    const [[api]] = ofType(resources, 'AWS::ApiGateway::RestApi') as [[string, object]];
    const [[, stage]] = ofType(resources, 'AWS::ApiGateway::Stage') as [[string, object]];
    const group = ofType(resources, 'AWS::Logs::LogGroup').find(
      ([, { Properties }]) => Properties.LogGroupName === `API-Gateway-Execution-Logs_${api}/prod`,
    );
    expect(stage).toMatchObject({ DependsOn: expect.arrayContaining([group?.[0]]) });
    expect(group?.[1].Properties.RetentionInDays).toBe(30);
  });
});
