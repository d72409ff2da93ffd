/** `npm run cloud` with programs `aws`, `npx` and `npm` that answer as AWS documents. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeSettings, SETTINGS_FILE } from '../../../cdk/settings-file.ts';
import { type Ended, runToEnd } from '../../../local/child-process.ts';
import { AwsRefusal, startAwsProgram } from '../../lambda/aws-program.ts';
import { ROOT } from '../../lambda/needed-runtime.ts';
import { makeTestFolder, type TestFolder } from '../../support/test-folder.ts';

const TOKEN = `lr_0123456789abcdef.${'x'.repeat(43)}`;
const URL = 'https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com/prod/';
const CERTIFICATE = `arn:aws:iot:eu-central-1:123456789012:cert/${'0f'.repeat(32)}`;
type Answers = Record<string, (args: string[]) => unknown>;

/** What an account says in which the stack is deployed, with these settings. */
const deployed = (settings: Record<string, unknown>): Answers => ({
  'sts get-caller-identity': () => ({ Account: '123456789012' }),
  'ssm get-parameter': () => ({ Parameter: { Value: '21' } }),
  'iot list-topic-rules': () => ({ rules: [] }),
  'lambda get-account-settings': () => ({ AccountLimit: { ConcurrentExecutions: 1000 } }),
  'cloudformation describe-stacks': () => ({
    Stacks: [
      {
        Outputs: Object.entries({
          Url: URL,
          ReleasesBucket: 'lanreach-releases',
          MakeFirstToken:
            "aws lambda invoke --region eu-central-1 --function-name LanReach-prod-Setup1A --payload '{}'",
          Settings: describeSettings(settings),
        }).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
      },
    ],
  }),
  'lambda invoke': (args) => {
    const file = args.find((arg) => arg.endsWith('.answer')) ?? '';
    modes.push(statSync(file).mode & 0o777);
    writeFileSync(file, JSON.stringify({ success: true, token: TOKEN }));
    return { StatusCode: 200 };
  },
});

let folder: TestFolder;
let modes: number[];
const settingsFile = () => join(folder.path, SETTINGS_FILE);
const tokenFile = () => join(folder.path, 'config', 'lanreach', 'LanReach-prod.eu-central-1.token');
beforeEach(() => {
  folder = makeTestFolder();
  modes = [];
});
afterEach(() => folder.remove());

/** Runs the command with these answers, by the first two arguments; everything else is done without a word. */
async function cloud(args: string[], answers: Answers, input = ''): Promise<Ended & { calls: string[] }> {
  const answer = (given: string[]) => answers[given.slice(0, 2).join(' ')]?.(given);
  await using programs = await startAwsProgram(answer, ['npx', 'npm']);
  const lines: string[] = [];
  const ended = await runToEnd([process.execPath, join(ROOT, 'dist', 'cloud.js'), ...args], {
    env: { PATH: programs.folder, XDG_CONFIG_HOME: join(folder.path, 'config') },
    cwd: folder.path,
    input,
    timeoutMs: 200_000,
    onLine: (line) => lines.push(line),
  });
  return { ...ended, output: lines.join('\n'), calls: programs.calls.map((one) => one.join(' ')) };
}

/** Without those that only look. */
const acts = (calls: string[]) => calls.filter((call) => !/^\S+ (?:get|describe|list)-/.test(call));

const SETTINGS = { region: 'eu-central-1', alarmEmail: 'you@example.org', monthlyBudget: '20' };
const DEPLOY = 'npx cdk deploy --all --method change-set --require-approval never';
const UPLOADS = [
  'npm run package',
  's3 sync dist/packages s3://lanreach-releases --exclude release.json*',
  's3 sync dist/packages s3://lanreach-releases',
];
const INVOKE = expect.stringMatching(/^lambda invoke --function-name LanReach-prod-Setup1A --payload \{\} /);

test('up asks what is missing and keeps it, deploys, keeps the token to itself, and uploads the packages', async () => {
  const { code, output, calls } = await cloud(['up'], deployed({}), 'eu-central-1\nyou@example.org\n20\n');
  expect([code, acts(calls)], output).toEqual([0, [DEPLOY, INVOKE, ...UPLOADS]]);
  expect(JSON.parse(readFileSync(settingsFile(), 'utf8'))).toEqual(SETTINGS);
  expect(readFileSync(tokenFile(), 'utf8')).toBe(TOKEN);
  expect([...modes, statSync(tokenFile()).mode & 0o777]).toEqual([0o600, 0o600]);
  expect(output).toContain(tokenFile());
  expect(output).toContain(URL);
  expect(output + calls.join()).not.toContain(TOKEN);

  // Again: nothing is asked, and the token stays.
  const again = await cloud(['up', '--stage', 'prod'], deployed(SETTINGS));
  expect([again.code, acts(again.calls)], again.output).toEqual([0, [`${DEPLOY} -c stage=prod`, ...UPLOADS]]);
});

test('a new account is prepared first, and what cannot be asked or used is refused before anything is done', async () => {
  const unasked = await cloud(['up'], deployed({}));
  expect(unasked).toMatchObject({
    code: 2,
    calls: [],
    output: expect.stringContaining(`write it into ${SETTINGS_FILE}`),
  });
  const wrong = await cloud(['up'], deployed({}), 'Frankfurt\n\n');
  expect(wrong).toMatchObject({ code: 2, calls: [], output: expect.stringContaining('-c region: expected a region') });
  expect(existsSync(settingsFile())).toBe(false);
  const noParameter = () => {
    throw new AwsRefusal('An error occurred (ParameterNotFound)');
  };
  const fresh = { ...deployed({}), 'ssm get-parameter': noParameter };
  const first = await cloud(['up', '--anyway'], fresh, 'eu-central-1\n\n');
  expect([first.code, acts(first.calls).slice(0, 2)], first.output).toEqual([0, ['npx cdk bootstrap', DEPLOY]]);
  expect(JSON.parse(readFileSync(settingsFile(), 'utf8'))).toMatchObject({ alarmEmail: null, monthlyBudget: null });
});

test('a setting of the deployed stack that the file has lost stops up, and check names it', async () => {
  writeFileSync(settingsFile(), JSON.stringify(SETTINGS));
  const answers = deployed({ ...SETTINGS, domainName: 'lan.example.org' });
  for (const [code, ...command] of [
    [1, 'check'],
    [1, 'up'],
    [2, 'up', '--anyway'],
  ] as const) {
    const ended = await cloud(command, answers);
    expect([ended.code, acts(ended.calls)], ended.output).toEqual([code, []]);
    expect(ended.output).toContain('It lacks domainName (lan.example.org)');
  }
});

test('a first token that was made before is not made again', async () => {
  writeFileSync(settingsFile(), JSON.stringify(SETTINGS));
  const made = (args: string[]) => {
    writeFileSync(
      args.find((arg) => arg.endsWith('.answer')) ?? '',
      '{"success":false,"message":"It was made before."}',
    );
    return { StatusCode: 200 };
  };
  const { code, output } = await cloud(['up'], { ...deployed({}), 'lambda invoke': made });
  expect([code, output]).toEqual([
    1,
    expect.stringContaining(`It was made before. Write the token that you have into ${tokenFile()}`),
  ]);
});

const deletes = (...stacks: string[]) =>
  stacks.flatMap((stack) => [
    `cloudformation delete-stack --stack-name ${stack}`,
    `cloudformation wait stack-delete-complete --stack-name ${stack}`,
  ]);

test('down keeps the table and its backups, unless the name of the stage is typed', async () => {
  writeFileSync(settingsFile(), JSON.stringify(SETTINGS));
  const wrong = await cloud(['down'], deployed({}), 'yes\n');
  expect(wrong).toMatchObject({ code: 2, calls: [] });
  expect(await cloud(['down'], deployed({}))).toMatchObject({ code: 2, calls: [] });
  const kept = await cloud(['down'], deployed({}), '\n');
  expect([kept.code, kept.calls], kept.output).toEqual([0, deletes('LanReach-prod')]);
});

test('down with the name deletes agents, packages, table and token', async () => {
  writeFileSync(settingsFile(), JSON.stringify(SETTINGS));
  await cloud(['up'], deployed({}));
  const policy = { PhysicalResourceId: 'LanReachAgent', ResourceType: 'AWS::IoT::Policy' };
  const { code, output, calls } = await cloud(
    ['down'],
    {
      ...deployed({}),
      'cloudformation list-stack-resources': () => ({ StackResourceSummaries: [policy] }),
      'iot list-targets-for-policy': () => ({ targets: [CERTIFICATE] }),
      'iot list-principal-things': () => ({ things: ['prod:home:attic'] }),
    },
    'prod\n',
  );
  const id = '0f'.repeat(32);
  expect([code, acts(calls)], output).toEqual([
    0,
    [
      `iot detach-thing-principal --thing-name prod:home:attic --principal ${CERTIFICATE}`,
      `iot update-certificate --certificate-id ${id} --new-status REVOKED`,
      `iot delete-certificate --certificate-id ${id} --force-delete`,
      'iot delete-thing --thing-name prod:home:attic',
      's3 rm s3://lanreach-releases --recursive',
      'npx cdk deploy --all --require-approval never -c keepData=no -c terminationProtection=no',
      ...deletes('LanReach-prod', 'LanReach-prod-data'),
    ],
  ]);
  expect(existsSync(tokenFile())).toBe(false);
});

test.each([[[]], [['away']], [['up', 'down']], [['up', '--force']]])('wrong usage is refused: %j', async (args) => {
  expect(await cloud(args, {})).toMatchObject({ code: 2, calls: [], output: expect.stringContaining('Usage:') });
});
