/** Deploys, checks and deletes a deployment: the commands of DEPLOY.md in order, by the AWS CLI and the CDK. */
import { spawn } from 'node:child_process';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { readSettings } from '../cdk/settings.ts';
import {
  type GivenSettings,
  lostSettings,
  readSettingsFile,
  SETTINGS_FILE,
  SettingsError,
} from '../cdk/settings-file.ts';

const USAGE = `Usage:
  npm run cloud -- up [--stage <name>] [--anyway]
  npm run cloud -- check [--stage <name>]
  npm run cloud -- down [--stage <name>]

Needs version 2 of the AWS CLI, with credentials. "up" prompts for what ${SETTINGS_FILE} lacks, checks the account, deploys, writes the first token
to a file and uploads the packages of agents; it can be repeated. --anyway continues when a check of the account fails. "down" keeps the table
unless you type the name of the stage.
Exit codes: 0 done, 1 something failed, 2 wrong usage or settings.
`;
const PROVE = join(import.meta.dirname, 'prove-deployment.js');
const CONFIG = join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'lanreach');
const QUESTIONS: Readonly<Record<string, string>> = {
  region: 'Region of AWS, such as eu-central-1',
  alarmEmail: 'E-mail address for alarms (Enter: none)',
  monthlyBudget: 'US dollars a month, before which AWS warns that address (Enter: none)',
};

/** For standard input; closed before another program may read it. */
let reader: Interface | undefined;
let lines: AsyncIterator<string> | undefined;
let environment = process.env;
const root = process.cwd();

try {
  const { command, ...flags } = readArguments();
  const settings = { ...readSettingsFile(root), ...(flags.stage === undefined ? {} : { stage: flags.stage }) };
  if (command === 'up') await up(settings, flags);
  else if (command === 'check') await check(placeOf(settings));
  else await down(placeOf(settings), flags.stage);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = error instanceof SettingsError ? 2 : 1;
}
process.stdin.destroy(); // Else this process would wait for another line.

async function up(given: GivenSettings, { stage, anyway }: Flags): Promise<void> {
  const place = placeOf(await completed(given, stage));
  const { stack } = place;
  const version = ['ssm', 'get-parameter', '--name', '/cdk-bootstrap/hnb659fds/version'];
  if ((await aws(version, z.unknown()).catch(() => null)) === null) await run('npx', ['cdk', 'bootstrap']);
  await check(place).catch((error) => {
    if (!anyway) throw error;
  });
  const { Settings = '{}' } = await outputsOf(stack).catch((): Record<string, string> => ({})); // Nothing is deployed yet.
  const lost = lostSettings(Settings, readSettingsFile(root)).map(([name]) => name);
  if (lost.length > 0)
    throw new SettingsError(`${SETTINGS_FILE} lacks ${lost.join(', ')}, which the deployed stack has`);
  const approval = process.stdin.isTTY ? [] : ['--require-approval', 'never'];
  await run('npx', ['cdk', 'deploy', '--all', '--method', 'change-set', ...approval, ...contextOf(stage)]);
  const { Url = '', ReleasesBucket = '', MakeFirstToken = '' } = await outputsOf(stack);
  const token = await firstToken(stack, /--function-name (\S+)/.exec(MakeFirstToken)?.[1] ?? '');
  await run('npm', ['run', 'package']);
  // The release last, so that an instance never finds one without its packages.
  const sync = ['s3', 'sync', 'dist/packages', `s3://${ReleasesBucket}`];
  await run('aws', [...sync, '--exclude', 'release.json*']);
  await run('aws', sync);
  say(`\nThe API is at ${Url}, its first token in ${token}\n`);
  say(`  export LANREACH_URL=${Url} LANREACH_TOKEN="$(cat '${token}')"\n  npx lanreach site list\n`);
}

async function check({ stack }: Place): Promise<void> {
  await run(process.execPath, [PROVE, 'before', '--stack', stack]);
}

async function down({ stage, stack }: Place, flag: string | undefined): Promise<void> {
  const typed = await ask(`${stack} goes. Type "${stage}" to delete its table as well, for ever; Enter keeps it`);
  if (typed !== '' && typed !== stage) throw new SettingsError(`That is not ${stage}: nothing was deleted`);
  if (typed === stage) {
    const { ReleasesBucket } = await outputsOf(stack);
    await removeAgents(stack);
    await run('aws', ['s3', 'rm', `s3://${ReleasesBucket}`, '--recursive']);
    const keepNothing = ['-c', 'keepData=no', '-c', 'terminationProtection=no', ...contextOf(flag)];
    await run('npx', ['cdk', 'deploy', '--all', '--require-approval', 'never', ...keepNothing]);
  }
  for (const one of typed === stage ? [stack, `${stack}-data`] : [stack]) {
    await run('aws', ['cloudformation', 'delete-stack', '--stack-name', one]);
    await run('aws', ['cloudformation', 'wait', 'stack-delete-complete', '--stack-name', one]);
  }
  if (typed === stage) await rm(tokenFile(stack), { force: true });
  say(typed === stage ? 'Everything is deleted.\n' : `${stack}-data stays, with the table: "up" takes it up again.\n`);
}

/** The service created things and certificates, not the stack; each of them blocks the deletion of the policy. */
async function removeAgents(stack: string): Promise<void> {
  const Resource = z.object({ PhysicalResourceId: z.string(), ResourceType: z.string() });
  const Resources = z.object({ StackResourceSummaries: z.array(Resource) });
  const kept = ['cloudformation', 'list-stack-resources', '--stack-name', `${stack}-data`];
  const { StackResourceSummaries: found } = await aws(kept, Resources);
  const things = new Set<string>();
  for (const { PhysicalResourceId } of found.filter(({ ResourceType }) => ResourceType === 'AWS::IoT::Policy')) {
    const holders = ['iot', 'list-targets-for-policy', '--policy-name', PhysicalResourceId];
    const { targets } = await aws(holders, z.object({ targets: z.array(z.string()) }));
    for (const principal of targets) {
      const owned = ['iot', 'list-principal-things', '--principal', principal];
      for (const thing of (await aws(owned, z.object({ things: z.array(z.string()) }))).things) {
        await run('aws', ['iot', 'detach-thing-principal', '--thing-name', thing, '--principal', principal]);
        things.add(thing);
      }
      const certificate = ['--certificate-id', principal.split('/').at(-1) ?? ''];
      await run('aws', ['iot', 'update-certificate', ...certificate, '--new-status', 'REVOKED']);
      await run('aws', ['iot', 'delete-certificate', ...certificate, '--force-delete']);
    }
  }
  for (const thing of things) await run('aws', ['iot', 'delete-thing', '--thing-name', thing]);
}

/** @returns the file of the token, which is in no argument and no output */
async function firstToken(stack: string, functionName: string): Promise<string> {
  const file = tokenFile(stack);
  if ((await readFile(file).catch(() => null)) !== null) return file;
  await mkdir(CONFIG, { recursive: true, mode: 0o700 });
  const answer = `${file}.answer`;
  await rm(answer, { force: true });
  await (await open(answer, 'wx', 0o600)).close(); // The AWS CLI overwrites an existing file, keeping its mode.
  try {
    const invoke = ['lambda', 'invoke', '--function-name', functionName, '--payload', '{}'];
    await aws([...invoke, '--cli-binary-format', 'raw-in-base64-out', answer], z.unknown());
    const Answer = z.object({
      token: z.string().optional(),
      message: z.string().default('The function Access has failed: see its log'),
    });
    const { token, message } = Answer.parse(JSON.parse(await readFile(answer, 'utf8')));
    if (token === undefined) throw new Error(`${message} Write the token that you have into ${file} and repeat.`);
    await writeFile(answer, token);
    await rename(answer, file);
  } finally {
    await rm(answer, { force: true });
  }
  return file;
}

function tokenFile(stack: string): string {
  return join(CONFIG, `${stack}.${environment.AWS_REGION}.token`);
}

interface Place {
  stage: string;
  stack: string;
}

/** The names of the deployment. Sets its region for the AWS CLI and the CDK. */
function placeOf(settings: GivenSettings): Place {
  const { stage, region = process.env.AWS_REGION } = readSettings(settings);
  if (region === undefined) throw new SettingsError(`${SETTINGS_FILE} lacks region`);
  environment = { ...process.env, AWS_REGION: region, AWS_DEFAULT_REGION: region, AWS_PAGER: '' };
  return { stage, stack: `LanReach-${stage}` };
}

/** Prompts for missing settings, and stores the answers in the file. */
async function completed(given: GivenSettings, stage: string | undefined): Promise<GivenSettings> {
  const settings = { ...given };
  const missing = Object.entries(QUESTIONS).filter(([name]) => settings[name] === undefined);
  for (const [name, question] of missing) {
    if (name === 'region' && process.env.AWS_REGION !== undefined) settings[name] = process.env.AWS_REGION;
    else if (name === 'monthlyBudget' && settings.alarmEmail === null) settings[name] = null;
    else settings[name] = (await ask(question)) || null;
  }
  readSettings(settings); // Throws before storing invalid ones.
  const kept = stage === undefined ? settings : { ...settings, stage: readSettingsFile(root).stage };
  if (missing.length > 0) await writeFile(join(root, SETTINGS_FILE), `${JSON.stringify(kept, null, 2)}\n`);
  return settings;
}

async function ask(question: string): Promise<string> {
  say(`${question}: `);
  reader ??= createInterface({ input: process.stdin });
  lines ??= reader[Symbol.asyncIterator]();
  const { value, done } = await lines.next();
  if (done) throw new SettingsError(`\nNo answer: write it into ${SETTINGS_FILE}, null for none`);
  return value.trim();
}

function contextOf(stage: string | undefined): string[] {
  return stage === undefined ? [] : ['-c', `stage=${stage}`];
}

async function outputsOf(stack: string): Promise<Record<string, string>> {
  const Output = z.object({ OutputKey: z.string(), OutputValue: z.string() });
  const Stacks = z.object({ Stacks: z.tuple([z.object({ Outputs: z.array(Output) })]) });
  const { Stacks: found } = await aws(['cloudformation', 'describe-stacks', '--stack-name', stack], Stacks);
  return Object.fromEntries(found[0].Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}

async function aws<T>(args: string[], Answer: z.ZodType<T>): Promise<T> {
  const answer = await run('aws', [...args, '--output', 'json'], 'pipe');
  return Answer.parse(answer.trim() === '' ? null : JSON.parse(answer));
}

/** Without a shell. @returns its output, unless that goes to the screen */
async function run(program: string, args: string[], output: 'inherit' | 'pipe' = 'inherit'): Promise<string> {
  reader?.close();
  if (output === 'inherit') say(`\n> ${[program, ...args].join(' ')}\n`);
  const child = spawn(program, args, { env: environment, stdio: ['inherit', output, 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const [code, answer] = await Promise.all([ended, child.stdout === null ? '' : text(child.stdout)]);
  if (code !== 0) throw new Error(`${program} ${args.slice(0, 2).join(' ')} has failed (exit code ${code})`);
  return answer;
}

function say(words: string): void {
  process.stdout.write(words);
}

interface Flags {
  stage: string | undefined;
  anyway: boolean;
}

function readArguments(): Flags & { command: string } {
  try {
    const options = { stage: { type: 'string' }, anyway: { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [command = '', ...rest] = positionals;
    if (!['up', 'check', 'down'].includes(command) || rest.length > 0) throw new SettingsError(USAGE);
    return { command, stage: values.stage, anyway: values.anyway };
  } catch (error) {
    throw error instanceof SettingsError ? error : new SettingsError(`${Object(error).message}\n\n${USAGE}`);
  }
}
