/** Alarms and dashboard look at what the stack really has, and reach somebody. */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { LONGEST_WAIT_S } from '../api/commands/wait-slots.ts';
import { ERRORS } from '../api/http/errors.ts';
import { openIngest } from '../api/sightings/ingest.ts';
import { consoleLog } from '../api/status/log.ts';
import type { ConnectionEvent } from '../shared/agent/messages.ts';
import type { ErrorCode } from '../shared/errors.ts';
import { openStores } from '../store/stores.ts';
import { memoryTable } from '../test/test-table.ts';
import { TABLE_OPERATIONS } from './metrics.ts';
import { metricsOfAlarm, problemOf, tableOperations, widgetsOf } from './testing/metrics.ts';
import { ACCOUNT, isAllowed, ofType, REGION, type Resources, type Statement } from './testing/policy.ts';
import { synthesizeUnchecked as synthesize } from './testing/synthesize.ts';

const FUNCTIONS = ['Devices', 'Nettools', 'Admin', 'Mcp', 'Monitors', 'Signin', 'Ingest', 'Hooks'];
const AGENT = 'home:attic';
let resources: Resources;
let basic: Resources;
beforeAll(() => {
  resources = synthesize({ monitoring: 'full' }).resources;
  basic = synthesize().resources;
});

const table = () => ofType(resources, 'AWS::DynamoDB::GlobalTable')[0]![0];
const alarmsOf = (all: Resources) => ofType(all, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
const alarms = () => alarmsOf(resources);
const namesOf = (all: Resources) =>
  alarmsOf(all).map(({ AlarmName }) => String(AlarmName).replace('LanReach-prod-', ''));
const alarm = (name: string) => alarms().find(({ AlarmName }) => AlarmName === `LanReach-prod-${name}`)!;

describe('alarms', () => {
  test('are there for every function, queue and rule, and with `full` for what is slow as well', () => {
    const [all, few] = [namesOf(resources), namesOf(basic)];
    for (const [id] of ofType(resources, 'AWS::Lambda::Function').filter(([id]) => /Function/.test(id))) {
      expect(few).toContain(`${id.replace(/Function.*/, '')}Errors`);
    }
    expect(all).toEqual(expect.arrayContaining(few));
    expect(all).toEqual(expect.arrayContaining([...FUNCTIONS.map((name) => `${name}Slow`), 'FunctionsThrottled']));
    expect(all.filter((name) => name.startsWith('Rule'))).toHaveLength(ofType(resources, 'AWS::IoT::TopicRule').length);
    for (const [id] of ofType(resources, 'AWS::SQS::Queue')) {
      const watched = alarms().filter((properties) => JSON.stringify(properties).includes(`"${id}.QueueName"`));
      expect(watched, id).not.toEqual([]);
    }
  });

  test('without further settings need no dashboard', () => {
    expect(ofType(basic, 'AWS::CloudWatch::Dashboard')).toEqual([]);
    expect(JSON.stringify(alarmsOf(basic))).not.toMatch(/dashboard/i);
    expect(ofType(basic, 'AWS::Logs::MetricFilter')).toHaveLength(1);
  });

  test('look at metrics that parts of the stack fill', () => {
    const problems = alarms()
      .flatMap(metricsOfAlarm)
      .map((use) => problemOf(use, resources, table()));
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

  test('a call that waits as long as any may, or a stream that ends of its own accord, is not near the limit', () => {
    expect(alarm('NettoolsSlow').Threshold).toBeGreaterThan(LONGEST_WAIT_S * 1_000);
  });

  test('the table’s own failures are counted for every call that a function may make', () => {
    // A transaction needs the rights of its parts, and is counted by a name of its own.
    expect(TABLE_OPERATIONS.toSorted()).toEqual([...tableOperations(resources), 'TransactWriteItems'].toSorted());
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

/** The count of log lines with this name. */
function filterOf(metricName: string) {
  const found = ofType(resources, 'AWS::Logs::MetricFilter').find(
    ([, { Properties }]) =>
      (Properties.MetricTransformations as { MetricName: string }[])[0]?.MetricName === metricName,
  );
  return found![1].Properties as { FilterPattern: string; LogGroupName: string };
}

/** Whether a filter pattern matches a line. Of the forms of patterns, those that are used here. */
function isCounted(metricName: string, line: string): boolean {
  const { FilterPattern } = filterOf(metricName);
  expect(FilterPattern).toMatch(/^\{ (?:\$\.\w+ !?= "\w+"|&&|\|\||[() ])+ \}$/);
  const condition = FilterPattern.slice(1, -1).replace(
    /\$\.(\w+) (!?)=/g,
    (_, name, not) => `line.${name} ${not || '='}==`,
  );
  return new Function('line', `return ${condition}`)(JSON.parse(line));
}

describe('agents that go away', () => {
  const filter = () => filterOf('AgentsGone');

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
    const now = () => new Date();
    const stores = openStores(memoryTable().open(), now);
    const sites = { ...stores.sites, recordConnectionEvent: async () => isNews, updateStaleness: async () => {} };
    const ingest = openIngest(
      {
        ...{ ...stores, sites, now },
        agents: {} as never,
        registry: {} as never,
      },
      consoleLog,
    );
    try {
      const event: ConnectionEvent = {
        clientId: `prod:${AGENT}`,
        eventType,
        timestamp: 1,
        versionNumber: 0,
        principalIdentifier: '',
        disconnectReason,
      };
      await ingest.connection(AGENT, Buffer.from(JSON.stringify(event)));
    } finally {
      stdout.mockRestore();
    }
    expect(lines).toHaveLength(isNews ? 1 : 0);
    expect(lines.some((line) => isCounted('AgentsGone', line))).toBe(expected);
  });
});

describe('failures of sites', () => {
  const OF_SITES = ['agent_busy', 'agent_offline', 'agent_silent', 'command_failed', 'tool_missing'];

  test('are known by their code in the line of each request', () => {
    const [log] = ofType(resources, 'AWS::Logs::LogGroup').filter(([id]) => id.startsWith('NettoolsLog'));
    expect(filterOf('SiteFailures').LogGroupName).toBe(log?.[0]);
    const lines = (Object.keys(ERRORS) as ErrorCode[]).map((code) => ({ code, line: { msg: 'request', code } }));
    const counted = lines.filter(({ line }) => isCounted('SiteFailures', JSON.stringify(line)));
    expect(counted.map(({ code }) => code).sort()).toEqual(OF_SITES);
    expect(isCounted('SiteFailures', JSON.stringify({ msg: 'request', status: 200 }))).toBe(false);
  });
});

test('refusals with 429 are counted in the log of the gateway, where a status is text', () => {
  const [, stage] = ofType(resources, 'AWS::ApiGateway::Stage')[0]!;
  const { DestinationArn, Format } = stage.Properties.AccessLogSetting as { DestinationArn: string; Format: string };
  expect(DestinationArn).toMatch(new RegExp(`:${filterOf('TooManyRequests').LogGroupName}$`));
  const line = (status: number) => Format.replace('$context.status', String(status));
  expect(isCounted('TooManyRequests', line(429))).toBe(true);
  expect(isCounted('TooManyRequests', line(200))).toBe(false);
});

describe('expressions over metrics', () => {
  /** The value of an alarm's expression, with these values of its metrics; the others have no data. */
  function evaluated(name: string, values: Record<string, number>): number {
    const metrics = alarm(name).Metrics as {
      Id: string;
      Expression?: string;
      MetricStat?: { Metric: { MetricName: string } };
    }[];
    const known: Record<string, unknown> = {
      FILL: (value: number, filler: number) => (Number.isNaN(value) ? filler : value),
      IF: (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise),
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
    ['ServerErrors', { Count: 100, '5XXError': 30 }, 0.3],
    ['ServerErrors', { Count: 100, '5XXError': 60, SiteFailures: 30 }, 0.3],
    ['ServerErrors', { Count: 2, '5XXError': 1 }, 0],
    ['TooManyRequests', { Count: 100, '4XXError': 50, TooManyRequests: 40 }, 0.4],
    ['ConcurrentExecutions', { ResourceCount: 9 }, 0.9],
    ['BrokerThrottled', { 'PublishIn.Throttle': 5 }, 5],
    ['Redeliveries', { NumberOfMessagesReceived: 50, NumberOfMessagesDeleted: 3 }, 0.94],
    ['Redeliveries', { NumberOfMessagesReceived: 50 }, 1],
    ['Redeliveries', { NumberOfMessagesReceived: 1 }, 0],
    ['TableThrottled', { WriteThrottleEvents: 9 }, 9],
    ['RuleResults', { ErrorActionFailure: 1 }, 1],
  ])('%s of %j is %d', (name, values, value) => {
    expect(evaluated(name, values)).toBeCloseTo(value);
    expect(evaluated(name, {}), 'without data').toSatisfy((none) => none === 0 || Number.isNaN(none));
  });

  test('a moment in which many agents come back, or a page makes many requests, raises no alarm about a rate', () => {
    for (const name of ['BrokerThrottled', 'ConcurrentExecutions', 'ServerErrors', 'TooManyRequests', 'Redeliveries']) {
      expect([name, Number(alarm(name).DatapointsToAlarm)]).not.toEqual([name, 1]);
    }
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
      [...FUNCTIONS, 'Console'].some((name) => id.startsWith(`${name}Function`)),
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
