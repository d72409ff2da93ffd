/** What the cloud of test/lambda cannot show: hooks that reach a public receiver, and refusals while cleaning up. */
import { expect, test } from 'vitest';
import { AFTER, type AfterMeans, cleanUp } from './after.ts';
import type { Answer, Api } from './api.ts';
import { runChecks } from './checks.ts';

const HOOKS = AFTER.find(({ title }) => title === 'A receiver of hooks is told');

/** An API in which the delivery of a hook is in these states, one after the other. */
function means(states: { state: string; attempts: number }[]): AfterMeans {
  const answers: Record<string, () => [number, unknown]> = {
    'POST /hooks': () => [201, { id: '0123456789ab', secret: 'whsec_x' }],
    'POST /devices/import': () => [200, { inserted: 1 }],
    'GET /hooks/0123456789ab/deliveries': () => {
      const next = states.shift();
      return [200, { deliveries: next === undefined ? [] : [{ ...next, reason: 'it answered 500' }] }];
    },
  };
  const request: Api['request'] = async (method, path) => {
    const [status, json] = answers[`${method} ${path}`]?.() ?? [404, {}];
    const timing = { firstByteMs: 1, endMs: 1, reachedMs: () => null };
    return { status, json, headers: new Headers(), text: JSON.stringify(json), ...timing } satisfies Answer;
  };
  const api = { url: 'https://api.example.org', request };
  const aws = () => Promise.reject(new Error('not needed'));
  const rest = {
    region: 'eu-central-1',
    stack: 'LanReach-prod',
    site: null,
    scratchSite: 'prove-1',
    idleMs: 0,
    pollMs: 1,
  };
  return { api, aws, hookUrl: 'https://hooks.example.org/x', ...rest };
}

const run = (given: AfterMeans) => HOOKS?.run(given, AbortSignal.timeout(60_000));

test('a hook is waited for until it was delivered', async () => {
  const states = [
    { state: 'pending', attempts: 0 },
    { state: 'pending', attempts: 1 },
    { state: 'delivered', attempts: 1 },
  ];
  expect(await run(means(states))).toMatchObject({
    outcome: 'passed',
    facts: [expect.stringMatching(/^delivered after \d+ ms and 1 attempts$/)],
  });
});

test('a receiver that fails again and again is told with the reason', async () => {
  const finding = await run(means([{ state: 'pending', attempts: 2 }]));
  expect(finding).toMatchObject({ outcome: 'failed', facts: [expect.anything(), 'it answered 500'] });
});

test('without a site or a receiver, the checks that need them are unclear, and say what to give', async () => {
  const given = { ...means([]), hookUrl: null };
  const findings = await Promise.allSettled(AFTER.map((check) => check.run(given, AbortSignal.timeout(60_000))));
  const facts = findings.flatMap((one) => (one.status === 'fulfilled' ? one.value.facts : []));
  expect(facts.filter((fact) => fact.includes('repeat with --site'))).toHaveLength(3);
  expect(facts.filter((fact) => fact.includes('repeat with --hook-url-file'))).toHaveLength(1);
});

/** An API that answers the removal of the site with these statuses, one after the other. */
function removing(statuses: number[], code: string): AfterMeans {
  const request: Api['request'] = async () => {
    const json = { success: false, code, message: 'refused', error: 'refused', requestId: 'r' };
    const timing = { firstByteMs: 1, endMs: 1, reachedMs: () => null };
    return { status: statuses.shift() ?? 599, json, headers: new Headers(), text: '', ...timing };
  };
  return { ...means([]), api: { url: 'https://api.example.org', request } };
}

test.each([
  [[202, 429, 503, 200], 'unavailable'],
  [[503, 404], 'not_found'],
  [[503, 403], 'site_forbidden'],
])('the site is removed until it is gone: %j', async (statuses, code) => {
  const finding = await cleanUp('prove-1').run(removing(statuses, code), AbortSignal.timeout(60_000));
  expect([finding.outcome, statuses]).toEqual(['passed', []]);
});

test.each([
  [500, 'internal'],
  [403, 'scope_missing'],
])('a site that cannot be removed, because of %i, is a failure that names the site', async (status, code) => {
  const [result] = await runChecks([cleanUp('prove-1')], removing([status], code), () => {});
  expect(result).toMatchObject({ outcome: 'failed', title: expect.stringContaining('prove-1') });
  expect(result?.facts).toEqual([expect.stringContaining(`expected 200, got ${status}`)]);
});

const THROTTLED = AFTER.find(({ title }) => title.startsWith('A function that Lambda throttles'));

test.each([
  [2, null],
  [3, 'aws lambda delete-function-concurrency --function-name console-1'],
])(
  'the console is opened again, also when %i calls fail; else the command to run is named',
  async (failures, named) => {
    let left = failures;
    const aws: AfterMeans['aws'] = async ([, operation]) => {
      if (operation === 'delete-function-concurrency' && left-- > 0) throw new Error('ended by SIGINT');
      const console = { LogicalResourceId: 'ConsoleFunction0123ABCD', PhysicalResourceId: 'console-1' };
      return { StackResourceSummaries: [{ ...console, ResourceType: 'AWS::Lambda::Function' }] };
    };
    const ended = THROTTLED?.run({ ...means([]), aws }, AbortSignal.timeout(60_000));
    await expect(ended).rejects.toThrow(named ?? 'expected 503, got 404');
  },
);

const find = (title: RegExp) => AFTER.find((check) => title.test(check.title))!;
const checked = (title: RegExp, aws: AfterMeans['aws']) =>
  find(title).run({ ...means([]), aws }, AbortSignal.timeout(60_000));

test.each([
  [['arn:aws:sns:eu-central-1:123456789012:topic:1'], 'passed', /^email ops@example.org$/],
  [['arn:aws:sns:eu-central-1:123456789012:topic:1', 'PendingConfirmation'], 'failed', /not confirmed/],
  [[], 'unclear', /alarmEmail/],
] as const)('alarms that nobody has agreed to hear are a failure: %j is %s', async (arns, outcome, fact) => {
  const finding = await checked(/hears of alarms/, async ([service]) => {
    if (service === 'sns') {
      const one = { Protocol: 'email', Endpoint: 'ops@example.org' };
      return { Subscriptions: arns.map((SubscriptionArn) => ({ ...one, SubscriptionArn })) };
    }
    const topic = { LogicalResourceId: 'MonitoringTopic0123ABCD', PhysicalResourceId: 'arn:topic' };
    return { StackResourceSummaries: [{ ...topic, ResourceType: 'AWS::SNS::Topic' }] };
  });
  expect(finding).toMatchObject({ outcome, facts: expect.arrayContaining([expect.stringMatching(fact)]) });
});

test.each([
  ['is sent', 'ResourceNotFoundException', 'passed'],
  ['is not sent', 'AccessDeniedException', 'failed'],
])('the key about the thing of a certificate %s: that is told', async (_, refusal, outcome) => {
  const seen: unknown[] = [];
  const finding = await checked(/iot:thingArn/, async ([service, operation], _signal, environment) => {
    if (operation === 'get-caller-identity') return { Account: '123456789012' };
    if (operation === 'get-federation-token') {
      return { Credentials: { AccessKeyId: 'ASIAX', SecretAccessKey: 'secret', SessionToken: 'token' } };
    }
    seen.push(environment?.AWS_ACCESS_KEY_ID);
    throw new Error(
      `aws ${service} ${operation}: ${environment === undefined ? 'ResourceNotFoundException' : refusal}`,
    );
  });
  expect([finding.outcome, seen]).toEqual([outcome, [undefined, 'ASIAX']]);
});

test('who may not attach certificates, or is a role, cannot ask about that key, and nothing is said of it', async () => {
  const asRole = await checked(/iot:thingArn/, async ([, operation]) => {
    if (operation === 'get-caller-identity') return { Account: '123456789012' };
    throw new Error(operation === 'get-federation-token' ? 'AccessDenied: not for roles' : 'ResourceNotFoundException');
  });
  const withoutRights = await checked(/iot:thingArn/, async ([, operation]) => {
    if (operation === 'get-caller-identity') return { Account: '123456789012' };
    throw new Error('AccessDeniedException');
  });
  expect([asRole.outcome, withoutRights.outcome]).toEqual(['unclear', 'unclear']);
});
