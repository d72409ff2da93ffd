/** A smoke test before and after a deployment: "What to look at first on a real account" in DEPLOY.md. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import * as z from 'zod';
import { lostSettings, readSettingsFile, SETTINGS_FILE } from '../cdk/settings-file.ts';
import { ruleName, topics } from '../shared/agent/topics.ts';
import { ErrorBody } from '../shared/errors.ts';
import { clientIdOf } from '../shared/identity.ts';

const USAGE = `Usage:
  npm run prove-deployment -- before [--stack LanReach-prod]
  npm run prove-deployment -- after [--stack LanReach-prod] [--site <id>] [--idle <seconds>]

Needs the AWS CLI with credentials and a region (AWS_REGION). "after" needs LANREACH_URL and, in LANREACH_TOKEN, a token
with every right, and --site for what an agent takes part in. It makes a site of its own and removes it.
Exit codes: 0 everything holds, 1 something does not, 2 wrong usage.
`;
/** A deployment for one site needs about five at a time: requests, messages of agents, the console. */
const FEW_EXECUTIONS = 50;
/** A function streams this much at full speed, more than a buffered answer can have. */
const STREAMED_BYTES = 6_000_000;
const DEVICES_A_FILE = 900;
const TIMEOUT_MS = 60_000;

const run = promisify(execFile);
const { values, positionals } = readArguments();
const { stack } = values;
const stage = stack.replace(/^LanReach-/, '');
const { LANREACH_URL: url = '', LANREACH_TOKEN: token = '' } = process.env;

if (positionals[0] === 'before') await before();
else if (positionals[0] === 'after' && url !== '' && token !== '') await after();
else stop(USAGE);

async function before(): Promise<void> {
  await check('The AWS CLI has credentials that are valid', async () => {
    await aws(['sts', 'get-caller-identity'], z.unknown());
  });
  await check('The account and region are prepared for the CDK', async () => {
    await aws(['ssm', 'get-parameter', '--name', '/cdk-bootstrap/hnb659fds/version'], z.unknown());
  });
  await check(`Lambda may run ${FEW_EXECUTIONS} functions at a time`, async () => {
    const Settings = z.object({ AccountLimit: z.object({ ConcurrentExecutions: z.number() }) });
    const { ConcurrentExecutions: limit } = (await aws(['lambda', 'get-account-settings'], Settings)).AccountLimit;
    const how = 'ask for 1,000 under Service Quotas, AWS Lambda, "Concurrent executions"';
    if (limit < FEW_EXECUTIONS) throw new Error(`It may run ${limit}: ${how}`);
  });
  await check('No other deployment of this stage is in this region', async () => {
    const Rules = z.object({ rules: z.array(z.object({ ruleName: z.string() })) });
    const { rules } = await aws(['iot', 'list-topic-rules'], Rules);
    const ours = rules.filter((rule) => rule.ruleName.startsWith(ruleName(stage, '')));
    if (ours.length > 0) await aws(['cloudformation', 'describe-stacks', '--stack-name', stack], z.unknown());
  });
  await check(`${SETTINGS_FILE} has lost no setting of the deployed stack`, async () => {
    const lost = lostSettings(await deployedSettings(), readSettingsFile(process.cwd()));
    if (lost.length === 0) return;
    const names = lost.map(([name, value]) => `${name} (${value})`).join(', ');
    throw new Error(`It lacks ${names}: add them, or null for those that are to go`);
  });
}

async function deployedSettings(): Promise<string> {
  const Output = z.object({ OutputKey: z.string(), OutputValue: z.string() });
  const Stacks = z.object({ Stacks: z.tuple([z.object({ Outputs: z.array(Output).default([]) })]) });
  try {
    const { Stacks: found } = await aws(['cloudformation', 'describe-stacks', '--stack-name', stack], Stacks);
    return found[0].Outputs.find(({ OutputKey }) => OutputKey === 'Settings')?.OutputValue ?? '{}';
  } catch (error) {
    if (/does not exist/.test(String(error))) return '{}'; // Before the first deployment.
    throw error;
  }
}

async function after(): Promise<void> {
  const site = `prove-${randomBytes(4).toString('hex')}`;
  process.stdout.write(`On the site ${site}, which is removed at the end:\n`);
  try {
    await checkApi(site);
    await checkStack();
    if (values.site === undefined) print('skipped', 'Everything that needs an agent: repeat with --site');
    else await checkAgents(values.site);
  } finally {
    await check('That site is removed', () => removeSite(site));
  }
}

async function checkApi(site: string): Promise<void> {
  await check('The gateway refuses in the words of the contract', async () => {
    ErrorBody.parse((await api('GET', '/no/such/path', { expected: [404] })).json);
    ErrorBody.parse((await api('GET', '/devices', { expected: [403], isAnonymous: true })).json);
  });
  await check('Transactions are allowed: a site and a token are made, and the token is revoked', async () => {
    await api('POST', '/sites', { expected: [201], body: { id: site } });
    const body = { name: 'prove-deployment', scopes: ['devices:read'], sites: [site] };
    const { id } = z.object({ id: z.string() }).parse((await api('POST', '/tokens', { expected: [201], body })).json);
    await api('DELETE', `/tokens/${id}`);
  });
  await check('Batches are allowed, and a long answer is streamed whole', async () => {
    for (const file of [0, 1]) {
      const content = Buffer.from(devicesFile(file)).toString('base64');
      await api('POST', '/devices/import', { site, body: { content } });
    }
    const { json, text } = await api('GET', '/devices?fields=all', { site });
    const { devices } = z.object({ devices: z.array(z.unknown()) }).parse(json);
    if (devices.length !== 2 * DEVICES_A_FILE) throw new Error(`The list has ${devices.length} devices`);
    if (text.length < STREAMED_BYTES) throw new Error(`The answer has only ${text.length} bytes`);
  });
  await check('Answers without a body pass the gateway: HEAD, 304', async () => {
    await api('HEAD', '/devices', { site });
    const etag = (await api('GET', '/devices', { site })).headers.get('etag') ?? '';
    await api('GET', '/devices', { site, expected: [304], headers: { 'if-none-match': etag } });
  });
}

async function checkStack(): Promise<void> {
  const named = async (type: string, name: RegExp) => {
    const Name = z.string();
    const Resource = z.object({ LogicalResourceId: Name, PhysicalResourceId: Name, ResourceType: Name });
    const List = z.object({ StackResourceSummaries: z.array(Resource) });
    const all = await aws(['cloudformation', 'list-stack-resources', '--stack-name', stack], List);
    return all.StackResourceSummaries.filter(
      (one) => one.ResourceType === type && name.test(one.LogicalResourceId),
    ).map(({ PhysicalResourceId }) => PhysicalResourceId);
  };
  await check('Lambda follows the queues', async () => {
    const Mapping = z.object({ State: z.string(), LastProcessingResult: z.string().default('') });
    const Mappings = z.object({ EventSourceMappings: z.array(Mapping) });
    const followers = await named('AWS::Lambda::Function', /^(Ingest|Worker)Function/);
    if (followers.length !== 2) throw new Error(`Found ${followers.length} functions, expected ingest and the worker`);
    for (const name of followers) {
      const args = ['lambda', 'list-event-source-mappings', '--function-name', name];
      const { EventSourceMappings: found } = await aws(args, Mappings);
      const bad = found.filter(
        ({ State, LastProcessingResult: last }) => State !== 'Enabled' || /PROBLEM|error/i.test(last),
      );
      if (found.length === 0 || bad.length > 0) throw new Error(`${name}: ${JSON.stringify(bad)}`);
    }
  });
  await check('The alarms have a recipient', async () => {
    const Subscriptions = z.object({ Subscriptions: z.array(z.object({ SubscriptionArn: z.string() })) });
    for (const topic of await named('AWS::SNS::Topic', /^MonitoringTopic/)) {
      const args = ['sns', 'list-subscriptions-by-topic', '--topic-arn', topic];
      const { Subscriptions: found } = await aws(args, Subscriptions);
      const confirmed = found.filter(({ SubscriptionArn }) => SubscriptionArn !== 'PendingConfirmation');
      if (confirmed.length === 0) throw new Error('Deploy with -c alarmEmail=<address>, and confirm the e-mail of AWS');
    }
  });
  await check('AWS counts the concurrent executions of Lambda for the alarm about them', async () => {
    const of = ['--namespace', 'AWS/Usage', '--metric-name', 'ResourceCount'];
    const dimensions = ['--dimensions', 'Name=Service,Value=Lambda', 'Name=Resource,Value=ConcurrentExecutions'];
    const Metrics = z.object({ Metrics: z.array(z.unknown()) });
    const { Metrics: found } = await aws(['cloudwatch', 'list-metrics', ...of, ...dimensions], Metrics);
    if (found.length === 0) throw new Error('It does not: deploy with -c accountConcurrency=<quota of the account>');
  });
}

async function checkAgents(site: string): Promise<void> {
  const Agents = z.object({ agents: z.array(z.object({ id: z.string(), state: z.string() })) });
  const Jobs = z.object({ jobs: z.array(z.object({ tool: z.string(), state: z.string() })) });
  let agent = '';
  await check('The presence of agents arrives by the rules of IoT Core', async () => {
    const { agents } = Agents.parse((await api('GET', `/sites/${site}/agents`)).json);
    agent = agents.find(({ state }) => state === 'online')?.id ?? '';
    if (agent === '') throw new Error('No agent of the site is online');
  });
  await check('Commands reach an agent, also after functions were frozen, and their results are stored', async () => {
    for (const idleS of [0, 0, Number(values.idle)]) {
      await sleep(idleS * 1_000);
      await api('GET', '/nettools/interfaces', { site });
    }
    await until(TIMEOUT_MS, async () => {
      const { jobs } = Jobs.parse((await api('GET', '/jobs?limit=3', { site })).json);
      return jobs.every(({ tool, state }) => tool === 'interfaces' && state === 'succeeded');
    });
  });
  await check('The certificate of an agent may speak for that agent alone', async () => {
    const client = clientIdOf(stage, agent);
    const Principals = z.object({ principals: z.array(z.string()).min(1) });
    const Decisions = z.object({ authResults: z.array(z.object({ authDecision: z.string() })).min(1) });
    const { principals } = await aws(['iot', 'list-thing-principals', '--thing-name', client], Principals);
    const [principal = ''] = principals;
    for (const other of [client, clientIdOf(stage, 'nowhere:none')]) {
      const resource = `${principal.replace(/cert\/\w+$/, '')}topic/${topics.presence(other)}`;
      const question = JSON.stringify([{ actionType: 'PUBLISH', resources: [resource] }]);
      const as = ['--principal', principal, '--client-id', client, '--auth-infos', question];
      const { authResults } = await aws(['iot', 'test-authorization', ...as], Decisions);
      const isAllowed = authResults.every(({ authDecision }) => authDecision === 'ALLOWED');
      if (isAllowed !== (other === client))
        throw new Error(`It is ${isAllowed ? 'allowed' : 'denied'} to speak for ${other}`);
    }
  });
}

/** A large site needs several requests, and the service may answer with Retry-After. */
async function removeSite(site: string): Promise<void> {
  await until(2 * TIMEOUT_MS, async () => {
    const expected = [200, 202, 403, 404, 429, 503];
    const { status } = await api('DELETE', `/sites/${site}?confirm=${site}`, { expected });
    return [200, 403, 404].includes(status); // 403 is also the answer for a site that does not exist.
  });
}

async function check(title: string, holds: () => Promise<void>): Promise<void> {
  try {
    await holds();
    print('passed', title);
  } catch (error) {
    print('failed', title, error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

function print(outcome: string, title: string, why = ''): void {
  process.stdout.write(`${outcome.padEnd(8)}${title}\n${why === '' ? '' : `        ${why}\n`}`);
}

async function until(withinMs: number, isSo: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > endsAt) throw new Error(`Not done within ${withinMs / 1_000} s`);
    await sleep(2_000);
  }
}

interface Question {
  /** Default: 200. */
  expected?: readonly number[];
  site?: string;
  body?: unknown;
  headers?: Record<string, string>;
  isAnonymous?: boolean;
}

/** @throws {Error} for another status than the expected ones, with the id of the request */
async function api(method: string, path: string, question: Question = {}) {
  const { expected = [200], site, body, headers = {}, isAnonymous = false } = question;
  const response = await fetch(url.replace(/\/+$/, '') + path, {
    method,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      ...(isAnonymous ? {} : { authorization: `Bearer ${token}` }),
      ...(site === undefined ? {} : { 'x-site': site }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  const { status } = response;
  if (!expected.includes(status)) {
    const request = response.headers.get('x-request-id');
    throw new Error(
      `${method} ${path}: expected ${expected}, got ${status} (${text.slice(0, 300)}; request ${request})`,
    );
  }
  return { status, text, headers: response.headers, json: text === '' ? null : JSON.parse(text) };
}

/** @throws {Error} with the message of the AWS CLI */
async function aws<T>(args: string[], Answer: z.ZodType<T>): Promise<T> {
  const { stdout } = await run('aws', [...args, '--output', 'json', '--no-cli-pager'], { timeout: TIMEOUT_MS });
  return Answer.parse(stdout.trim() === '' ? null : JSON.parse(stdout));
}

/** 3.5 MB of CSV. */
function devicesFile(file: number): string {
  const rows = Array.from({ length: DEVICES_A_FILE }, (_, i) => {
    const number = (file * DEVICES_A_FILE + i).toString(16).padStart(4, '0').toUpperCase();
    return `00:1E:06:00:${number.slice(0, 2)}:${number.slice(2)},prove ${number},${'x'.repeat(3_800)}`;
  });
  return ['devMac,devName,devComments', ...rows].join('\n');
}

function readArguments() {
  try {
    const options = {
      stack: { type: 'string', default: 'LanReach-prod' },
      site: { type: 'string' },
      idle: { type: 'string', default: '300' },
    } as const;
    const read = parseArgs({ options, allowPositionals: true });
    if (!/^\d{1,3}$/.test(read.values.idle)) throw new Error('--idle: expected seconds, at most 999');
    return read;
  } catch (error) {
    return stop(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

function stop(message: string): never {
  process.stderr.write(message);
  process.exit(2);
}
