/** Alarms and dashboard look at what the stack really has, and reach somebody. */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { openIngest } from '../functions/ingest/ingest.ts';
import { consoleLog } from '../functions/log/log.ts';
import type { ConnectionEvent } from '../shared/agent/messages.ts';
import { TABLE_OPERATIONS } from './metrics.ts';
import { metricsOfAlarm, problemOf, tableOperations, widgetsOf } from './testing/metrics.ts';
import { ACCOUNT, isAllowed, ofType, REGION, type Resources, type Statement } from './testing/policy.ts';
import { synthesize } from './testing/synthesize.ts';

const FUNCTIONS = ['Devices', 'Nettools', 'Admin', 'Mcp', 'Ingest', 'Hooks'];
/** Only sends files: it is watched for errors. */
const FILES = 'Console';
const AGENT = 'home:attic';
let resources: Resources;
beforeAll(() => {
  resources = synthesize().resources;
});

const table = () => ofType(resources, 'AWS::DynamoDB::Table')[0]![0];
const alarms = () => ofType(resources, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
const alarm = (name: string) => alarms().find(({ AlarmName }) => AlarmName === `LanReach-prod-${name}`)!;

describe('alarms', () => {
  test('are there for everything that can go wrong', () => {
    expect(
      alarms()
        .map(({ AlarmName }) => String(AlarmName).replace('LanReach-prod-', ''))
        .sort(),
    ).toEqual(
      [
        ...['AgentsGone', 'DeadLetters', 'QueueAge', 'ServerErrors', 'TableErrors', 'TableThrottled'],
        ...['HookDeadLetters', 'HookQueueAge'],
        ...ofType(resources, 'AWS::IoT::TopicRule').map(([id]) => id.replace(/^Broker(\w+)[0-9A-F]{8}$/, 'Rule$1')),
        ...FUNCTIONS.flatMap((name) => [`${name}Errors`, `${name}Slow`, `${name}Throttled`]),
        `${FILES}Errors`,
      ].sort(),
    );
  });

  test('look at metrics that parts of the stack fill', () => {
    const problems = alarms()
      .flatMap(metricsOfAlarm)
      .map((use) => problemOf(use, resources, table()));
    expect(problems.filter((problem) => problem !== null)).toEqual([]);
    expect(problems.length).toBeGreaterThan(alarms().length);
  });

  test('say what they mean and what to do first, are silent where nothing happens, and are told to the topic', () => {
    const [[topic]] = ofType(resources, 'AWS::SNS::Topic') as [[string, object]];
    for (const properties of alarms()) {
      expect(properties).toMatchObject({
        AlarmActions: [topic],
        TreatMissingData: 'notBreaching',
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        AlarmDescription: expect.stringMatching(/^.{30,}First: .{20,}\.$/),
      });
      expect(String(properties.AlarmDescription).length).toBeLessThan(900); // Of 1024; names grow when they are deployed.
    }
  });

  test.each(FUNCTIONS)('%s is near its limit before it is cut off', (name) => {
    const [[id, { Properties }]] = ofType(resources, 'AWS::Lambda::Function').filter(([key]) =>
      key.startsWith(`${name}Function`),
    ) as [[string, Resources[string]]];
    const limitMs = Number(Properties.Timeout) * 1000;
    const slow = alarm(`${name}Slow`);
    expect(slow).toMatchObject({ ExtendedStatistic: 'p99', Dimensions: [{ Name: 'FunctionName', Value: id }] });
    expect(slow.Threshold).toBeGreaterThan(limitMs * 0.9);
    expect(slow.Threshold).toBeLessThan(limitMs);
  });

  test('a stream of events that ends of its own accord is not near the limit', () => {
    expect(alarm('NettoolsSlow').Threshold).toBeGreaterThan(14 * 60_000 + 10_000);
  });

  test('the table’s own failures are counted for every call that a function may make', () => {
    expect(TABLE_OPERATIONS.toSorted()).toEqual(tableOperations(resources).toSorted());
    expect(metricsOfAlarm(alarm('TableErrors')).map(({ dimensions }) => dimensions.Operation)).toEqual(
      TABLE_OPERATIONS,
    );
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

  test('has no key that CloudWatch may not use, and nobody who was not asked for', () => {
    const [[, { Properties }]] = ofType(resources, 'AWS::SNS::Topic') as [[string, Resources[string]]];
    expect(Properties).toEqual({ DisplayName: 'LanReach prod' });
    expect(ofType(resources, 'AWS::SNS::Subscription')).toEqual([]);
  });
});

describe('agents that go away', () => {
  const filter = () => {
    const [[, { Properties }]] = ofType(resources, 'AWS::Logs::MetricFilter') as [[string, Resources[string]]];
    return Properties as { FilterPattern: string; LogGroupName: string };
  };
  /** The few forms of a filter pattern that are used here. */
  const isCounted = (line: string) => {
    const conditions = [...filter().FilterPattern.matchAll(/\(\$\.(\w+) (!?=) "(\w+)"\)( &&)?/g)];
    expect(`{ ${conditions.map(([whole]) => whole).join(' ')} }`).toBe(filter().FilterPattern);
    const fields = JSON.parse(line);
    return conditions.every(([, field = '', operator, value]) => (fields[field] === value) === (operator === '='));
  };

  test('are counted in the log of ingest, which lets the lines through', () => {
    const [[, ingest]] = ofType(resources, 'AWS::Lambda::Function').filter(([id]) =>
      id.startsWith('IngestFunction'),
    ) as [[string, Resources[string]]];
    expect(ingest.Properties.LoggingConfig).toMatchObject({
      LogGroup: filter().LogGroupName,
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
    const sites = { recordConnectionEvent: async () => isNews, updateStaleness: async () => {} } as never;
    const ingest = openIngest(
      {
        sites,
        jobs: {} as never,
        devices: {} as never,
        ports: {} as never,
        agents: {} as never,
        now: () => new Date(),
      },
      consoleLog,
    );
    try {
      const event: ConnectionEvent = { clientId: AGENT, eventType, timestamp: 1, versionNumber: 0, disconnectReason };
      await ingest.connection(AGENT, Buffer.from(JSON.stringify(event)));
    } finally {
      stdout.mockRestore();
    }
    expect(lines).toHaveLength(isNews ? 1 : 0);
    expect(lines.some(isCounted)).toBe(expected);
  });
});

describe('the dashboard', () => {
  const widgets = () => {
    const [[, { Properties }]] = ofType(resources, 'AWS::CloudWatch::Dashboard') as [[string, Resources[string]]];
    return widgetsOf(String(Properties.DashboardBody));
  };

  test('shows metrics that parts of the stack fill', () => {
    const shown = widgets().flatMap(({ metrics }) => metrics);
    expect(shown.map((use) => problemOf(use, resources, table())).filter((problem) => problem !== null)).toEqual([]);
    expect(shown.length).toBeLessThanOrEqual(50); // More, and it is never free of charge.
  });

  test('leaves out no function, queue or rule', () => {
    const text = JSON.stringify(widgets());
    const ids = (type: string) => ofType(resources, type).map(([id]) => id);
    const functions = ids('AWS::Lambda::Function').filter((id) =>
      [...FUNCTIONS, FILES].some((name) => id.startsWith(`${name}Function`)),
    );
    expect(functions).toHaveLength(FUNCTIONS.length + 1);
    for (const id of [...functions, ...ids('AWS::SQS::Queue'), ...ids('AWS::IoT::TopicRule'), table()]) {
      expect(text).toContain(id);
    }
  });
});

describe('logs and traces', () => {
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

  test('one request in twenty is traced at the gateway, and nothing behind it', () => {
    expect(ofType(resources, 'AWS::ApiGateway::Stage')[0]![1].Properties.TracingEnabled).toBe(true);
    const [[, rule]] = ofType(resources, 'AWS::XRay::SamplingRule') as [[string, Resources[string]]];
    const [[, api]] = ofType(resources, 'AWS::ApiGateway::RestApi') as [[string, Resources[string]]];
    expect(rule.Properties.SamplingRule).toMatchObject({
      FixedRate: 0.05,
      ReservoirSize: 0,
      ServiceName: `${api.Properties.Name}/prod`,
      ServiceType: 'AWS::ApiGateway::Stage',
    });
    for (const [, { Properties }] of ofType(resources, 'AWS::Lambda::Function')) {
      expect(Properties.TracingConfig).toBeUndefined();
    }
  });
});
