/** The stack as it is without settings, and what its functions run. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { groups } from '../functions/groups/list.ts';
import { ERRORS } from '../functions/http/errors.ts';
import { permissions, topics } from '../shared/agent/topics.ts';
import { ErrorBody } from '../shared/errors.ts';
import { clientIdOf } from '../shared/identity.ts';
import { gatewayBody } from '../test/cdk/gateway-body.ts';
import {
  ACCOUNT,
  isAllowed,
  ofType,
  REGION,
  type Resources,
  type Statement,
  statementsOf,
} from '../test/cdk/policy.ts';
import { isAllowedBySimulator } from '../test/cdk/second-opinion.ts';
import type { Template } from '../test/cdk/stacks.ts';
import { lostResources, StatefulStacks } from '../test/cdk/stateful-resources.ts';
import { type Synthesized, synthesizeOnce } from '../test/cdk/synthesize.ts';
import { bundledFunction } from '../test/lambda/bundled-function.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { REFUSALS } from './refusals.ts';

const ROOT = join(import.meta.dirname, '..');
const folder = makeTestFolder();
let templates: Record<'data' | 'main', Template>;
let resources: Resources;
let outputs: Synthesized['outputs'];
let stateful: Synthesized['stateful'];
/** Of each function, what it would run. */
let bundles: Record<string, string>;

const NAMES = ['Data', 'Commands', 'Access', 'Console', 'Ingest', 'Worker'];

beforeAll(async () => {
  const synthesized = await synthesizeOnce();
  ({ resources, outputs, stateful } = synthesized);
  templates = { data: synthesized.stacks.data.template, main: synthesized.stacks.main.template };
  bundles = Object.fromEntries(
    NAMES.map((name) => {
      const output = join(folder.path, name);
      bundledFunction(ROOT, name.toLowerCase(), output);
      return [name, join(output, 'index.mjs')];
    }),
  );
});

afterAll(() => folder.remove());

test('an upgrade keeps the table, the queues, the agents’ policy and the URL: nothing that holds state is replaced', () => {
  const released = StatefulStacks.parse(JSON.parse(readFileSync(join(ROOT, 'cdk', 'stateful-resources.json'), 'utf8')));
  const lost = lostResources(released, stateful);
  const asks = 'If a deployment is meant to delete these with what they hold, run `npm run stateful-resources`:';
  expect(lost, [asks, ...lost].join('\n')).toEqual([]);
  const unknown = lostResources(stateful, released);
  expect(unknown, 'New resources are protected once `npm run stateful-resources` has recorded them').toEqual([]);
});

test('the stacks have few resources, which CloudFormation makes one after the other', () => {
  const count = Object.values(templates).flatMap(({ Resources }) => Object.keys(Resources)).length;
  expect(count).toBeLessThanOrEqual(150);
});

test('no resource waits for itself: the gateway names the functions, so no function that it calls may name it', () => {
  for (const { Resources } of Object.values(templates)) {
    const left = new Map(
      Object.entries(Resources).map(([id, resource]) => {
        const text = JSON.stringify(resource);
        return [id, Object.keys(Resources).filter((other) => other !== id && text.includes(`"${other}"`))];
      }),
    );
    for (let before = -1; before !== left.size; ) {
      before = left.size;
      for (const [id, others] of left) if (!others.some((other) => left.has(other))) left.delete(id);
    }
    expect([...left.keys()]).toEqual([]);
  }
});

describe('functions', () => {
  const functions = () => ofType(resources, 'AWS::Lambda::Function');

  test('all run on the same platform and write to a log of their own', () => {
    const ours = functions().filter(([id]) => NAMES.some((name) => id.startsWith(name)));
    expect(ours).toHaveLength(6);
    for (const [, { Properties }] of ours) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
    }
    const logs = ours.map(([, { Properties }]) => (Properties.LoggingConfig as { LogGroup: string }).LogGroup);
    const roles = ours.map(([, { Properties }]) => Properties.Role);
    expect(new Set(logs).size).toBe(6);
    expect(new Set(roles).size).toBe(6);
  });

  test.each([
    ['Data', 800],
    ['Commands', 1_130],
    ['Access', 830],
    ['Console', 200],
    ['Ingest', 800],
    ['Worker', 1_120],
  ])('%s stays small enough to start fast', (name, kilobytes) => {
    expect(statSync(bundles[name]!).size / 1000).toBeLessThan(kilobytes);
  });

  test('only functions that talk to agents carry an MQTT library', () => {
    const carriers = NAMES.filter((name) => readFileSync(bundles[name]!, 'utf8').includes('mqttjs'));
    expect(carriers).toEqual(['Commands', 'Ingest', 'Worker']);
  });
});

test('the console’s files go along with its function, as they were built', () => {
  const listed = (folder: string) => readdirSync(folder, { recursive: true }).sort();
  expect(listed(join(dirname(bundles.Console!), 'console'))).toEqual(listed(join(ROOT, 'dist', 'console')));
});

describe('the table', () => {
  test('outlives the stack, can be put back to any second, forgets what has expired, and can get further regions', () => {
    const [[, table]] = ofType(resources, 'AWS::DynamoDB::GlobalTable') as [[string, Resources[string]]];
    expect(table).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: { BillingMode: 'PAY_PER_REQUEST', TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true } },
    });
    const recovery = { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } };
    expect(table.Properties.Replicas).toEqual([{ Region: REGION, DeletionProtectionEnabled: true, ...recovery }]);
    expect(ofType(resources, 'AWS::DynamoDB::Table')).toEqual([]);
  });

  test('and the agents’ policy are all that is in the stack of what is kept, and no function is', () => {
    const types = (stack: 'data' | 'main') =>
      new Set(Object.values(templates[stack].Resources).map(({ Type }) => Type));
    expect([...types('data')].sort()).toEqual(['AWS::DynamoDB::GlobalTable', 'AWS::IoT::Policy']);
    expect([...types('main')].filter((type) => types('data').has(type))).toEqual([]);
  });
});

describe('the first token', () => {
  test('is made by the command of an output; of the stack only the gateway may invoke its function, with requests', () => {
    const access = ofType(resources, 'AWS::Lambda::Function').find(([id]) => id.startsWith('Access'))?.[0];
    const command = `aws lambda invoke --region ${REGION} --function-name ${access} --cli-binary-format raw-in-base64-out --payload '{}' /dev/stdout`;
    expect(outputs.MakeFirstToken).toBe(command);
    // No permission for another service or account, no URL, no event source, no alias, no other resource that invokes it.
    const references = Object.values(templates.main.Resources).filter((resource) =>
      JSON.stringify(resource).includes(`"${access}"`),
    );
    expect(references).toMatchObject([
      { Type: 'AWS::Lambda::Permission', Properties: { Principal: 'apigateway.amazonaws.com' } },
      { Type: 'AWS::ApiGateway::RestApi' }, // Whose integrations send nothing but requests: see gatewayBody.
    ]);
    const types = Object.values(templates.main.Resources).map(({ Type }) => Type);
    expect(types).not.toContain('AWS::Lambda::Url');
  });

  test('cannot be made by another function: no role may invoke one', () => {
    const roles = ofType(resources, 'AWS::IAM::Role').map(([id]) => id);
    expect(roles.length).toBeGreaterThan(5);
    for (const role of roles) {
      const actions = statementsOf(resources, role).flatMap(({ Action }) => Action);
      expect(
        actions.filter((action) => /^(?:lambda:|\*)/.test(action)),
        role,
      ).toEqual([]);
    }
  });

  test('is not in the template, and the stack has no secret', () => {
    expect(ofType(resources, 'AWS::SecretsManager::Secret')).toEqual([]);
    expect(JSON.stringify(templates)).not.toMatch(/lr_[0-9a-f]{16}|secretsmanager|GenerateSecretString/);
  });
});

describe('the gateway', () => {
  test('has a path for every operation, and streams every answer', () => {
    const segments = (group: keyof typeof groups) => {
      const routes: { operations: object }[] = Object.values(groups[group].routes);
      const operations = routes.flatMap((one): { path: string }[] => Object.values(one.operations));
      return [...new Set(operations.map(({ path }) => path.split('/')[1] ?? ''))];
    };
    const routes = Object.fromEntries(methods().map(({ path, mode, target }) => [path, `${target} ${mode}`]));
    const expected = (target: string, names: string[]) =>
      names.flatMap((name) => [[name, target] as const, [`${name}/{proxy+}`, target] as const]);
    expect(routes).toEqual(
      Object.fromEntries([
        ...expected('Data STREAM', segments('data')),
        ...expected('Commands STREAM', segments('commands')),
        ...expected('Access STREAM', segments('access')),
        ...expected('Console STREAM', segments('console')),
        // Whatever is no operation's, so that it is refused in the words of the contract, by the function that has no right
        // to anything and the least memory: strangers can make it run.
        ['/', 'Console STREAM'],
        ['{proxy+}', 'Console STREAM'],
      ]),
    );
  });

  test('is the only one that may call the functions, but for the upkeep once an hour', () => {
    const [[api]] = ofType(resources, 'AWS::ApiGateway::RestApi') as [[string, Resources[string]]];
    const all = ofType(resources, 'AWS::Lambda::Permission').map(([, { Properties }]) => Properties);
    const isScheduled = ({ FunctionName }: Record<string, unknown>) => /^arn:WorkerFunction/.test(String(FunctionName));
    const [[rule, { Properties: hourly }]] = ofType(resources, 'AWS::Events::Rule') as [[string, Resources[string]]];
    expect(hourly.ScheduleExpression).toBe('rate(1 hour)');
    expect(all.filter(isScheduled)).toMatchObject([{ Principal: 'events.amazonaws.com', SourceArn: `arn:${rule}` }]);
    expect(hourly.Targets).toMatchObject([{ RetryPolicy: { MaximumRetryAttempts: 0 } }]);
    const repeated = ofType(resources, 'AWS::Lambda::EventInvokeConfig').map(([, { Properties }]) => Properties);
    expect(repeated).toMatchObject([
      { FunctionName: expect.stringMatching(/^WorkerFunction/), MaximumRetryAttempts: 0 },
    ]);
    const permissions = all.filter((one) => !isScheduled(one));
    expect(permissions).toHaveLength(4);
    for (const permission of permissions) {
      expect(permission).toMatchObject({
        Principal: 'apigateway.amazonaws.com',
        // With the account in it. SourceAccount would say no more, and not every service sends what it is compared with.
        SourceArn: `arn:aws:execute-api:${REGION}:${ACCOUNT}:${api}/*/*/*`,
      });
    }
  });

  function methods(): { path: string; mode: string; target: string }[] {
    return Object.entries(gatewayBody(resources).paths).map(([path, { 'x-amazon-apigateway-any-method': method }]) => {
      const { uri, responseTransferMode: mode } = method['x-amazon-apigateway-integration'];
      return { path: path === '/' ? path : path.slice(1), mode, target: /arn:(\w+?)Function/.exec(uri)?.[1] ?? '' };
    });
  }

  test('says no in the words of the contract', () => {
    const responses = gatewayBody(resources)['x-amazon-apigateway-gateway-responses'];
    expect(Object.keys(responses).sort()).toEqual(Object.keys(REFUSALS).sort());
    for (const { statusCode, responseTemplates } of Object.values(responses)) {
      const template = responseTemplates['application/json']!;
      const body = ErrorBody.parse(JSON.parse(template.replace('$context.requestId', '7f1c')));
      const [status, error] = ERRORS[body.code];
      expect([statusCode, body.error]).toEqual([status, error]);
    }
    // A function that is throttled, or has crashed.
    for (const type of ['DEFAULT_5XX', 'INTEGRATION_FAILURE']) {
      const responseTemplates = { 'application/json': expect.stringContaining('"code":"unavailable"') };
      const responseParameters = { 'gatewayresponse.header.Retry-After': "'2'" };
      expect(responses[type]).toMatchObject({ statusCode: 503, responseParameters, responseTemplates });
    }
  });

  test('takes uploads as bytes, and is throttled', () => {
    const [[, api]] = ofType(resources, 'AWS::ApiGateway::RestApi') as [[string, Resources[string]]];
    expect(api.Properties).toMatchObject({
      BinaryMediaTypes: ['multipart/form-data'],
      EndpointConfiguration: { Types: ['REGIONAL'], IpAddressType: 'dualstack' },
    });
    const [[, stage]] = ofType(resources, 'AWS::ApiGateway::Stage') as [[string, Resources[string]]];
    expect(stage.Properties.MethodSettings).toMatchObject([{ ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 }]);
  });
});

test('tasks have a queue of their own, whose messages stay hidden for longer than the worker may take', () => {
  const [, queue] = ofType(resources, 'AWS::SQS::Queue').find(([id]) => id.startsWith('TasksQueue'))!;
  const [, { Properties }] = ofType(resources, 'AWS::Lambda::Function').find(([id]) => id.startsWith('Worker'))!;
  expect(queue.Properties.VisibilityTimeout).toBeGreaterThanOrEqual(2 * Number(Properties.Timeout));
  expect(queue.Properties.RedrivePolicy).toMatchObject({ maxReceiveCount: 5 });
});

describe('the queues of ingest', () => {
  const queues = () => ofType(resources, 'AWS::SQS::Queue').filter(([id]) => /^Broker(Sightings)?Queue/.test(id));

  test('hide a message for as long as ingest may take, try it for half an hour, and share the dead letters', () => {
    const [, { Properties }] = ofType(resources, 'AWS::Lambda::Function').find(([id]) => /^IngestFunction/.test(id))!;
    const redrives = queues().map(([, queue]) => {
      const { VisibilityTimeout: hidden, RedrivePolicy } = queue.Properties;
      expect(hidden).toBe(6 * Number(Properties.Timeout));
      const { maxReceiveCount, deadLetterTargetArn } = RedrivePolicy as Record<string, unknown>;
      expect(Number(hidden) * Number(maxReceiveCount)).toBe(30 * 60);
      return deadLetterTargetArn;
    });
    expect([redrives.length, new Set(redrives).size]).toEqual([2, 1]);
  });

  test('are followed each by itself, so that many sightings hold up neither results nor presence', () => {
    const followed = ofType(resources, 'AWS::Lambda::EventSourceMapping')
      .filter(([id]) => /^IngestFunction/.test(id))
      .map(([, { Properties }]) => Properties.EventSourceArn);
    expect(followed.sort()).toEqual(
      queues()
        .map(([id]) => `arn:${id}`)
        .sort(),
    );
  });
});

test('rules bring sightings and measurements into a queue of their own, the rest into another, and what cannot be brought to the dead letters', () => {
  const queueOf = (name: string) =>
    ofType(resources, 'AWS::SQS::Queue').find(([id]) => id.startsWith(`Broker${name}`))?.[0];
  const rules = ofType(resources, 'AWS::IoT::TopicRule');
  expect(rules).toHaveLength(5);
  for (const [id, { Properties }] of rules) {
    const payload = Properties.TopicRulePayload as { Sql: string };
    expect(payload).toMatchObject({
      AwsIotSqlVersion: '2016-03-23',
      Actions: [
        { Sqs: { QueueUrl: queueOf(/^Broker(?:Sightings|Measurements)/.test(id) ? 'SightingsQueue' : 'Queue') } },
      ],
      ErrorAction: { Sqs: { QueueUrl: queueOf('DeadLetters'), UseBase64: false } },
    });
    // `stages.system.test.ts` tests which topics they are. A template in the text would be filled in.
    expect(payload.Sql).toMatch(/^SELECT topic\(\) AS topic, encode\(\*, 'base64'\) AS payload FROM '[^']+'/);
    expect(payload.Sql).not.toContain('${');
  }
});

const iot = (resource: string) => `arn:aws:iot:${REGION}:${ACCOUNT}:${resource}`;
const ME = 'lr-prod-0123456789abcdef';
const OTHER = 'lr-prod-fedcba9876543210';
const AGENT = 'prod:home:attic';
const OTHER_AGENT = 'prod:office:lab';

describe('what a function may do', () => {
  /** On items of the table: the call, the partition key, and the attributes that occur in it. */
  const item = (action: string, key: string, attributes?: string[]) => ({
    action: `dynamodb:${action}`,
    resource: `arn:${ofType(resources, 'AWS::DynamoDB::GlobalTable')[0]![0]}`,
    context: {
      'dynamodb:LeadingKeys': [key],
      ...(attributes === undefined ? {} : { 'dynamodb:Attributes': ['pk', 'sk', ...attributes] }),
    },
  });
  const on = (action: string, resource: string) => ({ action: `iot:${action}`, resource: iot(resource) });
  const decide = (name: string, request: Parameters<typeof isAllowed>[1]) =>
    isAllowed(statementsOf(resources, `${name}Role`), request);
  /** The same, by another simulator, for which every ARN has to be one. */
  async function allowedBySimulator(request: Parameters<typeof isAllowed>[1]): Promise<string[]> {
    const withArns = <Value>(value: Value): Value =>
      JSON.parse(
        JSON.stringify(value).replaceAll(/"arn:(Table\w+)"/g, `"arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/$1"`),
      );
    const opinions = NAMES.map(async (name) => {
      const statements = withArns(statementsOf(resources, `${name}Role`));
      return (await isAllowedBySimulator(statements, withArns(request))) ? [name] : [];
    });
    return (await Promise.all(opinions)).flat();
  }

  // What the functions need shows in the tests of the API (test/support/table-rights.ts). This is what others must not have.
  test.each<[call: string, allowed: string[]]>([
    ['GetItem T#1', ['Data', 'Commands', 'Access', 'Worker']],
    ['PutItem T#1', ['Access', 'Worker']],
    ['DeleteItem T#1', ['Access', 'Worker']],
    ['PutItem PEOPLE', ['Access', 'Worker']],
    ['DeleteItem PEOPLE', ['Access']],
    ['GetItem I#1', ['Access']],
    ['UpdateItem T#1 d', []],
    ['UpdateItem T#1 ttl', []],
    ['PutItem TOKENS', ['Access']],
    ['Query TOKENS', ['Access', 'Worker']],
    ['PutItem SITES', ['Access']],
    ['UpdateItem SITES d', ['Access', 'Worker']],
    ['DeleteItem SITES', ['Worker']],
    ['PutItem CODES', ['Access']],
    ['GetItem CODES', ['Access']],
    ['PutItem SETUP', ['Access']],
    ['DeleteItem SETUP', []],
    ['PutItem S#home d v', ['Data', 'Commands', 'Access', 'Ingest', 'Worker']],
    ['PutItem S#home certificate key', ['Data', 'Commands']],
    ['UpdateItem S#home d', ['Data', 'Commands', 'Ingest']],
    ['UpdateItem S#home certificate', ['Data', 'Commands', 'Access', 'Worker']],
    ['BatchWriteItem S#home', []],
    ['DeleteItem S#home', ['Worker']],
    ['PutItem J#home', ['Commands', 'Worker']],
    ['GetItem J#home', ['Commands', 'Access', 'Ingest', 'Worker']],
    ['UpdateItem J#home agent', ['Commands']],
    ['UpdateItem J#home result', ['Commands', 'Ingest']],
    ['PutItem BATCHES', ['Commands']],
    ['UpdateItem BATCHES d', []],
    ['UpdateItem BATCHES p rev', ['Worker']],
    ['UpdateItem BATCHES cancelledAt rev', ['Commands', 'Worker']],
    ['UpdateItem B#home p rev', ['Worker']],
    ['DeleteItem J#home', ['Worker']],
    ['GetItem R#home', ['Commands', 'Worker']],
    ['GetItem V#home', ['Ingest', 'Worker']],
    ['PutItem H#home', ['Access', 'Worker']],
    ['UpdateItem H#home d', ['Access', 'Worker']],
    ['UpdateItem H#home p', ['Access', 'Worker']],
    ['PutItem L#home', ['Data', 'Commands', 'Access', 'Worker']],
    ['UpdateItem L#home', []],
    ['DeleteItem L#home', []],
    ['Query L#home', ['Access']],
    ...['Scan', 'DeleteTable', 'UpdateTable', 'CreateBackup', 'PartiQLSelect', 'ExportTableToPointInTime'].map(
      (action): [string, string[]] => [`${action} S#home`, []],
    ),
  ])('%s is for %j', async (text, allowed) => {
    const [action = '', key = '', ...attributes] = text.split(' ');
    const request = item(action, key, attributes.length === 0 ? undefined : attributes);
    const { context: _, ...keyless } = request;
    expect(NAMES.filter((name) => decide(name, request))).toEqual(allowed);
    expect(NAMES.filter((name) => decide(name, keyless))).toEqual([]);
    expect([await allowedBySimulator(request), await allowedBySimulator(keyless)]).toEqual([allowed, []]);
  });

  const broker: [string, string, string, string[]][] = [
    ['Connect', `client/${ME}`, 'connect as a function', ['Commands', 'Ingest', 'Worker']],
    ['Connect', `client/${AGENT}`, 'connect as an agent', []],
    ['Subscribe', `topicfilter/${topics.allForInstance(ME)}`, 'hear replies', ['Commands', 'Ingest', 'Worker']],
    ['Subscribe', 'topicfilter/lr/v1/prod/#', 'hear everything', []],
    ['Subscribe', 'topicfilter/#', 'hear everybody', []],
    ['Receive', `topic/${topics.reply(ME, AGENT)}`, 'receive replies', ['Commands', 'Ingest', 'Worker']],
    ['Receive', `topic/${topics.request(AGENT)}`, 'receive requests', []],
    ['Publish', `topic/${topics.request(AGENT)}`, 'send commands', ['Commands', 'Worker']],
    [
      'Publish',
      `topic/${topics.control(AGENT)}`,
      'what agents are to do, or know to be stored',
      ['Data', 'Commands', 'Access', 'Ingest', 'Worker'],
    ],
    ['Publish', `topic/${topics.echo(ME, 'f00d')}`, 'send itself a message', ['Commands', 'Ingest', 'Worker']],
    ['Publish', `topic/${topics.reply(OTHER, AGENT)}`, 'pretend to be an agent', []],
    ['Publish', `topic/${topics.presence(AGENT)}`, 'pretend that an agent is there', []],
    ['RetainPublish', `topic/${topics.presence(AGENT)}`, 'leave a message behind', []],
    ['CreateThing', `thing/${AGENT}`, 'add an agent', ['Access']],
    ['CreateThing', 'thing/thermostat', 'add another thing', []],
    ['DeleteThing', 'thing/thermostat', 'delete another thing', []],
    ['UpdateCertificate', 'cert/c0ffee', 'revoke a certificate', ['Access', 'Ingest', 'Worker']],
    ['DeleteConnection', `client/${AGENT}`, 'cut the connection of an agent', ['Access', 'Worker']],
    ['DeleteConnection', `client/${ME}`, 'cut the connection of a function', []],
    ['CreatePolicy', 'policy/Mine', 'make a policy', []],
    ['CreatePolicyVersion', 'policy/AgentPolicy', 'widen the policy of the agents', []],
    ['AttachPolicy', 'policy/Admin', 'attach another policy', []],
  ];

  test.each(broker)('iot:%s %s (%s) is for %j', async (action, resource, _, allowed) => {
    const granted = NAMES.filter((name) => decide(name, on(action, resource)));
    expect(granted).toEqual(allowed);
    // By the reference, this is checked on the certificate alone, so that the simulator takes no policy for it.
    if (action !== 'AttachPolicy') expect(await allowedBySimulator(on(action, resource))).toEqual(allowed);
  });

  test.each([
    ['AttachThingPrincipal', ['Access']],
    ['DetachThingPrincipal', ['Access', 'Ingest', 'Worker']],
  ])('iot:%s is for %j, on agents', (action, functions) => {
    const request = { action: `iot:${action}`, resource: iot('cert/c0ffee') };
    const granted = (context: Record<string, string>) => NAMES.filter((name) => decide(name, { ...request, context }));
    expect(granted({ 'iot:thingArn': iot(`thing/${AGENT}`) })).toEqual(functions);
    expect(granted({ 'iot:thingArn': iot('thing/thermostat') })).toEqual([]);
    expect(granted({}), 'if IoT Core does not say which thing, agents can still enrol').toEqual(functions);
  });

  test('the console may write to its log, and nothing else', () => {
    const statements = statementsOf(resources, 'ConsoleRole');
    const actions = statements.flatMap(({ Action }) => Action);
    expect(actions.sort()).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents']);
    const [, { Properties }] = ofType(resources, 'AWS::Lambda::Function').find(([id]) => /^ConsoleFunction/.test(id))!;
    const { LogGroup } = Properties.LoggingConfig as { LogGroup: string };
    expect(statements.flatMap(({ Resource }) => Resource)).toEqual([`arn:${LogGroup}`]);
    expect(Properties.Environment).toEqual({ Variables: { CORS_ORIGINS: '' } });
  });

  test('the rules may put messages into their three queues, and the look-up of the endpoint looks it up', () => {
    const all = ofType(resources, 'AWS::SQS::Queue').map(([id]) => id);
    const queues = all.filter((id) => id.startsWith('Broker')).map((id) => `arn:${id}`);
    expect(queues).toHaveLength(3);
    const rules = statementsOf(resources, 'BrokerRuleRole');
    for (const resource of queues) expect(isAllowed(rules, { action: 'sqs:SendMessage', resource })).toBe(true);
    expect(isAllowed(rules, { action: 'sqs:ReceiveMessage', resource: queues[0]! })).toBe(false);
    const actions = statementsOf(resources, 'BrokerEndpointRole').flatMap(({ Action }) => Action);
    expect(actions.filter((action) => !action.startsWith('logs:'))).toEqual(['iot:DescribeEndpoint']);
  });
});

describe('what an agent may do', () => {
  const statements = () => {
    const [[, policy]] = ofType(resources, 'AWS::IoT::Policy') as [[string, Resources[string]]];
    return (policy.Properties.PolicyDocument as { Statement: Statement[] }).Statement;
  };
  const attached = {
    'iot:Connection.Thing.ThingName': AGENT,
    'iot:Connection.Thing.IsAttached': 'true',
    'iot:ConnectAttributes': ['LastWill'],
  };
  const decide = (action: string, resource: string, context: Record<string, string | string[]> = attached) =>
    isAllowed(statements(), { action: `iot:${action}`, resource: iot(resource), context });

  test('the policy fits into what IoT Core takes, also with the longest name of a stage, in every region of every partition', () => {
    const document = JSON.stringify({ Version: '2012-10-17', Statement: statements() }).replace(/\s/g, '');
    expect(document).toContain('/prod/');
    const lengths = RegionInfo.regions.map(({ name, partition = '' }) => {
      const there = document.replaceAll('arn:aws:', `arn:${partition}:`).replaceAll(`:${REGION}:`, `:${name}:`);
      return [name, there.replaceAll('prod', 'p'.repeat(16)).length] as const;
    });
    expect(new Set(RegionInfo.regions.map(({ partition }) => partition)).size).toBeGreaterThan(3);
    expect(lengths.filter(([, length]) => length > 2048)).toEqual([]);
  });

  test.each([
    ['everything that the protocol needs', AGENT, true],
    ['nothing of what another agent may', OTHER_AGENT, false],
  ] as const)('%s', (_, agent, may) => {
    const { subscribe, receive, publish } = permissions.agent('prod', agent);
    expect(decide('Connect', `client/${agent}`)).toBe(may);
    for (const filter of subscribe) expect(decide('Subscribe', `topicfilter/${filter}`)).toBe(may);
    for (const filter of receive) expect(decide('Receive', `topic/${filter.replace('+', 'req')}`)).toBe(may);
    for (const filter of publish) expect(decide('Publish', `topic/${filter.replaceAll('+', ME)}`)).toBe(may);
  });

  test.each([
    ['Connect', `client/${ME}`],
    ['Subscribe', 'topicfilter/#'],
    ['Subscribe', 'topicfilter/lr/v1/prod/a/+/req'],
    ['Subscribe', `topicfilter/${topics.allForInstance(ME)}`],
    ['Subscribe', `topicfilter/$share/x/${topics.request(AGENT)}`],
    ['Receive', `topic/${topics.presence(OTHER_AGENT)}`],
    ['Publish', `topic/${topics.request(AGENT)}`],
    ['Publish', `topic/${topics.request(OTHER_AGENT)}`],
    ['Publish', `topic/${topics.presence(clientIdOf('prod2', 'home:main'))}`],
    ['Publish', `topic/${topics.result(ME, AGENT).replace('/prod/', '/prod2/')}`],
    ['RetainPublish', `topic/${topics.presence(AGENT)}`],
    ['UpdateThingShadow', `thing/${AGENT}`],
  ])('not %s %s', (action, resource) => {
    expect(decide(action, resource)).toBe(false);
  });

  test('a certificate that belongs to no thing cannot connect, nor one that wants its session kept', () => {
    for (const context of [
      { 'iot:ConnectAttributes': ['LastWill'] },
      { ...attached, 'iot:Connection.Thing.IsAttached': 'false' },
      { ...attached, 'iot:ConnectAttributes': ['LastWill', 'PersistentConnect'] },
    ])
      expect(decide('Connect', `client/${AGENT}`, context)).toBe(false);
  });
});
